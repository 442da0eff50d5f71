//! Plans whose rows are batches in memory.

use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch};

use crate::error::FailureKind;
use crate::plan::{FeedRows, Plan, plan};
use crate::scenario::{InMemory, MemoryRows, SourceText, parse_with, set};

fn batch(values: &[i64]) -> RecordBatch {
    let column = Arc::new(Int64Array::from(values.to_vec())) as _;
    RecordBatch::try_from_iter([("k", column)]).unwrap()
}

const TEXT: &str = r#"
[stream.s]
recording = "orders"
[[dimension]]
name = "u"
versions = [{ from_batch = 0, table = "users" }, { from_batch = 1, table = "orders" }]
on = "s.k = u.k"
[replay]
trigger = "file"
"#;

fn in_memory() -> InMemory {
    let orders = vec![batch(&[1, 2]), batch(&[]), batch(&[3])];
    InMemory::default()
        .with("orders", MemoryRows::new(batch(&[]).schema(), orders).unwrap())
        .with("users", MemoryRows::new(batch(&[]).schema(), vec![batch(&[1])]).unwrap())
}

#[test]
fn each_batch_is_read_as_a_file() {
    let scenario = parse_with(SourceText::new("x.toml", TEXT), "x", in_memory()).unwrap();
    let Plan::StreamStatic(plan) = plan(&scenario, None).unwrap() else { panic!("two streams") };
    let batches: Vec<_> = plan.stream.feed.read(&[0]).unwrap().map(Result::unwrap).collect();
    let files: Vec<(usize, usize)> = batches.iter().map(|b| (b.file, b.batch.num_rows())).collect();
    assert_eq!(files, [(0, 2), (2, 1)], "a batch without rows is left out");
    let versions = &plan.joins[0].table.versions;
    assert!(versions.iter().all(|version| matches!(version.feed.from, FeedRows::Memory(_))));
}

#[test]
fn what_is_about_files_is_refused() {
    let scenario = parse_with(SourceText::new("x.toml", TEXT), "x", in_memory()).unwrap();
    let scenario = set(&scenario, "stream.s.format", "csv").unwrap();
    let failure = plan(&scenario, None).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("not for rows in memory"), "{failure}");
    let other = RecordBatch::try_from_iter([("j", Arc::new(Int64Array::from(vec![1])) as _)]);
    let failure = MemoryRows::new(batch(&[]).schema(), vec![other.unwrap()]).unwrap_err();
    assert!(failure.message.contains("another schema"), "{failure}");
}
