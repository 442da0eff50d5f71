//! Dates and timestamps to each other, to numbers and back.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::datatypes::*;

use super::arrow_casts::arrow_cast;
use super::numeric::number_to_number;
use super::time_text::Instant;
use crate::error::{JoinError, Result};

const SECONDS_PER_DAY: i64 = 86_400;
const NANOS: i64 = 1_000_000_000;

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => NANOS,
    }
}

/// An instant in a unit, what is finer cut off towards the past; `None` out of
/// range.
pub(super) fn ticks(instant: Instant, unit: TimeUnit) -> Option<i64> {
    let per_second = per_second(unit);
    let whole = i128::from(instant.seconds) * i128::from(per_second);
    let part = i128::from(i64::from(instant.nanos) / (NANOS / per_second));
    i64::try_from(whole + part).ok()
}

fn instant(ticks: i64, unit: TimeUnit) -> Instant {
    let per_second = per_second(unit);
    let part = ticks.rem_euclid(per_second) * (NANOS / per_second);
    Instant { seconds: ticks.div_euclid(per_second), nanos: part as u32 }
}

type Rows<'a, T> = Box<dyn Fn(usize) -> Option<T> + 'a>;

fn valid<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    array.is_valid(row).then(|| array.value(row))
}

/// Days since 1970 of a date array.
pub(super) fn days(array: &ArrayRef) -> Result<Rows<'_, i64>> {
    match array.data_type() {
        DataType::Date32 => {
            let dates = array.as_primitive::<Date32Type>();
            Ok(Box::new(|row| valid(dates, row).map(i64::from)))
        }
        DataType::Date64 => {
            let dates = array.as_primitive::<Date64Type>();
            Ok(Box::new(|row| valid(dates, row).map(|ms| ms.div_euclid(SECONDS_PER_DAY * 1000))))
        }
        other => Err(JoinError::InvalidPlan(format!("{other} is not a date"))),
    }
}

/// Instants of a timestamp array, or the midnights of a date array.
pub(super) fn instants(array: &ArrayRef) -> Result<Rows<'_, Instant>> {
    let DataType::Timestamp(unit, _) = *array.data_type() else {
        let days = days(array)?;
        return Ok(Box::new(move |row| {
            let seconds = days(row)?.checked_mul(SECONDS_PER_DAY)?;
            Some(Instant { seconds, nanos: 0 })
        }));
    };
    macro_rules! rows {
        ($type:ident) => {{
            let times = array.as_primitive::<$type>();
            Ok(Box::new(move |row| valid(times, row).map(|t| instant(t, unit))))
        }};
    }
    match unit {
        TimeUnit::Second => rows!(TimestampSecondType),
        TimeUnit::Millisecond => rows!(TimestampMillisecondType),
        TimeUnit::Microsecond => rows!(TimestampMicrosecondType),
        TimeUnit::Nanosecond => rows!(TimestampNanosecondType),
    }
}

/// A date array of type `to` from days since 1970.
pub(super) fn dates(
    to: &DataType,
    rows: usize,
    days: impl Fn(usize) -> Option<i64>,
) -> Result<ArrayRef> {
    match to {
        DataType::Date32 => {
            let values = (0..rows).map(|row| i32::try_from(days(row)?).ok());
            Ok(Arc::new(values.collect::<PrimitiveArray<Date32Type>>()))
        }
        DataType::Date64 => {
            let values = (0..rows).map(|row| days(row)?.checked_mul(SECONDS_PER_DAY * 1000));
            Ok(Arc::new(values.collect::<PrimitiveArray<Date64Type>>()))
        }
        other => Err(JoinError::InvalidPlan(format!("{other} is not a date"))),
    }
}

/// A timestamp array of type `to` from ticks of its unit.
pub(super) fn times(
    to: &DataType,
    rows: usize,
    ticks: impl Fn(usize) -> Option<i64>,
) -> Result<ArrayRef> {
    let DataType::Timestamp(unit, zone) = to else {
        return Err(JoinError::InvalidPlan(format!("{to} is not a timestamp")));
    };
    macro_rules! times {
        ($type:ident) => {{
            let times: PrimitiveArray<$type> = (0..rows).map(ticks).collect();
            Ok(Arc::new(times.with_timezone_opt(zone.clone())))
        }};
    }
    match unit {
        TimeUnit::Second => times!(TimestampSecondType),
        TimeUnit::Millisecond => times!(TimestampMillisecondType),
        TimeUnit::Microsecond => times!(TimestampMicrosecondType),
        TimeUnit::Nanosecond => times!(TimestampNanosecondType),
    }
}

