//! One growing dictionary per column: an Arrow file cannot replace a dictionary,
//! only add to it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, UInt32Array, make_array};
use arrow::compute::{CastOptions, cast_with_options, concat, take};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::row::{OwnedRow, RowConverter, SortField};

/// Rewrites dictionary columns so that each batch's dictionary starts with all
/// values of the batches before.
pub(super) struct DictionaryUnifier {
    /// Columns (not nested ones) that are dictionaries.
    columns: Vec<(usize, Unified)>,
}

struct Unified {
    codes: HashMap<OwnedRow, i64>,
    converter: Option<RowConverter>,
    values: Option<ArrayRef>,
    /// The dictionary that was seen last, and its values' codes.
    last: Option<(ArrayRef, Int64Array)>,
}

impl DictionaryUnifier {
    pub(super) fn new(schema: &Schema) -> DictionaryUnifier {
        let columns = schema.fields().iter().enumerate();
        let columns = columns
            .filter(|(_, field)| matches!(field.data_type(), DataType::Dictionary(..)))
            .map(|(column, _)| {
                let unified =
                    Unified { codes: HashMap::new(), converter: None, values: None, last: None };
                (column, unified)
            })
            .collect();
        DictionaryUnifier { columns }
    }

    pub(super) fn unify(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        if self.columns.is_empty() {
            return Ok(batch.clone());
        }
        let mut arrays = batch.columns().to_vec();
        for (column, unified) in &mut self.columns {
            arrays[*column] = unified.rewrite(&arrays[*column])?;
        }
        RecordBatch::try_new(batch.schema(), arrays)
    }
}

impl Unified {
    fn rewrite(&mut self, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let DataType::Dictionary(key_type, value_type) = array.data_type() else {
            return Ok(array.clone());
        };
        let dictionary = array.as_any_dictionary();
        let remap = self.codes_of(dictionary.values(), value_type)?;
        // A null value of the dictionary becomes a null key.
        let codes = take(&remap, dictionary.keys(), None)?;
        let strict = CastOptions { safe: false, ..Default::default() };
        let keys = cast_with_options(&codes, key_type, &strict)?;
        let Some(values) = &self.values else { return Ok(array.clone()) };
        let data = keys
            .into_data()
            .into_builder()
            .data_type(array.data_type().clone())
            .add_child_data(values.to_data())
            .build()?;
        Ok(make_array(data))
    }

    /// The code of each of `values`, new ones added.
    fn codes_of(
        &mut self,
        values: &ArrayRef,
        value_type: &DataType,
    ) -> Result<Int64Array, ArrowError> {
        if let Some((seen, codes)) = &self.last
            && seen.to_data().ptr_eq(&values.to_data())
        {
            return Ok(codes.clone());
        }
        let converter = match &mut self.converter {
            Some(converter) => converter,
            none => none.insert(RowConverter::new(vec![SortField::new(value_type.clone())])?),
        };
        let rows = converter.convert_columns(std::slice::from_ref(values))?;
        let mut added = Vec::new();
        let mut next = self.codes.len() as i64;
        let codes: Int64Array = (0..values.len())
            .map(|i| {
                values.is_valid(i).then(|| {
                    *self.codes.entry(rows.row(i).owned()).or_insert_with(|| {
                        added.push(i as u32);
                        next += 1;
                        next - 1
                    })
                })
            })
            .collect();
        if !added.is_empty() || self.values.is_none() {
            let new = take(values, &UInt32Array::from(added), None)?;
            self.values = Some(match &self.values {
                None => new,
                Some(old) => concat(&[old, &new])?,
            });
        }
        self.last = Some((Arc::clone(values), codes.clone()));
        Ok(codes)
    }
}
