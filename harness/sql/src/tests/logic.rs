//! Truth values, comparisons, IN, LIKE, BETWEEN.

use super::*;

const TRUTHS: [Option<bool>; 3] = [Some(true), Some(false), None];

fn pairs() -> Table {
    let left = TRUTHS.iter().flat_map(|a| [*a; 3]).collect();
    let right = [TRUTHS; 3].concat();
    table(vec![("a", booleans(left)), ("b", booleans(right))])
}

#[test]
fn three_valued_logic() {
    let t = pairs();
    let (y, n, u) = ("true", "false", "null");
    assert_eq!(t.values("a AND b"), [y, n, u, n, n, n, u, n, u]);
    assert_eq!(t.values("a OR b"), [y, y, y, y, n, u, y, u, u]);
    assert_eq!(t.values("NOT a"), [n, n, n, y, y, y, u, u, u]);
    assert_eq!(t.values("! a"), [n, n, n, y, y, y, u, u, u]);
    assert_eq!(t.values("a = b"), [y, n, u, n, y, u, u, u, u]);
    assert_eq!(t.values("a <=> b"), [y, n, n, n, y, n, n, n, y]);
    assert_eq!(t.values("a IS NOT DISTINCT FROM b"), t.values("a <=> b"));
    assert_eq!(t.values("a IS DISTINCT FROM b"), t.values("NOT (a <=> b)"));
    assert_eq!(t.values("a IS NULL"), [n, n, n, n, n, n, y, y, y]);
    assert_eq!(t.values("a IS NOT NULL"), [y, y, y, y, y, y, n, n, n]);
    assert_eq!(t.values("a IS UNKNOWN"), t.values("a IS NULL"));
    assert_eq!(t.values("b IS TRUE"), [y, n, n, y, n, n, y, n, n]);
    assert_eq!(t.values("b IS NOT TRUE"), [n, y, y, n, y, y, n, y, y]);
    assert_eq!(t.values("b IS FALSE"), [n, y, n, n, y, n, n, y, n]);
    assert_eq!(t.values("b IS NOT FALSE"), [y, n, y, y, n, y, y, n, y]);
    assert_eq!(t.values("a AND NULL"), [u, u, u, n, n, n, u, u, u]);
    assert_eq!(t.values("a < b"), [n, n, u, y, n, u, u, u, u]);
    // Three and more operands.
    assert_eq!(t.values("a AND b AND true"), t.values("a AND b"));
    assert_eq!(t.values("a OR b OR false"), t.values("a OR b"));
}

#[test]
fn floats_compare_as_spark_does() {
    let weird = f64::from_bits(f64::NAN.to_bits() | 1 << 63 | 77);
    let values = vec![f64::NAN, weird, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1.5];
    let t = table(vec![
        ("x", Arc::new(Float64Array::from(values.clone()))),
        ("f", Arc::new(Float32Array::from(values.iter().map(|v| *v as f32).collect::<Vec<_>>()))),
    ]);
    let (y, n) = ("true", "false");
    let nan = "CAST('NaN' AS DOUBLE)";
    for x in ["x", "f"] {
        assert_eq!(t.values(&format!("{x} = {nan}")), [y, y, n, n, n, n, n]);
        assert_eq!(t.values(&format!("{x} <=> {nan}")), [y, y, n, n, n, n, n]);
        assert_eq!(t.values(&format!("{x} <> {nan}")), [n, n, y, y, y, y, y]);
        assert_eq!(t.values(&format!("{x} > CAST('Infinity' AS DOUBLE)")), [y, y, n, n, n, n, n]);
        assert_eq!(t.values(&format!("{x} = 0.0D")), [n, n, y, y, n, n, n]);
        assert_eq!(t.values(&format!("{x} < 0.0D")), [n, n, n, n, n, y, n]);
        assert_eq!(t.values(&format!("{x} >= -0.0D")), [y, y, y, y, y, n, y]);
        assert_eq!(t.values(&format!("{x} IN (1.5D, {nan})")), [y, y, n, n, n, n, y]);
        assert_eq!(t.values(&format!("{x} = {x}")), [y; 7]);
    }
}

