use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::DataType::*;
use arrow::datatypes::TimeUnit::*;
use arrow::datatypes::*;

use super::CastMode::*;
use super::*;

fn strings(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn us() -> DataType {
    Timestamp(Microsecond, Some("UTC".into()))
}

/// The one value of `text` cast to `to`, written as Spark writes it.
fn one(text: &str, to: &DataType, mode: CastMode) -> Option<String> {
    shown(&strings(&[text]), to, mode)
}

fn shown(array: &ArrayRef, to: &DataType, mode: CastMode) -> Option<String> {
    let cast_to = cast(array, to, mode).unwrap();
    assert_eq!(cast_to.data_type(), to);
    let text = cast(&cast_to, &Utf8, Ansi).unwrap();
    let text = text.as_string::<i32>();
    text.is_valid(0).then(|| text.value(0).to_owned())
}

/// Malformed for ANSI mode, null for the other two.
fn malformed(text: &str, to: &DataType) {
    let error = cast(&strings(&["0", text]), to, Ansi);
    match error {
        Err(JoinError::MalformedValue { value, row, .. }) => {
            // The neighbour is right for numbers, itself malformed for times.
            assert!(value == shorten(text.into()) && row == 1 || value == "0" && row == 0);
        }
        other => panic!("'{text}' as {to}: {other:?}"),
    }
    assert_eq!(one(text, to, Try), None, "'{text}' as {to}");
    assert_eq!(one(text, to, NullOnError), None, "'{text}' as {to}");
}

fn reads(text: &str, to: &DataType, expected: &str) {
    for mode in [Ansi, Try, NullOnError] {
        let found = one(text, to, mode);
        assert_eq!(found.as_deref(), Some(expected), "'{text}' as {to}, {mode:?}");
    }
}

#[test]
fn strings_to_integers() {
    for (text, expected) in [
        ("1", "1"),
        (" 2 ", "2"),
        ("+1", "1"),
        ("01", "1"),
        ("-0", "0"),
        ("\t\n\r\x00\x1f-7\x7f", "-7"),
        ("000000000000000000000000000000012", "12"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
    ] {
        reads(text, &Int64, expected);
    }
    for text in [
        "",
        " ",
        "x",
        "1x",
        "1 2",
        "+",
        "-",
        "--1",
        "+-1",
        "- 1",
        "1e3",
        "0x10",
        "1_000",
        "\u{a0}1",
        "٣",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999999999999999999999999999",
        "1.x",
        "1.5.2",
        "1.-5",
        "NaN",
    ] {
        malformed(text, &Int64);
    }
    reads("127", &Int8, "127");
    malformed("128", &Int8);
    malformed("-129", &Int8);
    malformed("2147483648", &Int32);
    reads("18446744073709551615", &UInt64, "18446744073709551615");
    malformed("-1", &UInt64);
    malformed("256", &UInt8);
}

#[test]
fn fractions_are_cut_only_outside_ansi_mode() {
    for (text, expected) in [("1.5", "1"), ("-1.9", "-1"), ("1.", "1"), (".", "0"), (".9", "0")] {
        assert_eq!(one(text, &Int64, NullOnError).as_deref(), Some(expected));
        assert_eq!(one(text, &Int64, Try), None);
        let error = cast(&strings(&[text]), &Int64, Ansi).unwrap_err();
        assert!(error.to_string().contains("malformed"), "{error}");
    }
}

#[test]
fn strings_to_floats() {
    for (text, expected) in [
        ("1e3", "1000.0"),
        (" 1.5 ", "1.5"),
        (".5", "0.5"),
        ("5.", "5.0"),
        ("-0.0", "-0.0"),
        ("1d", "1.0"),
        ("1.5F", "1.5"),
        ("NaN", "NaN"),
        ("nan", "NaN"),
        ("+NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("inf", "Infinity"),
        ("+INF", "Infinity"),
        ("-infinity", "-Infinity"),
        ("1e400", "Infinity"),
        ("123456789012345678901234567890", "1.2345678901234568E29"),
        ("9007199254740993", "9.007199254740992E15"),
    ] {
        reads(text, &Float64, expected);
    }
    for text in ["", " ", "x", "1.2.3", "e5", "1e", "1dd", "d", "infx", "-nan", "1 2", "0x1p3"] {
        malformed(text, &Float64);
    }
    reads("0.1", &Float32, "0.1");
    reads("1e39", &Float32, "Infinity");
}

#[test]
fn strings_to_booleans() {
    for text in ["t", "TRUE", " y ", "yes", "1"] {
        reads(text, &Boolean, "true");
    }
    for text in ["f", "False", "n", "NO", "\t0"] {
        reads(text, &Boolean, "false");
    }
    for text in ["", "tr", "2", "on", "10"] {
        malformed(text, &Boolean);
    }
}

#[test]
fn strings_to_decimals() {
    let to = Decimal128(5, 2);
    for (text, expected) in [
        ("1.1", "1.10"),
        (" -1.005 ", "-1.01"),
        ("1.004", "1.00"),
        ("0.005", "0.01"),
        ("0.0049", "0.00"),
        ("1e2", "100.00"),
        ("12345e-3", "12.35"),
        ("999.994", "999.99"),
        (".5", "0.50"),
        ("000000001", "1.00"),
        ("0e999999999", "0.00"),
        ("1e-999999999", "0.00"),
    ] {
        reads(text, &to, expected);
    }
    for text in [
        "",
        "x",
        ".",
        "1e",
        "1.2.3",
        "1000",
        "999.995",
        "1e9",
        "1e999999999",
        "NaN",
        "1e99999999999",
    ] {
        malformed(text, &to);
    }
    let wide = Decimal128(38, 0);
    let nines = "9".repeat(38);
    reads(&nines, &wide, &nines);
    malformed(&format!("{nines}.5"), &wide);
    reads("7", &Decimal256(76, 38), &format!("7.{}", "0".repeat(38)));
    reads("1250", &Decimal128(5, -2), "1300");
}

#[test]
fn strings_to_dates() {
    for (text, expected) in [
        ("2013", "2013-01-01"),
        ("2013-5", "2013-05-01"),
        ("2013-05-7", "2013-05-07"),
        (" 2013-05-07 ", "2013-05-07"),
        ("2013-05-07T12:00", "2013-05-07"),
        ("2013-05-07 anything", "2013-05-07"),
        ("0001-01-01", "0001-01-01"),
        ("-0044-03-15", "-0044-03-15"),
        ("9999-12-31", "9999-12-31"),
        ("+10000-01-01", "+10000-01-01"),
    ] {
        reads(text, &Date32, expected);
        reads(text, &Date64, expected);
    }
    for text in [
        "",
        "13",
        "201305",
        "12345678",
        "2013-",
        "2013-13",
        "2013-02-30",
        "2013-1-1x",
        "2013/01/01",
        "2013-001-01",
        "9999999-01-01",
    ] {
        if text == "201305" {
            reads(text, &Date32, "+201305-01-01");
        } else {
            malformed(text, &Date32);
        }
    }
}

#[test]
fn strings_to_timestamps() {
    for (text, expected) in [
        ("2013", "2013-01-01 00:00:00"),
        ("2013-5", "2013-05-01 00:00:00"),
        ("2013-05-07", "2013-05-07 00:00:00"),
        ("2013-05-07 1", "2013-05-07 01:00:00"),
        ("2013-05-07 1:2", "2013-05-07 01:02:00"),
        ("2013-05-07T01:02:03", "2013-05-07 01:02:03"),
        ("2013-05-07 01:02:03.1", "2013-05-07 01:02:03.1"),
        ("2013-05-07 01:02:03.1234567891", "2013-05-07 01:02:03.123456"),
        ("2013-05-07 01:02:03.", "2013-05-07 01:02:03"),
        ("2013-05-07 01:02:03Z", "2013-05-07 01:02:03"),
        ("2013-05-07 01:02:03.5 UTC", "2013-05-07 01:02:03.5"),
        ("2013-05-07 01:02:03+01:00", "2013-05-07 00:02:03"),
        ("2013-05-07 01:02:03 -1:5", "2013-05-07 02:07:03"),
        ("2013-05-07 01:02:03+0130", "2013-05-06 23:32:03"),
        ("2013-05-07 01:02:03+013015", "2013-05-06 23:31:48"),
        ("2013-05-07 01:02:03GMT+2", "2013-05-06 23:02:03"),
        ("0001-01-01 00:00:00", "0001-01-01 00:00:00"),
        ("9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999"),
        ("1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999"),
    ] {
        reads(text, &us(), expected);
    }
    for text in [
        "",
        "12:00",
        "T12:00",
        "2013-05-07 ",
        "2013-05-07 24:00",
        "2013-05-07 1:60",
        "2013-05-07 1:2:60",
        "2013-05-07 1:2:3+19:00",
        "2013-05-07 1:2:3+",
        "2013-05-07 1:2:3 Z1",
        "2013-05-07 1:2:3 Mars/Base",
        "2013-05 10:00",
        "2013-05-07 1:2Z",
        "2013-05-07x1",
        "2013-02-29 00:00:00",
        "2013-05-07 1:2:3+01:99",
        "2013-05-07 1:2:3+é",
    ] {
        let trimmed = text == "2013-05-07 ";
        if trimmed {
            reads(text, &us(), "2013-05-07 00:00:00");
        } else {
            malformed(text, &us());
        }
    }
    let ns = Timestamp(Nanosecond, None);
    reads("2013-05-07 01:02:03.123456789", &ns, "2013-05-07 01:02:03.123456789");
    malformed("9999-01-01", &ns);
    reads("9999-01-01", &Timestamp(Second, None), "9999-01-01 00:00:00");
}

#[test]
fn narrowing_overflows() {
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(300)]));
    let error = cast(&ints, &Int8, Ansi).unwrap_err();
    assert!(matches!(error, JoinError::Overflow(_)));
    let error = error.to_string();
    assert!(error.contains("300") && error.contains("row 2"), "{error}");
    for mode in [Try, NullOnError] {
        let small = cast(&ints, &Int8, mode).unwrap();
        let expected = Int8Array::from(vec![Some(1), None, None]);
        assert_eq!(small.as_primitive::<Int8Type>(), &expected);
    }
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![1.9, -1.9, -0.0]));
    let cut = cast(&doubles, &Int32, Ansi).unwrap();
    assert_eq!(cut.as_primitive::<Int32Type>().values(), &[1, -1, 0]);
    for value in [f64::NAN, f64::INFINITY, 3e9, -3e9] {
        let array: ArrayRef = Arc::new(Float64Array::from(vec![value]));
        assert!(matches!(cast(&array, &Int32, Ansi), Err(JoinError::Overflow(_))));
        assert_eq!(cast(&array, &Int32, Try).unwrap().null_count(), 1);
    }
}

