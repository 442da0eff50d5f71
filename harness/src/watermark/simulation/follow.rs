//! Passes over a recording that join nothing.

use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use streamjoin_kernels::Sides;

use super::delay_counts::DelayOutcome;
use super::delays::Delays;
use super::follower::Follower;
use super::lateness::{Lateness, LatenessSurvey, Vary};
use super::many_delays::Simulation;
use crate::error::{Failure, Result};
use crate::interrupt::StopCheck;
use crate::plan::StreamStreamPlan;
use crate::replay::{MergedBatches, Participation, Schedule};

/// Reads the recording once and finds what a run with each of `settings` reports; they
/// declare watermarks where the plan does. `rows` gets the number of rows
/// read. Also returns the rows of each stream that reached the join.
///
/// # Errors
/// A usage failure for a join that the kernels refuse, a run failure with the
/// file and rows.
pub(crate) fn simulate(
    plan: &StreamStreamPlan,
    settings: &[Delays],
    rows: &mut dyn FnMut(u64),
) -> Result<(Vec<DelayOutcome>, Sides<u64>)> {
    let simulation = Simulation::new(&plan.spec, settings);
    let mut simulation = simulation.map_err(|error| Failure::usage(error).at(&plan.place))?;
    follow(plan, &mut simulation, rows)?;
    let rows_in = simulation.rows_in();
    Ok((simulation.finish(), rows_in))
}

/// Reads the recording once and finds the delays that its rows need.
///
/// # Errors
/// As [`simulate`].
pub(crate) fn lateness(
    plan: &StreamStreamPlan,
    vary: Vary,
    rows: &mut dyn FnMut(u64),
) -> Result<Lateness> {
    let survey = LatenessSurvey::new(&plan.spec, vary);
    let mut survey = survey.map_err(|error| Failure::usage(error).at(&plan.place))?;
    follow(plan, &mut survey, rows)?;
    Ok(survey.finish())
}

fn follow(
    plan: &StreamStreamPlan,
    follower: &mut dyn Follower,
    rows: &mut dyn FnMut(u64),
) -> Result<()> {
    let mut source = MergedBatches::new(plan)?;
    let mut participation = Participation::new();
    let mut ended = false;
    let stop_check = StopCheck::new();
    let mut schedule = Schedule::new(plan.timing, &plan.trigger);
    let started = Instant::now();
    loop {
        stop_check.check()?;
        // Time cuts batches as if each was done at once.
        source.take_at_most(schedule.most(Duration::ZERO));
        let Some(batch) = source.next().transpose()? else { return Ok(()) };
        schedule.skip(batch.rows());
        if batch.rows() == 0 {
            continue;
        }
        ended |= batch.left.ended || batch.right.ended;
        let (left, _) = batch.left.prepare(&plan.left)?;
        let (right, _) = batch.right.prepare(&plan.right)?;
        let sides: Sides<&[RecordBatch]> = Sides { left: &left, right: &right };
        let failed = |error| Failure::run(error).at(&plan.place).at(batch.place(plan));
        follower.data(sides, batch.opens_at, ended).map_err(failed)?;
        participation
            .update(plan, &batch, |side, takes_part| follower.set_taking_part(side, takes_part));
        follower.no_data().map_err(failed)?;
        rows(batch.rows());
        if !schedule.is_paced() && schedule.is_over(started.elapsed()) {
            return Ok(());
        }
    }
}
