//! Reading everything that a plan reads, without joining.

use std::ops::Range;

use crate::culprit::culprit;
use crate::error::{Failure, Result};
use crate::plan::{Plan, StreamPlan, read_table};

use super::source_rows::{Place, SourceRows};
use super::streams;

/// Reads the stream and every version of every table once; answers the rows of
/// each by name.
///
/// # Errors
/// A run failure with the file and rows.
pub fn read_through(plan: &Plan) -> Result<Vec<(String, u64)>> {
    let mut found = match plan {
        Plan::StreamStatic(plan) => vec![(plan.stream.name.clone(), stream(&plan.stream)?)],
        Plan::StreamStream(plan) => streams::read_through(plan)?,
    };
    for join in plan.joins() {
        for version in &join.table.versions {
            let table = read_table(&version.feed, &join.table.schema(), &join.chain.table)?;
            let rows = table.iter().map(|batch| batch.num_rows() as u64).sum();
            found.push((join.name.clone(), rows));
        }
    }
    Ok(found)
}

/// Reads one stream once; answers its rows.
fn stream(stream: &StreamPlan) -> Result<u64> {
    let mut left = stream.limit.unwrap_or(u64::MAX);
    let mut rows = 0;
    let mut batches = stream.feed.read(stream.prepare.read.as_slice())?;
    while left > 0
        && let Some(read) = batches.next()
    {
        let read = read.map_err(Failure::run)?;
        let taken = read.batch.num_rows().min(usize::try_from(left).unwrap_or(usize::MAX));
        left -= taken as u64;
        let place = Place { stream, file: read.file, first_row: read.first_row };
        let look = |range: Range<usize>| {
            let rows = read.batch.slice(range.start, range.len());
            let source = SourceRows::look(stream, rows, read.file)?;
            stream.prepare.apply(source.batch).map(|_| ()).map_err(Failure::run)
        };
        look(0..taken).map_err(|failure| match culprit(taken, look) {
            Some((row, failure)) => place.at_row(failure, row),
            None => place.at(failure, 0, taken),
        })?;
        rows += taken as u64;
    }
    Ok(rows)
}