#[test]
fn numbers_to_numbers() {
    let big: ArrayRef = Arc::new(Int64Array::from(vec![(1 << 53) + 1]));
    let double = cast(&big, &Float64, Ansi).unwrap();
    assert_eq!(double.as_primitive::<Float64Type>().value(0), 9007199254740992.0);
    let float: ArrayRef = Arc::new(Float32Array::from(vec![0.1]));
    assert_eq!(shown(&float, &Float64, Ansi).unwrap(), "0.10000000149011612");
    assert_eq!(shown(&float, &Decimal128(20, 18), Ansi).unwrap(), "0.100000001490116120");
    assert_eq!(shown(&float, &Boolean, Ansi).unwrap(), "true");
    let double: ArrayRef = Arc::new(Float64Array::from(vec![2.675]));
    assert_eq!(shown(&double, &Decimal128(3, 2), Ansi).unwrap(), "2.68");
    let nan: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
    assert!(cast(&nan, &Decimal128(3, 2), Ansi).is_err());
    let int: ArrayRef = Arc::new(Int32Array::from(vec![12]));
    assert_eq!(shown(&int, &Decimal128(4, 2), Ansi).unwrap(), "12.00");
    assert!(cast(&int, &Decimal128(3, 2), Ansi).is_err());
    assert_eq!(shown(&int, &Decimal128(2, 0), Ansi).unwrap(), "12");
    assert_eq!(shown(&int, &Decimal256(60, 40), Ansi).unwrap().len(), 43);
    let bool: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    for (to, expected) in [(Int32, "1"), (Float64, "1.0"), (Decimal128(3, 1), "1.0")] {
        assert_eq!(shown(&bool, &to, Ansi).unwrap(), expected);
    }
}

