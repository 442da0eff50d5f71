//! One growing dictionary per column, or per dictionary within a nested one.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, UInt32Array, make_array};
use arrow::compute::{CastOptions, cast_with_options, concat, take};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::row::{OwnedRow, RowConverter, SortField};

use super::convert::{Misfit, children_of, convert_columns, has_union, map_children, taken};
use super::retype::{decoded, retype_schema, wide_index, with_width};

/// A schema whose dictionaries are of values, not of dictionaries or runs.
pub(crate) fn single_dictionaries(schema: &Schema) -> SchemaRef {
    let rule = &mut |_: &_, part: &DataType| -> Result<_, Infallible> {
        let DataType::Dictionary(index, values) = part else { return Ok(None) };
        Ok(Some(DataType::Dictionary(index.clone(), Box::new(decoded(values)))))
    };
    match retype_schema(schema, rule) {
        Ok(schema) => schema,
    }
}

/// A schema whose dictionaries have room for the values of all batches: indexes of at
/// least 32 bits, over values that can be told apart. Others are decoded.
pub(crate) fn unified(schema: &Schema) -> SchemaRef {
    let rule = &mut |_: &_, part: &DataType| -> Result<_, Infallible> {
        let DataType::Dictionary(index, values) = part else { return Ok(None) };
        let values = decoded(values);
        let known = RowConverter::supports_fields(&[SortField::new(values.clone())])
            && with_width(&values) == values
            && !has_union(&values);
        Ok(Some(match known {
            true => DataType::Dictionary(Box::new(wide_index(index)), Box::new(values)),
            false => values,
        }))
    };
    match retype_schema(schema, rule) {
        Ok(schema) => schema,
    }
}

/// Rewrites batches so that each dictionary starts with all values of the batches
/// before.
pub(crate) struct DictionaryUnifier {
    schema: SchemaRef,
    /// Of each column, its dictionaries in depth-first order.
    columns: Vec<Vec<Unified>>,
}

#[derive(Default)]
struct Unified {
    codes: HashMap<OwnedRow, i64>,
    converter: Option<RowConverter>,
    values: Option<ArrayRef>,
    /// The dictionary that was seen last, and its values' codes.
    last: Option<(ArrayRef, Int64Array)>,
}

impl DictionaryUnifier {
    /// For batches of `schema`; what comes out has the schema [`unified`] of it.
    pub(crate) fn new(schema: &Schema) -> DictionaryUnifier {
        let schema = unified(schema);
        let columns = schema.fields().iter();
        let columns = columns.map(|field| {
            let count = dictionaries(field.data_type());
            std::iter::repeat_with(Unified::default).take(count).collect()
        });
        DictionaryUnifier { columns: columns.collect(), schema }
    }

    /// # Errors
    /// The column, and what is wrong.
    pub(crate) fn unify(&mut self, batch: &RecordBatch) -> Result<RecordBatch, Misfit> {
        let batch = convert_columns(batch, &self.schema)?;
        if self.columns.iter().all(Vec::is_empty) {
            return Ok(batch);
        }
        let mut arrays = batch.columns().to_vec();
        for ((array, unified), field) in
            arrays.iter_mut().zip(&mut self.columns).zip(self.schema.fields())
        {
            let misfit = |error: ArrowError| (field.name().clone(), error.to_string());
            if !unified.is_empty() {
                *array = rewrite(array, &mut unified.iter_mut()).map_err(misfit)?;
            }
        }
        let misfit = |error: ArrowError| (String::new(), error.to_string());
        RecordBatch::try_new(self.schema.clone(), arrays).map_err(misfit)
    }
}

/// How many dictionaries a type has.
fn dictionaries(data_type: &DataType) -> usize {
    match data_type {
        DataType::Dictionary(..) => 1,
        other => children_of(other).unwrap_or_default().into_iter().map(dictionaries).sum(),
    }
}

fn rewrite(
    array: &ArrayRef,
    unified: &mut dyn Iterator<Item = &'_ mut Unified>,
) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Dictionary(..) => match unified.next() {
            Some(unified) => unified.rewrite(array),
            None => Ok(array.clone()),
        },
        nested if dictionaries(nested) > 0 => {
            map_children(array, nested, &mut |child, _| rewrite(&child, unified))
        }
        _ => Ok(array.clone()),
    }
}

impl Unified {
    fn rewrite(&mut self, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let DataType::Dictionary(key_type, value_type) = array.data_type() else {
            return Ok(array.clone());
        };
        let dictionary = array.as_any_dictionary();
        let remap = self.codes_of(dictionary.values(), value_type)?;
        // A null value of the dictionary becomes a null key; of no values all keys are null.
        let codes = match remap.is_empty() {
            true => Arc::new(Int64Array::new_null(array.len())),
            false => take(&remap, dictionary.keys(), None)?,
        };
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
        let nulls = values.logical_nulls();
        let mut added = Vec::new();
        let mut next = self.codes.len() as i64;
        let codes: Int64Array = (0..values.len())
            .map(|i| {
                let valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(i));
                valid.then(|| {
                    *self.codes.entry(rows.row(i).owned()).or_insert_with(|| {
                        added.push(i as u32);
                        next += 1;
                        next - 1
                    })
                })
            })
            .collect();
        if !added.is_empty() || self.values.is_none() {
            let new = taken(values, &UInt32Array::from(added))?;
            self.values = Some(match &self.values {
                None => new,
                Some(old) => concat(&[old, &new])?,
            });
        }
        self.last = Some((Arc::clone(values), codes.clone()));
        Ok(codes)
    }
}