#[test]
fn comparisons_are_coerced() {
    for (text, expected) in [
        ("1 = '1'", "true"),
        ("1 = ' +01 '", "true"),
        ("1.0 = 1", "true"),
        ("1.10 = 1.1", "true"),
        ("9007199254740993L = 9007199254740992D", "true"),
        ("0.1F = 0.1D", "false"),
        ("1.5 = '1.5'", "true"),
        ("DATE '2013-01-02' = TIMESTAMP '2013-01-02 00:00:00'", "true"),
        ("DATE '2013-01-02' < '2013-01-03'", "true"),
        ("TIMESTAMP '2013-01-02 01:00:00' > '2013-01-02'", "true"),
        ("true = 'yes'", "true"),
        ("X'61' = 'a'", "true"),
        ("'a' < 'b'", "true"),
        ("'a ' = 'a'", "false"),
        ("NULL = 1", "null"),
        ("NULL <=> NULL", "true"),
        ("NULL = NULL", "null"),
        ("1 <=> NULL", "false"),
        ("INTERVAL 90 MINUTES > INTERVAL 1 HOUR", "true"),
        ("INTERVAL 13 MONTHS = INTERVAL '1-1' YEAR TO MONTH", "true"),
        ("TIMESTAMP '2013-01-02' - TIMESTAMP '2013-01-01' = INTERVAL 1 DAY", "true"),
        ("1 == 1", "true"),
        ("1 != 1", "false"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn time_zones_and_units_compare_as_instants() {
    let seconds = [-62_135_596_800, 0, 253_402_300_799];
    let t = table(vec![
        ("s", Arc::new(TimestampSecondArray::from(seconds.to_vec())) as ArrayRef),
        (
            "ms",
            Arc::new(
                TimestampMillisecondArray::from(seconds.map(|s| s * 1000).to_vec())
                    .with_timezone("+02:00"),
            ),
        ),
        (
            "us",
            Arc::new(
                TimestampMicrosecondArray::from(seconds.map(|s| s * 1_000_000).to_vec())
                    .with_timezone("UTC"),
            ),
        ),
        ("ns", Arc::new(TimestampNanosecondArray::from(vec![i64::MIN, 0, i64::MAX]))),
        ("d", Arc::new(Date32Array::from(vec![-719_162, 0, 2_932_896]))),
    ]);
    for text in ["s = ms", "ms = us", "us = s", "s <= us", "d <= s"] {
        assert_eq!(t.values(text), ["true"; 3], "{text}");
    }
    assert_eq!(t.values("ns = us"), ["false", "true", "false"]);
    assert_eq!(t.values("ns < s"), ["false", "false", "true"]);
    assert_eq!(t.values("ns > d"), ["true", "false", "false"]);
    assert_eq!(t.values("ns < '9999-01-01'"), ["true"; 3]);
    assert_eq!(t.values("ns = '1970-01-01'"), ["false", "true", "false"]);
    assert_eq!(t.values("us = d + INTERVAL 0 DAYS"), ["true", "true", "false"]);
}

#[test]
fn strings_of_all_kinds_compare_by_value() {
    let text = [Some("a"), None, Some("b")];
    let dictionary: DictionaryArray<arrow::datatypes::Int8Type> = text.into_iter().collect();
    let t = table(vec![
        ("u", strings(text.to_vec())),
        ("l", Arc::new(LargeStringArray::from(text.to_vec()))),
        ("v", Arc::new(StringViewArray::from(text.to_vec()))),
        ("d", Arc::new(dictionary)),
        ("b", Arc::new(BinaryArray::from(vec![Some(b"a".as_slice()), None, Some(b"b")]))),
    ]);
    for l in ["u", "l", "v", "d", "b"] {
        for r in ["u", "l", "v", "d", "b", "upper(lower(u))", "coalesce(d, 'x')"] {
            let expected = if r.starts_with("coalesce") || r.starts_with("upper") {
                continue;
            } else {
                ["true", "null", "true"]
            };
            assert_eq!(t.values(&format!("{l} = {r}")), expected, "{l} = {r}");
        }
        assert_eq!(t.values(&format!("{l} = 'a'")), ["true", "null", "false"]);
        assert_eq!(t.values(&format!("{l} IN ('a', 'c')")), ["true", "null", "false"]);
        assert_eq!(t.values(&format!("{l} IS NULL")), ["false", "true", "false"]);
    }
    assert_eq!(t.values("coalesce(d, 'x')"), ["a", "x", "b"]);
    assert_eq!(t.values("d LIKE 'a%'"), ["true", "null", "false"]);
    assert_eq!(t.values("v LIKE '_'"), ["true", "null", "true"]);
    assert_eq!(t.values("l NOT LIKE '%b%'"), ["true", "null", "false"]);
    // A column that is only selected keeps its dictionary.
    assert!(matches!(t.bind("d").data_type(), DataType::Dictionary(..)));
}

#[test]
fn in_and_between() {
    let t = table(vec![("a", ints(vec![Some(1), Some(2), Some(5), None]))]);
    let (y, n, u) = ("true", "false", "null");
    assert_eq!(t.values("a IN (1, 2)"), [y, y, n, u]);
    assert_eq!(t.values("a NOT IN (1, 2)"), [n, n, y, u]);
    assert_eq!(t.values("a IN (1, NULL)"), [y, u, u, u]);
    assert_eq!(t.values("a NOT IN (1, NULL)"), [n, u, u, u]);
    assert_eq!(t.values("a IN (1, '2')"), [y, y, n, u]);
    assert_eq!(t.values("a IN (a + 0)"), [y, y, y, u]);
    assert_eq!(t.values("a BETWEEN 2 AND 5"), [n, y, y, u]);
    assert_eq!(t.values("a NOT BETWEEN 2 AND 5"), [y, n, n, u]);
    assert_eq!(t.values("a BETWEEN NULL AND 1"), [u, n, n, u]);
    assert_eq!(t.values("a BETWEEN 2 AND 5 AND a = 2"), [n, y, n, u]);
    let many: Vec<String> = (0..3000).map(|i| (i + 2).to_string()).collect();
    assert_eq!(t.values(&format!("a IN ({})", many.join(", "))), [n, y, y, u]);
}

#[test]
fn like_patterns() {
    for (text, expected) in [
        ("'abc' LIKE 'a%'", "true"),
        ("'abc' LIKE 'a_c'", "true"),
        ("'abc' LIKE 'A%'", "false"),
        ("'abc' ILIKE 'A%'", "true"),
        ("'a\nc' LIKE 'a_c'", "true"),
        (r"'a%c' LIKE 'a\%c'", "true"),
        (r"'abc' LIKE 'a\%c'", "false"),
        ("'a%c' LIKE 'a/%c' ESCAPE '/'", "true"),
        ("'abc' LIKE 'a/%c' ESCAPE '/'", "false"),
        ("'a/c' LIKE 'a//c' ESCAPE '/'", "true"),
        (r"'a\\c' LIKE 'a\\\\c'", "true"),
        (r"'a\\c' LIKE 'a\\c' ESCAPE '/'", "true"),
        ("'(x)+' LIKE '(_)+'", "true"),
        ("NULL LIKE 'a'", "null"),
        ("'a' LIKE NULL", "null"),
        ("12 LIKE '1%'", "true"),
        ("'é' LIKE '_'", "true"),
        ("'' LIKE '%'", "true"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    let t = table(vec![("p", strings(vec![Some("a%"), Some("%b"), None]))]);
    assert_eq!(t.values("'ab' LIKE p"), ["true", "true", "null"]);
    assert!(t.fails("'a' LIKE 'a/' ESCAPE '/'").contains("ends with"));
    assert!(t.fails("'a' LIKE '/a' ESCAPE '/'").contains("escape"));
    assert!(t.fails("'a' LIKE p ESCAPE '/'").contains("literal"));
    assert!(t.fails("'a' LIKE 'a' ESCAPE 'xy'").contains("one character"));
}

#[test]
fn slices_and_no_rows() {
    let numbers: Vec<Option<i32>> = (0..40).map(|i| (i % 5 != 2).then_some(i)).collect();
    let words: Vec<Option<String>> = numbers.iter().map(|n| n.map(|n| format!("w{n}"))).collect();
    let texts = [
        "a > 7 AND s <> 'w9'",
        "a IS NULL OR a % 3 = 0",
        "CASE WHEN a < 10 THEN s WHEN a < 20 THEN 'x' END",
        "coalesce(a, -1) * 2 + 1",
        "concat(s, '-', CAST(a AS STRING))",
        "a IN (1, 5, 30)",
        "s LIKE 'w1%'",
        "CAST(substring(s, 2) AS INT) = a",
        "NULLIF(a, 3)",
        "12",
    ];
    let whole = table(vec![
        ("a", ints(numbers.clone())),
        ("s", Arc::new(StringArray::from(words.clone()))),
    ]);
    for text in texts {
        let all = whole.values(text);
        for (offset, length) in [(0, 40), (1, 20), (3, 9), (9, 31), (8, 1), (5, 0)] {
            let part = Table {
                scope: whole.scope.clone(),
                columns: whole.columns.iter().map(|c| c.slice(offset, length)).collect(),
            };
            assert_eq!(part.values(text), all[offset..offset + length], "{text}");
        }
    }
}
