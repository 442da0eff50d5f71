//! Reading two streams without joining them.

use super::side::SideReader;
use crate::error::{Failure, Result};
use crate::plan::{SidePlan, StreamStreamPlan};
use crate::replay::read_through::ENOUGH;

/// Reads both streams once; answers the rows of each by name.
pub(in crate::replay) fn read_through(plan: &StreamStreamPlan) -> Result<Vec<(String, u64)>> {
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
