//! One value as Spark's `show()` prints it.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, TimeUnit, TimestampMicrosecondType};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::error::{Failure, Result};
use crate::text::instant::iso_millis;

const NULL: &str = "NULL";

/// Prints the values of one column.
pub(super) enum Printer<'a> {
    Float32(&'a dyn Array),
    Float64(&'a dyn Array),
    Binary(ArrayRef),
    Micros(ArrayRef),
    Plain(ArrayFormatter<'a>, &'a dyn Array),
}

impl<'a> Printer<'a> {
    pub(super) fn new(array: &'a dyn Array) -> Result<Self> {
        let to = |data_type: &DataType| {
            cast(array, data_type).map_err(|error| {
                Failure::run(format!("cannot print a {}: {error}", array.data_type()))
            })
        };
        Ok(match array.data_type() {
            DataType::Float32 => Self::Float32(array),
            DataType::Float64 => Self::Float64(array),
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Binary(to(&DataType::Binary)?),
            DataType::Timestamp(..) => {
                Self::Micros(to(&DataType::Timestamp(TimeUnit::Microsecond, None))?)
            }
            _ => {
                const OPTIONS: FormatOptions<'static> =
                    FormatOptions::new().with_null(NULL).with_display_error(true);
                let formatter = ArrayFormatter::try_new(array, &OPTIONS).map_err(|error| {
                    Failure::run(format!("cannot print a {}: {error}", array.data_type()))
                })?;
                Self::Plain(formatter, array)
            }
        })
    }

    pub(super) fn print(&self, row: usize) -> String {
        match self {
            Self::Float32(array) | Self::Float64(array) if array.is_null(row) => NULL.to_owned(),
            Self::Binary(array) | Self::Micros(array) if array.is_null(row) => NULL.to_owned(),
            Self::Float32(array) => {
                let value = array.as_primitive::<Float32Type>().value(row);
                java_float(f64::from(value), &format!("{value:e}"))
            }
            Self::Float64(array) => {
                let value = array.as_primitive::<Float64Type>().value(row);
                java_float(value, &format!("{value:e}"))
            }
            Self::Binary(array) => {
                let bytes = array.as_binary::<i32>().value(row);
                let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                format!("[{}]", hex.join(" "))
            }
            Self::Micros(array) => {
                timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row))
            }
            Self::Plain(formatter, array) => match array.is_null(row) {
                true => NULL.to_owned(),
                false => formatter.value(row).to_string(),
            },
        }
    }
}

/// `2013-01-01 10:00:00.5`: no zone, no trailing zeros.
fn timestamp(micros: i64) -> String {
    let iso = iso_millis(micros);
    let text = iso.replace('T', " ");
    let seconds = text.split('.').next().unwrap_or_default();
    match micros.rem_euclid(1_000_000) {
        0 => seconds.to_owned(),
        fraction => format!("{seconds}.{}", format!("{fraction:06}").trim_end_matches('0')),
    }
}

/// Java's `Double.toString`, from the shortest digits in scientific form.
fn java_float(value: f64, scientific: &str) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if value != 0.0 && !(-3..7).contains(&exponent) {
        let point = if mantissa.contains('.') { "" } else { ".0" };
        return format!("{mantissa}{point}E{exponent}");
    }
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let text = if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        format!("0.{zeros}{digits}")
    } else {
        let whole = exponent as usize + 1;
        let padded = format!("{digits:0<width$}", width = whole + 1);
        format!("{}.{}", &padded[..whole], &padded[whole..])
    };
    format!("{sign}{text}")
}

/// Control characters as Spark shows them, so that a cell stays on its line.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            '\u{7}' => out.push_str("\\a"),
            c => out.push(c),
        }
    }
    out
}

/// Columns that `text` takes on a terminal: East Asian wide characters take two.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// The ranges that Spark counts as full width.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_java_prints_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-12.5, "-12.5"),
            (100.0, "100.0"),
            (0.001, "0.001"),
            (0.000_99, "9.9E-4"),
            (9_999_999.0, "9999999.0"),
            (10_000_000.0, "1.0E7"),
            (1.5e300, "1.5E300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(java_float(value, &format!("{value:e}")), text);
        }
    }

    #[test]
    fn timestamps_print_without_trailing_zeros() {
        assert_eq!(timestamp(1_357_034_400_000_000), "2013-01-01 10:00:00");
        assert_eq!(timestamp(1_357_034_400_120_000), "2013-01-01 10:00:00.12");
        assert_eq!(timestamp(-1), "1969-12-31 23:59:59.999999");
    }
}