#[test]
fn decimals_round_half_up() {
    let decimal = |value: i128, p, s| -> ArrayRef {
        let array = Decimal128Array::from(vec![value]);
        Arc::new(array.with_precision_and_scale(p, s).unwrap())
    };
    for (value, expected) in [(125, "1.3"), (-125, "-1.3"), (124, "1.2"), (-124, "-1.2")] {
        assert_eq!(shown(&decimal(value, 5, 2), &Decimal128(5, 1), Ansi).unwrap(), expected);
    }
    assert!(matches!(
        cast(&decimal(99_995, 5, 2), &Decimal128(4, 1), Ansi),
        Err(JoinError::Overflow(_))
    ));
    assert_eq!(shown(&decimal(99_995, 5, 2), &Decimal128(4, 1), Try), None);
    assert_eq!(shown(&decimal(-199, 5, 2), &Int32, Ansi).unwrap(), "-1");
    assert!(cast(&decimal(30_000, 5, 2), &Int8, Ansi).is_err());
    assert_eq!(shown(&decimal(0, 5, 2), &Boolean, Ansi).unwrap(), "false");
    assert_eq!(shown(&decimal(1, 5, 2), &Boolean, Ansi).unwrap(), "true");
    // Correctly rounded, where a division would be off by one bit.
    let text = "12345678901234567890123456789012345678";
    let wide = decimal(text.parse().unwrap(), 38, 30);
    let double = cast(&wide, &Float64, Ansi).unwrap();
    let expected: f64 = format!("{text}e-30").parse().unwrap();
    assert_eq!(double.as_primitive::<Float64Type>().value(0), expected);
    // A scale step that no multiplication holds.
    assert_eq!(shown(&decimal(0, 38, 0), &Decimal128(38, 38), Ansi).unwrap().len(), 40);
    assert!(cast(&decimal(1, 38, 0), &Decimal128(38, 38), Ansi).is_err());
}

