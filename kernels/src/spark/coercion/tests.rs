use arrow::datatypes::DataType::*;
use arrow::datatypes::TimeUnit::*;
use arrow::datatypes::{DataType, Field, IntervalUnit, TimeUnit};

use super::*;

fn ts(unit: TimeUnit, zone: Option<&str>) -> DataType {
    Timestamp(unit, zone.map(Into::into))
}

fn dictionary(value: DataType) -> DataType {
    Dictionary(Box::new(Int32), Box::new(value))
}

/// Checks a pair in both orders.
fn compares_as(left: &DataType, right: &DataType, expected: &DataType) {
    for (l, r) in [(left, right), (right, left)] {
        let found = comparison_type(l, r).unwrap_or_else(|e| panic!("{l} with {r}: {e}"));
        assert_eq!(&found, expected, "{l} with {r}");
    }
}

fn refused(left: &DataType, right: &DataType) -> String {
    let message = comparison_type(right, left).unwrap_err().to_string();
    assert!(message.contains("cannot compare"), "{message}");
    let error = comparison_type(left, right).unwrap_err();
    assert!(matches!(error, JoinError::TypeMismatch { .. }), "{error}");
    error.to_string()
}

#[test]
fn integers_widen_without_loss() {
    for (l, r, expected) in [
        (Int8, Int16, Int16),
        (Int32, Int64, Int64),
        (Int8, UInt8, Int16),
        (Int16, UInt8, Int16),
        (Int32, UInt16, Int32),
        (Int8, UInt32, Int64),
        (UInt8, UInt64, UInt64),
        (Int8, UInt64, Decimal128(20, 0)),
        (Int64, UInt64, Decimal128(20, 0)),
        (Int64, UInt32, Int64),
    ] {
        compares_as(&l, &r, &expected);
    }
}

#[test]
fn numbers_meet_as_spark_says() {
    for (l, r, expected) in [
        (Int32, Float32, Float64),
        (Int64, Float64, Float64),
        (Int8, Float32, Float64),
        (UInt64, Float64, Float64),
        (Float32, Float64, Float64),
        (Float32, Float32, Float32),
        (Float16, Float32, Float32),
        (Float16, Float16, Float32),
        (Float16, Float64, Float64),
        (Decimal128(12, 2), Float32, Float64),
        (Decimal128(12, 2), Float64, Float64),
        (Decimal128(12, 2), Int32, Decimal128(12, 2)),
        (Decimal128(12, 2), Int64, Decimal128(22, 2)),
        (Decimal128(3, 2), Int8, Decimal128(5, 2)),
    ] {
        compares_as(&l, &r, &expected);
    }
}

#[test]
fn decimals_keep_every_digit() {
    for (l, r, expected) in [
        (Decimal128(12, 2), Decimal128(18, 4), Decimal128(18, 4)),
        (Decimal128(10, 0), Decimal128(4, 4), Decimal128(14, 4)),
        (Decimal128(12, 2), Decimal128(12, 2), Decimal128(12, 2)),
        (Decimal32(9, 2), Decimal32(9, 2), Decimal128(9, 2)),
        (Decimal64(18, 2), Decimal128(20, 4), Decimal128(20, 4)),
        (Decimal128(38, 38), Decimal128(38, 0), Decimal256(76, 38)),
        (Decimal128(38, 20), Int64, Decimal256(40, 20)),
        (Decimal256(50, 2), Decimal256(50, 2), Decimal256(50, 2)),
        (Decimal128(5, -2), Decimal128(5, 0), Decimal128(7, 0)),
        (Decimal128(5, -2), Int8, Decimal128(7, 0)),
    ] {
        compares_as(&l, &r, &expected);
    }
    refused(&Decimal256(76, 0), &Decimal256(76, 10));
}

#[test]
fn times_compare_as_instants() {
    let utc = Some("UTC");
    for (l, r, expected) in [
        (ts(Second, None), ts(Second, None), ts(Second, None)),
        (ts(Second, None), ts(Microsecond, None), ts(Microsecond, None)),
        (ts(Millisecond, utc), ts(Microsecond, None), ts(Microsecond, utc)),
        (ts(Microsecond, None), ts(Microsecond, utc), ts(Microsecond, utc)),
        (
            ts(Microsecond, Some("+02:00")),
            ts(Microsecond, Some("Asia/Tokyo")),
            ts(Microsecond, utc),
        ),
        (
            ts(Microsecond, Some("+02:00")),
            ts(Millisecond, Some("+02:00")),
            ts(Microsecond, Some("+02:00")),
        ),
        (ts(Nanosecond, utc), ts(Nanosecond, None), ts(Nanosecond, utc)),
        (ts(Nanosecond, utc), ts(Microsecond, None), Decimal128(38, 9)),
        (ts(Nanosecond, None), Date32, Decimal128(38, 9)),
        (ts(Microsecond, utc), Date32, ts(Microsecond, utc)),
        (ts(Second, None), Date64, ts(Second, None)),
        (Date32, Date64, Date32),
        (Date64, Date64, Date32),
        (Duration(Second), Duration(Microsecond), Duration(Microsecond)),
        (Time32(Second), Time64(Microsecond), Time64(Nanosecond)),
    ] {
        compares_as(&l, &r, &expected);
    }
}

