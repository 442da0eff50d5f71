//! Refusals: what they say and where they point.

use super::*;

fn two_sides() -> Scope {
    let schema = |names: &[&str]| {
        Schema::new(names.iter().map(|n| Field::new(*n, DataType::Int32, true)).collect::<Vec<_>>())
    };
    let left = Scope::of_schema("s", &schema(&["k", "amount"]));
    let right = Scope::of_schema("d0", &schema(&["k", "name"]));
    left.join(&right)
}

fn error(text: &str, scope: &Scope) -> SqlError {
    expression(text, scope, CastMode::Ansi).expect_err(text)
}

#[test]
fn ambiguous_names_tell_the_candidates() {
    let scope = two_sides();
    let e = error("amount > 1 AND k = 2", &scope);
    assert_eq!(
        e.message(),
        "`k` is ambiguous: it could be d0.k or s.k; qualify it with the name that you mean"
    );
    assert_eq!((e.line(), e.column()), (Some(1), Some(16)));
    assert!(expression("s.k = D0.K", &scope, CastMode::Ansi).is_ok());
    // Columns of a join are known under its name and under those of its inputs.
    let joined = also_known_as(two_sides(), "j1");
    assert!(expression("j1.amount = s.amount", &joined, CastMode::Ansi).is_ok());
    assert!(error("j1.k = 1", &joined).message().contains("d0.k or s.k"));
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let scope = two_sides();
    let e = error("amuont > 1", &scope);
    assert_eq!(e.message(), "unknown column `amuont`; did you mean `amount`?");
    assert!(error("d0.amount = 1", &scope).message().contains("unknown column `d0.amount`"));
    assert!(error("d1.k = 1", &scope).message().contains("did you mean `d0`"));
    assert!(error("zzz = 1", &scope).message().contains("known: k, amount, k, name"));
    assert!(error("\"text\" = 'a'", &scope).message().contains("single quotes"));
    let e = error("s.k = 1 AND\n  s.amunt = 2", &scope);
    assert_eq!((e.line(), e.column()), (Some(2), Some(3)));
    assert!(e.to_string().ends_with("(at line 2, column 3)"));
    assert!(error("uper('a') = 'A'", &scope).message().contains("did you mean `upper`"));
    assert!(error("CAST(amount AS BIGINTT)", &scope).message().contains("did you mean `BIGINT`"));
    assert!(
        error("INTERVAL '1 huor' = INTERVAL 1 HOUR", &scope)
            .message()
            .contains("did you mean `hour`")
    );
}

