//! A cursor that has failed says so, whatever is asked of it afterwards; what
//! came out before is right, and nothing before the failure is missing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::Int64Type;
use streamjoin_kernels::stream_static::{self, Cursor, OutputOrder};
use streamjoin_kernels::{ColumnRef, JoinError, JoinType, Predicate, Result};

use crate::random::pool_of_two;
use crate::traps::{keyed, strategies};

const ROWS: i64 = 3000;
/// The row at which the condition fails.
const BAD: i64 = 1234;

/// Keeps rows of even number; fails or panics at [`BAD`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Even {
    Sound,
    Fails,
    Panics,
}

impl Predicate for Even {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        let rows = columns[0].as_primitive::<Int64Type>();
        if *self != Self::Sound && rows.values().contains(&BAD) {
            assert!(*self != Self::Panics, "as the test wants it");
            return Err(JoinError::predicate("as the test wants it"));
        }
        Ok(rows.values().iter().map(|row| Some(row % 2 == 0)).collect())
    }
}

/// `copies` rows of each key, so that the rows of a stream without gaps have as
/// many matches each.
fn join(
    options: &stream_static::Options,
    join_type: JoinType,
    copies: usize,
    condition: Even,
) -> stream_static::Join {
    let table = keyed("d", (0..ROWS).flat_map(|key| std::iter::repeat_n(key, copies)));
    let keys = [("k", "d")];
    let spec = stream_static::Spec::on(keyed("k", []).schema(), table.schema(), join_type, keys)
        .and_then(|spec| {
            let columns = [ColumnRef::Stream("k"), ColumnRef::Table("d")];
            spec.with_residual(columns, Arc::new(condition))
        })
        .unwrap();
    let join = stream_static::Join::new(spec, options.clone()).unwrap();
    join.swap(join.build(&[table], 0).unwrap()).unwrap();
    join
}

fn stream() -> RecordBatch {
    keyed("k", 0..ROWS)
}

fn drain(cursor: &mut Cursor) -> (Vec<RecordBatch>, Option<JoinError>) {
    let mut batches = Vec::new();
    loop {
        match cursor.next_batch() {
            Ok(Some(batch)) => batches.push(batch),
            Ok(None) => return (batches, None),
            Err(error) => return (batches, Some(error)),
        }
    }
}

/// Small units, in each order of output, on one thread and on two.
fn small_units() -> impl Iterator<Item = stream_static::Options> {
    let orders = OutputOrder::ALL.into_iter().flat_map(|output_order| {
        strategies().map(move |options| options.with_output_order(output_order))
    });
    orders.flat_map(|mut options| {
        options.probe_rows = 64;
        [None, Some(pool_of_two())].map(|pool| options.clone().with_pool(pool))
    })
}

fn stays_failed(mut cursor: Cursor) {
    for _ in 0..3 {
        assert!(matches!(cursor.next_batch(), Err(JoinError::Unfinished)));
        assert!(matches!(cursor.take_unmatched(), Err(JoinError::Unfinished)));
    }
    assert!(cursor.next().is_none());
}

#[test]
fn output_before_an_error_comes_out_and_nothing_after_it() {
    for options in small_units() {
        for join_type in [JoinType::Inner, JoinType::LeftOuter, JoinType::LeftSemi] {
            let sound = join(&options, join_type, 1, Even::Sound);
            let (batches, error) = drain(&mut sound.push(&stream()).unwrap());
            assert!(error.is_none());
            let holds_bad = |batch: &RecordBatch| {
                batch.column(0).as_primitive::<Int64Type>().values().contains(&BAD)
            };
            let before = batches.iter().position(holds_bad).unwrap();

            let failing = join(&options, join_type, 1, Even::Fails);
            let mut cursor = failing.push(&stream()).unwrap();
            cursor.note_unmatched();
            let (found, error) = drain(&mut cursor);
            assert!(matches!(error, Some(JoinError::Predicate { .. })), "{options:?}");
            assert_eq!(found, batches[..before], "{join_type} {options:?}");
            stays_failed(cursor);

            let mut cursor = failing.push(&stream()).unwrap();
            let outcomes: Vec<_> = cursor.by_ref().collect();
            assert_eq!(outcomes.len(), before + 1);
            assert!(matches!(outcomes.last(), Some(Err(JoinError::Predicate { .. }))));
            assert!(cursor.next().is_none());
            stays_failed(cursor);

            // The join goes on.
            let rows = keyed("k", [2, 4, BAD + 1]);
            let (found, error) = drain(&mut failing.push(&rows).unwrap());
            assert!(error.is_none() && found.iter().map(RecordBatch::num_rows).sum::<usize>() >= 2);
        }
    }
}

/// With many matches per row a batch fails in the middle of a row's pairs: the
/// candidates that were not judged yet are not output.
#[test]
fn no_candidate_comes_out_that_the_condition_has_not_seen() {
    for mut options in small_units() {
        options.max_output_rows = 100;
        let failing = join(&options, JoinType::Inner, 7, Even::Fails);
        let mut cursor = failing.push(&stream()).unwrap();
        let (found, error) = drain(&mut cursor);
        assert!(matches!(error, Some(JoinError::Predicate { .. })));
        let sound = join(&options, JoinType::Inner, 7, Even::Sound);
        let (batches, _) = drain(&mut sound.push(&stream()).unwrap());
        assert_eq!(found, batches[..found.len()], "{options:?}");
        stays_failed(cursor);
    }
}

#[test]
fn after_a_caught_panic_a_cursor_says_that_it_has_failed() {
    for options in small_units() {
        let sound = join(&options, JoinType::Inner, 1, Even::Sound);
        let (batches, _) = drain(&mut sound.push(&stream()).unwrap());
        let panicking = join(&options, JoinType::Inner, 1, Even::Panics);
        for as_iterator in [false, true] {
            let mut cursor = panicking.push(&stream()).unwrap();
            let mut found = Vec::new();
            while let Ok(batch) = catch_unwind(AssertUnwindSafe(|| cursor.next_batch())) {
                found.push(batch.unwrap().expect("it panics before the end"));
            }
            assert_eq!(found, batches[..found.len()], "{options:?}");
            if as_iterator {
                assert!(matches!(cursor.next(), Some(Err(JoinError::Unfinished))));
                assert!(cursor.next().is_none());
            }
            stays_failed(cursor);
        }
    }
}

#[test]
fn rows_without_a_match_are_known_at_the_end_and_not_before() {
    let join = join(&stream_static::Options::default(), JoinType::Inner, 1, Even::Sound);
    let mut cursor = join.push(&stream()).unwrap();
    cursor.note_unmatched();
    assert!(matches!(cursor.take_unmatched(), Err(JoinError::Unfinished)));
    assert!(drain(&mut cursor).1.is_none());
    assert_eq!(cursor.take_unmatched().unwrap().len(), ROWS as usize / 2);
    assert!(cursor.take_unmatched().unwrap().is_empty());
}
