//! Columns as one byte string per row, in Arrow's row format: what serves every
//! type that has no plainer form.

use arrow::array::{ArrayRef, new_null_array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, Rows, SortField};

use super::kept::{by_value, kept_type};
use crate::error::{JoinError, Result};

/// Kept columns to one byte string per row and back.
#[derive(Debug)]
pub(super) struct Codec {
    /// None if no column is kept.
    converter: Option<RowConverter>,
    types: Vec<DataType>,
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
        let types: Vec<DataType> = types.iter().map(|t| kept_type(t).clone()).collect();
        if types.is_empty() {
            return Ok(Self { converter: None, types, nulls: Box::default() });
        }
        for data_type in &types {
            let supported = RowConverter::supports_fields(&[SortField::new(data_type.clone())]);
            let kept = supported && Self::round_trips(data_type)?;
            if !kept {
                return Err(JoinError::UnsupportedState {
                    data_type: data_type.clone(),
                    remedy: "select its fields one by one, or cast it to a string".to_owned(),
                });
            }
        }
        let converter = Self::converter(&types)?;
        let nulls: Vec<ArrayRef> = types.iter().map(|t| new_null_array(t, 1)).collect();
        let nulls = converter.convert_columns(&nulls)?.row(0).as_ref().into();
        Ok(Self { converter: Some(converter), types, nulls })
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
            .map(|(column, to)| by_value(&take(column, &positions, None)?, to))
            .collect::<Result<Vec<_>>>()?;
        Ok(Encoded(Some(converter.convert_columns(&columns)?)))
    }

    /// The columns of the plan, from one byte string per row.
    pub(super) fn decode<'a>(&self, rows: impl Iterator<Item = &'a [u8]>) -> Result<Vec<ArrayRef>> {
        let Some(converter) = &self.converter else { return Ok(Vec::new()) };
        let parser = converter.parser();
        Ok(converter.convert_rows(rows.map(|row| parser.parse(row)))?)
    }
}
