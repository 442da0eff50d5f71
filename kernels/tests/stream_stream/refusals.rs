//! What is refused, why, and what would work.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::{ArrayRef, BooleanArray};
use streamjoin_kernels::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeDelta, TimeKey};
use streamjoin_kernels::{
    JoinType, KeyPair, OutputMode, Predicate, Result, SideColumn, stream_stream,
};

/// A condition that is never evaluated.
#[derive(Debug)]
struct Never;

impl Predicate for Never {
    fn evaluate(&self, _: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        unreachable!("nothing is joined here")
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("k", DataType::Int64, true),
        Field::new("t", DataType::Timestamp(TimeUnit::Microsecond, None), true),
        Field::new("flag", DataType::Boolean, true),
        Field::new("window", DataType::Timestamp(TimeUnit::Microsecond, None), true),
    ]))
}

fn spec(join_type: JoinType, left: bool, right: bool) -> stream_stream::Spec {
    let input = |watermark: bool| {
        let input = stream_stream::Input::new(schema()).with_event_time("t").unwrap();
        if watermark { input.with_watermark_delay(TimeDelta::ZERO) } else { input }
    };
    let five = TimeDelta::from_micros(5);
    let time = IntervalCondition::between(-five, five);
    let keys = [("k", "k")];
    stream_stream::Spec::on(input(left), input(right), join_type, keys, time).unwrap()
}

fn outcome(spec: stream_stream::Spec) -> Result<(), String> {
    let join = stream_stream::Join::new(spec, stream_stream::Options::default());
    join.map(|_| ()).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(spec: stream_stream::Spec, words: &[&str]) {
    let error = outcome(spec).expect_err("refused");
    for word in words {
        assert!(error.contains(word), "{word} in: {error}");
    }
}

const JOINS: [JoinType; 6] = [
    JoinType::Inner,
    JoinType::LeftOuter,
    JoinType::RightOuter,
    JoinType::FullOuter,
    JoinType::LeftSemi,
    JoinType::LeftAnti,
];

#[test]
fn the_table_of_rule_41() {
    for join_type in JOINS {
        for (left, right) in [(false, false), (true, false), (false, true), (true, true)] {
            for (lower, upper) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut spec = spec(join_type, left, right);
                let bound = |set: bool| set.then_some(Bound::inclusive(TimeDelta::ZERO));
                spec.time.interval = IntervalCondition { lower: bound(lower), upper: bound(upper) };
                // The left side is limited from above, by the right watermark.
                let (left_line, right_line) = (upper && right, lower && left);
                let accepted = match join_type {
                    JoinType::RightOuter => right_line,
                    JoinType::FullOuter => left_line || right_line,
                    JoinType::Inner | JoinType::Cross => true,
                    _ => left_line,
                };
                let found = outcome(spec);
                assert_eq!(found.is_ok(), accepted, "{join_type} {left} {right} {lower} {upper}");
                if let Err(error) = found {
                    assert!(error.contains("refused") && error.contains("watermark"), "{error}");
                }
            }
            let mut spec = spec(join_type, left, right);
            spec.time = TimeKey::EventTime.into();
            spec.keys.push(KeyPair::equal(1, 1));
            let accepted = left || right || join_type == JoinType::Inner;
            assert_eq!(outcome(spec).is_ok(), accepted, "{join_type} {left} {right} key");
        }
    }
}

#[test]
fn reasons_name_the_side_and_the_remedy() {
    refused(
        spec(JoinType::LeftOuter, true, false),
        &["a left row", "the right side declares no watermark", "declare a watermark on the right"],
    );
    refused(
        spec(JoinType::RightOuter, false, true),
        &["a right row", "the left side declares no watermark", "declare a watermark on the left"],
    );
    let mut open = spec(JoinType::LeftAnti, true, true);
    open.time.interval.upper = None;
    refused(open, &["left-anti", "how long after a left row", "right - left <= 1 h"]);
    let mut none = spec(JoinType::LeftSemi, true, true);
    none.time.interval = IntervalCondition::UNBOUNDED;
    refused(none, &["wait for ever", "no condition relates the event times"]);
    let mut key = spec(JoinType::FullOuter, false, false);
    key.time = TimeKey::EventTime.into();
    key.keys.push(KeyPair::equal(1, 1));
    refused(key, &["no side declares a watermark", "on at least one side"]);
}

#[test]
fn output_modes() {
    for join_type in JOINS {
        for mode in OutputMode::ALL {
            let mut spec = spec(join_type, true, true);
            spec.output_mode = mode;
            let accepted = match mode {
                OutputMode::Append => true,
                OutputMode::Update => matches!(join_type, JoinType::Inner | JoinType::LeftSemi),
                OutputMode::Complete => false,
            };
            let found = outcome(spec);
            assert_eq!(found.is_ok(), accepted, "{join_type} {mode}");
            if let Err(error) = found {
                assert!(error.contains("use output mode append"), "{error}");
            }
            assert_eq!(mode.name().parse::<OutputMode>().unwrap(), mode);
        }
    }
}