#[test]
fn values_to_strings() {
    for (value, expected) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9_999_999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.5e300, "1.5E300"),
        (-1.25, "-1.25"),
        (f64::NEG_INFINITY, "-Infinity"),
    ] {
        let array: ArrayRef = Arc::new(Float64Array::from(vec![value]));
        for to in [Utf8, LargeUtf8, Utf8View] {
            assert_eq!(shown(&array, &to, Ansi).unwrap(), expected);
        }
    }
    let time: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![-1]));
    assert_eq!(shown(&time, &Utf8, Ansi).unwrap(), "1969-12-31 23:59:59.999");
    let clock: ArrayRef = Arc::new(Time32SecondArray::from(vec![3661]));
    assert_eq!(shown(&clock, &Utf8, Ansi).unwrap(), "01:01:01");
}

#[test]
fn times_and_numbers() {
    let time: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![-1, 1_500_000]));
    let seconds = cast(&time, &Int64, Ansi).unwrap();
    assert_eq!(seconds.as_primitive::<Int64Type>().values(), &[-1, 1]);
    let doubles = cast(&time, &Float64, Ansi).unwrap();
    assert_eq!(doubles.as_primitive::<Float64Type>().values(), &[-0.000001, 1.5]);
    let days = cast(&time, &Date32, Ansi).unwrap();
    assert_eq!(days.as_primitive::<Date32Type>().values(), &[-1, 0]);
    let exact = cast(&time, &Decimal128(38, 9), Ansi).unwrap();
    assert_eq!(exact.as_primitive::<Decimal128Type>().values(), &[-1_000, 1_500_000_000]);

    let ints: ArrayRef = Arc::new(Int64Array::from(vec![-1, 1]));
    let times = cast(&ints, &us(), Ansi).unwrap();
    assert_eq!(times.as_primitive::<TimestampMicrosecondType>().values(), &[-1_000_000, 1_000_000]);
    let far: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX]));
    assert!(matches!(cast(&far, &us(), Ansi), Err(JoinError::Overflow(_))));
    let double: ArrayRef = Arc::new(Float64Array::from(vec![1.5, -1.5]));
    let times = cast(&double, &us(), Ansi).unwrap();
    assert_eq!(times.as_primitive::<TimestampMicrosecondType>().values(), &[1_500_000, -1_500_000]);
    let nan: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
    assert!(cast(&nan, &us(), Ansi).is_err());
}