#[test]
fn types_that_do_not_fit() {
    let list = DataType::List(Field::new("item", DataType::Int32, true).into());
    let schema = Schema::new(vec![
        Field::new("i", DataType::Int32, true),
        Field::new("b", DataType::Boolean, true),
        Field::new("t", us(), true),
        Field::new("l", list, true),
        Field::new("s", DataType::Utf8, true),
    ]);
    let scope = Scope::of_schema("x", &schema);
    for (text, part) in [
        ("b = i", "BOOLEAN and INT: cast one side"),
        ("t = i", "TIMESTAMP and INT"),
        ("l = l", "nested"),
        ("l <=> NULL", "nested"),
        ("i IN (1, true)", "BOOLEAN"),
        ("b + 1", "`+` does not take BOOLEAN and INT"),
        ("t + 1", "add an interval"),
        ("t * 2", "`*` does not take"),
        ("t + t", "`+` does not take"),
        ("INTERVAL 1 HOUR * 2", "does not take"),
        ("i AND b", "`x.i` is INT"),
        ("NOT i", "expected a condition"),
        ("CASE WHEN i THEN 1 END", "expected a condition"),
        ("CASE WHEN b THEN 1 ELSE true END", "cannot be compared"),
        ("CAST(b AS DATE)", "cannot be cast to DATE"),
        ("CAST(l AS STRING)", "cannot be cast"),
        ("-b", "cannot be negated"),
        ("i = 'x'", "'x' cannot be cast to BIGINT"),
        ("t > 'soon'", "malformed"),
        ("sqrt(b)", "argument 1 of `sqrt` must be a number"),
        ("year(i)", "a date or timestamp"),
        ("upper(l)", "argument 1"),
        ("upper()", "takes 1 arguments, not 0"),
        ("substring('a', 1, 2, 3)", ""),
        ("replace('a')", "takes 2 to 3 arguments"),
        ("nullif(1)", "takes 2 arguments"),
        ("DATE '2013-02-30'", "is not a DATE"),
        ("TIMESTAMP 'noon'", "is not a TIMESTAMP"),
        ("CAST(1 AS DECIMAL(39, 0))", "does not exist"),
        ("CAST(1 AS DECIMAL(5, 6))", "does not exist"),
        ("CAST(i AS TIMESTAMP(4))", "does not exist"),
        ("CAST(i AS ARRAY<INT>)", ""),
        ("999999999999999999999999999999999999999", "out of the range"),
        ("300Y", "out of the range"),
        ("9223372036854775808L", "out of the range"),
        ("X'ABC'", "even number"),
        ("t + INTERVAL 1 MONTH 2 DAYS", ""),
        ("t + INTERVAL '1 month 2 days'", "no fixed length"),
        ("t + INTERVAL '1'", "a unit is missing"),
        ("t + INTERVAL 'x' HOUR", "malformed interval"),
        ("t + INTERVAL ''", "needs a number"),
        ("t + INTERVAL '1:2:3' HOUR TO MINUTE", "2 fields"),
        ("t + INTERVAL '99999999999999' DAY", ""),
        ("t + INTERVAL i HOUR", "literal"),
        ("t + INTERVAL '1' HOUR TO YEAR", ""),
    ] {
        let e = error(text, &scope);
        assert!(e.message().contains(part), "{text}: {e}");
    }
}

#[test]
fn syntax() {
    let scope = two_sides();
    for (text, part) in [
        ("", "empty"),
        ("  -- nothing", "empty"),
        ("s.k =", "expected"),
        ("s.k = 1 s.amount = 2", "unexpected"),
        ("(s.k = 1", "expected"),
        ("s.k = 'a", "nterminated"),
        ("s.k = 1; DROP TABLE x", "unexpected `;`"),
        ("s.k IN ()", ""),
        ("s.k IN (SELECT 1)", "subqueries"),
        ("EXISTS (SELECT 1)", "subqueries"),
        ("sum(s.k) OVER () > 1", "window"),
        ("count(*) > 1", "plain expressions"),
        ("s.amount RLIKE 's.amount('", "not closed"),
        ("s.amount SIMILAR TO 'a'", "use RLIKE"),
        ("a.b.c = 1", "unknown stream or dimension `a`"),
        ("s.k & 1 = 1", "operator `&`"),
        ("s.k = ?", ""),
        ("s.k = $1", ""),
        ("ltrim('x', 'y')", "TRIM(LEADING"),
        ("floor(1.5, 1)", "one argument"),
        ("EXTRACT(WEEK FROM s.k)", "EXTRACT takes"),
        ("now() > 1", "unknown function `now`"),
    ] {
        let e = error(text, &scope);
        assert!(e.message().contains(part), "{text}: {e}");
    }
    let e = error("s.k = 1 AND (s.amount > )", &scope);
    assert_eq!((e.line(), e.column()), (Some(1), Some(25)));
    let e = filter("s.k + 1", &scope, CastMode::Ansi).unwrap_err();
    assert!(e.message().contains("expected a condition"), "{e}");
}

#[test]
fn wrong_columns_are_an_error() {
    let t = table(vec![("a", ints(vec![Some(1), Some(2)]))]);
    let bound = t.bind("a > 1");
    assert!(bound.evaluate(&[], 2).is_err());
    assert!(bound.evaluate(&[ints(vec![Some(1)])], 2).is_err());
    let other: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let error = bound.evaluate(&[other], 2).unwrap_err().to_string();
    assert!(error.contains("bound to Int32"), "{error}");
}
