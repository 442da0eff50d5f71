//! Types and edges of arithmetic, with and without ANSI mode.

use arrow::datatypes::DataType::*;

use super::*;

#[test]
fn results_and_types() {
    for (text, expected, data_type) in [
        ("1 + 2", "3", Int32),
        ("1 + 2L", "3", Int64),
        ("1Y + 1S", "2", Int16),
        ("7 / 2", "3.5", Float64),
        ("7 DIV 2", "3", Int64),
        ("-7 DIV 2", "-3", Int64),
        ("7 % 3", "1", Int32),
        ("-7 % 3", "-1", Int32),
        ("1 + 2 * 3", "7", Int32),
        ("(1 + 2) * 3", "9", Int32),
        ("2 - 3 - 4", "-5", Int32),
        ("- 2 + 5", "3", Int32),
        ("-(2)", "-2", Int32),
        ("+2", "2", Int32),
        ("1 + 1.5D", "2.5", Float64),
        ("1F + 1F", "2.0", Float32),
        ("1F + 1", "2.0", Float64),
        ("5.5D % 2D", "1.5", Float64),
        ("1.5 + 1.25", "2.75", Decimal128(4, 2)),
        ("1.5 * 1.5", "2.25", Decimal128(5, 2)),
        ("1.0 / 3", "0.333333", Decimal128(7, 6)),
        ("2 / 3.0", "0.666667", Decimal128(8, 6)),
        ("-2 / 3.0", "-0.666667", Decimal128(8, 6)),
        ("5.5 % 2", "1.5", Decimal128(2, 1)),
        ("5.5 DIV 2", "2", Int64),
        ("1.5 + 1D", "2.5", Float64),
        ("'1' + 1", "2", Int64),
        ("'1.5' + '1'", "2.5", Float64),
        ("'3' / 2", "1.5", Float64),
        ("NULL + 1", "null", Int32),
        ("NULL + NULL", "null", Int32),
        ("-9223372036854775808", "-9223372036854775808", Int64),
        ("9223372036854775808", "9223372036854775808", Decimal128(19, 0)),
        ("1e3", "1000.0", Float64),
        ("1.50BD", "1.50", Decimal128(3, 2)),
        ("2BD", "2", Decimal128(1, 0)),
        (".5", "0.5", Decimal128(1, 1)),
        ("(-9223372036854775808) % -1", "0", Int64),
        ("mod(7, 4)", "3", Int32),
    ] {
        assert_eq!(constant(text), (expected.to_owned(), data_type), "{text}");
    }
}

#[test]
fn overflow() {
    let t = table(vec![("a", ints(vec![Some(i32::MAX), None, Some(1)]))]);
    for text in ["a + 1", "a * 2", "-a - 2"] {
        assert!(t.fails(text).contains("verflow"), "{text}");
    }
    assert_eq!(t.lenient("a + 1"), ["-2147483648", "null", "2"]);
    assert_eq!(t.values("a + 1L"), ["2147483648", "null", "2"]);
    assert_eq!(t.lenient("CAST(a AS TINYINT)"), ["null", "null", "1"]);
    assert!(t.fails("CAST(a AS TINYINT)").contains("2147483647"));
    assert_eq!(t.values("TRY_CAST(a AS TINYINT)"), ["null", "null", "1"]);
    let wide = "99999999999999999999999999999999999999";
    assert!(t.fails(&format!("{wide} + 1")).contains("fit"));
    assert_eq!(t.lenient(&format!("{wide} + a"))[1], "null");
    assert!(t.fails("-(-2147483647 - 1)").contains("verflow"));
}

#[test]
fn division_by_zero() {
    let t = table(vec![
        ("a", ints(vec![Some(6), None, Some(8)])),
        ("b", ints(vec![Some(2), Some(0), None])),
        ("z", ints(vec![Some(0), Some(1), Some(2)])),
    ]);
    // A null dividend divides by anything.
    assert_eq!(t.values("a / b"), ["3.0", "null", "null"]);
    assert_eq!(t.values("a % b"), ["0", "null", "null"]);
    for text in
        ["a / z", "a % z", "a DIV z", "1 / 0", "1.5 / 0", "1 % 0.0", "1D / -0.0D", "a / 0", "0 / z"]
    {
        assert!(t.fails(text).contains("division by zero"), "{text}");
    }
    assert_eq!(t.lenient("a / z"), ["null", "null", "4.0"]);
    assert_eq!(t.lenient("a % 0"), ["null"; 3]);
    assert_eq!(t.lenient("1.5 / z"), ["null", "1.500000000000", "0.750000000000"]);
    assert_eq!(t.values("a / NULLIF(z, 0)"), ["null", "null", "4.0"]);
    // What is guarded is not divided.
    assert_eq!(t.values("z <> 0 AND a / z > 1"), ["false", "null", "true"]);
    assert_eq!(t.values("z = 0 OR a / z > 1"), ["true", "null", "true"]);
    assert_eq!(t.values("CASE WHEN z = 0 THEN -1 ELSE a / z END"), ["-1.0", "null", "4.0"]);
    assert_eq!(t.values("if(z = 0, 0D, a / z)"), ["0.0", "null", "4.0"]);
    assert_eq!(t.values("coalesce(NULLIF(a, 8), 1 / z)"), ["6.0", "1.0", "0.5"]);
}

