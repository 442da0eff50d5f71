//! What comes after an error, and after a panic that the caller has caught: no row
//! that no condition has seen, no end that comes too early, no further push.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::{Int32Type, Int64Type};
use streamjoin_kernels::stream_stream::{self, End};
use streamjoin_kernels::{Filter, JoinError, JoinType, Predicate, Result, SideColumn, StoreKind};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, Run, between, pool};
use crate::query::Row;

const MS: i64 = 1_000;

/// Holds for even values; one of them makes it fail.
#[derive(Debug)]
struct Even {
    fails_at: i32,
    panics: bool,
}

impl Predicate for Even {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        let values = columns[0].as_primitive::<Int32Type>();
        if values.iter().flatten().any(|value| value == self.fails_at) {
            if self.panics {
                // Without a message on standard error.
                std::panic::resume_unwind(Box::new("the predicate panics"));
            }
            return Err(JoinError::predicate(format!("the value {}", self.fails_at)));
        }
        Ok(values.iter().map(|value| value.map(|value| value % 2 == 0)).collect())
    }
}

fn rows(keys: std::ops::Range<u8>) -> Vec<Row> {
    let row = |key: u8| {
        let (id, value) = (key.into(), Some(i32::from(key)));
        Row { id, keys: vec![Some(key)], time: Some(50 * MS), value }
    };
    keys.map(row).collect()
}

fn run(options: stream_stream::Options) -> Run<'static> {
    let query = between(JoinType::Inner, -MS, MS);
    Run { query, types: &KEY_TYPES[..1], form: Form { options, ..Form::default() } }
}

fn join(run: &Run<'_>, predicate: Even) -> stream_stream::Join {
    let mut spec = run.spec();
    let (columns, predicate) = (vec![SideColumn::left(2)], Arc::new(predicate));
    spec.residual = Some(Filter { columns, predicate });
    stream_stream::Join::new(spec, run.form.options.clone()).unwrap()
}

fn options(threads: usize, partitions: usize) -> stream_stream::Options {
    stream_stream::Options::default()
        .with_max_output_rows(2)
        .with_pool(pool(threads))
        .with_partitions(partitions)
}

fn ids(output: &RecordBatch) -> Vec<i64> {
    output.column(0).as_primitive::<Int64Type>().values().to_vec()
}

#[test]
fn nothing_unfiltered_and_no_end_follows_an_error_or_a_panic() {
    for (threads, partitions) in [(1, 1), (1, 4), (2, 4), (4, 4)] {
        for panics in [false, true] {
            for store in StoreKind::ALL {
                let run = run(options(threads, partitions).with_store(store));
                let mut join = join(&run, Even { fails_at: 7, panics });
                let keys = rows(0..40);
                let chunks = [run.chunks(0, &keys), run.chunks(1, &keys)];
                let mut batch = join.push(&chunks[0], &chunks[1]).unwrap().unwrap();
                let mut failed = false;
                for _ in 0..100 {
                    let next = catch_unwind(AssertUnwindSafe(|| batch.next_batch()));
                    match next {
                        Ok(Ok(Some(output))) => {
                            assert!(!failed, "rows after a failure");
                            assert!(ids(&output).iter().all(|id| id % 2 == 0), "unfiltered rows");
                        }
                        Ok(Ok(None)) => panic!("an end, {threads} threads, {store}"),
                        Ok(Err(JoinError::Unfinished)) if failed => {}
                        Ok(Err(error)) => {
                            assert!(!failed && !panics, "{error}");
                            failed = true;
                        }
                        Err(_) => {
                            assert!(!failed && panics);
                            failed = true;
                        }
                    }
                }
                assert!(failed);
                drop(batch);
                let unfinished = |error| matches!(error, Some(JoinError::Unfinished));
                assert!(unfinished(join.push(&chunks[0], &[]).err()));
                assert!(unfinished(join.push(&[], &[]).err()));
                assert!(unfinished(join.advance().err()));
                assert!(unfinished(join.finish(End::Flush).err()));
            }
        }
    }
}

#[test]
fn what_was_finished_before_a_partition_failed_comes_out_first() {
    let mut of_one_thread = None;
    for threads in 1..=4 {
        let run = run(options(threads, 4));
        let keys = rows(0..80);
        let mut found = Vec::new();
        for fails_at in 0..80 {
            let mut join = join(&run, Even { fails_at, panics: false });
            let chunks = [run.chunks(0, &keys), run.chunks(1, &keys)];
            let batch = join.push(&chunks[0], &chunks[1]).unwrap().unwrap();
            let mut output: Vec<_> = batch.collect();
            let error = output.pop().unwrap().unwrap_err().to_string();
            assert!(error.contains(&format!("the value {fails_at}")), "{error}");
            let rows = output.iter().flat_map(|output| ids(output.as_ref().unwrap()));
            found.push(rows.collect::<Vec<_>>());
        }
        assert!(found.iter().any(|rows| rows.len() > 20), "three partitions may be done by then");
        assert_eq!(of_one_thread.get_or_insert(found.clone()), &found, "{threads} threads");
    }
}

#[test]
fn an_iterator_ends_after_the_end_and_after_an_error() {
    let run = run(options(1, 1));
    let keys = rows(0..10);
    let chunks = [run.chunks(0, &keys), run.chunks(1, &keys)];
    let mut good = join(&run, Even { fails_at: -1, panics: false });
    let mut batch = good.push(&chunks[0], &chunks[1]).unwrap().unwrap();
    let rows: usize = batch.by_ref().map(|output| output.unwrap().num_rows()).sum();
    assert_eq!((rows, batch.report().rows_out), (5, 5));
    assert!(batch.next().is_none());
    assert!(good.advance().unwrap().is_some(), "the batch was read to its end");
    let mut bad = join(&run, Even { fails_at: 0, panics: true });
    let mut batch = bad.push(&chunks[0], &chunks[1]).unwrap().unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| batch.next())).is_err());
    assert!(matches!(batch.next(), Some(Err(JoinError::Unfinished))));
    assert!(batch.next().is_none());
}
