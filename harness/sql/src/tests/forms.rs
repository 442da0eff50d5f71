//! Names, literals, CASE, casts, select lists, display.

use super::*;

fn flights() -> Table {
    table(vec![
        ("k", ints(vec![Some(1), Some(2), None])),
        ("Tail Num", strings(vec![Some("a"), None, Some("c")])),
        ("amount", Arc::new(Float64Array::from(vec![1.5, 2.5, 3.5]))),
    ])
}

#[test]
fn names() {
    let t = flights();
    for text in ["k", "K", "t.k", "T.K", "`k`", "t.`k`", "`t`.`K`", "\"k\"", "(k)"] {
        assert_eq!(t.values(text), ["1", "2", "null"], "{text}");
        assert_eq!(t.bind(text).as_column(), Some(0));
    }
    assert_eq!(t.values("`tail num`"), ["a", "null", "c"]);
    assert_eq!(t.bind("amount > k AND k > 0").columns(), [0, 2]);
    assert_eq!(t.bind("amount > 1 AND amount < 2").columns(), [2]);
    assert!(t.bind("1 = 1").columns().is_empty());
}

#[test]
fn keywords_may_be_columns() {
    let t = table(vec![
        ("date", ints(vec![Some(1)])),
        ("timestamp", ints(vec![Some(2)])),
        ("hour", ints(vec![Some(3)])),
        ("value", ints(vec![Some(4)])),
    ]);
    assert_eq!(t.values("date + t.timestamp + hour + t.value"), ["10"]);
}

#[test]
fn precedence() {
    for (text, expected) in [
        ("true OR false AND false", "true"),
        ("(true OR false) AND false", "false"),
        ("NOT false AND false", "false"),
        ("NOT (false AND false)", "true"),
        ("NOT 1 = 2", "true"),
        ("1 + 1 = 2 AND 2 > 1", "true"),
        ("1 = 1 IS NULL", "false"),
        ("2 BETWEEN 1 AND 3 AND false", "false"),
        ("1 + 2 BETWEEN 3 AND 4 - 1", "true"),
        ("'a' || 1 + 1 IS NULL", "error"),
        ("'1' || '2' = '12'", "true"),
        ("10 - 2 * 3 % 4", "8"),
        ("-2 * -3", "6"),
        ("1 IN (1) = true", "true"),
    ] {
        if expected == "error" {
            assert!(!table(vec![]).fails(text).is_empty(), "{text}");
        } else {
            assert_eq!(value(text), expected, "{text}");
        }
    }
}

#[test]
fn literals() {
    for (text, expected, data_type) in [
        ("'it''s'", "it's", DataType::Utf8),
        (r"'a\tb'", "a\tb", DataType::Utf8),
        (r"'it\'s'", "it's", DataType::Utf8),
        ("'日本'", "日本", DataType::Utf8),
        ("TRUE", "true", DataType::Boolean),
        ("NULL", "null", DataType::Null),
        ("2147483647", "2147483647", DataType::Int32),
        ("2147483648", "2147483648", DataType::Int64),
        ("DATE '2013-1-2'", "2013-01-02", DataType::Date32),
        ("TIMESTAMP '2013-01-02T03:04:05+01:00'", "2013-01-02 02:04:05", us()),
        ("X'C3A9'", "é", DataType::Binary),
    ] {
        assert_eq!(constant(text), (expected.to_owned(), data_type), "{text}");
    }
}

#[test]
fn branches() {
    let t = flights();
    assert_eq!(
        t.values("CASE k WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'other' END"),
        ["one", "two", "other"]
    );
    assert_eq!(t.values("CASE WHEN k > 1 THEN k END"), ["null", "2", "null"]);
    assert_eq!(t.values("CASE WHEN k > 1 THEN 1 ELSE 2.5 END"), ["2.5", "1.0", "2.5"]);
    assert_eq!(t.values("coalesce(k, 7)"), ["1", "2", "7"]);
    assert_eq!(t.values("coalesce(NULL, k, amount)"), ["1.0", "2.0", "3.5"]);
    assert_eq!(t.values("NULLIF(k, 1)"), ["null", "2", "null"]);
    assert_eq!(t.values("nvl(`tail num`, 'x')"), ["a", "x", "c"]);
    assert_eq!(t.values("nvl2(k, 1, 0)"), ["1", "1", "0"]);
    assert_eq!(t.values("if(k = 1, 'a', 'b')"), ["a", "b", "b"]);
    assert!(!t.bind("coalesce(k, 7)").nullable());
    assert!(t.bind("coalesce(k, NULL)").nullable());
    assert_eq!(t.values("isnull(k)"), ["false", "false", "true"]);
}