#[test]
fn guarded_casts() {
    let t = table(vec![("s", strings(vec![Some("1"), Some("x"), Some("3")]))]);
    assert!(t.fails("CAST(s AS INT)").contains("row 1"));
    assert_eq!(t.values("CASE WHEN s <> 'x' THEN CAST(s AS INT) END"), ["1", "null", "3"]);
    assert_eq!(t.values("s <> 'x' AND CAST(s AS INT) > 1"), ["false", "false", "true"]);
    let error = t.fails("s <> '1' AND CAST(s AS INT) > 1");
    assert!(error.contains("'x'") && error.contains("row 1"), "{error}");
    assert_eq!(t.lenient("CAST(s AS INT)"), ["1", "null", "3"]);
    assert_eq!(t.values("TRY_CAST(s AS INT)"), ["1", "null", "3"]);
    assert_eq!(t.lenient("s = 1"), ["true", "null", "false"]);
    assert!(t.fails("s = 1").contains("malformed"));
    let t = table(vec![("s", strings(vec![Some("1.5"), Some("1")]))]);
    assert_eq!(t.lenient("s = 1"), ["true", "true"]);
    assert_eq!(t.values("TRY_CAST(s AS INT)"), ["null", "1"]);
}

#[test]
fn times_and_intervals() {
    for (text, expected, data_type) in [
        ("TIMESTAMP '2013-01-01 00:00:00' + INTERVAL 1 HOUR", "2013-01-01 01:00:00", us()),
        ("INTERVAL '1 hour' + TIMESTAMP '2013-01-01'", "2013-01-01 01:00:00", us()),
        ("TIMESTAMP '2013-01-01' - INTERVAL '0.700000' SECOND", "2012-12-31 23:59:59.3", us()),
        (
            "TIMESTAMP '2013-01-01' - INTERVAL '1 02:03:04.5' DAY TO SECOND",
            "2012-12-30 21:56:55.5",
            us(),
        ),
        ("TIMESTAMP '2013-01-01' + INTERVAL '1:30' HOUR TO MINUTE", "2013-01-01 01:30:00", us()),
        ("TIMESTAMP '2013-01-31' + INTERVAL 1 MONTH", "2013-02-28 00:00:00", us()),
        ("TIMESTAMP '2013-01-31 12:00:00' - INTERVAL '1' YEAR", "2012-01-31 12:00:00", us()),
        ("DATE '2012-02-29' + INTERVAL 1 YEAR", "2013-02-28", Date32),
        ("DATE '2013-01-01' + INTERVAL 2 WEEKS", "2013-01-15", Date32),
        ("DATE '2013-01-01' + INTERVAL 1 HOUR", "2013-01-01 01:00:00", us()),
        ("DATE '2013-01-01' + 3", "2013-01-04", Date32),
        ("DATE '2013-01-01' - 1", "2012-12-31", Date32),
        ("3 + DATE '2013-01-01'", "2013-01-04", Date32),
        ("'2013-01-01' + INTERVAL 1 DAY", "2013-01-02 00:00:00", us()),
        ("TIMESTAMP '2013-01-01' + INTERVAL -1 DAY", "2012-12-31 00:00:00", us()),
        (
            "TIMESTAMP '2013-01-01' + (INTERVAL 1 HOUR - INTERVAL 90 MINUTES)",
            "2012-12-31 23:30:00",
            us(),
        ),
        ("TIMESTAMP '2013-01-01' + -INTERVAL '1 hour 30 minutes'", "2012-12-31 22:30:00", us()),
        ("TIMESTAMP '2013-01-01' + NULL", "null", us()),
    ] {
        assert_eq!(constant(text), (expected.to_owned(), data_type), "{text}");
    }
    let t = table(vec![
        ("s", Arc::new(TimestampSecondArray::from(vec![Some(0), None])) as ArrayRef),
        ("ns", Arc::new(TimestampNanosecondArray::from(vec![1, i64::MAX]))),
    ]);
    assert_eq!(t.values("s + INTERVAL '0.5' SECOND"), ["1970-01-01 00:00:00.5", "null"]);
    assert!(t.fails("ns + INTERVAL 1 HOUR").contains("range"));
    assert_eq!(t.lenient("ns + INTERVAL 1 HOUR"), ["1970-01-01 01:00:00.000000001", "null"]);
    assert_eq!(t.values("s - ns < INTERVAL 1 SECOND"), ["true", "null"]);
    let late = "TIMESTAMP '9999-12-31 23:59:59' + INTERVAL 100000 DAYS";
    assert_eq!(value(late), "+10273-10-15 23:59:59");
}
