//! A stream that falls behind its pace.

use super::finished_run::FinishedRun;
use crate::record::{Finding, Severity};
use crate::text::duration::seconds;
use crate::text::number::{grouped, significant};
use crate::text::percent;

/// Seconds of lag per second from which batches are falling behind: less is noise of
/// the machine.
const SLOPE: f64 = 0.02;

/// Late batches from which a lag is reported: the next batches make up for a single one.
const LATE_BATCHES: u64 = 3;

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let Some(kept) = run.outcome.pace else { return Vec::new() };
    let behind_still = kept.behind * 2 > kept.most_behind && !kept.behind.is_zero();
    if kept.falling_behind < SLOPE || kept.late_batches < LATE_BATCHES || !behind_still {
        return Vec::new();
    }
    let behind = kept.behind.as_secs_f64();
    let waiting = (behind * kept.rows_per_second).min(1e18) as u64;
    let title = format!(
        "The stream fell behind its pace of {} rows per second",
        grouped(kept.rows_per_second.min(1e18) as u64)
    );
    let mut finding = Finding::new("falling-behind", Severity::Problem, title)
        .saw(format!(
            "the last batch started {} late: about {} rows were due and waiting",
            seconds(behind),
            grouped(waiting)
        ))
        .saw(format!(
            "{} of {} batches ({}) started late, and the lag grew by {} per second of the stream",
            grouped(kept.late_batches),
            grouped(run.outcome.batches),
            percent::part(kept.late_batches, run.outcome.batches),
            seconds(kept.falling_behind)
        ))
        .with("rowsPerSecond", kept.rows_per_second)
        .with("waitingRows", waiting)
        .with("behindMs", behind * 1e3)
        .with("fallingBehind", kept.falling_behind)
        .with("lateBatches", kept.late_batches);
    // Of a replay that time ended, what had arrived and was not taken up.
    if let Some(left) = run.evidence().backlog.map(|left| left.rows).filter(|rows| *rows > 0) {
        finding = finding
            .saw(format!(
                "{} rows had arrived when the replay ended, and were not read",
                grouped(left)
            ))
            .with("unreadRows", left);
    }
    let mut remedy = "lower rows_per_second under [replay] pace".to_owned();
    let took = run.outcome.elapsed.as_secs_f64();
    let reached = (took > 0.0).then(|| run.outcome.rows_in as f64 / took);
    if let Some(reached) = reached.filter(|reached| *reached < kept.rows_per_second) {
        finding = finding
            .saw(format!("{} rows per second were processed", grouped(reached as u64)))
            .with("reachedRowsPerSecond", reached);
        remedy += &format!(" to less than {}", significant(reached));
    }
    vec![finding.remedy(format!(
        "{remedy} (`run --find-rate` finds the most that each strategy keeps up with); or try another strategy, more `threads` under [strategies.{}], or a longer trigger",
        run.strategy.name
    ))]
}
