//! What the hostile are joined with, and what may come of it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use streamjoin_kernels::stream_static::{Join, Spec};
use streamjoin_kernels::{IndexKind, Isa, JoinError, JoinType, KeyHasher, Result};

/// More batches than any honest answer to these inputs has.
const ENDLESS: usize = 100_000;

/// Rows with a key and a number.
pub(crate) fn rows(keys: impl Iterator<Item = i64>) -> RecordBatch {
    let keys: Vec<i64> = keys.collect();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..keys.len() as i64));
    let keys: ArrayRef = Arc::new(Int64Array::from(keys));
    RecordBatch::try_from_iter([("key", keys), ("number", numbers)]).unwrap()
}

/// Two rows per key.
pub(crate) fn table() -> RecordBatch {
    rows((0..40).map(|row| row % 20))
}

/// A row per key.
pub(crate) fn distinct_table() -> RecordBatch {
    rows(0..40)
}

/// Some keys of the tables, some others.
pub(crate) fn stream() -> RecordBatch {
    rows((0..150).map(|row| row * 7 % 60))
}

/// A join of [`stream`] with a table of the same columns.
pub(crate) fn spec(join_type: JoinType) -> Result<Spec> {
    Spec::on(stream().schema(), table().schema(), join_type, [("key", "key")])
}

/// Builds a table, joins the stream with it and counts the rows of the output.
pub(crate) fn build_and_push(join: &Join, table: &RecordBatch) -> Result<usize> {
    join.swap(join.build(std::slice::from_ref(table), 1)?)?;
    push(join)
}

/// Counts the rows of the output; once it fails, by an error or a panic, it stays failed.
pub(crate) fn push(join: &Join) -> Result<usize> {
    let mut output = join.push(&stream())?;
    let mut rows = 0;
    for _ in 0..ENDLESS {
        let failed = match catch_unwind(AssertUnwindSafe(|| output.next_batch())) {
            Ok(Ok(Some(batch))) => {
                rows += batch.num_rows();
                continue;
            }
            Ok(Ok(None)) => return Ok(rows),
            Ok(Err(error)) => Ok(error),
            Err(panic) => Err(panic),
        };
        for _ in 0..2 {
            assert!(matches!(output.next_batch(), Err(JoinError::Unfinished)));
        }
        assert!(output.next().is_none());
        return Err(failed.unwrap_or_else(|panic| resume_unwind(panic)));
    }
    Err(JoinError::predicate("endless"))
}

/// What came of something that calls a hostile implementation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Rows(usize),
    /// An error, as text.
    Failed(String),
    /// A panic, as text.
    Panicked(String),
}

impl Outcome {
    pub(crate) fn of(work: impl FnOnce() -> Result<usize>) -> Self {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(rows)) => Self::Rows(rows),
            Ok(Err(error)) => Self::Failed(error.to_string()),
            Err(panic) => Self::Panicked(match panic.downcast::<String>() {
                Ok(text) => *text,
                Err(panic) => panic
                    .downcast::<&str>()
                    .map_or_else(|_| String::new(), |text| (*text).to_owned()),
            }),
        }
    }

    /// Whether it is an error that has this text in it.
    pub(crate) fn is_failure(&self, text: &str) -> bool {
        matches!(self, Self::Failed(error) if error.contains(text))
    }
}

/// What the hostile panic with.
pub(crate) const ON_PURPOSE: &str = "on purpose";

/// The hashes of keys.
pub(crate) fn hashes(keys: &[u64]) -> Vec<u64> {
    let mut hashes = Vec::new();
    KeyHasher::with_seed(Isa::detect(), 7).hash(keys, &mut hashes);
    hashes
}

/// Every index that the options name.
pub(crate) fn kinds() -> impl Iterator<Item = IndexKind> {
    IndexKind::ALL.into_iter()
}
