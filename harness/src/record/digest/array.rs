//! The digest of each value of a column.

use arrow::array::{
    Array, ArrowPrimitiveType, AsArray, GenericListArray, GenericListViewArray, MapArray,
    OffsetSizeTrait, PrimitiveArray, RunArray, StructArray, UnionArray, types::*,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowNativeType, DataType, IntervalUnit, TimeUnit};

use super::value::{
    Kind, NULL, bytes, combine, decimal, decimal256, float, interval, mix, time, word,
};

/// Writes the digest of each value of `array` to `out`.
pub(crate) fn values(array: &dyn Array, out: &mut Vec<u64>) {
    out.clear();
    out.reserve(array.len());
    let integer = |value: i64| word(Kind::Integer, value as u64);
    match array.data_type() {
        DataType::Null => out.resize(array.len(), NULL),
        DataType::Boolean => {
            let array = array.as_boolean();
            let one = word(Kind::Boolean, 1);
            let zero = word(Kind::Boolean, 0);
            out.extend(array.values().iter().map(|value| if value { one } else { zero }));
            mark_nulls(array.nulls(), out);
        }
        DataType::Int8 => primitive::<Int8Type>(array, out, |v| integer(v.into())),
        DataType::Int16 => primitive::<Int16Type>(array, out, |v| integer(v.into())),
        DataType::Int32 => primitive::<Int32Type>(array, out, |v| integer(v.into())),
        DataType::Int64 => primitive::<Int64Type>(array, out, integer),
        DataType::UInt8 => primitive::<UInt8Type>(array, out, |v| integer(v.into())),
        DataType::UInt16 => primitive::<UInt16Type>(array, out, |v| integer(v.into())),
        DataType::UInt32 => primitive::<UInt32Type>(array, out, |v| integer(v.into())),
        DataType::UInt64 => primitive::<UInt64Type>(array, out, |v| {
            word(if v > i64::MAX as u64 { Kind::HugeInteger } else { Kind::Integer }, v)
        }),
        DataType::Float16 => primitive::<Float16Type>(array, out, |v| float(v.to_f64())),
        DataType::Float32 => primitive::<Float32Type>(array, out, |v| float(v.into())),
        DataType::Float64 => primitive::<Float64Type>(array, out, float),
        DataType::Decimal32(_, scale) => {
            primitive::<Decimal32Type>(array, out, |v| decimal(v.into(), (*scale).into()));
        }
        DataType::Decimal64(_, scale) => {
            primitive::<Decimal64Type>(array, out, |v| decimal(v.into(), (*scale).into()));
        }
        DataType::Decimal128(_, scale) => {
            primitive::<Decimal128Type>(array, out, |v| decimal(v, (*scale).into()));
        }
        DataType::Decimal256(_, scale) => {
            primitive::<Decimal256Type>(array, out, |v| decimal256(v, (*scale).into()));
        }
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            byte_values(Kind::Text, array.len(), |i| array.value(i).as_bytes(), array.nulls(), out);
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            byte_values(Kind::Text, array.len(), |i| array.value(i).as_bytes(), array.nulls(), out);
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            byte_values(Kind::Text, array.len(), |i| array.value(i).as_bytes(), array.nulls(), out);
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            byte_values(Kind::Binary, array.len(), |i| array.value(i), array.nulls(), out);
        }
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Interval(_) => times(array, out),
        DataType::Dictionary(..)
        | DataType::RunEndEncoded(..)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Map(..)
        | DataType::Struct(_)
        | DataType::Union(..) => nested_values(array, out),
    }
}

