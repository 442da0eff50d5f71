//! Columns as one byte string per row, in Arrow's row format: what serves every
//! type that has no plainer form.

use arrow::array::{ArrayRef, new_null_array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, Rows, SortField};

use super::kept::{by_value, kept_type};
use crate::error::{JoinError, Result};
use crate::form::{convert, has_union, with_children};

/// Kept columns to one byte string per row and back.
#[derive(Debug)]
pub(super) struct Codec {
    /// None if no column is kept.
    converter: Option<RowConverter>,
    /// The types in which columns are kept.
    types: Vec<DataType>,
    /// The types that stand for them in rows.
    encoded: Vec<DataType>,
    /// A row of nulls.
    pub(super) nulls: Box<[u8]>,
}

/// The payload of rows, one byte string each; empty ones if no column is kept.
#[derive(Debug)]
pub(super) struct Encoded(Option<Rows>);

impl Encoded {
    /// Bytes of all rows.
    pub(super) fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |rows| rows.iter().map(|row| row.data().len()).sum())
    }

    /// The payload of the row at a position, which there must be.
    pub(super) fn row(&self, at: usize) -> &[u8] {
        self.0.as_ref().map_or(&[], |rows| rows.row(at).data())
    }
}

impl Codec {
    pub(super) fn new(types: &[DataType]) -> Result<Self> {
        let types: Vec<DataType> = types.iter().map(kept_type).collect();
        let encoded: Vec<DataType> = types.iter().map(in_rows).collect();
        if types.is_empty() {
            return Ok(Self { converter: None, types, encoded, nulls: Box::default() });
        }
        for (at, (data_type, encoded)) in types.iter().zip(&encoded).enumerate() {
            let supported = RowConverter::supports_fields(&[SortField::new(encoded.clone())]);
            // A union has no null, which a row without a match needs.
            let kept = supported && !has_union(encoded) && Self::round_trips(encoded)?;
            if !kept {
                return Err(JoinError::UnsupportedState {
                    column: format!("{at} of those to keep"),
                    data_type: data_type.clone(),
                    remedy: "leave it out of the output and of the residual condition".to_owned(),
                });
            }
        }
        let converter = Self::converter(&encoded)?;
        let nulls: Vec<ArrayRef> = encoded.iter().map(|t| new_null_array(t, 1)).collect();
        let nulls = converter.convert_columns(&nulls)?.row(0).as_ref().into();
        Ok(Self { converter: Some(converter), types, encoded, nulls })
    }

    fn converter(types: &[DataType]) -> Result<RowConverter> {
        Ok(RowConverter::new(types.iter().map(|t| SortField::new(t.clone())).collect())?)
    }

    /// Whether a column comes back in the type in which it was given.
    fn round_trips(data_type: &DataType) -> Result<bool> {
        let converter = Self::converter(std::slice::from_ref(data_type))?;
        let rows = converter.convert_columns(&[new_null_array(data_type, 1)])?;
        Ok(converter.convert_rows(&rows)?.iter().all(|array| array.data_type() == data_type))
    }

    /// The payload of each of `rows`, in order.
    ///
    /// # Errors
    /// Arrow's.
    pub(super) fn encode(&self, columns: &[ArrayRef], rows: &[u32]) -> Result<Encoded> {
        debug_assert_eq!(columns.len(), self.types.len(), "as many columns as were planned");
        let Some(converter) = &self.converter else { return Ok(Encoded(None)) };
        let positions = arrow::array::UInt32Array::from(rows.to_vec());
        let columns = columns
            .iter()
            .zip(&self.types)
            .zip(&self.encoded)
            .map(|((column, kept), encoded)| {
                let column = convert(&by_value(column, kept)?, encoded)?;
                Ok(take(&column, &positions, None)?)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Encoded(Some(converter.convert_columns(&columns)?)))
    }

    /// The columns of the plan, from one byte string per row.
    pub(super) fn decode<'a>(&self, rows: impl Iterator<Item = &'a [u8]>) -> Result<Vec<ArrayRef>> {
        let Some(converter) = &self.converter else { return Ok(Vec::new()) };
        let parser = converter.parser();
        let columns = converter.convert_rows(rows.map(|row| parser.parse(row)))?;
        columns.iter().zip(&self.types).map(|(column, kept)| convert(column, kept)).collect()
    }
}

/// The type that stands for `data_type` in rows, whose encoder loses the rows of
/// structures without fields.
fn in_rows(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Struct(fields) if fields.is_empty() => DataType::Boolean,
        other => with_children(other, in_rows),
    }
}
