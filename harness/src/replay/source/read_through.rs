//! Reading everything that a plan reads, without joining.

use std::ops::Range;

use super::piece::{Piece, Places, RowPlace};
use super::rows::{SourceRows, failed, failed_row};
use super::side::SideReader;
use crate::error::{Failure, Result};
use crate::failing_row::first_failing_row;
use crate::plan::{Plan, SidePlan, StreamPlan, StreamStreamPlan, read_table};

/// Rows of a stream without end that show what the others are like.
const ENOUGH: u64 = 65_536;

/// Reads the stream and every version of every table once; answers the rows of
/// each by name.
///
/// # Errors
/// A run failure with the file and rows.
pub fn read_through(plan: &Plan) -> Result<Vec<(String, u64)>> {
    let mut found = match plan {
        Plan::StreamStatic(plan) => vec![(plan.stream.name.clone(), stream(&plan.stream)?)],
        Plan::StreamStream(plan) => streams(plan)?,
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
        look(0..taken).map_err(|failure| match first_failing_row(taken, look) {
            Some((row, failure)) => failed_row(stream, &piece.places, failure, row),
            None => failed(stream, &piece.places, failure, 0..taken),
        })?;
        rows += taken as u64;
    }
    Ok(rows)
}

/// Reads both streams once; answers the rows of each by name.
fn streams(plan: &StreamStreamPlan) -> Result<Vec<(String, u64)>> {
    let mut left = plan.limit.unwrap_or_else(|| {
        let endless = [&plan.left, &plan.right].iter().any(|side| side.stream.feed.is_endless());
        if endless { ENOUGH } else { u64::MAX }
    });
    let mut read = |side: &SidePlan| -> Result<(String, u64)> {
        let mut reader = SideReader::new(side, plan.merge, None, 0)?;
        let mut rows = 0;
        while left > 0 && reader.ready()? {
            left -= 1;
            rows += 1;
            reader.take();
            if reader.head().is_none() {
                for piece in reader.end_batch() {
                    let failed = |failure| piece.failed(&side.stream, failure);
                    let prepared = side.stream.prepare.apply(piece.batch.clone());
                    let prepared = prepared.map_err(|e| failed(Failure::run(e)))?;
                    side.input.apply(&prepared).map_err(|e| failed(Failure::run(e)))?;
                }
            }
        }
        Ok((side.stream.name.clone(), rows))
    };
    Ok(vec![read(&plan.left)?, read(&plan.right)?])
}
