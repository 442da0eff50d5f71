//! What is refused, why, and what would work.

use std::sync::Arc;

use streamjoin_kernels::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeCondition, TimeKey};
use streamjoin_kernels::{JoinType, OutputMode, Result, stream_stream};

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("k", DataType::Int64, true),
        Field::new("t", DataType::Timestamp(TimeUnit::Microsecond, None), true),
        Field::new("flag", DataType::Boolean, true),
        Field::new("window", DataType::Timestamp(TimeUnit::Microsecond, None), true),
    ]))
}

fn spec(join_type: JoinType, left: bool, right: bool) -> stream_stream::Spec {
    let input = |watermark: bool| stream_stream::Input::timed(schema(), 1, watermark.then_some(0));
    let time = TimeCondition { interval: IntervalCondition::between(-5, 5), key: None };
    let keys = vec![stream_stream::Key::equal(0, 0)];
    stream_stream::Spec::on(input(left), input(right), join_type, keys, time)
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
                let bound = |set: bool| set.then_some(Bound::inclusive(0));
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
            spec.time = TimeCondition {
                interval: IntervalCondition::UNBOUNDED,
                key: Some(TimeKey::EventTime),
            };
            spec.keys.push(stream_stream::Key::equal(1, 1));
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
    refused(open, &["left-anti", "how long after a left row", "r.ts <= l.ts + INTERVAL 1 HOUR"]);
    let mut none = spec(JoinType::LeftSemi, true, true);
    none.time.interval = IntervalCondition::UNBOUNDED;
    refused(none, &["wait for ever", "no condition relates the event times"]);
    let mut key = spec(JoinType::FullOuter, false, false);
    key.time = TimeCondition { key: Some(TimeKey::EventTime), ..TimeCondition::default() };
    key.keys.push(stream_stream::Key::equal(1, 1));
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
    refused(without, &["without equality predicate", "l.id = r.id"]);
    refused(spec(JoinType::Cross, true, true), &["without equality predicate", "inner"]);
}

#[test]
fn windows_beside_their_event_times() {
    let windowed = || {
        let mut spec = spec(JoinType::LeftOuter, true, true);
        spec.time =
            TimeCondition { key: Some(TimeKey::Window { width: 10 }), ..TimeCondition::default() };
        spec.keys.push(stream_stream::Key::equal(3, 3));
        spec
    };
    refused(windowed(), &["left side has more than one event time column"]);
    let mut pruned = windowed();
    pruned.output.retain(|column| column.source.column != 1);
    assert_eq!(outcome(pruned.clone()), Ok(()));
    let mut filtered = pruned.clone();
    filtered.right.not_null = vec![1];
    refused(filtered, &["right side has more than one event time column"]);
    pruned.time.key = Some(TimeKey::Window { width: 0 });
    refused(pruned, &["width must be above 0"]);
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
    negative.left.watermark_delay = Some(-1);
    refused(negative, &["negative"]);
    let mut no_pair = base();
    no_pair.time.key = Some(TimeKey::EventTime);
    refused(no_pair, &["no key pairs the two event times"]);
    let mut types = base();
    types.keys = vec![stream_stream::Key::equal(0, 2)];
    refused(types, &["in key 1 (`k` = `flag`)"]);
    let mut column = base();
    column.keys = vec![stream_stream::Key::equal(0, 9)];
    refused(column, &["a key names column 9 of the right side, which has 4"]);
    let mut semi = spec(JoinType::LeftSemi, true, true);
    semi.output = base().output;
    refused(semi, &["no columns of the right side"]);
    let mut out = base();
    out.output[0].source.column = 7;
    refused(out, &["the output names column 7 of the left side"]);
    let options =
        stream_stream::Options { max_output_rows: 0, ..stream_stream::Options::default() };
    assert!(stream_stream::Join::new(base(), options).is_err());
}
