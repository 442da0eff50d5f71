//! Joins over a hostile index.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};
use streamjoin_kernels::arrow::array::{Array, ArrayRef, BooleanArray};
use streamjoin_kernels::stream_static::{Join, Layout, Options};
use streamjoin_kernels::{ColumnRef, IndexChoice, IndexKind, JoinType, Predicate, Result};

use crate::hostile_index::{ALL, FAILS_IN_FIND, HostileBuilder, REFUSED, RIGHT, Wrong};
use crate::inputs::{ON_PURPOSE, Outcome, build_and_push, distinct_table, push, spec, table};

/// True for each second row.
#[derive(Debug)]
struct Half;

impl Predicate for Half {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        assert!(columns.iter().all(|column| column.len() == rows));
        Ok((0..rows).map(|row| Some(row % 2 == 0)).collect())
    }
}

/// How a table is joined, apart from its index.
#[derive(Clone, Debug)]
struct How {
    layout: Layout,
    join_type: JoinType,
    filtered: bool,
    pool: Option<Arc<ThreadPool>>,
}

impl How {
    fn options(&self, index: IndexChoice) -> Options {
        Options::default()
            .with_index(index)
            .with_layout(self.layout)
            .with_max_output_rows(16)
            .with_probe_rows(64)
            .with_pool(self.pool.clone())
    }

    fn join(&self, index: IndexChoice) -> Result<Join> {
        let mut spec = spec(self.join_type)?;
        if self.filtered {
            let both = [ColumnRef::Stream("number"), ColumnRef::Table("number")];
            spec = spec.with_residual(both, Arc::new(Half))?;
        }
        Join::new(spec, self.options(index))
    }
}

/// Whatever an index does, a join ends: with rows, with an error that names it,
/// or with its own panic.
fn outlives(wrong: Wrong, inner: IndexKind, how: &How) {
    let case = format!("{wrong:?} {inner} {how:?}");
    let builder = HostileBuilder::new(wrong, inner);
    let own = IndexChoice::Own(Arc::new(builder.clone()));
    let join = how.join(own).unwrap();
    let honest =
        |index: IndexKind| How { filtered: false, ..how.clone() }.join(index.into()).unwrap();
    if wrong == Wrong::CallsBack {
        let other = honest(IndexKind::Linear);
        other.swap(other.build(&[distinct_table()], 1).unwrap()).unwrap();
        *builder.join.lock().unwrap() = Some(Arc::new(other));
    }
    let outcome = Outcome::of(|| build_and_push(&join, &table()));
    match &outcome {
        Outcome::Rows(_) => {}
        Outcome::Failed(error) => {
            assert!(error.contains("`hostile`") || error.contains("no machine"), "{case}: {error}");
        }
        Outcome::Panicked(text) => assert!(text.contains(ON_PURPOSE), "{case}: {text}"),
    }
    let fails = how.join_type == JoinType::Inner && FAILS_IN_FIND.contains(&wrong);
    if fails || REFUSED.contains(&wrong) {
        assert!(outcome.is_failure("`hostile`"), "{case}: {outcome:?}");
    }
    // A residual condition sees candidates in another order there.
    if RIGHT.contains(&wrong) && !how.filtered {
        let plain = honest(IndexKind::Chained);
        let expected = Outcome::of(|| build_and_push(&plain, &table()));
        assert_eq!(outcome, expected, "{case}");
    }
    // The join itself is as good as before.
    let chained = IndexChoice::Kind(IndexKind::Chained);
    join.swap(join.build_with(&[table()], 3, &chained).unwrap()).unwrap();
    assert!(push(&join).unwrap() > 0, "{case}");
}

fn each_way(pool: Option<&Arc<ThreadPool>>, mut with: impl FnMut(How)) {
    for layout in [Layout::Broadcast, Layout::Partitioned] {
        for join_type in
            [JoinType::Inner, JoinType::LeftOuter, JoinType::LeftSemi, JoinType::LeftAnti]
        {
            for filtered in [false, true] {
                with(How { layout, join_type, filtered, pool: pool.cloned() });
            }
        }
    }
}

#[test]
fn a_join_outlives_every_index() {
    for wrong in ALL {
        for inner in [IndexKind::Chained, IndexKind::Contiguous, IndexKind::RowAtATime] {
            each_way(None, |how| outlives(wrong, inner, &how));
        }
    }
}

#[test]
fn a_join_of_several_threads_outlives_every_index() {
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(3).build().unwrap());
    for wrong in ALL {
        each_way(Some(&pool), |how| outlives(wrong, IndexKind::Contiguous, &how));
    }
}