#[test]
fn times_to_times() {
    let days: ArrayRef = Arc::new(Date32Array::from(vec![0, 1, -719_162, 2_932_896]));
    let midnights = cast(&days, &us(), Ansi).unwrap();
    let midnights = midnights.as_primitive::<TimestampMicrosecondType>();
    assert_eq!(midnights.value(1), 86_400_000_000);
    assert_eq!(midnights.value(2), -62_135_596_800_000_000);
    assert!(cast(&days, &Timestamp(Nanosecond, None), Ansi).is_err());
    let exact = cast(&days, &Decimal128(38, 9), Ansi).unwrap();
    assert_eq!(exact.as_primitive::<Decimal128Type>().value(3), 253_402_214_400_000_000_000);
    let seconds: ArrayRef =
        Arc::new(TimestampSecondArray::from(vec![-62_135_596_800, 253_402_300_799]));
    let fine = cast(&seconds, &us(), Ansi).unwrap();
    assert_eq!(fine.as_primitive::<TimestampMicrosecondType>().value(1), 253_402_300_799_000_000);
    let micros: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![-1]));
    let coarse = cast(&micros, &Timestamp(Second, None), Ansi).unwrap();
    assert_eq!(coarse.as_primitive::<TimestampSecondType>().value(0), -1);
    let zoned = cast(&micros, &us(), Ansi).unwrap();
    assert_eq!(zoned.as_primitive::<TimestampMicrosecondType>().value(0), -1);
    let far: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MAX]));
    assert!(cast(&far, &us(), Ansi).is_err());
    assert_eq!(cast(&far, &Date32, Try).unwrap().null_count(), 1);
}

#[test]
fn dictionaries_are_cast_by_value() {
    // Repeated values, a null value, a null key and an unused bad value.
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("1"), Some("1"), None, Some("x")]));
    let keys = Int8Array::from(vec![Some(0), Some(1), Some(2), None]);
    let array: ArrayRef = Arc::new(DictionaryArray::new(keys, values.clone()));
    let ints = cast(&array, &Int64, Ansi).unwrap();
    let expected = Int64Array::from(vec![Some(1), Some(1), None, None]);
    assert_eq!(ints.as_primitive::<Int64Type>(), &expected);
    let plain = cast(&array, &Utf8, Ansi).unwrap();
    assert_eq!(plain.null_count(), 2);

    let keys = Int8Array::from(vec![Some(0), None, Some(3)]);
    let array: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    match cast(&array, &Int64, Ansi) {
        Err(JoinError::MalformedValue { value, row, .. }) => assert_eq!((&*value, row), ("x", 2)),
        other => panic!("{other:?}"),
    }
    assert_eq!(cast(&array, &Int64, NullOnError).unwrap().null_count(), 2);
}

