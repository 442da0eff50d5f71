//! `Predicate`, as a filter of either side and as a residual condition.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use streamjoin_kernels::arrow::array::{ArrayRef, BooleanArray};
use streamjoin_kernels::stream_static::{Join, Options};
use streamjoin_kernels::{ColumnRef, JoinError, JoinType, Predicate, Result};

use crate::inputs::{ON_PURPOSE, Outcome, build_and_push, push, spec, table};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    TooFew,
    TooMany,
    AllNull,
    Fails,
    Panics,
}

/// Does something wrong from its `from`th call on, once or always.
#[derive(Debug)]
struct Hostile {
    wrong: Wrong,
    from: usize,
    calls: AtomicUsize,
}

impl Predicate for Hostile {
    fn evaluate(&self, _: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let rows = match self.wrong {
            _ if call != self.from => rows,
            Wrong::TooFew => rows / 2,
            Wrong::TooMany => rows * 3 + 64,
            Wrong::AllNull => return Ok(BooleanArray::new_null(rows)),
            Wrong::Fails => return Err(JoinError::predicate(ON_PURPOSE)),
            Wrong::Panics => panic!("{ON_PURPOSE}"),
        };
        Ok(vec![true; rows].into())
    }
}

/// Where a predicate stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Stream,
    Table,
    Residual,
}

fn join_with(place: Place, predicate: Arc<Hostile>, join_type: JoinType) -> Result<Join> {
    let spec = spec(join_type)?;
    let spec = match place {
        Place::Stream => spec.with_stream_filter(["number"], predicate)?,
        Place::Table => spec.with_table_filter(["number"], predicate)?,
        Place::Residual => {
            let both = [ColumnRef::Stream("number"), ColumnRef::Table("number")];
            spec.with_residual(both, predicate)?
        }
    };
    let options = Options::default().with_max_output_rows(16).with_probe_rows(64);
    Join::new(spec, options)
}

/// A batch of another length than the rows is an error, not a shift of rows; and
/// whatever happened, the next push has the whole answer.
#[test]
fn a_predicate_spoils_one_push_at_most() {
    for wrong in [Wrong::TooFew, Wrong::TooMany, Wrong::AllNull, Wrong::Fails, Wrong::Panics] {
        for place in [Place::Stream, Place::Table, Place::Residual] {
            for join_type in
                [JoinType::Inner, JoinType::LeftOuter, JoinType::LeftSemi, JoinType::LeftAnti]
            {
                for from in 0..4 {
                    let case = format!("{wrong:?} {place:?} {join_type} {from}");
                    let predicate = Arc::new(Hostile { wrong, from, calls: AtomicUsize::new(0) });
                    let join = join_with(place, Arc::clone(&predicate), join_type).unwrap();
                    let outcome = Outcome::of(|| build_and_push(&join, &table()));
                    let was_wrong = predicate.calls.load(Ordering::Relaxed) > from;
                    match (&outcome, wrong) {
                        (Outcome::Rows(_), Wrong::AllNull) => {}
                        (Outcome::Rows(_), _) => assert!(!was_wrong, "{case}"),
                        (Outcome::Failed(error), Wrong::TooFew | Wrong::TooMany) => {
                            assert!(error.contains("values for"), "{case}: {error}");
                        }
                        (Outcome::Failed(text) | Outcome::Panicked(text), _) => {
                            assert!(text.contains(ON_PURPOSE), "{case}: {text}");
                        }
                    }
                    predicate.calls.store(usize::MAX / 2, Ordering::Relaxed);
                    let again = build_and_push(&join, &table()).unwrap();
                    let expected = match join_type {
                        JoinType::Inner => 102,
                        JoinType::LeftOuter => 201,
                        JoinType::LeftSemi => 51,
                        _ => 99,
                    };
                    assert_eq!((again, push(&join).unwrap()), (expected, expected), "{case}");
                }
            }
        }
    }
}
