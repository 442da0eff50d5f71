//! A pass of a case's plan, and what came out of it batch by batch.

use arrow::array::RecordBatch;

use super::form::Form;
use crate::error::{Failure, FailureKind, Result};
use crate::plan::Plan;
use crate::record::Progress;
use crate::replay::{Counted, Pass, ProgressListener};
use crate::sink::Sink;

/// What came out of a pass.
#[derive(Debug)]
pub(super) struct Answer {
    /// The batches that ended well.
    pub(super) batches: Vec<Executed>,
    /// The error that ended the pass in the batch after these.
    pub(super) error: Option<Failure>,
}

/// One executed batch.
#[derive(Debug)]
pub(super) struct Executed {
    pub(super) rows: Vec<RecordBatch>,
    pub(super) progress: Progress,
}

/// Runs `plan` in `form`.
///
/// # Errors
/// What is wrong whatever the case expects.
pub(super) fn run(plan: &Plan, form: &Form) -> Result<Answer, String> {
    let most = form.strategy.grain.max_output_rows.map_or(usize::MAX, usize::from);
    let mut rows = Collected { most, open: Vec::new(), batches: Vec::new() };
    let mut records = Records(Vec::new());
    let pass = Pass::new(plan, &form.strategy, form.pool.clone());
    let ended = pass.run(&mut rows, &mut records, Counted::All);
    let error = match ended {
        Ok(_) => None,
        Err(failure) if failure.kind == FailureKind::Run => Some(failure),
        Err(failure) => return Err(format!("    {failure}")),
    };
    let ids: Vec<u64> = records.0.iter().map(|progress| progress.batch_id).collect();
    if !ids.iter().copied().eq(0..rows.batches.len() as u64) {
        return Err(format!(
            "    {} batches were written, but those that were reported are {ids:?}",
            rows.batches.len()
        ));
    }
    let batches = rows.batches.into_iter().zip(records.0);
    let batches = batches.map(|(rows, progress)| Executed { rows, progress }).collect();
    Ok(Answer { batches, error })
}

/// Keeps the rows of each batch that is whole.
struct Collected {
    /// Rows that come at once at most.
    most: usize,
    open: Vec<RecordBatch>,
    batches: Vec<Vec<RecordBatch>>,
}

impl Sink for Collected {
    fn batch(&mut self, _: u64, rows: &RecordBatch) -> Result<()> {
        if rows.num_rows() > self.most {
            return Err(Failure::wrong_result(format!(
                "an output batch of {} rows is larger than the bound of {}",
                rows.num_rows(),
                self.most
            )));
        }
        self.open.push(rows.clone());
        Ok(())
    }

    fn end_batch(&mut self, _: u64) -> Result<()> {
        self.batches.push(std::mem::take(&mut self.open));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Keeps what is reported of each batch.
struct Records(Vec<Progress>);

impl ProgressListener for Records {
    fn progress(&mut self, progress: &Progress) -> Result<()> {
        self.0.push(progress.clone());
        Ok(())
    }
}