#[test]
fn strings_become_the_other_type() {
    let us = ts(Microsecond, Some("UTC"));
    for text in [Utf8, LargeUtf8, Utf8View, dictionary(Utf8)] {
        for (other, expected) in [
            (Int8, Int64),
            (Int32, Int64),
            (Int64, Int64),
            (UInt16, Int64),
            (UInt64, UInt64),
            (Float32, Float64),
            (Float64, Float64),
            (Decimal128(12, 2), Float64),
            (Date32, Date32),
            (Date64, Date32),
            (us.clone(), us.clone()),
            (Boolean, Boolean),
        ] {
            compares_as(&text, &other, &expected);
        }
    }
}

#[test]
fn bytes_and_text_by_value() {
    for (l, r, expected) in [
        (Utf8, Utf8, Utf8),
        (Utf8, LargeUtf8, LargeUtf8),
        (Utf8View, LargeUtf8, LargeUtf8),
        (Utf8, Utf8View, Utf8View),
        (Utf8View, Utf8View, Utf8View),
        (dictionary(Utf8), dictionary(Utf8), Utf8),
        (dictionary(Utf8), Utf8, Utf8),
        (dictionary(LargeUtf8), Utf8View, LargeUtf8),
        (dictionary(Int32), Int64, Int64),
        (dictionary(dictionary(Int32)), Int32, Int32),
        (Binary, Utf8, Binary),
        (Binary, LargeUtf8, LargeBinary),
        (Binary, Utf8View, BinaryView),
        (LargeBinary, BinaryView, LargeBinary),
        (BinaryView, Binary, BinaryView),
        (FixedSizeBinary(3), FixedSizeBinary(3), FixedSizeBinary(3)),
        (FixedSizeBinary(3), FixedSizeBinary(4), Binary),
        (FixedSizeBinary(3), Utf8, Binary),
        (FixedSizeBinary(3), BinaryView, BinaryView),
    ] {
        compares_as(&l, &r, &expected);
    }
}

#[test]
fn null_takes_the_other_type() {
    compares_as(&Null, &Int32, &Int32);
    compares_as(&Null, &dictionary(Utf8), &Utf8);
    compares_as(&Null, &ts(Nanosecond, None), &ts(Nanosecond, None));
    compares_as(&Null, &Null, &Boolean);
}

#[test]
fn what_spark_refuses_is_refused() {
    let list = List(Field::new("item", Int32, true).into());
    let us = ts(Microsecond, None);
    for (l, r) in [
        (Boolean, Int32),
        (Boolean, Float64),
        (Boolean, Decimal128(5, 2)),
        (Boolean, Date32),
        (Boolean, us.clone()),
        (Boolean, Binary),
        (Date32, Int32),
        (us.clone(), Int64),
        (us.clone(), Float64),
        (Binary, Int32),
        (Binary, Date32),
        (Date32, Time32(Second)),
        (list.clone(), list.clone()),
        (list.clone(), Int32),
        (Null, list.clone()),
        (Interval(IntervalUnit::MonthDayNano), Interval(IntervalUnit::MonthDayNano)),
    ] {
        refused(&l, &r);
    }
    let message = refused(&Int32, &Boolean);
    assert!(message.contains("cast one of them to Int32 first"), "{message}");
    let message = refused(&list, &list);
    assert!(message.contains("nested"), "{message}");
}

#[test]
fn both_sides_can_be_cast_to_the_result() {
    let mut types = vec![
        Null,
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Date32,
        Date64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(4),
        Decimal32(5, 2),
        Decimal64(15, 3),
        Decimal128(12, 2),
        Decimal128(38, 38),
        Decimal128(9, -3),
        Decimal256(60, 5),
        Time32(Second),
        Time64(Nanosecond),
        Duration(Second),
    ];
    for unit in [Second, Millisecond, Microsecond, Nanosecond] {
        types.extend([ts(unit, None), ts(unit, Some("UTC")), ts(unit, Some("+01:00"))]);
    }
    types.extend([dictionary(Utf8), dictionary(Int64), dictionary(Binary)]);
    for l in &types {
        for r in &types {
            let Ok(common) = comparison_type(l, r) else {
                assert!(comparison_type(r, l).is_err(), "{l} with {r}");
                continue;
            };
            assert_eq!(comparison_type(r, l).unwrap(), common, "{l} with {r}");
            for side in [l, r] {
                for rows in [0, 2] {
                    let array = arrow::array::new_null_array(side, rows);
                    let cast = crate::spark::cast(&array, &common, Default::default())
                        .unwrap_or_else(|e| panic!("{side} as {common}: {e}"));
                    assert_eq!(cast.data_type(), &common);
                    assert_eq!(cast.logical_null_count(), rows);
                }
            }
        }
    }
}
