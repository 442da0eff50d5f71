//! Values apart from the arrays that hold them: what goes in and what comes out
//! are compared as these, one row after the other.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;
use arrow::util::display::array_value_to_string;

/// A value, whatever layout, unit or encoding it has in memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Integer(i128),
    /// By its bits as a double.
    Float(u64),
    /// Its digits.
    Decimal(String),
    Text(String),
    Binary(Vec<u8>),
    Date(i64),
    /// Nanoseconds since 1970.
    Timestamp(i128),
    /// Nanoseconds since midnight.
    TimeOfDay(i128),
    /// Nanoseconds.
    Duration(i128),
    /// Months, days, nanoseconds.
    Interval(i64, i64, i128),
    List(Vec<Value>),
    Struct(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Union(i8, Box<Value>),
}

pub(crate) fn nanos(value: i64, unit: TimeUnit) -> i128 {
    i128::from(value)
        * match unit {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1000,
            TimeUnit::Nanosecond => 1,
        }
}

/// The value of a row.
pub(crate) fn read(array: &dyn Array, row: usize) -> Value {
    use DataType::*;
    if array.nulls().is_some_and(|nulls| nulls.is_null(row)) {
        return Value::Null;
    }
    macro_rules! number {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row)
        };
    }
    match array.data_type() {
        Null => Value::Null,
        Boolean => Value::Boolean(array.as_boolean().value(row)),
        Int8 => Value::Integer(number!(Int8Type).into()),
        Int16 => Value::Integer(number!(Int16Type).into()),
        Int32 => Value::Integer(number!(Int32Type).into()),
        Int64 => Value::Integer(number!(Int64Type).into()),
        UInt8 => Value::Integer(number!(UInt8Type).into()),
        UInt16 => Value::Integer(number!(UInt16Type).into()),
        UInt32 => Value::Integer(number!(UInt32Type).into()),
        UInt64 => Value::Integer(number!(UInt64Type).into()),
        Float16 => Value::Float(number!(Float16Type).to_f64().to_bits()),
        Float32 => Value::Float(f64::from(number!(Float32Type)).to_bits()),
        Float64 => Value::Float(number!(Float64Type).to_bits()),
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => {
            decimal(array_value_to_string(array, row).expect("a decimal has digits"))
        }
        Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        LargeUtf8 => Value::Text(array.as_string::<i64>().value(row).to_owned()),
        Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        Binary => Value::Binary(array.as_binary::<i32>().value(row).to_vec()),
        LargeBinary => Value::Binary(array.as_binary::<i64>().value(row).to_vec()),
        BinaryView => Value::Binary(array.as_binary_view().value(row).to_vec()),
        FixedSizeBinary(0) => Value::Binary(Vec::new()),
        FixedSizeBinary(_) => Value::Binary(array.as_fixed_size_binary().value(row).to_vec()),
        Date32 => Value::Date(number!(Date32Type).into()),
        Date64 => Value::Date(number!(Date64Type).div_euclid(86_400_000)),
        Time32(TimeUnit::Second) => {
            Value::TimeOfDay(nanos(number!(Time32SecondType).into(), TimeUnit::Second))
        }
        Time32(unit) => Value::TimeOfDay(nanos(number!(Time32MillisecondType).into(), *unit)),
        Time64(unit @ TimeUnit::Microsecond) => {
            Value::TimeOfDay(nanos(number!(Time64MicrosecondType), *unit))
        }
        Time64(unit) => Value::TimeOfDay(nanos(number!(Time64NanosecondType), *unit)),
        Timestamp(unit, _) => Value::Timestamp(nanos(
            match unit {
                TimeUnit::Second => number!(TimestampSecondType),
                TimeUnit::Millisecond => number!(TimestampMillisecondType),
                TimeUnit::Microsecond => number!(TimestampMicrosecondType),
                TimeUnit::Nanosecond => number!(TimestampNanosecondType),
            },
            *unit,
        )),
        Duration(unit) => Value::Duration(nanos(
            match unit {
                TimeUnit::Second => number!(DurationSecondType),
                TimeUnit::Millisecond => number!(DurationMillisecondType),
                TimeUnit::Microsecond => number!(DurationMicrosecondType),
                TimeUnit::Nanosecond => number!(DurationNanosecondType),
            },
            *unit,
        )),
        Interval(IntervalUnit::YearMonth) => {
            Value::Interval(number!(IntervalYearMonthType).into(), 0, 0)
        }
        Interval(IntervalUnit::DayTime) => {
            let value = number!(IntervalDayTimeType);
            let nanos = i128::from(value.milliseconds) * 1_000_000;
            Value::Interval(0, value.days.into(), nanos)
        }
        Interval(IntervalUnit::MonthDayNano) => {
            let value = number!(IntervalMonthDayNanoType);
            Value::Interval(value.months.into(), value.days.into(), value.nanoseconds.into())
        }
        List(_) => list(&array.as_list::<i32>().value(row)),
        LargeList(_) => list(&array.as_list::<i64>().value(row)),
        ListView(_) => list(&array.as_list_view::<i32>().value(row)),
        LargeListView(_) => list(&array.as_list_view::<i64>().value(row)),
        FixedSizeList(_, 0) => Value::List(Vec::new()),
        FixedSizeList(..) => list(&array.as_fixed_size_list().value(row)),
        Struct(_) => {
            Value::Struct(array.as_struct().columns().iter().map(|of| read(of, row)).collect())
        }
        Map(..) => {
            let entries = array.as_map().value(row);
            let entry = |at| (read(entries.column(0), at), read(entries.column(1), at));
            Value::Map((0..entries.len()).map(entry).collect())
        }
        Union(..) => {
            let union = array.as_union();
            let id = union.type_id(row);
            Value::Union(id, Box::new(read(union.child(id), union.value_offset(row))))
        }
        Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            read(dictionary.values(), dictionary.normalized_keys()[row])
        }
        RunEndEncoded(ends, _) => match ends.data_type() {
            Int16 => run::<Int16Type>(array, row),
            Int32 => run::<Int32Type>(array, row),
            _ => run::<Int64Type>(array, row),
        },
    }
}

