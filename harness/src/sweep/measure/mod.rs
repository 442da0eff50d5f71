//! All strategies of a workload, in turn.

mod entry;
mod groups;
mod phases;

use std::time::Duration;

use super::data::Data;
use super::line::SweepLine;
use super::strategy::Strategy;
use super::workload::Workload;
use crate::error::Result;
use crate::plan::pool;
use entry::Entry;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Interleaved repetitions; medians are reported.
    pub repetitions: u32,
    /// Time of one measurement.
    pub slice: Duration,
}

impl Effort {
    /// Calls of `tick` a strategy and workload.
    #[must_use]
    pub fn ticks(self) -> u64 {
        u64::from(self.repetitions) * FORMS
    }
}

/// Pairs, sum, existence and payload.
const FORMS: u64 = 4;

/// Measures the strategies on a workload, one line each in the same order, with
/// `row-at-a-time` beside them, asked for or not. Where there is no memory for
/// all at a time they take turns in groups; where there is none for one, the
/// lines say so. `tick` is told of measurements that are done.
///
/// # Errors
/// A wrong result of any strategy, and a run failure that the kernels report.
pub fn measure(
    workload: &Workload,
    strategies: &[Strategy],
    effort: Effort,
    tick: &mut dyn FnMut(u64),
) -> Result<Vec<SweepLine>> {
    let groups = match groups::groups(workload, strategies) {
        Ok(groups) => groups,
        Err(why) => {
            tick(effort.ticks() * strategies.len() as u64);
            let line = |&strategy| SweepLine::skipped(workload, strategy, &why);
            return Ok(strategies.iter().map(line).collect());
        }
    };
    let data = Data::generate(workload)?;
    let mut lines: Vec<Option<SweepLine>> = vec![None; strategies.len()];
    for group in groups {
        let baseline = strategies[group[0]].baseline();
        // The baseline comes first, asked for or not.
        let (own, others): (Vec<usize>, Vec<usize>) =
            group.into_iter().partition(|&place| strategies[place] == baseline);
        let mut entries = vec![Entry::new(baseline, own)];
        entries.extend(others.into_iter().map(|place| Entry::new(strategies[place], vec![place])));
        phases::run(&data, &mut entries, &pool(baseline.threads)?, effort, tick)?;
        for entry in &entries {
            let line = entry.line(&data, &entries[0], effort);
            for &place in &entry.places {
                lines[place] = Some(line.clone());
            }
        }
    }
    Ok(lines.into_iter().flatten().collect())
}
