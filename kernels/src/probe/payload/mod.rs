//! The columns that a table retains, compact and owned by it.

#[cfg(test)]
mod tests;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

use super::dictionary::DictionaryColumn;
use super::gather::{fixed_width, row_bytes, slice_bytes};
use super::row_columns::RowColumns;
use super::row_store::RowStore;
use super::variable::{ARRAY_BYTES, VariableColumn};
use crate::error::Result;
use crate::table::FusedRows;

/// The retained columns of a table.
#[derive(Debug)]
pub(crate) struct Payload {
    columns: Vec<Column>,
    fixed: RowStore,
}

#[derive(Debug)]
struct Column {
    /// The most bytes that a row takes in an output.
    row_bytes: usize,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A column of the row store.
    Fixed(usize),
    Variable(VariableColumn),
    Dictionary(DictionaryColumn),
}

impl Payload {
    /// Copies columns of `rows` rows, each in chunks and of a type that
    /// [`table_type`](crate::form::table_type) gives (a dictionary's chunks may have
    /// narrower indices), in the order of `order` if
    /// given, which names each row once and [`NO_ROW`](crate::pairs::NO_ROW) for
    /// a position without one, else as they come; nothing of the input is kept
    /// alive. Columns of fixed width may be fused with the keys of an index,
    /// which then laid out [`RowColumns`] of the same columns in that order.
    ///
    /// # Errors
    /// Arrow's.
    pub(crate) fn new(
        columns: &[(&DataType, Vec<ArrayRef>)],
        rows: usize,
        order: Option<&[u32]>,
        fused: Option<FusedRows>,
    ) -> Result<Self> {
        let mut fixed = 0;
        let places = columns
            .iter()
            .map(|(data_type, chunks)| {
                let place = if fixed_width(data_type).is_some() {
                    fixed += 1;
                    Place::Fixed(fixed - 1)
                } else if matches!(data_type, DataType::Dictionary(..)) {
                    Place::Dictionary(DictionaryColumn::new(data_type, chunks, order, ARRAY_BYTES)?)
                } else {
                    Place::Variable(VariableColumn::new(data_type, chunks, order)?)
                };
                let row_bytes = chunks.iter().map(row_bytes).max().unwrap_or(0);
                Ok(Column { row_bytes, place })
            })
            .collect::<Result<_>>()?;
        let fixed = RowStore::new(&RowColumns::new(columns, rows), order, fused);
        Ok(Self { columns: places, fixed })
    }

    /// Bytes that making a payload takes at its peak, roughly: in another order
    /// columns without a fixed width are held twice for a while.
    pub(crate) fn estimated_bytes(
        columns: &[(&DataType, Vec<ArrayRef>)],
        rows: usize,
        ordered: bool,
    ) -> usize {
        let columns = columns.iter().map(|(data_type, chunks)| match fixed_width(data_type) {
            Some(width) => rows * width + rows / 8,
            None => {
                let bytes: usize = chunks.iter().map(slice_bytes).sum();
                bytes * if ordered { 2 } else { 1 }
            }
        });
        columns.sum::<usize>() + if ordered { rows * size_of::<u32>() } else { 0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let variable = self.columns.iter().map(|column| match &column.place {
            Place::Fixed(_) => 0,
            Place::Variable(column) => column.bytes(),
            Place::Dictionary(column) => column.bytes(),
        });
        self.fixed.bytes() + variable.sum::<usize>()
    }

    /// The most bytes that a row of a column takes in an output.
    pub(crate) fn row_bytes(&self, column: usize) -> usize {
        self.columns[column].row_bytes
    }

    /// The values of `rows` of each of `wanted`, nulls where a row is
    /// [`NO_ROW`](crate::pairs::NO_ROW).
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow.
    ///
    /// # Panics
    /// If a row other than `NO_ROW` is out of bounds.
    pub(crate) fn gather(&self, wanted: &[usize], rows: &[u32]) -> Result<Vec<ArrayRef>> {
        let fixed: Vec<usize> = wanted
            .iter()
            .filter_map(|&i| match self.columns[i].place {
                Place::Fixed(i) => Some(i),
                Place::Variable(_) | Place::Dictionary(_) => None,
            })
            .collect();
        let mut fixed = self.fixed.gather(&fixed, rows)?.into_iter();
        wanted
            .iter()
            .map(|&i| match &self.columns[i].place {
                Place::Fixed(_) => Ok(fixed.next().expect("one array a fixed column")),
                Place::Variable(column) => column.gather(rows),
                Place::Dictionary(column) => column.gather(rows),
            })
            .collect()
    }
}