fn list(items: &ArrayRef) -> Value {
    Value::List((0..items.len()).map(|at| read(items, at)).collect())
}

fn run<R: RunEndIndexType>(array: &dyn Array, row: usize) -> Value {
    let run = array.as_any().downcast_ref::<RunArray<R>>().expect("a run array");
    read(run.values(), run.get_physical_index(row))
}

/// Digits; zero without any behind the point or before it.
fn decimal(digits: String) -> Value {
    let zero = digits.chars().all(|digit| matches!(digit, '0' | '.' | '-'));
    Value::Decimal(if zero { "0".to_owned() } else { digits })
}

/// A value of a type; other numbers mostly give other values.
pub(crate) fn value(data_type: &DataType, number: i64) -> Value {
    use DataType::*;
    let float = |value: f64| Value::Float(value.to_bits());
    let digits = |scale: i8| {
        let unit = number - 100;
        let tens = 10_i64.pow(scale.max(0) as u32);
        let sign = if unit < 0 { "-" } else { "" };
        let (whole, rest) = (unit.abs() / tens, unit.abs() % tens);
        decimal(match scale {
            0 => format!("{sign}{whole}"),
            scale if scale < 0 => match unit {
                0 => "0".to_owned(),
                _ => format!("{unit}{}", "0".repeat(scale.unsigned_abs().into())),
            },
            scale => format!("{sign}{whole}.{rest:0width$}", width = scale as usize),
        })
    };
    match data_type {
        Null => Value::Null,
        Boolean => Value::Boolean(number % 2 == 0),
        Int8 => Value::Integer((number % 256 - 128).into()),
        UInt8 => Value::Integer((number % 256).into()),
        Int16 | Int32 | Int64 => Value::Integer((number - 150).into()),
        UInt64 => Value::Integer(i128::from(u64::MAX) - i128::from(number)),
        UInt16 | UInt32 => Value::Integer(number.into()),
        // Exact in 16 bits.
        Float16 | Float32 | Float64 => float((number - 100) as f64 / 4.0),
        Decimal32(_, scale) | Decimal64(_, scale) => digits(*scale),
        Decimal128(_, scale) | Decimal256(_, scale) => digits(*scale),
        Utf8 | LargeUtf8 | Utf8View => Value::Text(match number % 5 {
            0 => format!("é{number}"),
            _ => format!("a text too long for a view, number {number}"),
        }),
        Binary | LargeBinary | BinaryView => {
            Value::Binary([&[0xff, 0][..], number.to_string().as_bytes()].concat())
        }
        FixedSizeBinary(size) => {
            let bytes = number.to_be_bytes();
            let at = |i: i32| bytes[bytes.len() - 1 - (i % 8) as usize];
            Value::Binary((0..*size).rev().map(at).collect())
        }
        Date32 | Date64 => Value::Date(number * 40 - 1000),
        Timestamp(unit, _) => Value::Timestamp(nanos(number * 1_000_003 - 100, *unit)),
        Time32(unit) | Time64(unit) => Value::TimeOfDay(nanos(number * 61, *unit)),
        Duration(unit) => Value::Duration(nanos(number * 1_000_003 - 100, *unit)),
        Interval(IntervalUnit::YearMonth) => Value::Interval(number - 100, 0, 0),
        Interval(IntervalUnit::DayTime) => {
            Value::Interval(0, number - 100, i128::from(number) * 1_000_000)
        }
        Interval(IntervalUnit::MonthDayNano) => {
            Value::Interval(number, 100 - number, (number * 7).into())
        }
        List(item) | LargeList(item) | ListView(item) | LargeListView(item) => {
            let items = (0..number % 4).map(|at| inner(item, number + at));
            Value::List(items.collect())
        }
        FixedSizeList(item, size) => {
            Value::List((0..i64::from(*size)).map(|at| inner(item, number + at)).collect())
        }
        Struct(fields) => {
            let fields = fields.iter().zip(0..);
            Value::Struct(fields.map(|(field, at)| inner(field, number + at)).collect())
        }
        Map(entries, _) => {
            let Struct(fields) = entries.data_type() else { unreachable!("entries of a map") };
            let entry = |at| (value(fields[0].data_type(), number + at), inner(&fields[1], at));
            Value::Map((0..number % 3).map(entry).collect())
        }
        Union(fields, _) => {
            let at = (number as usize) % fields.len();
            let (id, field) = fields.iter().nth(at).expect("a union of something");
            Value::Union(id, Box::new(inner(field, number)))
        }
        Dictionary(_, values) => value(values, number),
        RunEndEncoded(_, values) => value(values.data_type(), number / 3),
    }
}

