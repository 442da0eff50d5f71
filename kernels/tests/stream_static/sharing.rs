//! A join that threads share: cursors own what they need, versions of the table
//! are swapped while batches are joined.

use std::iter::FusedIterator;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::Int64Type;
use streamjoin_kernels::stream_static::{Cursor, Join, Options, Spec};
use streamjoin_kernels::{JoinError, JoinType, Result, TableSnapshot};

use crate::traps::{join, keyed, strategies};

fn is_shared<T: Send + Sync + 'static>() {}
fn is_owned_output<T: Iterator<Item = Result<RecordBatch>> + FusedIterator + Send + 'static>() {}

#[test]
fn a_join_is_shared_and_a_cursor_is_owned() {
    is_shared::<Join>();
    is_shared::<TableSnapshot>();
    is_owned_output::<Cursor>();
}

#[test]
fn a_cursor_outlives_its_join_on_another_thread() {
    let (stream, table) = (keyed("k", 0..10_000), keyed("d", 0..10_000));
    for options in strategies() {
        let cursor = join(&stream, &table, JoinType::Inner, options).push(&stream).unwrap();
        let rows =
            thread::spawn(move || cursor.map(|batch| batch.unwrap().num_rows()).sum::<usize>());
        assert_eq!(rows.join().unwrap(), 10_000);
    }
}

/// Rows `d` of 0 to 999, each with the number of the version.
fn version(number: i64) -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![number; 1000]));
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    RecordBatch::try_from_iter([("d", keys), ("version", numbers)]).unwrap()
}

fn versioned(options: Options) -> Join {
    let keys = [("k", "d")];
    let (stream, table) = (keyed("k", []).schema(), version(0).schema());
    Join::new(Spec::on(stream, table, JoinType::LeftOuter, keys).unwrap(), options).unwrap()
}

/// The one version that all rows of an output come from.
fn only_version(cursor: Cursor) -> i64 {
    let mut seen: Option<i64> = None;
    for batch in cursor {
        for version in batch.unwrap().column(2).as_primitive::<Int64Type>() {
            let version = version.expect("every key is in every version");
            assert_eq!(*seen.get_or_insert(version), version, "rows of two versions");
        }
    }
    seen.expect("there was output")
}

#[test]
fn every_output_comes_from_one_version_while_others_are_swapped_in() {
    const LAST: i64 = 200;
    for mut options in strategies() {
        (options.probe_rows, options.max_output_rows) = (64, 50);
        let join = Arc::new(versioned(options));
        let build = |number| join.build(&[version(number)], number as u64).unwrap();
        assert!(join.snapshot().is_none());
        assert!(join.swap(build(0)).unwrap().is_none());
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let stream = keyed("k", (0..3000).map(|i| i * 7 % 1000));
                    let mut newest = 0;
                    while !ended.load(Ordering::Acquire) {
                        let version = only_version(join.push(&stream).unwrap());
                        assert!(version >= newest);
                        newest = version;
                    }
                });
            }
            for number in 1..=LAST {
                let before = join.swap(build(number)).unwrap().unwrap();
                assert_eq!(before.version(), number as u64 - 1);
            }
            ended.store(true, Ordering::Release);
        });
        assert_eq!(join.snapshot().unwrap().version(), LAST as u64);
    }
}

#[test]
fn a_batch_is_joined_with_the_version_that_it_is_given() {
    let join = versioned(Options::default());
    let (old, new) = (join.build(&[version(1)], 1).unwrap(), join.build(&[version(2)], 2).unwrap());
    let stream = keyed("k", 0..1000);
    assert!(matches!(join.push(&stream), Err(JoinError::NotLoaded)));
    assert_eq!(only_version(join.push_with(&stream, Arc::clone(&old)).unwrap()), 1);
    assert!(join.snapshot().is_none());
    join.swap(new).unwrap();
    assert_eq!(only_version(join.push_with(&stream, old).unwrap()), 1);
    assert_eq!(only_version(join.push(&stream).unwrap()), 2);
}
