//! A stream that falls behind its pace.

use super::Look;
use crate::record::{Finding, Severity};
use crate::words::{grouped, percent, seconds, significant};

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    let Some(backlog) = look.evidence().backlog else { return Vec::new() };
    // One batch that takes a little longer is caught up by the next one.
    let behind = backlog.behind > backlog.every * 2 && backlog.overrun_batches >= 2;
    let growing = backlog.rows as f64 > backlog.rows_per_second * backlog.every.as_secs_f64();
    if !behind || !growing {
        return Vec::new();
    }
    let took = look.outcome.elapsed.as_secs_f64();
    let reached = (took > 0.0).then(|| look.outcome.rows_in as f64 / took);
    let title = format!(
        "The stream fell behind its pace of {} rows a second",
        significant(backlog.rows_per_second)
    );
    let mut finding = Finding::new("falling-behind", Severity::Problem, title)
        .saw(format!(
            "{} rows were waiting when the last batch began, and it was done {} after it was due",
            grouped(backlog.rows),
            seconds(backlog.behind.as_secs_f64())
        ))
        .saw(format!(
            "{} of {} batches ({}) took longer than the {} until the next one",
            grouped(backlog.overrun_batches),
            grouped(backlog.batches),
            percent(backlog.overrun_batches, backlog.batches),
            seconds(backlog.every.as_secs_f64())
        ))
        .with("rowsPerSecond", backlog.rows_per_second)
        .with("backlogRows", backlog.rows)
        .with("behindMs", backlog.behind.as_secs_f64() * 1e3)
        .with("overrunBatches", backlog.overrun_batches)
        .with("batches", backlog.batches);
    let mut remedy = "lower rows_per_second under [replay] pace".to_owned();
    if let Some(reached) = reached.filter(|reached| *reached < backlog.rows_per_second) {
        finding = finding
            .saw(format!("{} rows a second were worked off", significant(reached)))
            .with("reachedRowsPerSecond", reached);
        remedy += &format!(" to less than {}", significant(reached));
    }
    vec![finding.remedy(format!(
        "{remedy}; or compare another strategy, more `threads` under [strategies.{}], or a longer trigger",
        look.strategy.name
    ))]
}
