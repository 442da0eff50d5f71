//! What each batch of a run did, as far as no store and no number of threads may
//! change it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use arrow::array::RecordBatch;
use streamjoin::error::Result;
use streamjoin::plan::{Plan, Strategy, pool};
use streamjoin::record::EventTime;
use streamjoin::replay::{Counted, Pass, PassOutcome};
use streamjoin::sink::Sink;

use super::support::Notes;

/// One batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) id: u64,
    pub(crate) rows_in: u64,
    pub(crate) rows_out: u64,
    /// Rows in state after it: left, right.
    pub(crate) state_rows: (u64, u64),
    pub(crate) stored: u64,
    pub(crate) evicted: u64,
    pub(crate) late: u64,
    /// Watermarks, and the event times that it saw.
    pub(crate) event_time: Option<EventTime>,
    pub(crate) no_data: bool,
    pub(crate) end: bool,
}

/// Rows emitted by each batch.
#[derive(Default)]
struct RowCounts(BTreeMap<u64, u64>);

impl Sink for RowCounts {
    fn batch(&mut self, batch: u64, rows: &RecordBatch) -> Result<()> {
        *self.0.entry(batch).or_default() += rows.num_rows() as u64;
        Ok(())
    }

    fn end_batch(&mut self, _: u64) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Runs a strategy, and tells batch by batch what it did.
pub(crate) fn run(plan: &Plan, strategy: &Strategy) -> (PassOutcome, Vec<Batch>) {
    let (mut counts, mut notes) = (RowCounts::default(), Notes::default());
    let pool = pool(strategy.threads).unwrap();
    let pass = Pass::new(plan, strategy, pool);
    let outcome = pass.run(&mut counts, &mut notes, Counted::All).unwrap();
    let batches = notes.progress.into_iter().map(|progress| {
        let [state] = progress.state_operators.as_slice() else { panic!("{progress:?}") };
        Batch {
            id: progress.batch_id,
            rows_in: progress.num_input_rows,
            rows_out: counts.0.remove(&progress.batch_id).unwrap_or_default(),
            state_rows: (state.custom_metrics.rows_left, state.custom_metrics.rows_right),
            stored: state.num_rows_updated,
            evicted: state.num_rows_removed,
            late: state.num_rows_dropped_by_watermark,
            event_time: progress.event_time,
            no_data: progress.no_data,
            end: progress.end,
        }
    });
    let batches = batches.collect();
    assert!(counts.0.is_empty(), "rows of no batch: {:?}", counts.0);
    (outcome, batches)
}

/// Runs all strategies, which must do the same in every batch, and give the rows
/// and the counts of the last.
#[track_caller]
pub(crate) fn run_alike(plan: &Plan, strategies: &[Strategy]) -> (PassOutcome, Vec<Batch>) {
    let (last, others) = strategies.split_last().unwrap();
    let expected = run(plan, last);
    let totals = |outcome: &PassOutcome| {
        let checksum = outcome.checksum.as_ref().unwrap().to_string();
        let state = outcome.state.unwrap().rows;
        (
            checksum,
            outcome.rows_in,
            outcome.rows_out,
            outcome.rows_unmatched,
            outcome.dropped,
            state,
        )
    };
    for strategy in others {
        let ran = run(plan, strategy);
        let name = format!("{}, threads: {}", strategy.name, strategy.threads);
        for (batch, expected) in ran.1.iter().zip(&expected.1) {
            assert_eq!(batch, expected, "{name} and {}", last.name);
        }
        assert_eq!(ran.1.len(), expected.1.len(), "batches of {name}");
        assert_eq!(totals(&ran.0), totals(&expected.0), "{name} and {}", last.name);
    }
    expected
}

/// Each strategy on each number of threads; last the last strategy on the first.
pub(crate) fn on_threads(strategies: &[Strategy], threads: [usize; 2]) -> Vec<Strategy> {
    let on = |threads: usize| {
        let threads = NonZeroUsize::new(threads).unwrap();
        strategies.iter().map(move |strategy| Strategy { threads, ..strategy.clone() })
    };
    on(threads[1]).chain(on(threads[0])).collect()
}