fn times(array: &dyn Array, out: &mut Vec<u64>) {
    let date = |days: i64| word(Kind::Date, days as u64);
    match array.data_type() {
        DataType::Date32 => primitive::<Date32Type>(array, out, |v| date(v.into())),
        DataType::Date64 => {
            primitive::<Date64Type>(array, out, |v| date(v.div_euclid(86_400_000)));
        }
        DataType::Timestamp(unit, _) => {
            let kind = Kind::Timestamp;
            match unit {
                TimeUnit::Second => micros::<TimestampSecondType>(array, out, kind, *unit),
                TimeUnit::Millisecond => {
                    micros::<TimestampMillisecondType>(array, out, kind, *unit);
                }
                TimeUnit::Microsecond => {
                    micros::<TimestampMicrosecondType>(array, out, kind, *unit);
                }
                TimeUnit::Nanosecond => micros::<TimestampNanosecondType>(array, out, kind, *unit),
            }
        }
        DataType::Duration(unit) => {
            let kind = Kind::Duration;
            match unit {
                TimeUnit::Second => micros::<DurationSecondType>(array, out, kind, *unit),
                TimeUnit::Millisecond => micros::<DurationMillisecondType>(array, out, kind, *unit),
                TimeUnit::Microsecond => micros::<DurationMicrosecondType>(array, out, kind, *unit),
                TimeUnit::Nanosecond => micros::<DurationNanosecondType>(array, out, kind, *unit),
            }
        }
        DataType::Time32(TimeUnit::Second) => primitive::<Time32SecondType>(array, out, |v| {
            time(Kind::TimeOfDay, v.into(), TimeUnit::Second)
        }),
        DataType::Time32(_) => primitive::<Time32MillisecondType>(array, out, |v| {
            time(Kind::TimeOfDay, v.into(), TimeUnit::Millisecond)
        }),
        DataType::Time64(TimeUnit::Nanosecond) => {
            micros::<Time64NanosecondType>(array, out, Kind::TimeOfDay, TimeUnit::Nanosecond);
        }
        DataType::Time64(_) => {
            micros::<Time64MicrosecondType>(array, out, Kind::TimeOfDay, TimeUnit::Microsecond);
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            primitive::<IntervalYearMonthType>(array, out, |v| interval(v.into(), 0, 0));
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            primitive::<IntervalDayTimeType>(array, out, |v| {
                interval(0, v.days.into(), i64::from(v.milliseconds) * 1_000_000)
            });
        }
        _ => primitive::<IntervalMonthDayNanoType>(array, out, |v| {
            interval(v.months.into(), v.days.into(), v.nanoseconds)
        }),
    }
}

fn micros<T: ArrowPrimitiveType<Native = i64>>(
    array: &dyn Array,
    out: &mut Vec<u64>,
    kind: Kind,
    unit: TimeUnit,
) {
    primitive::<T>(array, out, |value| time(kind, value, unit));
}

#[inline(always)]
fn primitive<T: ArrowPrimitiveType>(
    array: &dyn Array,
    out: &mut Vec<u64>,
    digest: impl Fn(T::Native) -> u64,
) {
    let array: &PrimitiveArray<T> = array.as_primitive();
    out.extend(array.values().iter().map(|value| digest(*value)));
    mark_nulls(array.nulls(), out);
}

fn byte_values<'a>(
    kind: Kind,
    len: usize,
    value: impl Fn(usize) -> &'a [u8],
    nulls: Option<&NullBuffer>,
    out: &mut Vec<u64>,
) {
    out.extend((0..len).map(|i| bytes(kind, value(i))));
    mark_nulls(nulls, out);
}

/// Puts the null's digest where `nulls` says so, whatever value lies there.
fn mark_nulls(nulls: Option<&NullBuffer>, out: &mut [u64]) {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return };
    for (digest, valid) in out.iter_mut().zip(nulls.iter()) {
        *digest = if valid { *digest } else { NULL };
    }
}

/// Writes the digest of each value of a nested or encoded `array` to `out`.
fn nested_values(array: &dyn Array, out: &mut Vec<u64>) {
    match array.data_type() {
        DataType::Dictionary(key, _) => match key.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(array, out),
            DataType::Int16 => dictionary::<Int16Type>(array, out),
            DataType::Int32 => dictionary::<Int32Type>(array, out),
            DataType::Int64 => dictionary::<Int64Type>(array, out),
            DataType::UInt8 => dictionary::<UInt8Type>(array, out),
            DataType::UInt16 => dictionary::<UInt16Type>(array, out),
            DataType::UInt32 => dictionary::<UInt32Type>(array, out),
            _ => dictionary::<UInt64Type>(array, out),
        },
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array, out),
            DataType::Int32 => runs::<Int32Type>(array, out),
            _ => runs::<Int64Type>(array, out),
        },
        DataType::List(_) => list(array.as_list::<i32>(), out),
        DataType::LargeList(_) => list(array.as_list::<i64>(), out),
        DataType::ListView(_) => list_view(array.as_list_view::<i32>(), out),
        DataType::LargeListView(_) => list_view(array.as_list_view::<i64>(), out),
        DataType::FixedSizeList(..) => {
            let array = array.as_fixed_size_list();
            let size = array.value_length() as usize;
            // The child of a sliced array is sliced with it.
            let items = digests(array.values().as_ref());
            out.extend((0..array.len()).map(|i| sequence(&items[i * size..(i + 1) * size])));
            mark_nulls(array.nulls(), out);
        }
        DataType::Map(..) => map(array.as_map(), out),
        DataType::Struct(_) => structure(array.as_struct(), out),
        _ => {
            if let Some(array) = array.as_any().downcast_ref::<UnionArray>() {
                union(array, out);
            }
        }
    }
}

