//! Conditions taken apart, and the recorded queries.

use streamjoin_kernels::{ColumnRef, NullEquality, Side};

use super::*;

fn scope(name: &str, columns: &[(&str, DataType)]) -> Scope {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(column, data_type)| Field::new(*column, data_type.clone(), true))
        .collect();
    Scope::of_schema(name, &Schema::new(fields))
}

fn sides() -> (Scope, Scope) {
    let int = DataType::Int64;
    let left = scope(
        "s",
        &[
            ("k", int.clone()),
            ("k0", int.clone()),
            ("k1", DataType::Utf8),
            ("amount", DataType::Int32),
            ("lt", us()),
            ("flag", DataType::Boolean),
        ],
    );
    let right = scope(
        "d0",
        &[
            ("k", int.clone()),
            ("d0_0", DataType::Int32),
            ("d0_1", DataType::Utf8),
            ("d0_min", int),
            ("rt", us()),
        ],
    );
    (left, right)
}

fn taken_apart(text: &str) -> JoinCondition {
    let (left, right) = sides();
    stream_static_condition(text, &left, &right, CastMode::Ansi)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// `keys | left filter | right filter | residual` as text.
fn summary(text: &str) -> String {
    let c = taken_apart(text);
    let keys: Vec<String> = c
        .keys
        .iter()
        .map(|key| {
            let op = match key.null_equality {
                NullEquality::NullSafe => "<=>",
                NullEquality::NullMatchesNothing => "=",
            };
            format!("{} {op} {}", key.left, key.right)
        })
        .collect();
    let show = |e: &Option<BoundExpr>| e.as_ref().map(ToString::to_string).unwrap_or_default();
    format!(
        "{} | {} | {} | {}",
        keys.join(", "),
        show(&c.left_filter),
        show(&c.right_filter),
        show(&c.residual)
    )
}

#[test]
fn conjuncts_find_their_place() {
    for (text, expected) in [
        ("s.k = d0.k", "s.k = d0.k |  |  | "),
        ("d0.k = s.k", "s.k = d0.k |  |  | "),
        ("k0 = d0_0", "s.k0 = d0.d0_0 |  |  | "),
        ("s.k <=> d0.k AND k1 = d0_1", "s.k <=> d0.k, s.k1 = d0.d0_1 |  |  | "),
        ("s.k IS NOT DISTINCT FROM d0.k", "s.k <=> d0.k |  |  | "),
        (
            "(s.k = d0.k) AND ((k1 = d0_1 AND amount > 3))",
            "s.k = d0.k, s.k1 = d0.d0_1 | s.amount > 3 |  | ",
        ),
        ("CAST(k1 AS INT) = d0_0 + 1", "CAST(s.k1 AS INT) = d0.d0_0 + 1 |  |  | "),
        (
            "s.k = d0.k AND amount >= d0_min AND amount > 3 AND d0_min > 3 AND d0_1 LIKE 'a%'",
            "s.k = d0.k | s.amount > 3 | d0.d0_min > 3L AND d0.d0_1 LIKE 'a%' | CAST(s.amount AS BIGINT) >= d0.d0_min",
        ),
        // Equalities that are not keys.
        ("s.k = k0", " | s.k = s.k0 |  | "),
        ("s.k = 3", " | s.k = 3L |  | "),
        ("d0_0 <=> NULL", " |  | d0.d0_0 <=> CAST(NULL AS INT) | "),
        ("s.k + d0.k = 5", " |  |  | (s.k + d0.k) = 5L"),
        ("s.k = d0.k + amount", " |  |  | s.k = (d0.k + CAST(s.amount AS BIGINT))"),
        ("s.k = d0.k OR k0 = d0.k", " |  |  | s.k = d0.k OR s.k0 = d0.k"),
        ("NOT s.k = d0.k", " |  |  | NOT (s.k = d0.k)"),
        ("s.k <> d0.k", " |  |  | s.k <> d0.k"),
        ("(s.k = d0.k) = true", " |  |  | (s.k = d0.k) = true"),
        // Truth values and constants.
        ("flag", " | s.flag |  | "),
        ("true", " |  |  | "),
        ("1 = 1 AND s.k = d0.k", "s.k = d0.k |  |  | "),
        ("s.k = d0.k AND false", "s.k = d0.k |  |  | false"),
        ("s.k = d0.k AND NULL", "s.k = d0.k |  |  | CAST(NULL AS BOOLEAN)"),
        ("ON s.k = d0.k", "s.k = d0.k |  |  | "),
        ("USING (k)", "s.k = d0.k |  |  | "),
        // Time bounds stay conjuncts on both sides.
        (
            "s.k = d0.k AND rt BETWEEN lt - INTERVAL 1 HOUR AND lt + INTERVAL '0.9' SECOND",
            "s.k = d0.k |  |  | d0.rt >= (s.lt - INTERVAL '1' HOUR) AND d0.rt <= (s.lt + INTERVAL '0.9' SECOND)",
        ),
        ("s.lt = d0.rt", "s.lt = d0.rt |  |  | "),
    ] {
        assert_eq!(summary(text), expected, "{text}");
    }
}

#[test]
fn positions_are_those_of_each_side() {
    let c = taken_apart("s.k = d0.k AND d0_min + 1 = amount AND d0_min > 3 AND amount < d0_0");
    assert_eq!(c.keys[0].left.as_column(), Some(0));
    assert_eq!(c.keys[0].right.as_column(), Some(0));
    assert_eq!(c.keys[1].left.columns(), [3]);
    assert_eq!(c.keys[1].right.columns(), [3]);
    assert_eq!(c.right_filter.unwrap().columns(), [3]);
    assert_eq!(c.residual.unwrap().columns(), [3, 7]);
    let roles: Vec<ConjunctRole> = c.conjuncts.iter().map(|c| c.role).collect();
    assert_eq!(
        roles,
        [
            ConjunctRole::Key(0),
            ConjunctRole::Key(1),
            ConjunctRole::Filter(Side::Right),
            ConjunctRole::Residual
        ]
    );
    assert_eq!(c.conjuncts[2].expr.columns(), [9]);
}

#[test]
fn shifted_expressions_read_their_own_columns() {
    let c = taken_apart("s.k = d0.k AND d0_1 = 'a' AND d0_min > 1");
    let filter = c.right_filter.unwrap();
    assert_eq!(filter.columns(), [2, 3]);
    let columns: Vec<ArrayRef> = vec![
        strings(vec![Some("a"), Some("a"), Some("b"), None]),
        Arc::new(Int64Array::from(vec![1, 2, 3, 4])),
    ];
    let result = filter.evaluate(&columns, 4).unwrap();
    assert_eq!(shown(&result), ["false", "true", "false", "null"]);
}

#[test]
fn residuals_become_filters_of_the_join() {
    let c = taken_apart("s.k = d0.k AND amount < d0_min");
    let filter = c.residual.unwrap().to_filter(|position| match position {
        0..6 => ColumnRef::Stream(position),
        _ => ColumnRef::Table(position - 6),
    });
    assert_eq!(filter.columns, [ColumnRef::Stream(3), ColumnRef::Table(3)]);
    let columns =
        [ints(vec![Some(1), Some(5), None]), Arc::new(Int64Array::from(vec![2, 2, 2])) as ArrayRef];
    let result = filter.predicate.evaluate(&columns, 3).unwrap();
    let expected = BooleanArray::from(vec![Some(true), Some(false), None]);
    assert_eq!(result, expected);
    let no_condition = taken_apart("s.k = d0.k").keys[0].left.to_predicate();
    assert!(no_condition.evaluate(&[Arc::new(Int64Array::from(vec![1]))], 1).is_err());
}

#[test]
fn using() {
    let (left, right) = sides();
    let clause = |text: &str| stream_static_condition(text, &left, &right, CastMode::Ansi);
    assert_eq!(clause(" using ( `k` )").unwrap().using.unwrap(), ["k"]);
    for (text, part) in [
        ("USING (nope)", "left side: unknown column `nope`"),
        ("USING (amount)", "right side: unknown column `amount`"),
        ("USING (k, K)", "twice"),
        ("USING (k) AND true", "unexpected"),
        ("USING (k + 1)", "expected"),
        ("USING ()", "expected"),
    ] {
        let error = clause(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    // A column may be called `using`.
    let odd = scope("o", &[("using", DataType::Int32)]);
    assert!(stream_static_condition("o.`using` = s.amount", &odd, &left, CastMode::Ansi).is_ok());
}

#[test]
fn refusals() {
    let (left, right) = sides();
    for (text, part) in [
        ("k = k", "`k` is ambiguous: it could be d0.k or s.k"),
        ("s.k = d0.kk", "did you mean `k`"),
        ("s.flag = d0.k", "BOOLEAN and BIGINT"),
        ("s.k", "expected a condition"),
        ("s.k = d0.k AND s.amount", "expected a condition"),
        ("s.k == ", "expected"),
    ] {
        let error = stream_static_condition(text, &left, &right, CastMode::Ansi).unwrap_err();
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert!(error.column().is_some(), "{text}: {error}");
    }
}

/// Recorded conditions with the number of keys, null-safe keys and further
/// conjuncts that Spark found in them.
#[test]
fn recorded_conditions() {
    let int = DataType::Int64;
    let left = |name: &str| {
        let columns = ["k", "k0", "k1", "k2", "amount", "lv"].map(|c| (c, int.clone()));
        let mut scope = scope(name, &columns);
        scope.columns.extend(self::scope(name, &[("lt", us())]).columns);
        scope
    };
    let right = |name: &str, prefix: &str| {
        let names = ["0", "1", "2", "min"].map(|c| format!("{prefix}_{c}"));
        let mut columns: Vec<(&str, DataType)> =
            names.iter().map(|c| (c.as_str(), int.clone())).collect();
        columns.extend(["rk", "rv", "dk"].map(|c| (c, int.clone())));
        columns.push(("rt", us()));
        scope(name, &columns)
    };
    for (text, keys, null_safe, rest) in [
        ("s.`k` = d0.`dk`", 1, 0, 0),
        ("s.`k0` <=> d0.`d0_0` AND s.`k1` = d0.`d0_1` AND s.`amount` > 3", 2, 1, 1),
        (
            "s.`k0` = d0.`d0_0` AND s.`k1` <=> d0.`d0_1` AND s.`k2` = d0.`d0_2` AND s.`amount` > d0.`d0_min`",
            3,
            1,
            1,
        ),
        (
            "j1.`k0` <=> d1.`d1_0` AND j1.`k1` <=> d1.`d1_1` AND j1.`amount` < d1.`d1_min` AND d1.`d1_min` > 3",
            2,
            2,
            2,
        ),
        ("d0.`d0_0` = s.`k0` AND d0.`d0_1` <=> s.`k1` AND s.`amount` <> d0.`d0_min`", 2, 1, 1),
        ("s.`amount` >= d0.`d0_min`", 0, 0, 1),
        ("l.`k` = r.`rk` AND l.`lt` = r.`rt` AND r.`rv` < 8", 2, 0, 1),
        (
            "l.`k` <=> r.`rk` AND r.`rt` BETWEEN l.`lt` - INTERVAL '0.700000' SECOND AND l.`lt` + INTERVAL '0.900000' SECOND",
            1,
            1,
            1,
        ),
        (
            "l.`k` = r.`rk` AND l.`lt` <= r.`rt` + INTERVAL '6' SECOND AND l.`lt` >= r.`rt` - INTERVAL '18' SECOND",
            1,
            0,
            2,
        ),
        (
            "l.`k` = r.`rk` AND r.`rt` > l.`lt` + INTERVAL '3' SECOND AND r.`rt` < l.`lt` + INTERVAL '14' SECOND AND l.`lv` <> r.`rv`",
            1,
            0,
            3,
        ),
        ("l.`k` = r.`rk` AND l.`lv` > r.`rv` AND l.`lv` > 4", 1, 0, 2),
    ] {
        let name = text.split('.').next().unwrap();
        let (left, right) = match name {
            "d0" => (right("d0", "d0"), left("s")),
            "j1" => (also_known_as(left("s"), "j1"), right("d1", "d1")),
            "l" => (left("l"), right("r", "r")),
            _ => (left("s"), right("d0", "d0")),
        };
        let c = stream_static_condition(text, &left, &right, CastMode::Ansi)
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(c.keys.len(), keys, "{text}");
        let safe = c.keys.iter().filter(|k| k.null_equality == NullEquality::NullSafe);
        assert_eq!(safe.count(), null_safe, "{text}");
        assert_eq!(c.conjuncts.len(), keys + rest, "{text}");
    }
}
