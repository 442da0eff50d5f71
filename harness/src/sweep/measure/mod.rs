//! All contenders of a workload, in turn.

mod effort;
mod entry;
mod groups;
mod phases;

use super::contender::Contender;
use super::data::Data;
use super::line::SweepLine;
use super::workload::Workload;
use crate::error::Result;
use crate::plan::pool;
pub use effort::Effort;
use entry::Entry;

/// Measures the contenders on a workload, one line each in the same order, together
/// with `row-at-a-time`, asked for or not. Where not all fit into memory they take
/// turns in groups; where not even one fits, the lines say so. `tick` counts the
/// measurements that are done.
///
/// # Errors
/// A wrong result of any contender, and a run failure that the kernels report.
pub fn measure(
    workload: &Workload,
    contenders: &[Contender],
    effort: Effort,
    tick: &mut dyn FnMut(u64),
) -> Result<Vec<SweepLine>> {
    let groups = match groups::groups(workload, contenders) {
        Ok(groups) => groups,
        Err(why) => {
            tick(effort.ticks() * contenders.len() as u64);
            let line = |&contender| SweepLine::skipped(workload, contender, &why);
            return Ok(contenders.iter().map(line).collect());
        }
    };
    let data = Data::generate(workload)?;
    let mut lines: Vec<Option<SweepLine>> = vec![None; contenders.len()];
    for group in groups {
        let baseline = contenders[group[0]].baseline();
        // The baseline comes first, asked for or not.
        let (own, others): (Vec<usize>, Vec<usize>) =
            group.into_iter().partition(|&place| contenders[place] == baseline);
        let mut entries = vec![Entry::new(baseline, own)];
        entries.extend(others.into_iter().map(|place| Entry::new(contenders[place], vec![place])));
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
