//! Reading everything that a plan reads, without joining.

use std::ops::Range;

use super::cut_input::CuttablePiece;
use super::piece::Pieces;
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
    let mut rows = 0;
    for piece in Pieces::read(stream, stream.limit.unwrap_or(all))? {
        let piece = piece?;
        let read = |range: Range<usize>| {
            let part = piece.slice(range);
            let file = part.places.of(0).file;
            let source = CuttablePiece::new(stream, part, file)?;
            stream.prepare.apply(source.piece.batch).map(|_| ()).map_err(Failure::run)
        };
        let all = piece.rows();
        read(0..all).map_err(|failure| match first_failing_row(all, read) {
            Some((row, failure)) => piece.failed_row(stream, failure, row),
            None => piece.failed(stream, failure),
        })?;
        rows += all as u64;
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
        let mut reader = SideReader::new(side, plan.merge, None, 0, 0)?;
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
