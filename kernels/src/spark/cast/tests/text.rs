//! Strings and bytes to values and back.

use super::*;

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
fn messages_stay_short() {
    let long = "é".repeat(10_000);
    let error = cast(&strings(&[&long]), &Int64, Ansi).unwrap_err().to_string();
    assert!(error.len() < 500, "{error}");
}
