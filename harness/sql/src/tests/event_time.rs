//! Intervals between event times, in every spelling.

use streamjoin_kernels::NullEquality;
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeDelta, TimeKey};

use super::*;

/// `l(k, ts, date, lw, v, name)` and `r(rk, rts, ms, ns, rw, rv, other)`.
fn sides() -> (Scope, Scope) {
    let int = DataType::Int64;
    let scope = |name: &str, columns: &[(&str, DataType)]| {
        let fields = columns.iter().map(|(n, t)| Field::new(*n, t.clone(), true));
        Scope::of_schema(name, &Schema::new(fields.collect::<Vec<_>>()))
    };
    let time = |unit| DataType::Timestamp(unit, Some("UTC".into()));
    let left = [
        ("k", int.clone()),
        ("ts", us()),
        ("date", DataType::Date32),
        ("lw", us()),
        ("v", int.clone()),
        ("name", DataType::Utf8),
    ];
    let right = [
        ("rk", int.clone()),
        ("rts", us()),
        ("ms", time(TimeUnit::Millisecond)),
        ("ns", time(TimeUnit::Nanosecond)),
        ("rw", us()),
        ("rv", int),
        ("other", us()),
    ];
    (scope("l", &left), scope("r", &right))
}

fn with(text: &str, left: usize, right: usize) -> Result<JoinCondition, SqlError> {
    let (l, r) = sides();
    let windows = Some(WindowColumns { left: 3, right: 4, width: 10_000_000 });
    let times = TimeColumns { left: Some(left), right: Some(right), windows };
    stream_stream_condition(text, &l, &r, CastMode::Ansi, &times)
}

