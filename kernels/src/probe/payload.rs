//! The columns that a table retains, compact and owned by it.

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

use super::gather::{fixed_width, row_bytes, slice_bytes};
use super::row_store::RowStore;
use super::variable::VariableColumn;
use crate::error::Result;

/// The retained columns of a table.
#[derive(Debug)]
pub(crate) struct Payload {
    columns: Vec<Column>,
    fixed: RowStore,
}

#[derive(Debug)]
struct Column {
    /// Bytes that a row takes at most in an output.
    row_bytes: usize,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A column of the row store.
    Fixed(usize),
    Variable(VariableColumn),
}

impl Payload {
    /// Copies columns of `rows` rows, each in chunks, in the order of `order` if
    /// given, which names each row once and [`NO_ROW`](crate::pairs::NO_ROW) for
    /// a position without one, else as they come; nothing of the input is kept
    /// alive.
    ///
    /// # Errors
    /// Arrow's.
    pub(crate) fn new(
        columns: &[(&DataType, Vec<ArrayRef>)],
        rows: usize,
        order: Option<&[u32]>,
    ) -> Result<Self> {
        let mut fixed: Vec<(&DataType, &[ArrayRef])> = Vec::new();
        let columns = columns
            .iter()
            .map(|(data_type, chunks)| {
                let place = if fixed_width(data_type).is_some() {
                    fixed.push((data_type, chunks));
                    Place::Fixed(fixed.len() - 1)
                } else {
                    Place::Variable(VariableColumn::new(data_type, chunks, order)?)
                };
                let row_bytes = chunks.iter().map(row_bytes).max().unwrap_or(0);
                Ok(Column { row_bytes, place })
            })
            .collect::<Result<_>>()?;
        Ok(Self { columns, fixed: RowStore::new(&fixed, rows, order) })
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

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let variable = self.columns.iter().map(|column| match &column.place {
            Place::Fixed(_) => 0,
            Place::Variable(column) => column.bytes(),
        });
        self.fixed.bytes() + variable.sum::<usize>()
    }

    /// Bytes that a row of a column takes at most in an output.
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
                Place::Variable(_) => None,
            })
            .collect();
        let mut fixed = self.fixed.gather(&fixed, rows)?.into_iter();
        wanted
            .iter()
            .map(|&i| match &self.columns[i].place {
                Place::Fixed(_) => Ok(fixed.next().expect("one array a fixed column")),
                Place::Variable(column) => column.gather(rows),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::*;
    use arrow::compute::{concat, take};

    use super::*;
    use crate::pairs::NO_ROW;

    fn columns() -> Vec<(DataType, Vec<ArrayRef>)> {
        let texts = [Some("a"), None, Some("ccc"), Some(""), Some("eeeeeeeeeeeeeeeee"), Some("f")];
        let split = |array: ArrayRef| vec![array.slice(0, 2), array.slice(2, 4)];
        let decimals = Decimal128Array::from(vec![Some(1), Some(-2), None, Some(4), Some(5), None]);
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4), Some(5), Some(6)])),
            Arc::new(StringArray::from_iter(&texts)),
            Arc::new(Int8Array::from(vec![1, 2, 3, 4, 5, 6])),
            Arc::new(decimals),
            Arc::new(StringViewArray::from_iter(&texts)),
            Arc::new(Float32Array::from(vec![0.5; 6])),
            Arc::new(Date32Array::from(vec![7, 8, 9, 10, 11, 12])),
            Arc::new(UInt16Array::from(vec![Some(7), None, None, Some(1), Some(2), Some(3)])),
            Arc::new(BooleanArray::from(vec![true, false, true, false, true, false])),
        ];
        arrays.into_iter().map(|array| (array.data_type().clone(), split(array))).collect()
    }

    #[test]
    fn retained_columns_give_back_their_rows_and_nulls_for_no_row() {
        let columns = columns();
        let columns: Vec<_> = columns.iter().map(|(t, chunks)| (t, chunks.clone())).collect();
        let gaps = [NO_ROW, 5, 4, NO_ROW, 3, 2, 1, 0, NO_ROW];
        for order in [None, Some(&[5, 4, 3, 2, 1, 0][..]), Some(&gaps[..])] {
            let payload = Payload::new(&columns, 6, order).unwrap();
            assert_eq!(payload.columns(), columns.len());
            for rows in [&[3, NO_ROW, 0, 5, 5, NO_ROW, 1][..], &[2, 4], &[]] {
                // Positions without a row are never looked up.
                let has_row = |at: u32| order.is_none_or(|order| order[at as usize] != NO_ROW);
                let rows: Vec<u32> = rows
                    .iter()
                    .map(|&at| if at == NO_ROW || has_row(at) { at } else { at + 1 })
                    .collect();
                let rows = &rows[..];
                let indices: UInt32Array =
                    rows.iter()
                        .map(|&row| {
                            if row == NO_ROW { row } else { order.map_or(row, |o| o[row as usize]) }
                        })
                        .map(|row| (row != NO_ROW).then_some(row))
                        .collect();
                let wanted: Vec<usize> = (0..columns.len()).rev().collect();
                for (&i, found) in wanted.iter().zip(payload.gather(&wanted, rows).unwrap()) {
                    let chunks: Vec<&dyn Array> = columns[i].1.iter().map(|c| &**c).collect();
                    let expected = take(&concat(&chunks).unwrap(), &indices, None).unwrap();
                    assert_eq!(&found, &expected, "{} {order:?}", columns[i].0);
                    assert!(payload.row_bytes(i) > 0 || *columns[i].0 == DataType::Boolean);
                }
            }
        }
    }

    #[test]
    fn a_table_without_rows_gives_nulls() {
        let columns = columns();
        let columns: Vec<_> = columns.iter().map(|(t, _)| (t, Vec::new())).collect();
        let payload = Payload::new(&columns, 0, None).unwrap();
        for array in payload.gather(&(0..columns.len()).collect::<Vec<_>>(), &[NO_ROW; 3]).unwrap()
        {
            assert_eq!((array.len(), array.logical_null_count()), (3, 3));
        }
    }

    #[test]
    #[should_panic(expected = "row 6 of 6")]
    fn a_row_out_of_bounds_panics() {
        let columns = columns();
        let columns: Vec<_> = columns[..1].iter().map(|(t, chunks)| (t, chunks.clone())).collect();
        let _ = Payload::new(&columns, 6, None).unwrap().gather(&[0], &[0, NO_ROW, 6]);
    }

    #[test]
    fn a_retained_slice_does_not_keep_its_whole_buffer() {
        let large: ArrayRef =
            Arc::new(StringArray::from_iter_values((0..10_000).map(|i| format!("value {i}"))));
        let payload = Payload::new(&[(&DataType::Utf8, vec![large.slice(5, 3)])], 3, None).unwrap();
        assert!(payload.bytes() < 1000, "{}", payload.bytes());
    }
}