/// A value inside another one, which may be null.
fn inner(field: &Field, number: i64) -> Value {
    if field.is_nullable() && number % 5 == 4 {
        return null_of(field.data_type(), number);
    }
    value(field.data_type(), number)
}

/// The null of a type: a union has only that of a member.
fn null_of(data_type: &DataType, number: i64) -> Value {
    match data_type {
        DataType::Union(fields, _) => {
            let (id, _) = fields.iter().nth((number as usize) % fields.len()).expect("a member");
            Value::Union(id, Box::new(Value::Null))
        }
        _ => Value::Null,
    }
}

/// The value of row `number` of a column, each seventh of which is null.
pub(crate) fn of_row(data_type: &DataType, number: i64) -> Value {
    if number.rem_euclid(7) == 3 {
        return null_of(data_type, number);
    }
    value(data_type, number)
}

/// An array of these values; `variant` decides what may differ where the values
/// are the same: the order of a dictionary, the places of a list's items.
pub(crate) fn make(data_type: &DataType, values: &[Value], variant: usize) -> ArrayRef {
    use DataType::*;
    let nulls = || {
        let nulls: NullBuffer = values.iter().map(|value| *value != Value::Null).collect();
        Some(nulls).filter(|nulls| nulls.null_count() > 0)
    };
    macro_rules! numbers {
        ($type:ty, $of:expr) => {{
            let of = $of;
            let values = values.iter().map(|value| match value {
                Value::Null => None,
                value => Some(of(value)),
            });
            let array: PrimitiveArray<$type> = values.collect();
            Arc::new(array.with_data_type(data_type.clone())) as ArrayRef
        }};
    }
    macro_rules! bytes {
        ($array:ty) => {
            Arc::new(values.iter().map(bytes_of).collect::<$array>())
        };
    }
    macro_rules! texts {
        ($array:ty) => {
            Arc::new(values.iter().map(text_of).collect::<$array>())
        };
    }
    match data_type {
        Null => Arc::new(NullArray::new(values.len())),
        Boolean => Arc::new(
            values
                .iter()
                .map(|value| match value {
                    Value::Boolean(value) => Some(*value),
                    _ => None,
                })
                .collect::<BooleanArray>(),
        ),
        Int8 => numbers!(Int8Type, |v: &Value| integer(v) as i8),
        Int16 => numbers!(Int16Type, |v: &Value| integer(v) as i16),
        Int32 => numbers!(Int32Type, |v: &Value| integer(v) as i32),
        Int64 => numbers!(Int64Type, |v: &Value| integer(v) as i64),
        UInt8 => numbers!(UInt8Type, |v: &Value| integer(v) as u8),
        UInt16 => numbers!(UInt16Type, |v: &Value| integer(v) as u16),
        UInt32 => numbers!(UInt32Type, |v: &Value| integer(v) as u32),
        UInt64 => numbers!(UInt64Type, |v: &Value| integer(v) as u64),
        Float16 => {
            type Half = <Float16Type as ArrowPrimitiveType>::Native;
            let of = |v: &Value| Half::from_f64(double(v));
            numbers!(Float16Type, of)
        }
        Float32 => numbers!(Float32Type, |v: &Value| double(v) as f32),
        Float64 => numbers!(Float64Type, double),
        Decimal32(..) => numbers!(Decimal32Type, |v: &Value| unscaled(v, data_type) as i32),
        Decimal64(..) => numbers!(Decimal64Type, |v: &Value| unscaled(v, data_type) as i64),
        Decimal128(..) => numbers!(Decimal128Type, |v: &Value| unscaled(v, data_type)),
        Decimal256(..) => {
            numbers!(Decimal256Type, |v: &Value| i256::from_i128(unscaled(v, data_type)))
        }
        Utf8 => texts!(StringArray),
        LargeUtf8 => texts!(LargeStringArray),
        Utf8View => texts!(StringViewArray),
        Binary => bytes!(BinaryArray),
        LargeBinary => bytes!(LargeBinaryArray),
        BinaryView => bytes!(BinaryViewArray),
        FixedSizeBinary(size) => {
            let of = |value: &Value| match value {
                Value::Binary(bytes) => bytes.clone(),
                _ => vec![7; *size as usize],
            };
            let all: Vec<u8> = values.iter().flat_map(of).collect();
            let nulls: NullBuffer = values.iter().map(|value| *value != Value::Null).collect();
            Arc::new(FixedSizeBinaryArray::new(*size, all.into(), Some(nulls)))
        }
        Date32 => numbers!(Date32Type, |v: &Value| time(v, 1) as i32),
        Date64 => numbers!(Date64Type, |v: &Value| time(v, 1) * 86_400_000),
        Time32(TimeUnit::Second) => {
            numbers!(Time32SecondType, |v: &Value| time(v, 1_000_000_000) as i32)
        }
        Time32(_) => numbers!(Time32MillisecondType, |v: &Value| time(v, 1_000_000) as i32),
        Time64(TimeUnit::Microsecond) => {
            numbers!(Time64MicrosecondType, |v: &Value| time(v, 1000))
        }
        Time64(_) => numbers!(Time64NanosecondType, |v: &Value| time(v, 1)),
        Timestamp(TimeUnit::Second, _) => {
            numbers!(TimestampSecondType, |v: &Value| time(v, 1_000_000_000))
        }
        Timestamp(TimeUnit::Millisecond, _) => {
            numbers!(TimestampMillisecondType, |v: &Value| time(v, 1_000_000))
        }
        Timestamp(TimeUnit::Microsecond, _) => {
            numbers!(TimestampMicrosecondType, |v: &Value| time(v, 1000))
        }
        Timestamp(TimeUnit::Nanosecond, _) => {
            numbers!(TimestampNanosecondType, |v: &Value| time(v, 1))
        }
        Duration(TimeUnit::Second) => {
            numbers!(DurationSecondType, |v: &Value| time(v, 1_000_000_000))
        }
        Duration(TimeUnit::Millisecond) => {
            numbers!(DurationMillisecondType, |v: &Value| time(v, 1_000_000))
        }
        Duration(TimeUnit::Microsecond) => {
            numbers!(DurationMicrosecondType, |v: &Value| time(v, 1000))
        }
        Duration(TimeUnit::Nanosecond) => numbers!(DurationNanosecondType, |v: &Value| time(v, 1)),
        Interval(IntervalUnit::YearMonth) => {
            numbers!(IntervalYearMonthType, |v: &Value| interval(v).0 as i32)
        }
        Interval(IntervalUnit::DayTime) => {
            let of = |v: &Value| {
                let (_, days, nanos) = interval(v);
                IntervalDayTime::new(days as i32, (nanos / 1_000_000) as i32)
            };
            numbers!(IntervalDayTimeType, of)
        }
        Interval(IntervalUnit::MonthDayNano) => {
            let of = |v: &Value| {
                let (months, days, nanos) = interval(v);
                IntervalMonthDayNano::new(months as i32, days as i32, nanos as i64)
            };
            numbers!(IntervalMonthDayNanoType, of)
        }
        List(item) => {
            let (items, lengths) = items(item, values, variant);
            let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
            Arc::new(ListArray::new(item.clone(), offsets, items, nulls()))
        }
        LargeList(item) => {
            let (items, lengths) = items(item, values, variant);
            let offsets = OffsetBuffer::<i64>::from_lengths(lengths);
            Arc::new(LargeListArray::new(item.clone(), offsets, items, nulls()))
        }
        ListView(item) => {
            let (items, offsets, sizes) = views(item, values, variant);
            let offsets: ScalarBuffer<i32> = offsets.iter().map(|&at| at as i32).collect();
            let sizes: ScalarBuffer<i32> = sizes.iter().map(|&size| size as i32).collect();
            Arc::new(ListViewArray::new(item.clone(), offsets, sizes, items, nulls()))
        }
        LargeListView(item) => {
            let (items, offsets, sizes) = views(item, values, variant);
            let offsets: ScalarBuffer<i64> = offsets.iter().map(|&at| at as i64).collect();
            let sizes: ScalarBuffer<i64> = sizes.iter().map(|&size| size as i64).collect();
            Arc::new(LargeListViewArray::new(item.clone(), offsets, sizes, items, nulls()))
        }
        FixedSizeList(item, size) => {
            let of = |value: &Value| match value {
                Value::List(items) => items.clone(),
                _ => (0..i64::from(*size)).map(|at| self::value(item.data_type(), at)).collect(),
            };
            let all: Vec<Value> = values.iter().flat_map(of).collect();
            let items = make(item.data_type(), &all, variant);
            let nulls: NullBuffer = values.iter().map(|value| *value != Value::Null).collect();
            Arc::new(FixedSizeListArray::new(item.clone(), *size, items, Some(nulls)))
        }
        Struct(fields) if fields.is_empty() => {
            Arc::new(StructArray::new_empty_fields(values.len(), nulls()))
        }
        Struct(fields) => {
            let column = |(at, field): (usize, &FieldRef)| {
                let of = |value: &Value| match value {
                    Value::Struct(values) => values[at].clone(),
                    _ => self::value(field.data_type(), 1),
                };
                let column: Vec<Value> = values.iter().map(of).collect();
                make(field.data_type(), &column, variant)
            };
            let columns = fields.iter().enumerate().map(column).collect();
            Arc::new(StructArray::new(fields.clone(), columns, nulls()))
        }
        Map(entries, sorted) => {
            let Struct(fields) = entries.data_type() else { unreachable!("entries of a map") };
            let of = |value: &Value| match value {
                Value::Map(entries) => entries.clone(),
                _ => Vec::new(),
            };
            let all: Vec<Vec<(Value, Value)>> = values.iter().map(of).collect();
            let lengths = OffsetBuffer::<i32>::from_lengths(all.iter().map(Vec::len));
            let (keys, items): (Vec<_>, Vec<_>) = all.into_iter().flatten().unzip();
            let columns = vec![
                make(fields[0].data_type(), &keys, variant),
                make(fields[1].data_type(), &items, variant),
            ];
            let of = StructArray::new(fields.clone(), columns, None);
            Arc::new(MapArray::new(entries.clone(), lengths, of, nulls(), *sorted))
        }
        Union(fields, mode) => union(fields, *mode, values, variant),
        Dictionary(index, of) => dictionary(index, of, values, variant),
        RunEndEncoded(ends, of) => runs(ends.data_type(), of.data_type(), values, variant),
    }
}

