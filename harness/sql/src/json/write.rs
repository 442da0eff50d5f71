//! `to_json`: text of values.

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute;
use arrow::datatypes::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use streamjoin_kernels::spark::{CastMode, cast};
use streamjoin_kernels::{JoinError, Result};

use super::emit::Emitter;
use crate::lists::Lists;
use crate::nested::{list_item, map_entry, plain};
use crate::types::{is_date, is_string, value_type};

/// Writes values of structs, arrays and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    /// Whether fields that are null are left out of objects.
    pub(crate) ignore_nulls: bool,
}

/// A type within `data_type` that JSON text is not written of.
pub(crate) fn refused_part(data_type: &DataType) -> Option<&DataType> {
    let data_type = value_type(plain(data_type));
    if let Some(item) = list_item(data_type) {
        return refused_part(item.data_type());
    }
    if let Some((key, value)) = map_entry(data_type) {
        let of_key = plain(key.data_type());
        let named = of_key.is_integer() || is_string(of_key) || *of_key == DataType::Boolean;
        return if named { refused_part(value.data_type()) } else { Some(key.data_type()) };
    }
    match data_type {
        DataType::Struct(fields) => fields.iter().find_map(|field| refused_part(field.data_type())),
        DataType::Null | DataType::Boolean | DataType::Timestamp(..) => None,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => None,
        DataType::FixedSizeBinary(_) => None,
        other if other.is_numeric() || is_string(other) || is_date(other) => None,
        other => Some(other),
    }
}

impl Writer {
    /// The text of each value; null for null.
    ///
    /// # Errors
    /// Types that [`refused_part`] finds.
    pub(crate) fn write(self, array: &ArrayRef) -> Result<ArrayRef> {
        let nulls = array.logical_nulls();
        let texts = (0..array.len()).map(|row| {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                return Ok(None);
            }
            let mut out = Emitter::default();
            self.value(&mut out, array, row)?;
            Ok(Some(out.finish()))
        });
        let texts = texts.collect::<Result<Vec<Option<String>>>>()?;
        if texts.iter().flatten().map(String::len).sum::<usize>() > i32::MAX as usize {
            return Err(crate::compute::overflow_error(
                "the strings of one batch exceed 2 GiB; use smaller batches",
            ));
        }
        Ok(std::sync::Arc::new(StringArray::from(texts)))
    }

    fn value(self, out: &mut Emitter, array: &ArrayRef, row: usize) -> Result<()> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            if dictionary.is_null(row) {
                out.raw("null");
                return Ok(());
            }
            let at = dictionary.normalized_keys()[row];
            return self.value(out, dictionary.values(), at);
        }
        if let DataType::RunEndEncoded(..) = array.data_type() {
            let one = compute::cast(&array.slice(row, 1), plain(array.data_type()))?;
            return self.value(out, &one, 0);
        }
        if array.is_null(row) {
            out.raw("null");
            return Ok(());
        }
        if list_item(array.data_type()).is_some()
            && let Some(lists) = Lists::of(array)
        {
            out.start('[');
            for at in lists.range(row) {
                self.value(out, &lists.elements, at)?;
            }
            out.end(']');
            return Ok(());
        }
        match array.data_type() {
            DataType::Null => out.raw("null"),
            DataType::Boolean => {
                out.raw(if array.as_boolean().value(row) { "true" } else { "false" });
            }
            DataType::Struct(fields) => {
                out.start('{');
                for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                    let null = || column.logical_nulls().is_some_and(|nulls| nulls.is_null(row));
                    if !self.ignore_nulls || !null() {
                        out.name(field.name());
                        self.value(out, column, row)?;
                    }
                }
                out.end('}');
            }
            DataType::Map(..) => {
                let map = array.as_map();
                let (from, to) = (map.value_offsets()[row], map.value_offsets()[row + 1]);
                out.start('{');
                for at in from as usize..to as usize {
                    out.name(&text(map.keys(), at)?);
                    self.value(out, map.values(), at)?;
                }
                out.end('}');
            }
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                let text = text(array, row)?;
                match text.as_str() {
                    "NaN" | "Infinity" | "-Infinity" => out.text(&text),
                    _ => out.raw(&text),
                }
            }
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => out.raw(&decimal_text(&text(array, row)?)),
            DataType::Timestamp(..) => out.text(&time_text(array, row)?),
            DataType::FixedSizeBinary(_) => {
                out.text(&STANDARD.encode(array.as_fixed_size_binary().value(row)));
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                let bytes = compute::cast(&array.slice(row, 1), &DataType::LargeBinary)?;
                out.text(&STANDARD.encode(bytes.as_binary::<i64>().value(0)));
            }
            other if other.is_integer() => out.raw(&text(array, row)?),
            other if is_string(other) || is_date(other) => out.text(&text(array, row)?),
            other => {
                return Err(JoinError::InvalidPlan(format!("to_json does not take {other}")));
            }
        }
        Ok(())
    }
}

/// A value as `CAST` writes it.
fn text(array: &ArrayRef, row: usize) -> Result<String> {
    let text = cast(&array.slice(row, 1), &DataType::Utf8, CastMode::Try)?;
    Ok(text.as_string::<i32>().value(0).to_owned())
}

/// `2024-02-29T12:00:00.123Z`: milliseconds, and `Z` unless it is a local time.
fn time_text(array: &ArrayRef, row: usize) -> Result<String> {
    let zone = match array.data_type() {
        DataType::Timestamp(_, Some(_)) => "Z",
        _ => "",
    };
    let local = DataType::Timestamp(TimeUnit::Microsecond, None);
    let micros = match array.data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            let nanos = array.as_primitive::<TimestampNanosecondType>().value(row);
            Some(nanos.div_euclid(1000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            Some(array.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            array.as_primitive::<TimestampMillisecondType>().value(row).checked_mul(1000)
        }
        _ => array.as_primitive::<TimestampSecondType>().value(row).checked_mul(1_000_000),
    };
    let Some(micros) = micros else {
        return Err(crate::compute::overflow_error("a time is out of range in to_json"));
    };
    let seconds = arrow::array::TimestampMicrosecondArray::from(vec![
        micros.div_euclid(1_000_000).saturating_mul(1_000_000),
    ]);
    let seconds: ArrayRef = std::sync::Arc::new(seconds);
    debug_assert_eq!(*seconds.data_type(), local);
    let text = text(&seconds, 0)?.replacen(' ', "T", 1);
    let millis = micros.rem_euclid(1_000_000) / 1000;
    Ok(format!("{text}.{millis:03}{zone}"))
}

/// A decimal as Java's `BigDecimal` writes it: with an exponent if more than five
/// zeros follow the point.
fn decimal_text(plain: &str) -> String {
    let (sign, number) = match plain.strip_prefix('-') {
        Some(number) => ("-", number),
        None => ("", plain),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    // Zero has one digit.
    let significant = if significant.is_empty() { "0" } else { significant };
    let exponent = significant.len() as i64 - 1 - fraction.len() as i64;
    if exponent >= -6 {
        return plain.to_owned();
    }
    let (first, rest) = significant.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}E{exponent}")
}