pub(super) fn time_to_time(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    match (array.data_type(), to) {
        // Only the zone changes, and the instants stay.
        (DataType::Timestamp(a, _), DataType::Timestamp(b, _)) if a == b => {
            relabel(array.as_ref(), to)
        }
        (DataType::Timestamp(a, _), DataType::Timestamp(b, _)) => {
            let counts = relabel(array.as_ref(), &DataType::Int64)?;
            let counts = counts.as_primitive::<Int64Type>();
            let (from, per) = (per_second(*a), per_second(*b));
            let scaled: PrimitiveArray<Int64Type> = if per > from {
                counts.unary_opt(|v| v.checked_mul(per / from))
            } else {
                counts.unary(|v| v.div_euclid(from / per))
            };
            relabel(&scaled, to)
        }
        (DataType::Date32, DataType::Timestamp(unit, _)) => {
            let per_day = SECONDS_PER_DAY * per_second(*unit);
            let days = array.as_primitive::<Date32Type>();
            let scaled: PrimitiveArray<Int64Type> =
                days.unary_opt(|v| i64::from(v).checked_mul(per_day));
            relabel(&scaled, to)
        }
        (_, DataType::Timestamp(unit, _)) => {
            let instants = instants(array)?;
            times(to, array.len(), |row| ticks(instants(row)?, *unit))
        }
        _ => {
            let instants = instants(array)?;
            dates(to, array.len(), |row| Some(instants(row)?.seconds.div_euclid(SECONDS_PER_DAY)))
        }
    }
}

/// The same 64-bit values under another type.
fn relabel(array: &dyn Array, to: &DataType) -> Result<ArrayRef> {
    let data = array.to_data().into_builder();
    let data = data.data_type(to.clone()).build()?;
    Ok(arrow::array::make_array(data))
}

/// Seconds since 1970: whole for integers (floored), with their fraction for
/// floats and decimals.
pub(super) fn time_to_number(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let instants = instants(array)?;
    let rows = array.len();
    if to.is_integer() {
        let seconds: PrimitiveArray<Int64Type> =
            (0..rows).map(|row| Some(instants(row)?.seconds)).collect();
        return number_to_number(&(Arc::new(seconds) as ArrayRef), to);
    }
    let nanos = (0..rows).map(|row| {
        let instant = instants(row)?;
        Some(i128::from(instant.seconds) * i128::from(NANOS) + i128::from(instant.nanos))
    });
    let exact = nanos
        .collect::<PrimitiveArray<Decimal128Type>>()
        .with_precision_and_scale(DECIMAL128_MAX_PRECISION, 9)?;
    let exact: ArrayRef = Arc::new(exact);
    if exact.data_type() == to { Ok(exact) } else { number_to_number(&exact, to) }
}

/// A number of seconds since 1970.
pub(super) fn number_to_time(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let DataType::Timestamp(unit, _) = to else {
        return Err(JoinError::InvalidPlan(format!("{to} is not a timestamp")));
    };
    let per_second = per_second(*unit);
    let from = array.data_type();
    if from.is_floating() {
        let doubles = arrow_cast(array, &DataType::Float64)?;
        let doubles = doubles.as_primitive::<Float64Type>();
        return times(to, doubles.len(), |row| {
            let scaled = valid(doubles, row)? * per_second as f64;
            // As `i64` conversions saturate, the range is tested before.
            (scaled.abs() < 9.2e18).then_some(scaled as i64)
        });
    }
    // Nine digits of a decimal, cut and not rounded, as Spark does.
    let nanos = if from.is_integer() {
        let seconds = number_to_number(array, &DataType::Decimal128(20, 0))?;
        number_to_number(&seconds, &DataType::Decimal128(38, 9))?
    } else {
        number_to_number(array, &DataType::Decimal128(38, 9))?
    };
    let nanos = nanos.as_primitive::<Decimal128Type>();
    let step = i128::from(NANOS / per_second);
    times(to, nanos.len(), |row| i64::try_from(valid(nanos, row)? / step).ok())
}
