//! A push that is refused leaves no trace.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use proptest::prelude::*;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::stream_stream::{self, BatchTimes, End, StateLimit};
use streamjoin_kernels::time::Timestamp;
use streamjoin_kernels::{Filter, JoinError, MemoryReservation, Predicate, Result};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, MicroBatch, Run};
use crate::query::Query;
use crate::random::{batches, form, query};

/// An account that refuses everything at times.
#[derive(Debug, Default)]
struct Account {
    refuses: AtomicBool,
}

impl MemoryReservation for Account {
    fn try_grow(&self, _: usize) -> std::result::Result<(), Box<dyn Error + Send + Sync>> {
        if self.refuses.load(Ordering::Relaxed) { Err("not now".into()) } else { Ok(()) }
    }

    fn shrink(&self, _: usize) {}
}

/// A filter that fails, or panics, at times.
#[derive(Debug)]
struct Moody {
    filter: Arc<dyn Predicate>,
    mood: Arc<AtomicU8>,
}

impl Predicate for Moody {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        match self.mood.load(Ordering::Relaxed) {
            0 => self.filter.evaluate(columns, rows),
            1 => Err(JoinError::predicate("a bad mood")),
            // Without a message on standard error.
            _ => std::panic::resume_unwind(Box::new("a very bad mood")),
        }
    }
}

/// A join, and how its pushes are refused.
struct Refused {
    join: stream_stream::Join,
    account: Arc<Account>,
    mood: Arc<AtomicU8>,
    filters: bool,
}

impl Refused {
    fn new(run: &Run<'_>) -> Self {
        let (account, mood) = (Arc::new(Account::default()), Arc::new(AtomicU8::new(0)));
        let mut spec = run.spec();
        for input in [&mut spec.left, &mut spec.right] {
            input.filter = input.filter.take().map(|filter| Filter {
                predicate: Arc::new(Moody {
                    filter: Arc::clone(&filter.predicate),
                    mood: Arc::clone(&mood),
                }),
                columns: filter.columns,
            });
        }
        let filters = run.query.filters.contains(&true);
        let options = run.form.options.clone().with_memory(Arc::clone(&account) as _);
        Self { join: stream_stream::Join::new(spec, options).unwrap(), account, mood, filters }
    }

    fn refuse(&mut self, left: &[RecordBatch], right: &[RecordBatch]) {
        let Self { join, account, mood, filters } = self;
        let other = Arc::new(Int64Array::from(vec![1])) as ArrayRef;
        let other = RecordBatch::try_from_iter([("other", other)]).unwrap();
        for wrong in [other.slice(0, 0), other] {
            let error = join.push(left, std::slice::from_ref(&wrong)).unwrap_err();
            assert!(matches!(error, JoinError::Schema(_)), "{error}");
            assert!(matches!(join.push(&[wrong], &[]), Err(JoinError::Schema(_))));
        }
        if left.is_empty() && right.is_empty() {
            return;
        }
        join.set_limit(StateLimit::default().with_bytes(0));
        let error = join.push(left, right).unwrap_err();
        assert!(matches!(error, JoinError::StateLimit { what: "bytes", limit: 0, .. }), "{error}");
        join.set_limit(StateLimit::default());
        account.refuses.store(true, Ordering::Relaxed);
        let error = join.push(left, right).unwrap_err();
        assert!(matches!(error, JoinError::MemoryRefused { .. }), "{error}");
        account.refuses.store(false, Ordering::Relaxed);
        if *filters {
            mood.store(1, Ordering::Relaxed);
            let error = join.push(left, right).unwrap_err();
            assert!(matches!(error, JoinError::Predicate { .. }), "{error}");
            mood.store(2, Ordering::Relaxed);
            assert!(catch_unwind(AssertUnwindSafe(|| join.push(left, right).is_ok())).is_err());
            mood.store(0, Ordering::Relaxed);
        }
    }
}

/// All of a batch's output and what it says of itself.
fn all(
    batch: Option<stream_stream::Batch<'_>>,
) -> Option<(Vec<RecordBatch>, stream_stream::BatchReport, Vec<Timestamp>)> {
    let mut batch = batch?;
    let mut output = Vec::new();
    while let Some(rows) = batch.next_batch().unwrap() {
        output.push(rows);
    }
    let mut report = batch.report().clone();
    report.times = BatchTimes::default();
    Some((output, report, batch.outer_times().to_vec()))
}

fn check(query: Query, form: Form, batches: &[MicroBatch], refused: &[bool]) {
    let run = Run { query, types: &KEY_TYPES[..1], form };
    let mut plain = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap();
    let mut tried = Refused::new(&run);
    for ([left, right], refused) in batches.iter().zip(refused) {
        let (left, right) = (run.chunks(0, left), run.chunks(1, right));
        if *refused {
            // Also with the rows of the other side, which were never pushed.
            tried.refuse(&left, &right);
            tried.refuse(&left, &[]);
        }
        assert_eq!(
            all(plain.push(&left, &right).unwrap()),
            all(tried.join.push(&left, &right).unwrap())
        );
        let watermarks = [&plain, &tried.join].map(|join| format!("{:?}", join.watermarks()));
        assert_eq!(watermarks[0], watermarks[1]);
        assert_eq!(all(plain.advance().unwrap()), all(tried.join.advance().unwrap()));
    }
    assert_eq!(all(plain.finish(End::Flush).unwrap()), all(tried.join.finish(End::Flush).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_join_goes_on_as_if_it_had_not_seen_what_it_refused(
        query in query(1),
        form in form(),
        batches in batches(1),
        refused in proptest::collection::vec(any::<bool>(), 9),
    ) {
        check(query, form, &batches, &refused);
    }
}
