//! How values are written where arrow would lose them, at any depth: floats that are no
//! numbers, times beyond the year 262,000, unions.

use arrow::array::{Array, AsArray, UnionArray};
use arrow::datatypes::{DataType, FieldRef, Float16Type, Float32Type, Float64Type};
use arrow::error::ArrowError;
use arrow::json::writer::{Encoder, EncoderFactory, EncoderOptions, NullableEncoder, make_encoder};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::columns::value_text;

/// The encoders of such values.
#[derive(Debug)]
pub(super) struct Encoders;

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        _field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let values: Box<dyn Encoder + 'a> = match array.data_type() {
            DataType::Float16 => {
                let values = array.as_primitive::<Float16Type>();
                Box::new(FloatEncoder(move |i| {
                    let v = values.value(i).to_f32();
                    (f64::from(v), format!("{v:?}"))
                }))
            }
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>();
                Box::new(FloatEncoder(move |i| {
                    let v = values.value(i);
                    (f64::from(v), format!("{v:?}"))
                }))
            }
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>();
                Box::new(FloatEncoder(move |i| {
                    let v = values.value(i);
                    (v, format!("{v:?}"))
                }))
            }
            DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Duration(_) => {
                const OPTIONS: FormatOptions<'static> = FormatOptions::new();
                let formatter = ArrayFormatter::try_new(array, &OPTIONS)?;
                Box::new(TimeEncoder { formatter, array, text: String::new() })
            }
            DataType::Union(fields, _) => {
                let Some(union) = array.as_any().downcast_ref::<UnionArray>() else {
                    return Ok(None);
                };
                let children = fields.iter().map(|(id, field)| {
                    Ok((id, make_encoder(field, union.child(id).as_ref(), options)?))
                });
                let children = children.collect::<Result<_, ArrowError>>()?;
                let encoder = Box::new(UnionEncoder { union, children });
                return Ok(Some(NullableEncoder::new(encoder, union.logical_nulls())));
            }
            _ => return Ok(None),
        };
        Ok(Some(NullableEncoder::new(values, array.nulls().cloned())))
    }
}

/// Encodes a value by its shortest exact text.
struct FloatEncoder<F>(F);

impl<F: Fn(usize) -> (f64, String)> Encoder for FloatEncoder<F> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let (value, text) = (self.0)(row);
        match value {
            _ if value.is_finite() => out.extend_from_slice(text.as_bytes()),
            _ if value.is_nan() => out.extend_from_slice(b"\"NaN\""),
            _ if value > 0.0 => out.extend_from_slice(b"\"Infinity\""),
            _ => out.extend_from_slice(b"\"-Infinity\""),
        }
    }
}

/// Encodes times, whose texts need no escapes.
struct TimeEncoder<'a> {
    formatter: ArrayFormatter<'a>,
    array: &'a dyn Array,
    text: String,
}

impl Encoder for TimeEncoder<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        self.text.clear();
        match value_text(&self.formatter, self.array, row, &mut self.text) {
            Ok(()) => {
                out.push(b'"');
                out.extend_from_slice(self.text.as_bytes());
                out.push(b'"');
            }
            // Times print, all of them.
            Err(_) => out.extend_from_slice(b"null"),
        }
    }
}

/// Encodes the value of the field that a row is of.
struct UnionEncoder<'a> {
    union: &'a UnionArray,
    children: Vec<(i8, NullableEncoder<'a>)>,
}

impl Encoder for UnionEncoder<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let id = self.union.type_id(row);
        let at = self.union.value_offset(row);
        match self.children.iter_mut().find(|(known, _)| *known == id) {
            Some((_, child)) if !child.is_null(at) => child.encode(at, out),
            _ => out.extend_from_slice(b"null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float16Array, Float32Array, Float64Array, RecordBatch};
    use arrow::json::WriterBuilder;
    use arrow::json::writer::LineDelimited;

    use super::*;

    #[test]
    fn non_finite_floats_are_strings() {
        let a: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, -0.0, 1e300]));
        let b: ArrayRef = Arc::new(Float32Array::from(vec![f32::INFINITY, 0.1, f32::NEG_INFINITY]));
        let halves = Float32Array::from(vec![f32::NAN, 0.5, -0.0]);
        let halves = arrow::compute::cast(&halves, &DataType::Float16).unwrap();
        assert!(halves.as_any().is::<Float16Array>());
        let batch = RecordBatch::try_from_iter([("a", a), ("b", b), ("c", halves)]).unwrap();
        let mut text = Vec::new();
        let mut writer = WriterBuilder::new()
            .with_encoder_factory(Arc::new(Encoders))
            .build::<_, LineDelimited>(&mut text);
        writer.write(&batch).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "{\"a\":\"NaN\",\"b\":\"Infinity\",\"c\":\"NaN\"}\n\
             {\"a\":-0.0,\"b\":0.1,\"c\":0.5}\n\
             {\"a\":1e300,\"b\":\"-Infinity\",\"c\":-0.0}\n"
        );
    }
}
