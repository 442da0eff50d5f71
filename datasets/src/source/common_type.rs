//! The type in which a column of several files is read.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, TimeUnit};
use streamjoin_kernels::spark::decimal_digits;

use crate::column_name::matching;
use crate::format::widen;

/// Digits of the widest decimal that Spark has.
const DECIMAL_DIGITS: u8 = 38;

/// The narrowest type that holds every value of both, if there is one. `inferred` = the
/// types are guesses at texts, which are read again in the common type.
pub(super) fn common_type(a: &DataType, b: &DataType, inferred: bool) -> Option<DataType> {
    use DataType::*;
    Some(match (a, b) {
        (a, b) if a == b => a.clone(),
        (Null, other) | (other, Null) => other.clone(),
        (Struct(a), Struct(b)) => Struct(common_fields(a, b, inferred)?),
        (Map(a, sorted), Map(b, also)) => Map(common_field(a, b, inferred)?, *sorted && *also),
        (FixedSizeList(a, n), FixedSizeList(b, m)) if n == m => {
            FixedSizeList(common_field(a, b, inferred)?, *n)
        }
        (a, b) if item(a).is_some() && item(b).is_some() => {
            let item = common_field(item(a)?, item(b)?, inferred)?;
            match is_large_list(a) || is_large_list(b) {
                true => LargeList(item),
                false => List(item),
            }
        }
        _ if inferred => widen(a, b),
        // Of other dictionaries, only the values are comparable.
        (Dictionary(_, values), other) | (other, Dictionary(_, values)) => {
            common_type(values, other, inferred)?
        }
        (RunEndEncoded(_, values), other) | (other, RunEndEncoded(_, values)) => {
            common_type(values.data_type(), other, inferred)?
        }
        (a, b) if a.is_string() && b.is_string() => match (a, b) {
            (LargeUtf8, _) | (_, LargeUtf8) => LargeUtf8,
            _ => Utf8View,
        },
        (a, b) if a.is_binary() && b.is_binary() => match (a, b) {
            (LargeBinary, _) | (_, LargeBinary) => LargeBinary,
            (BinaryView, _) | (_, BinaryView) => BinaryView,
            _ => Binary,
        },
        (a, b) if a.is_integer() && b.is_integer() => integers(a, b)?,
        (a, b) if is_exact(a) && is_exact(b) => decimals(a, b)?,
        (a, b) if a.is_numeric() && b.is_numeric() => floats(a, b)?,
        (Timestamp(a, zone), Timestamp(b, other)) if zone.is_some() == other.is_some() => {
            Timestamp(finer(*a, *b)?, zone.clone())
        }
        (Date32 | Date64, Date32 | Date64) => Date64,
        (Time32(_), Time32(_)) => Time32(TimeUnit::Millisecond),
        (Time32(_), Time64(unit)) | (Time64(unit), Time32(_)) => Time64(*unit),
        (Time64(_), Time64(_)) => Time64(TimeUnit::Nanosecond),
        _ => return None,
    })
}

/// The fields of both, by name.
fn common_fields(a: &Fields, b: &Fields, inferred: bool) -> Option<Fields> {
    let mut common = a.to_vec();
    let matched = matching(&common, b);
    for (new, at) in b.iter().zip(&matched) {
        match at {
            Some(at) => common[*at] = common_field(&common[*at], new, inferred)?,
            None => common.push(nullable(new)),
        }
    }
    for (at, field) in common[..a.len()].iter_mut().enumerate() {
        if !matched.contains(&Some(at)) {
            *field = nullable(field);
        }
    }
    Some(common.into())
}

/// A field of the common type, by the first one's name.
pub(super) fn common_field(a: &FieldRef, b: &FieldRef, inferred: bool) -> Option<FieldRef> {
    let data_type = common_type(a.data_type(), b.data_type(), inferred)?;
    let is_null = |field: &FieldRef| field.is_nullable() || field.data_type().is_null();
    let nullable = is_null(a) || is_null(b);
    // What both say, such as that the values are UUIDs; the numbers of columns may differ.
    let mut metadata = a.metadata().clone();
    metadata.retain(|key, value| b.metadata().get(key) == Some(value));
    Some(Arc::new(Field::new(a.name(), data_type, nullable).with_metadata(metadata)))
}

pub(super) fn nullable(field: &FieldRef) -> FieldRef {
    Arc::new(field.as_ref().clone().with_nullable(true))
}

fn item(list: &DataType) -> Option<&FieldRef> {
    match list {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

fn is_large_list(list: &DataType) -> bool {
    matches!(list, DataType::LargeList(_) | DataType::LargeListView(_))
}

/// The narrowest integer that holds both; a decimal where none does.
fn integers(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::*;
    let (wide, narrow) = match a.primitive_width() >= b.primitive_width() {
        true => (a, b),
        false => (b, a),
    };
    if wide.is_signed_integer() == narrow.is_signed_integer() {
        return Some(wide.clone());
    }
    if wide.is_signed_integer() && wide.primitive_width() > narrow.primitive_width() {
        return Some(wide.clone());
    }
    Some(match wide.primitive_width()? {
        1 => Int16,
        2 => Int32,
        4 => Int64,
        _ => Decimal128(20, 0),
    })
}

fn is_exact(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_decimal()
}

/// A decimal with the whole digits and the fraction of both.
fn decimals(a: &DataType, b: &DataType) -> Option<DataType> {
    let ((precision_a, scale_a), (precision_b, scale_b)) = (decimal_digits(a)?, decimal_digits(b)?);
    let scale = scale_a.max(scale_b);
    let precision = (precision_a - scale_a).max(precision_b - scale_b) + scale;
    let is_wide = matches!(a, DataType::Decimal256(..)) || matches!(b, DataType::Decimal256(..));
    let (precision, scale) = (u8::try_from(precision).ok()?, i8::try_from(scale).ok()?);
    match precision {
        ..=DECIMAL_DIGITS if !is_wide => Some(DataType::Decimal128(precision, scale)),
        ..=76 if is_wide => Some(DataType::Decimal256(precision, scale)),
        _ => None,
    }
}

/// A floating-point type that holds every value of both.
fn floats(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::*;
    // Whole numbers up to these bits are exact.
    let bits = |data_type: &DataType| match data_type {
        Float64 => Some(53),
        Float32 => Some(24),
        Float16 => Some(11),
        other if other.is_integer() => {
            let sign = usize::from(other.is_signed_integer());
            Some(other.primitive_width()? * 8 - sign)
        }
        _ => None,
    };
    let (a, b) = (bits(a)?, bits(b)?);
    match a.max(b) {
        0..=11 => Some(Float16),
        12..=24 => Some(Float32),
        25..=53 => Some(Float64),
        _ => None,
    }
}

/// The finer unit; nanoseconds do not reach as far as the others.
fn finer(a: TimeUnit, b: TimeUnit) -> Option<TimeUnit> {
    let finer = a.max(b);
    (a == b || finer != TimeUnit::Nanosecond).then_some(finer)
}

#[cfg(test)]
#[path = "common_type_tests.rs"]
mod tests;
