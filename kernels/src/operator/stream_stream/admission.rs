//! Whether the rows of a batch may enter the state: whether there are ids and
//! memory for them, and what the limits say. It is asked before
//! anything changes, so that a refused batch leaves no trace.

use super::intake::Intake;
use super::planned::Planned;
use super::state::{JoinState, STATE};
use super::value_sizes::{holds_much, in_columns};
use crate::error::{JoinError, Result};
use crate::side::{Side, Sides};
use crate::time::BatchWatermarks;

/// Checks that a batch may be stored, and reserves memory for it.
///
/// # Errors
/// [`JoinError::ValueTooLarge`], [`JoinError::TooManyStateRows`],
/// [`JoinError::StateLimit`], [`JoinError::MemoryRefused`]; nothing has changed
/// then.
pub(super) fn admit(
    join: &Planned,
    state: &mut JoinState,
    intakes: &Sides<Intake>,
    watermarks: BatchWatermarks,
) -> Result<()> {
    let (limit, wants_memory) = (join.options.limit, join.options.memory.is_some());
    let mut growth = 0usize;
    for side in Side::BOTH {
        let intake = &intakes[side];
        let measure = limit.bytes.is_some() || wants_memory || holds_much(&intake.payload);
        let matched = vec![false; if measure { intake.rows } else { 0 }];
        for (part, partition) in state.partitions.iter().enumerate() {
            let store = &partition.stores[side];
            store.check_room(intake.len_of_part(part))?;
            if measure {
                let rows = intake.rows_of_part(part);
                let adds = store.growth(intake.new_rows(&rows, &matched));
                let adds = adds.map_err(|error| in_columns(error, join, side))?;
                growth = growth.saturating_add(adds);
            }
        }
    }
    if let Some(limit) = limit.rows {
        check_rows(join, state, intakes, watermarks, limit)?;
    }
    if let Some(limit) = limit.bytes {
        let held = state.size(Side::Left) + state.size(Side::Right);
        within("bytes", held.bytes().saturating_add(growth) as u64, limit as u64)?;
    }
    if wants_memory {
        state.reserved.grow(growth, STATE)?;
    }
    Ok(())
}

fn within(what: &'static str, reached: u64, limit: u64) -> Result<()> {
    if reached > limit {
        return Err(JoinError::StateLimit { what, reached, limit });
    }
    Ok(())
}

/// Compares with the limit the rows that this batch leaves in state, which are
/// counted only if there may be too many.
fn check_rows(
    join: &Planned,
    state: &JoinState,
    intakes: &Sides<Intake>,
    watermarks: BatchWatermarks,
    limit: u64,
) -> Result<()> {
    let most = |side: Side| state.size(side).rows + intakes[side].rows as u64;
    if most(Side::Left) + most(Side::Right) <= limit {
        return Ok(());
    }
    let mut rows = 0;
    for side in Side::BOTH {
        let Some(line) = join.line(side, watermarks) else {
            rows += most(side);
            continue;
        };
        for partition in &state.partitions {
            rows += partition.stores[side].rows_after(line)?;
        }
        rows += intakes[side].rows_after(line);
    }
    within("rows", rows, limit)
}