#[test]
fn bytes_and_strings() {
    let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xff"]));
    match cast(&bytes, &Utf8, Ansi) {
        Err(JoinError::MalformedValue { value, row, .. }) => assert_eq!((&*value, row), ("ff", 1)),
        other => panic!("{other:?}"),
    }
    assert_eq!(cast(&bytes, &Utf8View, Try).unwrap().null_count(), 1);
    let text: [ArrayRef; 3] = [
        Arc::new(StringArray::from(vec!["é"])),
        Arc::new(LargeStringArray::from(vec!["é"])),
        Arc::new(StringViewArray::from(vec!["é"])),
    ];
    for array in &text {
        for to in [Binary, LargeBinary, BinaryView] {
            let cast_to = cast(array, &to, Ansi).unwrap();
            let back = cast(&cast_to, array.data_type(), Ansi).unwrap();
            assert_eq!(&back, array);
        }
    }
}

#[test]
fn slices_give_what_their_copies_give() {
    let values: Vec<Option<String>> =
        (0..40).map(|i| (i % 7 != 3).then(|| format!(" {i}"))).collect();
    let whole: ArrayRef = Arc::new(StringArray::from(values.clone()));
    for offset in 0..10 {
        let slice = whole.slice(offset, 20);
        let copy: ArrayRef = Arc::new(StringArray::from(values[offset..offset + 20].to_vec()));
        for to in [Int64, Float64, Decimal128(10, 2), Utf8View, Binary] {
            assert_eq!(&cast(&slice, &to, Ansi).unwrap(), &cast(&copy, &to, Ansi).unwrap());
        }
    }
}

#[test]
fn pairs_without_a_cast_are_refused() {
    for (from, to) in [
        (Date32, Int32),
        (Binary, Int64),
        (Boolean, Date32),
        (Utf8, Dictionary(Box::new(Int8), Box::new(Utf8))),
        (Int32, Date32),
        (Int32, Binary),
        (Float64, Interval(IntervalUnit::YearMonth)),
    ] {
        assert!(!can_cast(&from, &to));
        for rows in [0, 1] {
            let error = cast(&new_null_array(&from, rows), &to, Try).unwrap_err();
            assert!(matches!(error, JoinError::InvalidPlan(_)), "{error}");
        }
    }
}

#[test]
fn every_allowed_pair_casts_nulls_and_nothing() {
    let types = [
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
        Decimal32(5, 2),
        Decimal64(12, 2),
        Decimal128(12, 2),
        Decimal256(50, 2),
        Date32,
        Date64,
        Timestamp(Second, None),
        us(),
        Timestamp(Nanosecond, None),
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(3),
        Time32(Second),
        Time64(Nanosecond),
        Duration(Second),
    ];
    for from in &types {
        for to in types.iter().filter(|to| can_cast(from, to)) {
            for rows in [0, 3] {
                for mode in [Ansi, Try, NullOnError] {
                    let result = cast(&new_null_array(from, rows), to, mode)
                        .unwrap_or_else(|e| panic!("{from} as {to}: {e}"));
                    assert_eq!((result.data_type(), result.len()), (to, rows));
                    assert_eq!(result.logical_null_count(), rows);
                }
            }
        }
    }
}

#[test]
fn messages_stay_short() {
    let long = "é".repeat(10_000);
    let error = cast(&strings(&[&long]), &Int64, Ansi).unwrap_err().to_string();
    assert!(error.len() < 500, "{error}");
}