fn taken_apart(text: &str) -> JoinCondition {
    with(text, 1, 1).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn interval(text: &str) -> IntervalCondition {
    let condition = taken_apart(text);
    assert!(condition.residual.is_none(), "{text}");
    condition.time.interval
}

const S: i64 = 1_000_000;

fn inclusive(micros: i64) -> Bound {
    Bound::inclusive(TimeDelta::from_micros(micros))
}

fn between(lower: i64, upper: i64) -> IntervalCondition {
    IntervalCondition { lower: Some(inclusive(lower)), upper: Some(inclusive(upper)) }
}

#[test]
fn every_spelling_of_one_interval() {
    for text in [
        "r.rts BETWEEN l.ts - INTERVAL 5 SECOND AND l.ts + INTERVAL 30 SECOND",
        "rts >= ts - INTERVAL '5' SECOND AND rts <= ts + INTERVAL '30 seconds'",
        "ts <= rts + INTERVAL 5 SECOND AND ts >= rts - INTERVAL 30 SECOND",
        "ts BETWEEN rts - INTERVAL 30 SECOND AND rts + INTERVAL 5 SECOND",
        "rts - ts BETWEEN INTERVAL -5 SECOND AND INTERVAL 30 SECOND",
        "rts - ts >= -INTERVAL 5 SECOND AND INTERVAL 30 SECOND >= rts - ts",
        "ts - rts <= INTERVAL 5 SECOND AND rts - INTERVAL 30 SECOND <= ts",
        "ts + INTERVAL 30 SECOND >= rts AND ts - INTERVAL 5 SECOND <= rts",
        "INTERVAL 5 SECOND + rts >= ts AND rts <= INTERVAL 20 SECOND + ts + INTERVAL 10 SECOND",
        "NOT rts > ts + INTERVAL 30 SECOND AND NOT (rts < ts - INTERVAL 5 SECOND)",
        "rts + INTERVAL 5 SECOND >= ts AND rts - INTERVAL 1 MINUTE <= ts - INTERVAL 30 SECOND",
        "(rts >= ts - INTERVAL 5 SECOND) AND ((rts <= ts + INTERVAL 30 SECOND))",
        "rts BETWEEN ts - INTERVAL 1 HOUR AND ts + INTERVAL 30 SECOND AND rts >= ts - INTERVAL 5 SECOND",
    ] {
        assert_eq!(interval(text), between(-5 * S, 30 * S), "{text}");
    }
}

#[test]
fn one_sided_and_strict_bounds() {
    let strict = |micros| Bound::strict(TimeDelta::from_micros(micros));
    for (text, lower, upper) in [
        ("rts > ts", Some(strict(0)), None),
        ("ts < rts", Some(strict(0)), None),
        ("rts >= ts", Some(inclusive(0)), None),
        ("rts < ts", None, Some(strict(0))),
        ("ts >= rts", None, Some(inclusive(0))),
        ("rts < ts + INTERVAL 1 MICROSECOND", None, Some(strict(1))),
        ("rts < ts - INTERVAL 1 DAY", None, Some(strict(-86_400 * S))),
        ("rts > ts - INTERVAL '0.000500' SECOND", Some(strict(-500)), None),
        ("rts > ts AND rts >= ts", Some(strict(0)), None),
        ("rts <= ts + INTERVAL 2 WEEK", None, Some(inclusive(14 * 86_400 * S))),
    ] {
        assert_eq!(interval(text), IntervalCondition { lower, upper }, "{text}");
    }
}

#[test]
fn units_and_dates_do_not_matter() {
    for right in [2, 3] {
        let name = ["", "", "ms", "ns"][right];
        let text = format!("{name} BETWEEN ts AND ts + INTERVAL 1 SECOND");
        let condition = with(&text, 1, right).unwrap();
        assert_eq!(condition.time.interval, between(0, S), "{text}");
        assert!(condition.residual.is_none());
    }
    let condition = with("rts BETWEEN date AND date + INTERVAL 36 HOUR", 2, 1).unwrap();
    assert_eq!(condition.time.interval, between(0, 129_600 * S));
    let condition = with("ns >= date", 2, 3).unwrap();
    assert_eq!(condition.time.interval.lower, Some(inclusive(0)));
}

#[test]
fn event_times_and_windows_as_keys() {
    let condition = taken_apart("k = rk AND ts = rts");
    assert_eq!((condition.keys.len(), condition.time.key), (2, Some(TimeKey::EventTime)));
    assert!(condition.time.interval.is_unbounded());
    let condition = taken_apart("rts <=> ts");
    assert_eq!(condition.time.key, Some(TimeKey::EventTime));
    assert_eq!(condition.keys[0].null_equality, NullEquality::NullSafe);
    let condition = taken_apart("k = rk AND lw = rw");
    assert_eq!(condition.time.key, Some(TimeKey::Window { width: TimeDelta::from_secs(10) }));
    // A key with an offset is an interval of one point.
    let condition = taken_apart("k = rk AND ts = rts - INTERVAL 5 SECOND");
    assert_eq!(condition.keys.len(), 2);
    assert_eq!(condition.time.key, None);
    assert_eq!(condition.time.interval, between(5 * S, 5 * S));
}

#[test]
fn what_bounds_no_distance_stays_a_condition() {
    for (text, role) in [
        ("rts <> ts", ConjunctRole::Residual),
        ("rts NOT BETWEEN ts AND ts + INTERVAL 1 HOUR", ConjunctRole::Residual),
        ("rts > ts OR k = rk", ConjunctRole::Residual),
        ("other > ts", ConjunctRole::Residual),
        ("rts > ts + make_it", ConjunctRole::Residual),
        ("rts - ts > rts - ts + INTERVAL 1 HOUR", ConjunctRole::Residual),
        ("rts + (rts - ts) > ts", ConjunctRole::Residual),
        ("date_trunc('hour', rts) >= ts", ConjunctRole::Residual),
        (
            "ts > TIMESTAMP '2024-01-01 00:00:00'",
            ConjunctRole::Filter(streamjoin_kernels::Side::Left),
        ),
        ("v > 5", ConjunctRole::Filter(streamjoin_kernels::Side::Left)),
        ("CAST(rts AS DATE) >= CAST(ts AS DATE)", ConjunctRole::Residual),
    ] {
        let text = text.replace("make_it", "(other - ts)");
        let condition = taken_apart(&text);
        assert!(condition.time.interval.is_unbounded(), "{text}");
        assert_eq!(condition.conjuncts[0].role, role, "{text}");
    }
    // A BETWEEN of which one half compares event times.
    let condition = taken_apart("rts BETWEEN ts AND other");
    assert_eq!(condition.time.interval.lower, Some(inclusive(0)));
    assert_eq!(condition.right_filter.unwrap().to_string(), "r.rts <= r.other");
    // Without event times nothing is taken for one.
    let (l, r) = sides();
    let condition = stream_static_condition("rts >= ts", &l, &r, CastMode::Ansi).unwrap();
    assert!(condition.time.interval.is_unbounded() && condition.residual.is_some());
}

#[test]
fn months_are_refused_with_the_reason() {
    for text in [
        "rts <= ts + INTERVAL 1 MONTH",
        "rts - INTERVAL '1' YEAR <= ts",
        "rts BETWEEN ts AND ts + INTERVAL 1 MONTH",
    ] {
        let error = with(text, 1, 1).unwrap_err().to_string();
        assert!(error.contains("no fixed length") && error.contains("INTERVAL 31 DAY"), "{error}");
    }
    // Where no interval follows from it, it is a condition as any other.
    assert!(taken_apart("other <= ts + INTERVAL 1 MONTH").residual.is_some());
}

#[test]
fn bounds_out_of_range_are_refused() {
    let far = "INTERVAL 106000000 DAY";
    let text = format!("rts <= ts + {far} + {far}");
    let error = with(&text, 1, 1).unwrap_err().to_string();
    assert!(error.contains("out of range"), "{error}");
}

#[test]
fn columns_without_which_no_pair_matches() {
    let needed = |text: &str| {
        let condition = taken_apart(text);
        (condition.left_not_null, condition.right_not_null)
    };
    for (text, left, right) in [
        ("v < rv", vec![4], vec![5]),
        ("v > 5", vec![4], vec![]),
        ("k = rk AND v <> rv AND v > 5", vec![4], vec![5]),
        ("v + k < rv", vec![0, 4], vec![5]),
        ("rts >= ts", vec![1], vec![1]),
        ("v IS NULL", vec![], vec![]),
        ("v IS NOT NULL", vec![4], vec![]),
        ("NOT (v IS NULL)", vec![4], vec![]),
        ("v IS NULL OR v < rv", vec![], vec![]),
        ("v < rv OR v > 5", vec![4], vec![]),
        ("v < rv AND (v > 5 OR rk > 3)", vec![4], vec![5]),
        ("NOT (v < rv OR k > 5)", vec![0, 4], vec![5]),
        ("NOT (v < rv AND k > 5)", vec![], vec![]),
        ("NOT (v <=> rv)", vec![], vec![]),
        ("v IS DISTINCT FROM rv", vec![], vec![]),
        ("COALESCE(v, rv) > 3", vec![], vec![]),
        ("COALESCE(v, v + k) > rv", vec![4], vec![5]),
        ("CASE WHEN v IS NULL THEN 1 ELSE v END > rv", vec![], vec![5]),
        ("(v > 5) IS TRUE", vec![4], vec![]),
        ("(v > 5) IS NOT TRUE", vec![], vec![]),
        ("(v > 5) IS FALSE", vec![4], vec![]),
        ("v BETWEEN 1 AND rv", vec![4], vec![5]),
        ("v IN (1, 2)", vec![4], vec![]),
        ("name LIKE 'a%'", vec![5], vec![]),
        ("1 = 1", vec![], vec![]),
    ] {
        assert_eq!(needed(text), (left, right), "{text}");
    }
}

#[test]
fn using_names_the_keys() {
    let scope = |name: &str, columns: &[&str]| {
        let fields = columns.iter().map(|n| Field::new(*n, us(), true));
        Scope::of_schema(name, &Schema::new(fields.collect::<Vec<_>>()))
    };
    let (l, r) = (scope("l", &["a", "ts"]), scope("r", &["ts", "a"]));
    let times = TimeColumns { left: Some(1), right: Some(0), windows: None };
    let condition =
        stream_stream_condition("USING (ts, a)", &l, &r, CastMode::Ansi, &times).unwrap();
    assert_eq!(condition.using.unwrap(), ["ts", "a"]);
    assert_eq!((condition.keys.len(), condition.time.key), (2, Some(TimeKey::EventTime)));
}