#[test]
fn without_equality() {
    let mut without = spec(JoinType::Inner, true, true);
    without.keys.clear();
    refused(without, &["without equality predicate", "pair of keys"]);
    refused(spec(JoinType::Cross, true, true), &["without equality predicate", "inner"]);
}

#[test]
fn windows_beside_their_event_times() {
    let windowed = || {
        let mut spec = spec(JoinType::LeftOuter, true, true);
        spec.time = TimeKey::Window { width: TimeDelta::from_micros(10) }.into();
        spec.keys.push(KeyPair::equal(3, 3));
        spec
    };
    refused(windowed(), &["left side has more than one event time column"]);
    let mut pruned = windowed();
    pruned.output.retain(|column| column.source.column != 1);
    assert_eq!(outcome(pruned.clone()), Ok(()));
    let mut filtered = pruned.clone();
    filtered.right.not_null = vec![1];
    refused(filtered, &["right side has more than one event time column"]);
    pruned.time.key = Some(TimeKey::Window { width: TimeDelta::ZERO });
    refused(pruned, &["width must be above 0"]);
}

#[test]
fn columns_are_named_or_counted() {
    let spec = spec(JoinType::Inner, true, true);
    let named = spec.clone().select([("l", SideColumn::left("k")), ("r", SideColumn::right("T"))]);
    let sources: Vec<_> = named.unwrap().output.iter().map(|column| column.source).collect();
    assert_eq!(sources, [SideColumn::left(0), SideColumn::right(1)]);
    let counted = spec.clone().select([("r", SideColumn::right(2))]).unwrap();
    assert_eq!(counted.output[0].source, SideColumn::right(2));
    let error = spec.clone().select([("r", SideColumn::right("flags"))]).unwrap_err().to_string();
    assert!(error.starts_with("the right side has no column `flags`; it has `flag`"), "{error}");
    let residual = spec.clone().with_residual([SideColumn::left("flag")], Arc::new(Never));
    assert_eq!(residual.unwrap().residual.unwrap().columns, [SideColumn::left(2)]);
    assert!(spec.clone().with_residual([SideColumn::left("x")], Arc::new(Never)).is_err());

    let input = stream_stream::Input::new(schema());
    let error = input.clone().with_event_time("time").unwrap_err().to_string();
    assert!(error.contains("no column `time`") && error.contains("`t`"), "{error}");
    let full = (input.clone().with_filter(["flag"], Arc::new(Never)))
        .and_then(|input| input.with_not_null(["k", "window"]))
        .unwrap();
    assert_eq!((full.filter.unwrap().columns, full.not_null), (vec![2], vec![0, 3]));
    assert!(input.clone().with_filter([4], Arc::new(Never)).is_err());
    assert!(input.with_not_null(["k", "x"]).is_err());

    let (left, right) = (spec.left, spec.right);
    let on = |keys: [(&str, &str); 1]| {
        let time = spec.time;
        stream_stream::Spec::on(left.clone(), right.clone(), JoinType::Inner, keys, time)
    };
    assert_eq!(on([("K", "k")]).unwrap().keys, [KeyPair::equal(0, 0)]);
    let error = on([("k", "key")]).unwrap_err().to_string();
    assert!(error.starts_with("the right side has no column `key`; it has `k`"), "{error}");
}

#[test]
fn plans_that_do_not_fit() {
    let base = || spec(JoinType::Inner, true, true);
    let mut not_a_time = base();
    not_a_time.left.event_time = Some(0);
    refused(not_a_time, &["`k` of the left side is Int64", "timestamp or a date"]);
    let mut missing = base();
    (missing.right.event_time, missing.right.watermark_delay) = (None, None);
    refused(missing, &["a condition on event time needs an event time on the right side"]);
    let mut watermark = base();
    watermark.time.interval = IntervalCondition::UNBOUNDED;
    watermark.right.event_time = None;
    refused(watermark, &["a watermark needs an event time on the right side"]);
    let mut negative = base();
    negative.left.watermark_delay = Some(TimeDelta::from_micros(-1));
    refused(negative, &["negative"]);
    let mut no_pair = base();
    no_pair.time.key = Some(TimeKey::EventTime);
    refused(no_pair, &["no key pairs the two event times"]);
    let mut types = base();
    types.keys = vec![KeyPair::equal(0, 2)];
    refused(types, &["in key 1 (`k` = `flag`)"]);
    let mut column = base();
    column.keys = vec![KeyPair::equal(0, 9)];
    refused(column, &["the right side has no column 9", "`k`, `t`, `flag`, `window`"]);
    let mut semi = spec(JoinType::LeftSemi, true, true);
    semi.output = base().output;
    refused(semi, &["no columns of the right side"]);
    let mut out = base();
    out.output[0].source.column = 7;
    refused(out, &["the left side has no column 7"]);
    let options = stream_stream::Options::default().with_max_output_rows(0);
    assert!(stream_stream::Join::new(base(), options).is_err());
}