#[test]
fn casts() {
    for (text, expected) in [
        ("CAST('12' AS INT)", "12"),
        ("CAST('12' AS bigint)", "12"),
        ("'12'::INT", "12"),
        ("'2013-01-02'::DATE", "2013-01-02"),
        ("CAST(1.5 AS STRING)", "1.5"),
        ("CAST(1.25D AS DECIMAL(5, 1))", "1.3"),
        ("CAST(12 AS DECIMAL)", "12"),
        ("CAST(1 AS BOOLEAN)", "true"),
        ("CAST('2013-01-02' AS TIMESTAMP)", "2013-01-02 00:00:00"),
        ("CAST(TIMESTAMP '2013-01-02 03:04:05' AS DATE)", "2013-01-02"),
        ("CAST(TIMESTAMP '1970-01-01 00:00:01.5' AS DOUBLE)", "1.5"),
        ("CAST('a' AS BINARY)", "a"),
        ("CAST(1 AS long)", "1"),
        ("CAST('1' AS short) + CAST('1' AS byte)", "2"),
        ("TRY_CAST('x' AS INT)", "null"),
        ("CAST(NULL AS INT)", "null"),
        ("CAST('2013-01-02 03:04:05.123456789' AS TIMESTAMP(9))", "2013-01-02 03:04:05.123456789"),
        ("CAST('2013-01-02' AS TIMESTAMP_NTZ)", "2013-01-02 00:00:00"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn select_lists() {
    let t = flights();
    let names = |items: &[&str]| -> Vec<(String, String)> {
        let items: Vec<String> = items.iter().map(ToString::to_string).collect();
        let selected = select(&items, &t.scope, CastMode::Ansi).unwrap();
        selected.iter().map(|s| (s.name.clone(), s.expr.to_string())).collect()
    };
    let pairs = |expected: &[(&str, &str)]| -> Vec<(String, String)> {
        expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    };
    let all = [("k", "t.k"), ("Tail Num", "t.`Tail Num`"), ("amount", "t.amount")];
    assert_eq!(names(&["*"]), pairs(&all));
    assert_eq!(names(&["T.*"]), pairs(&all));
    assert_eq!(
        names(&["k", "t.K", "k + 1 AS next", "CAST(k AS BIGINT) wide", " k * 2 ", "*"])[..5],
        pairs(&[
            ("k", "t.k"),
            ("K", "t.k"),
            ("next", "t.k + 1"),
            ("wide", "CAST(t.k AS BIGINT)"),
            ("k * 2", "t.k * 2"),
        ])
    );
    for (items, part) in [
        (vec![], "empty"),
        (vec!["k, amount"], "each item of the list as its own string"),
        (vec!["x.*"], "unknown stream or dimension `x`"),
        (vec!["kk"], "did you mean `k`"),
        (vec!["* EXCEPT (k)"], "EXCEPT"),
        (vec!["k AS"], "in `k AS`"),
        (vec!["k; DROP TABLE t"], "unexpected `;`"),
    ] {
        let items: Vec<String> = items.iter().map(ToString::to_string).collect();
        let error = select(&items, &t.scope, CastMode::Ansi).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn display_shows_the_casts() {
    let t = flights();
    for (text, expected) in [
        ("k = 1", "t.k = 1"),
        ("k = 1L", "CAST(t.k AS BIGINT) = 1L"),
        ("k + 1 = amount", "CAST((t.k + 1) AS DOUBLE) = t.amount"),
        ("k = `tail num`", "CAST(t.k AS BIGINT) = CAST(t.`Tail Num` AS BIGINT)"),
        ("NOT (k = 1 OR k IS NULL) AND true", "NOT (t.k = 1 OR t.k IS NULL) AND true"),
        ("`tail num` LIKE 'a''%'", r"t.`Tail Num` LIKE 'a\'%'"),
        ("k BETWEEN 1 AND 2", "t.k >= 1 AND t.k <= 2"),
        (
            "TIMESTAMP '2013-01-01' + INTERVAL 90 MINUTES",
            "TIMESTAMP '2013-01-01 00:00:00' + INTERVAL '90' MINUTE",
        ),
        (
            "upper(`tail num`) IN ('A', 'B')",
            "upper(t.`Tail Num`) = 'A' OR upper(t.`Tail Num`) = 'B'",
        ),
    ] {
        let shown = t.bind(text).to_string();
        let expected = expected.replace("CAST((t.k + 1) AS", "CAST(t.k + 1 AS");
        assert_eq!(shown, expected, "{text}");
        // What is shown can be read again and means the same.
        assert_eq!(
            t.values(
                &shown.replace("CAST(t.`Tail Num` AS BIGINT)", "TRY_CAST(`tail num` AS BIGINT)")
            )
            .len(),
            3
        );
    }
}