fn digests(array: &dyn Array) -> Vec<u64> {
    let mut out = Vec::new();
    values(array, &mut out);
    out
}

/// Digest of a list from those of its items, the length last.
fn sequence(items: &[u64]) -> u64 {
    let hash = items.iter().fold(Kind::List.seed(), |hash, item| combine(hash, *item));
    mix(hash ^ (items.len() as u64))
}

fn dictionary<K: ArrowDictionaryKeyType>(array: &dyn Array, out: &mut Vec<u64>) {
    let array = array.as_dictionary::<K>();
    let distinct = digests(array.values().as_ref());
    // A key under a null may be anything, even outside of the dictionary.
    out.extend(
        array.keys().values().iter().map(|key| distinct.get(key.as_usize()).map_or(NULL, |d| *d)),
    );
    mark_nulls(array.keys().nulls(), out);
}

fn runs<R: RunEndIndexType>(array: &dyn Array, out: &mut Vec<u64>) {
    let Some(array) = array.as_any().downcast_ref::<RunArray<R>>() else { return };
    let distinct = digests(array.values().as_ref());
    out.extend((0..array.len()).map(|i| distinct[array.get_physical_index(i)]));
}

fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>, out: &mut Vec<u64>) {
    let offsets = array.value_offsets();
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    let items = digests(array.values().slice(first, last - first).as_ref());
    out.extend(
        offsets
            .windows(2)
            .map(|w| sequence(&items[w[0].as_usize() - first..w[1].as_usize() - first])),
    );
    mark_nulls(array.nulls(), out);
}

fn list_view<O: OffsetSizeTrait>(array: &GenericListViewArray<O>, out: &mut Vec<u64>) {
    let items = digests(array.values().as_ref());
    out.extend(array.value_offsets().iter().zip(array.value_sizes()).map(|(offset, size)| {
        let offset = offset.as_usize();
        sequence(&items[offset..offset + size.as_usize()])
    }));
    mark_nulls(array.nulls(), out);
}

fn map(array: &MapArray, out: &mut Vec<u64>) {
    let offsets = array.value_offsets();
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    let entries: StructArray = array.entries().slice(first, last - first);
    let items = digests(&entries);
    out.extend(
        offsets
            .windows(2)
            .map(|w| sequence(&items[w[0].as_usize() - first..w[1].as_usize() - first])),
    );
    mark_nulls(array.nulls(), out);
}

fn structure(array: &StructArray, out: &mut Vec<u64>) {
    out.resize(array.len(), Kind::Struct.seed());
    let mut field = Vec::new();
    for column in array.columns() {
        values(column.as_ref(), &mut field);
        for (hash, value) in out.iter_mut().zip(&field) {
            *hash = combine(*hash, *value);
        }
    }
    out.iter_mut().for_each(|hash| *hash = mix(*hash));
    mark_nulls(array.nulls(), out);
}

fn union(array: &UnionArray, out: &mut Vec<u64>) {
    let DataType::Union(fields, _) = array.data_type() else { return };
    let mut children: Vec<Vec<u64>> = vec![Vec::new(); 128];
    for (id, _) in fields.iter() {
        if let Some(slot) = children.get_mut(id as usize) {
            *slot = digests(array.child(id).as_ref());
        }
    }
    out.extend((0..array.len()).map(|i| {
        let child = children.get(array.type_id(i) as usize);
        child.and_then(|child| child.get(array.value_offset(i))).map_or(NULL, |digest| *digest)
    }));
}
