//! Reading everything that a plan reads, without joining.

use std::ops::Range;

use crate::culprit::culprit;
use crate::error::{Failure, Result};
use crate::plan::{Plan, StreamPlan, read_table};

use super::piece::{Piece, Places, RowPlace};
use super::source_rows::{SourceRows, failed, failed_row};
use super::streams;

/// Rows of a stream without end that show what the others are like.
pub(super) const ENOUGH: u64 = 65_536;

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
            let table = read_table(&version.feed, &join.table.schema(), &join.kernel.table)?;
            let rows = table.iter().map(|batch| batch.num_rows() as u64).sum();
            found.push((join.name.clone(), rows));
        }
    }
    Ok(found)
}

/// Reads one stream once; answers its rows.
fn stream(stream: &StreamPlan) -> Result<u64> {
    let all = if stream.feed.is_endless() { ENOUGH } else { u64::MAX };
    let mut left = stream.limit.unwrap_or(all);
    let mut rows = 0;
    let mut batches = stream.feed.read(stream.prepare.read.as_slice())?;
    while left > 0
        && let Some(read) = batches.next()
    {
        let read = read.map_err(Failure::run)?;
        let taken = read.batch.num_rows().min(usize::try_from(left).unwrap_or(usize::MAX));
        left -= taken as u64;
        let places = Places::From(RowPlace { file: read.file, row: read.first_row });
        let piece = Piece { batch: read.batch.slice(0, taken), places };
        let look = |range: Range<usize>| {
            let part = piece.slice(range.start, range.end);
            let source = SourceRows::look(stream, part, read.file)?;
            stream.prepare.apply(source.piece.batch).map(|_| ()).map_err(Failure::run)
        };
        look(0..taken).map_err(|failure| match culprit(taken, look) {
            Some((row, failure)) => failed_row(stream, &piece.places, failure, row),
            None => failed(stream, &piece.places, failure, 0..taken),
        })?;
        rows += taken as u64;
    }
    Ok(rows)
}
