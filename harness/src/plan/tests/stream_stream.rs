//! Plans of two streams: what travels, what is kept, what is a key.

use std::num::NonZeroUsize;

use streamjoin_kernels::Side;
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeDelta, TimeKey};

use super::{FailureKind, names, scenario};
use crate::plan::{Plan, Strategy, StreamStreamPlan, plan, pool};

const PAIR: &str = r#"
[stream.s]
recording = "p.csv"
schema = { id = "bigint", k = "bigint", x = "bigint", y = "bigint", at = "timestamp" }
event_time = "at"
watermark = "1 hour"
[stream.a]
recording = "p.csv"
schema = { id = "bigint", k = "bigint", x = "bigint", y = "bigint", at = "timestamp" }
event_time = "at"
watermark = "2 hours"
[join]
left = "s"
right = "a"
type = "left outer"
on = "s.k + 1 = a.k AND a.at >= s.at AND a.at < s.at + INTERVAL 1 HOUR AND a.x > 0 AND s.x < a.y"
"#;

fn joined(text: &str) -> StreamStreamPlan {
    let (_folder, scenario) = scenario(text);
    match plan(&scenario, None).unwrap() {
        Plan::StreamStream(plan) => *plan,
        Plan::StreamStatic(_) => panic!("one stream"),
    }
}

fn kept(plan: &StreamStreamPlan, side: Side) -> Vec<String> {
    let join = plan.operator(&Strategy::auto().unwrap(), None).unwrap();
    let schema = plan.side(side).input.schema();
    join.kept_columns(side).iter().map(|&c| schema.field(c).name().clone()).collect()
}

#[test]
fn columns_that_nobody_selected_are_neither_read_nor_kept() {
    let plan = joined(&format!("{PAIR}[output]\nselect = [\"s.id\", \"a.id AS other\"]\n"));
    let read = |side: Side| {
        let stream = &plan.side(side).stream;
        let schema = stream.feed.schema();
        stream.prepare.read.positions().map(|c| schema.field(c).name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(read(Side::Left), ["id", "k", "x", "at"]);
    assert_eq!(read(Side::Right), ["id", "k", "x", "y", "at"]);
    assert_eq!(names(plan.left.input.schema()), ["id", "k", "x", "at", "key 1"]);
    // What the output and the residual read; filters and keys stay behind.
    assert_eq!(kept(&plan, Side::Left), ["id", "x"]);
    assert_eq!(kept(&plan, Side::Right), ["id", "y"]);
    assert!(plan.joined.proofs.is_empty(), "the join counts its unmatched rows itself");
}

#[test]
fn the_state_has_as_many_parts_as_there_are_threads() {
    let plan = joined(PAIR);
    for threads in [1, 3] {
        let threads = NonZeroUsize::new(threads).unwrap();
        let strategy = Strategy { threads, ..Strategy::auto().unwrap() };
        let pool = pool(threads).unwrap();
        let join = plan.operator(&strategy, pool.as_ref()).unwrap();
        assert_eq!(join.partitions(), threads.get());
    }
}

#[test]
fn the_condition_is_taken_apart() {
    let plan = joined(PAIR);
    let spec = &plan.spec;
    assert_eq!(spec.keys.len(), 1);
    assert_eq!(
        spec.time.interval,
        IntervalCondition {
            lower: Some(Bound::inclusive(TimeDelta::ZERO)),
            upper: Some(Bound::strict(TimeDelta::from_secs(3600)))
        }
    );
    assert_eq!(spec.time.key, None);
    assert!(spec.left.filter.is_none() && spec.right.filter.is_some() && spec.residual.is_some());
    let name =
        |side: Side, column: &usize| plan.side(side).input.schema().field(*column).name().clone();
    let right: Vec<String> = spec.right.not_null.iter().map(|c| name(Side::Right, c)).collect();
    assert!(right.contains(&"x".to_owned()) && right.contains(&"y".to_owned()), "{right:?}");
    assert_eq!(spec.left.watermark_delay, Some(TimeDelta::from_secs(3600)));
    let nullable: Vec<bool> =
        plan.output.columns.schema().fields().iter().map(|field| field.is_nullable()).collect();
    assert_eq!(nullable.len(), 10);
    assert!(nullable[5..].iter().all(|nullable| *nullable));
}

#[test]
fn event_times_and_windows_as_keys() {
    let on = |on: &str| {
        let at = PAIR.find("on = ").unwrap();
        format!("{}on = \"{on}\"\n", &PAIR[..at])
    };
    let plan = joined(&on("s.k = a.k AND s.at = a.at"));
    assert_eq!(plan.spec.time.key, Some(TimeKey::EventTime));
    assert_eq!(plan.spec.keys.len(), 2);
    let plan = joined(&format!("{}window = \"10 s\"\n", on("s.k = a.k")));
    assert_eq!(plan.spec.time.key, Some(TimeKey::Window { width: TimeDelta::from_secs(10) }));
    assert_eq!(plan.spec.keys.len(), 2);
    assert!(names(plan.output.columns.schema()).contains(&"window_start"));
    assert!(!names(plan.output.columns.schema()).contains(&"at"));
    // Said twice it is one key.
    let text =
        format!("{}window = \"10 s\"\n", on("s.k = a.k AND s.window_start = a.window_start"));
    assert_eq!(joined(&text).spec.keys.len(), 2);
}

#[test]
fn an_event_time_is_not_read_beside_its_window() {
    let kept = |select: &str| {
        let text = PAIR.replacen(
            "watermark = \"1 hour\"",
            &format!("watermark = \"1 hour\"\n{select}"),
            1,
        );
        let at = text.find("on = ").unwrap();
        let (_folder, scenario) =
            scenario(&format!("{}on = \"s.k = a.k\"\nwindow = \"10 s\"\n", &text[..at]));
        plan(&scenario, None)
    };
    let failure = kept("select = [\"k\", \"at\", \"at AS kept\"]").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("more than one event time column"), "{failure}");
    kept("select = [\"k\", \"at\"]").unwrap();
}

#[test]
fn a_proof_of_the_match_travels_only_where_it_is_asked_for() {
    let plan = joined(&format!("{PAIR}[output]\nselect = [\"s.id\"]\nwhere = \"s.id > 0\"\n"));
    assert_eq!(plan.joined.columns, 1);
    assert_eq!(plan.joined.proofs, [1]);
    let given =
        joined(&format!("{PAIR}[output]\nselect = [\"s.id\", \"a.k\"]\nwhere = \"s.id > 0\"\n"));
    assert_eq!((given.joined.columns, given.joined.proofs), (2, vec![1]), "the key is emitted");
}

#[test]
fn a_stream_without_end_needs_a_limit() {
    let text = PAIR.replacen(
        "recording = \"p.csv\"\nschema = { id = \"bigint\", k = \"bigint\", x = \"bigint\", y = \"bigint\", at = \"timestamp\" }",
        "generator = { kind = \"rate\" }\nselect = [\"value AS id\", \"value AS k\", \"value AS x\", \"value AS y\", \"timestamp AS at\"]",
        1,
    );
    let (_folder, endless) = scenario(&text);
    let failure = plan(&endless, None).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("--limit"), "{failure}");
    assert_eq!(plan(&endless, Some(10)).unwrap().rows(), Some(10));
}
