//! The chain of joins as it runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use streamjoin_kernels::{JoinStats, StreamStaticJoin};

use super::behind::Behind;
use super::dimension::Dimension;
use super::evidence::JoinEvidence;
use super::listener::ProgressListener;
use super::witness::Witness;
use crate::error::{Failure, Result};
use crate::plan::{Projector, Strategy, TableJoinPlan};
use crate::record::Work;
use crate::scenario::Swap;

/// The joins of a pass, each with its table.
#[derive(Debug)]
pub(super) struct Pipeline<'p> {
    steps: Vec<Step<'p>>,
}

#[derive(Debug)]
struct Step<'p> {
    plan: &'p TableJoinPlan,
    dimension: Dimension<'p>,
    join: StreamStaticJoin,
}

/// What one join did with the rows that reached it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JoinCounts {
    pub(super) matched: u64,
    pub(super) unmatched: u64,
    probed: u64,
    compared: u64,
    residual_pairs: u64,
    gathered: u64,
}

impl JoinCounts {
    fn add(&mut self, stats: &JoinStats) {
        self.matched += stats.rows_matched;
        self.unmatched += stats.rows_unmatched;
        self.probed += stats.rows_in;
        self.compared += stats.keys_compared;
        self.residual_pairs += stats.residual_pairs;
        self.gathered += stats.values_gathered;
    }
}

/// Wall time of the joins of one push.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JoinTimes {
    pub(super) keys: Duration,
    pub(super) probe: Duration,
    pub(super) materialise: Duration,
}

/// Counts and times of one push, and where its rows go.
pub(super) struct Run<'r, 'w> {
    pub(super) counts: &'r mut [JoinCounts],
    pub(super) times: JoinTimes,
    /// Looks on, if this is the first pass.
    pub(super) witness: Option<&'r mut Witness<'w>>,
    pub(super) give_out: &'r mut dyn FnMut(RecordBatch) -> Result<()>,
}

impl<'p> Pipeline<'p> {
    pub(super) fn new(
        joins: &'p [TableJoinPlan],
        strategy: &Strategy,
        pool: Option<&Arc<rayon::ThreadPool>>,
    ) -> Result<Self> {
        let steps = joins.iter().map(|join| {
            let behind = match strategy.swap {
                Swap::Never | Swap::Now => None,
                Swap::Background => {
                    let threaded = strategy.threads.get() > 1;
                    Some(Behind::new(join.operator(strategy, pool)?, threaded))
                }
            };
            Ok(Step {
                plan: join,
                dimension: Dimension::new(join, strategy.swap, behind),
                join: join.operator(strategy, pool)?,
            })
        });
        Ok(Self { steps: steps.collect::<Result<_>>()? })
    }

    /// Brings every table to what is in force in a batch.
    pub(super) fn refresh(&mut self, batch: u64, time: Option<i64>) -> Result<()> {
        self.steps
            .iter_mut()
            .try_for_each(|step| step.dimension.refresh(&mut step.join, batch, time))
    }

    /// Tells what is odd about the tables and was not told yet.
    pub(super) fn warn(&mut self, listener: &mut dyn ProgressListener) -> Result<()> {
        let mut warnings = self.steps.iter_mut().flat_map(|step| step.dimension.take_warnings());
        warnings.try_for_each(|warning| listener.warning(&warning))
    }

    /// Waits for indexes that are still built behind those in use.
    pub(super) fn settle(&mut self) -> Result<()> {
        self.steps.iter_mut().try_for_each(|step| step.dimension.settle())
    }

    /// What was noticed of the joins and of their tables.
    pub(super) fn witnessed(&self, witness: Witness<'_>) -> Vec<JoinEvidence> {
        let joins = witness.finish().into_iter().zip(self.dimensions());
        joins.map(|(join, dimension)| JoinEvidence { table: dimension.seen(), ..join }).collect()
    }

    /// The dimensions in order.
    pub(super) fn dimensions(&self) -> impl Iterator<Item = &Dimension<'p>> {
        self.steps.iter().map(|step| &step.dimension)
    }

    /// What these counts and the tables' builds add to the work of a pass.
    pub(super) fn work(&self, counts: &[JoinCounts], mut work: Work) -> Work {
        if self.steps.is_empty() {
            return work;
        }
        let sum = |count: fn(&JoinCounts) -> u64| counts.iter().map(count).sum::<u64>();
        work.rows_probed = Some(sum(|join| join.probed));
        work.keys_compared = Some(sum(|join| join.compared));
        work.rows_indexed = Some(self.dimensions().map(Dimension::indexed_rows).sum());
        work.residual_pairs += sum(|join| join.residual_pairs);
        work.values_gathered += sum(|join| join.gathered);
        work
    }

    /// Joins rows of the stream with every table.
    pub(super) fn push(&self, rows: &RecordBatch, run: &mut Run<'_, '_>) -> Result<()> {
        push_from(&self.steps, 0, rows, run)
    }
}

/// Feeds `rows` to the join at `at`, and what comes out to those after it.
fn push_from(
    steps: &[Step<'_>],
    at: usize,
    rows: &RecordBatch,
    run: &mut Run<'_, '_>,
) -> Result<()> {
    let Some(step) = steps.get(at) else { return (run.give_out)(rows.clone()) };
    let place = |error| Failure::run(error).at(&step.plan.place);
    let input: &Projector = &step.plan.kernel.input;
    let input = timed(&mut run.times.keys, || input.apply(rows)).map_err(place)?;
    let mut wall = Duration::ZERO;
    let mut cursor = timed(&mut wall, || step.join.push(&input)).map_err(place)?;
    if let Some(witness) = &mut run.witness {
        witness.before(at, &mut cursor);
    }
    while let Some(joined) = timed(&mut wall, || cursor.next_batch()).map_err(place)? {
        push_from(steps, at + 1, &joined, run)?;
    }
    let stats = cursor.stats();
    if let Some(witness) = &mut run.witness {
        witness.after(at, step.plan, &input, &mut cursor)?;
    }
    run.counts[at].add(&stats);
    run.times.add(&stats, wall);
    Ok(())
}

impl JoinTimes {
    /// Adds a join's wall time, split as its kernels' CPU time is: with several
    /// threads that sums to more, and what is between the kernels is in none.
    fn add(&mut self, stats: &JoinStats, wall: Duration) {
        let cpu = stats.keys + stats.probe + stats.materialise;
        if cpu.is_zero() {
            self.probe += wall;
            return;
        }
        let scale = wall.as_secs_f64() / cpu.as_secs_f64();
        self.keys += stats.keys.mul_f64(scale);
        self.probe += stats.probe.mul_f64(scale);
        self.materialise += stats.materialise.mul_f64(scale);
    }
}

/// Runs `work` and adds its time to `total`.
pub(super) fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}
