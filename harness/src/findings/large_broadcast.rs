//! A table that is broadcast though it is large.

use super::finished_run::FinishedRun;
use crate::record::{Finding, Severity};
use crate::text::{bytes, percent};

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let threshold = run.strategy.broadcast_threshold as u64;
    let joins = run.plan.joins().iter().zip(&run.evidence().joins);
    let large = joins.filter_map(|(join, evidence)| {
        let size = evidence.table.broadcast_bytes;
        let of_memory = run.memory.filter(|memory| size.saturating_mul(5) > *memory);
        let above = size > threshold;
        if !above && of_memory.is_none() {
            return None;
        }
        let title = format!(
            "Dimension `{}` is broadcast, and takes {}",
            join.name,
            bytes::decimal(size)
        );
        let mut finding = Finding::new("large-broadcast", Severity::Warning, title)
            .about(&join.name)
            .with("bytes", size)
            .with("thresholdBytes", threshold)
            .with("memoryBytes", run.memory);
        if above {
            finding = finding
                .saw(format!("the threshold of this strategy is {}", bytes::decimal(threshold)));
        }
        if let Some(memory) = of_memory {
            finding = finding.saw(format!(
                "that is {} of this machine's memory of {}",
                percent::part(size, memory),
                bytes::decimal(memory)
            ));
        }
        // The kernels note a broadcast beyond the threshold when it is built.
        finding.warned = above;
        let remedy = match (join.on.is_empty(), above) {
            (true, _) => format!(
                "give the join an equality: without one each row of `{}` meets each row of the stream",
                join.name
            ),
            (false, true) => format!(
                "set layout = \"partitioned\" or \"auto\" under [strategies.{0}] or [[dimension]] `{1}`, or drop columns that nobody needs in its `select`; to keep it, set broadcast_threshold = {size}",
                run.strategy.name, join.name
            ),
            (false, false) => format!(
                "set layout = \"partitioned\", or a lower broadcast_threshold, under [strategies.{}], or drop columns that nobody needs in the `select` of `{}`",
                run.strategy.name, join.name
            ),
        };
        Some(finding.remedy(remedy))
    });
    large.collect()
}