fn integer(value: &Value) -> i128 {
    match value {
        Value::Integer(value) => *value,
        other => panic!("{other:?} is no integer"),
    }
}

fn double(value: &Value) -> f64 {
    match value {
        Value::Float(bits) => f64::from_bits(*bits),
        other => panic!("{other:?} is not a number"),
    }
}

fn unscaled(value: &Value, data_type: &DataType) -> i128 {
    let Value::Decimal(digits) = value else { panic!("{value:?} is no decimal") };
    let scale = match data_type {
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => *scale,
        DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale) => *scale,
        other => panic!("{other} is no decimal"),
    };
    let number: i128 = digits.replace('.', "").parse().expect("digits");
    if scale < 0 { number / 10_i128.pow(scale.unsigned_abs().into()) } else { number }
}

fn time(value: &Value, unit: i128) -> i64 {
    match value {
        Value::Date(days) => *days,
        Value::Timestamp(nanos) | Value::TimeOfDay(nanos) | Value::Duration(nanos) => {
            (nanos / unit) as i64
        }
        other => panic!("{other:?} is not a time"),
    }
}

fn interval(value: &Value) -> (i64, i64, i128) {
    match value {
        Value::Interval(months, days, nanos) => (*months, *days, *nanos),
        other => panic!("{other:?} is no interval"),
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn bytes_of(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Binary(bytes) => Some(bytes),
        _ => None,
    }
}

fn items(item: &FieldRef, values: &[Value], variant: usize) -> (ArrayRef, Vec<usize>) {
    let of = |value: &Value| match value {
        Value::List(items) => items.clone(),
        _ => Vec::new(),
    };
    let all: Vec<Vec<Value>> = values.iter().map(of).collect();
    let lengths = all.iter().map(Vec::len).collect();
    let all: Vec<Value> = all.into_iter().flatten().collect();
    (make(item.data_type(), &all, variant), lengths)
}

/// The items of the last list first, with one that no list has between them.
fn views(item: &FieldRef, values: &[Value], variant: usize) -> (ArrayRef, Vec<usize>, Vec<usize>) {
    let mut all = Vec::new();
    let mut places = vec![(0, 0); values.len()];
    for (row, value) in values.iter().enumerate().rev() {
        let Value::List(items) = value else { continue };
        places[row] = (all.len(), items.len());
        all.extend(items.iter().cloned());
        all.push(self::value(item.data_type(), 2));
    }
    let (offsets, sizes) = places.into_iter().unzip();
    (make(item.data_type(), &all, variant), offsets, sizes)
}

fn union(fields: &UnionFields, mode: UnionMode, values: &[Value], variant: usize) -> ArrayRef {
    let of = |value: &Value| match value {
        Value::Union(id, of) => (*id, of.as_ref().clone()),
        other => panic!("{other:?} is of no member"),
    };
    let all: Vec<(i8, Value)> = values.iter().map(of).collect();
    let ids: ScalarBuffer<i8> = all.iter().map(|(id, _)| *id).collect();
    let dense = mode == UnionMode::Dense;
    let mut counts = [0; 128];
    let offsets: ScalarBuffer<i32> = all
        .iter()
        .map(|(id, _)| {
            let count = &mut counts[*id as usize];
            *count += 1;
            *count - 1
        })
        .collect();
    let children = fields.iter().map(|(id, field)| {
        let of: Vec<Value> = all
            .iter()
            .filter(|(of, _)| !dense || *of == id)
            .map(|(of, value)| match *of == id {
                true => value.clone(),
                false => self::value(field.data_type(), 1),
            })
            .collect();
        make(field.data_type(), &of, variant)
    });
    let children = children.collect();
    let offsets = dense.then_some(offsets);
    Arc::new(UnionArray::try_new(fields.clone(), ids, offsets, children).expect("a union"))
}

/// Each value once and the first of them twice, in another order for another
/// variant; a null is a null key or, where the type has one, a null value.
fn dictionary(index: &DataType, of: &DataType, values: &[Value], variant: usize) -> ArrayRef {
    let mut distinct: Vec<Value> = values.to_vec();
    distinct.sort();
    distinct.dedup();
    distinct.retain(|value| *value != Value::Null);
    if variant % 2 == 1 {
        distinct.reverse();
    }
    let most = match index {
        DataType::Int8 => 128,
        DataType::UInt8 => 256,
        _ => usize::MAX,
    };
    let first = distinct.first().cloned();
    let room = distinct.len() < most;
    distinct.extend(first.filter(|_| room));
    let has_null = variant % 3 == 2 && distinct.len() < most;
    if has_null {
        distinct.push(Value::Null);
    }
    let keys: Int64Array = values
        .iter()
        .enumerate()
        .map(|(row, value)| {
            if *value == Value::Null && (!has_null || row % 2 == 0) {
                return None;
            }
            let last = |found: &Value| found == value;
            let at = match row % 2 {
                0 => distinct.iter().position(last),
                _ => distinct.iter().rposition(last),
            };
            Some(at.expect("each value is among the distinct ones") as i64)
        })
        .collect();
    let keys = arrow::compute::cast(&keys, index).expect("as many as fit");
    let values = make(of, &distinct, variant);
    let data = keys.to_data().into_builder();
    let data_type = DataType::Dictionary(Box::new(index.clone()), Box::new(of.clone()));
    let data = data.data_type(data_type).add_child_data(values.to_data());
    make_array(data.build().expect("a dictionary"))
}

fn runs(ends: &DataType, of: &DataType, values: &[Value], variant: usize) -> ArrayRef {
    let mut distinct: Vec<Value> = Vec::new();
    let mut lengths: Vec<i64> = Vec::new();
    for (row, value) in values.iter().enumerate() {
        // Now and then a run ends although the value does not.
        if distinct.last() != Some(value) || row % 11 == variant {
            distinct.push(value.clone());
            lengths.push(0);
        }
        *lengths.last_mut().expect("a run") = row as i64 + 1;
    }
    let values = make(of, &distinct, variant);
    fn array<R: RunEndIndexType>(ends: &ArrayRef, values: &ArrayRef) -> ArrayRef {
        Arc::new(RunArray::<R>::try_new(ends.as_primitive::<R>(), values).expect("runs"))
    }
    let lengths = arrow::compute::cast(&Int64Array::from(lengths), ends).expect("ends");
    match ends {
        DataType::Int16 => array::<Int16Type>(&lengths, &values),
        DataType::Int32 => array::<Int32Type>(&lengths, &values),
        _ => array::<Int64Type>(&lengths, &values),
    }
}

/// As [`make`], but a slice of an array that begins before these values and ends
/// after them.
pub(crate) fn make_slice(data_type: &DataType, values: &[Value], variant: usize) -> ArrayRef {
    let more = value(data_type, 1);
    let other = std::slice::from_ref(&more);
    let all: Vec<Value> = [other, values, other].concat();
    make(data_type, &all, variant).slice(1, values.len())
}

#[test]
fn values_come_back_from_the_arrays_that_are_made_of_them() {
    for named in crate::types::all() {
        let values: Vec<Value> = (0..40).map(|row| of_row(&named.data_type, row)).collect();
        for variant in 0..4 {
            for array in [
                make(&named.data_type, &values, variant),
                make_slice(&named.data_type, &values, variant),
            ] {
                assert_eq!(*array.data_type(), named.data_type);
                array.to_data().validate_full().unwrap();
                let found: Vec<Value> = (0..40).map(|row| read(&array, row)).collect();
                assert_eq!(found, values, "{}", named.data_type);
            }
        }
    }
}
