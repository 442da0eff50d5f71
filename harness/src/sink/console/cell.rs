//! One value as Spark's `show()` prints it.

use arrow::array::{Array, AsArray, RunArray, StructArray, UnionArray, types::*};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use streamjoin_datasets::{TimeStyle, time_text};

use crate::error::{Failure, Result};

const NULL: &str = "NULL";

/// The value in `row` of `array`. Times print over all that their types hold, as Spark
/// prints them; nested values as `{1, a}`, `[1, 2]` and `{a -> 1}`.
pub(super) fn print(array: &dyn Array, row: usize) -> Result<String> {
    if array.is_null(row) {
        return Ok(NULL.to_owned());
    }
    if let Some(time) = time_text(array, row, TimeStyle::Spark) {
        return Ok(time);
    }
    Ok(match array.data_type() {
        DataType::Null => NULL.to_owned(),
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => array.as_string_view().value(row).to_owned(),
        DataType::Float16 => {
            let value = array.as_primitive::<Float16Type>().value(row).to_f32();
            java_float(value.into(), &format!("{value:e}"))
        }
        DataType::Float32 => {
            let value = array.as_primitive::<Float32Type>().value(row);
            java_float(f64::from(value), &format!("{value:e}"))
        }
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            java_float(value, &format!("{value:e}"))
        }
        DataType::Binary => hex(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => hex(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => hex(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => hex(array.as_fixed_size_binary().value(row)),
        DataType::List(_) => list(array.as_list::<i32>().value(row).as_ref())?,
        DataType::LargeList(_) => list(array.as_list::<i64>().value(row).as_ref())?,
        DataType::ListView(_) => list(array.as_list_view::<i32>().value(row).as_ref())?,
        DataType::LargeListView(_) => list(array.as_list_view::<i64>().value(row).as_ref())?,
        DataType::FixedSizeList(..) => list(array.as_fixed_size_list().value(row).as_ref())?,
        DataType::Struct(_) => structure(array.as_struct(), row)?,
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let entry = |row| {
                let key = print(entries.column(0).as_ref(), row)?;
                Ok(format!("{key} -> {}", print(entries.column(1).as_ref(), row)?))
            };
            joined("{", (0..entries.len()).map(entry), "}")?
        }
        DataType::Dictionary(..) => {
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            print(dictionary.values().as_ref(), dictionary.normalized_keys()[0])?
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => run::<Int16Type>(array, row)?,
            DataType::Int32 => run::<Int32Type>(array, row)?,
            _ => run::<Int64Type>(array, row)?,
        },
        DataType::Union(..) => match array.as_any().downcast_ref::<UnionArray>() {
            Some(union) => {
                print(union.child(union.type_id(row)).as_ref(), union.value_offset(row))?
            }
            None => plain(array, row)?,
        },
        _ => plain(array, row)?,
    })
}

/// As arrow prints it.
fn plain(array: &dyn Array, row: usize) -> Result<String> {
    const OPTIONS: FormatOptions<'static> = FormatOptions::new().with_null(NULL);
    let text = ArrayFormatter::try_new(array, &OPTIONS)
        .and_then(|formatter| formatter.value(row).try_to_string());
    text.map_err(|error| Failure::run(format!("cannot print a {}: {error}", array.data_type())))
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("[{}]", bytes.join(" "))
}

fn joined(open: &str, parts: impl Iterator<Item = Result<String>>, close: &str) -> Result<String> {
    Ok(format!("{open}{}{close}", parts.collect::<Result<Vec<_>>>()?.join(", ")))
}

fn list(items: &dyn Array) -> Result<String> {
    joined("[", (0..items.len()).map(|row| print(items, row)), "]")
}

fn structure(fields: &StructArray, row: usize) -> Result<String> {
    joined("{", fields.columns().iter().map(|field| print(field.as_ref(), row)), "}")
}

fn run<R: RunEndIndexType>(array: &dyn Array, row: usize) -> Result<String> {
    match array.as_any().downcast_ref::<RunArray<R>>() {
        Some(runs) => print(runs.values().as_ref(), runs.get_physical_index(row)),
        None => plain(array, row),
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
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, BinaryArray, DictionaryArray, Float64Array, Int32Builder, ListArray, MapBuilder,
        StringBuilder, TimestampMicrosecondArray,
    };
    use arrow::datatypes::Field;

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

    fn printed(array: impl Array) -> Vec<String> {
        (0..array.len()).map(|row| print(&array, row).unwrap()).collect()
    }

    #[test]
    fn timestamps_print_without_trailing_zeros() {
        let values = vec![1_357_034_400_000_000, 1_357_034_400_120_000, -1, i64::MAX];
        assert_eq!(
            printed(TimestampMicrosecondArray::from(values)),
            [
                "2013-01-01 10:00:00",
                "2013-01-01 10:00:00.12",
                "1969-12-31 23:59:59.999999",
                "+294247-01-10 04:00:54.775807",
            ]
        );
    }

    /// The texts are those of Spark's `show()`.
    #[test]
    fn nested_values_print_as_spark_prints_them() {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
        let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"\x01\xab"[..], b""]));
        let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![i64::MAX, 0]));
        let fields = [("n", numbers), ("b", bytes), ("t", times)].map(|(name, column)| {
            (Arc::new(Field::new(name, column.data_type().clone(), true)), column)
        });
        assert_eq!(
            printed(StructArray::from(fields.to_vec())),
            ["{1.0, [01 AB], +294247-01-10 04:00:54.775807}", "{NULL, [], 1970-01-01 00:00:00}"]
        );
        let lists = [Some(vec![Some(1), None]), None, Some(vec![])];
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
        assert_eq!(printed(lists), ["[1, NULL]", "NULL", "[]"]);
        let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
        maps.keys().append_value("a");
        maps.values().append_value(1);
        maps.append(true).unwrap();
        assert_eq!(printed(maps.finish()), ["{a -> 1}"]);
        let words: DictionaryArray<Int8Type> = [Some("x"), None, Some("y")].into_iter().collect();
        assert_eq!(printed(words), ["x", "NULL", "y"]);
    }
}
