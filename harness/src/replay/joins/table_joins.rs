//! The chain of joins as it runs.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use streamjoin_kernels::stream_static;

use super::background_build::BackgroundBuild;
use super::live_table::LiveTable;
use crate::error::{Failure, Result};
use crate::plan::{Projector, Strategy, TableJoinPlan};
use crate::record::Work;
use crate::replay::clock::timed;
use crate::replay::observe::{ProgressListener, TableJoinEvidence, TableJoinsObserver};
use crate::scenario::Swap;

/// The joins of a pass, each with its table.
#[derive(Debug)]
pub(crate) struct TableJoins<'p> {
    joins: Vec<TableJoin<'p>>,
}

#[derive(Debug)]
struct TableJoin<'p> {
    plan: &'p TableJoinPlan,
    dimension: LiveTable<'p>,
    join: stream_static::Join,
}

/// What one join did with the rows that reached it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct JoinCounts {
    pub(crate) matched: u64,
    pub(crate) unmatched: u64,
    probed: u64,
    compared: u64,
    residual_pairs: u64,
    gathered: u64,
}

impl JoinCounts {
    fn add(&mut self, stats: &stream_static::Stats) {
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
pub(crate) struct JoinTimes {
    pub(crate) keys: Duration,
    pub(crate) probe: Duration,
    pub(crate) materialise: Duration,
}

/// Counts and times of one push, and where its rows go.
pub(crate) struct Push<'r, 'w> {
    pub(crate) counts: &'r mut [JoinCounts],
    pub(crate) times: JoinTimes,
    /// Observes, if this is the first pass.
    pub(crate) observer: Option<&'r mut TableJoinsObserver<'w>>,
    pub(crate) emit: &'r mut dyn FnMut(RecordBatch) -> Result<()>,
}

impl<'p> TableJoins<'p> {
    pub(crate) fn new(
        joins: &'p [TableJoinPlan],
        strategy: &Strategy,
        pool: Option<&Arc<rayon::ThreadPool>>,
    ) -> Result<Self> {
        let joins = joins.iter().map(|join| {
            let behind = match strategy.swap {
                Swap::Never | Swap::Now => None,
                Swap::Background => {
                    let threaded = strategy.threads.get() > 1;
                    Some(BackgroundBuild::new(join.operator(strategy, pool)?, threaded))
                }
            };
            Ok(TableJoin {
                plan: join,
                dimension: LiveTable::new(join, strategy.swap, behind),
                join: join.operator(strategy, pool)?,
            })
        });
        Ok(Self { joins: joins.collect::<Result<_>>()? })
    }

    /// Brings every table to what is in force in a batch.
    pub(crate) fn refresh(&mut self, batch: u64, time: Option<i64>) -> Result<()> {
        self.joins.iter_mut().try_for_each(|step| step.dimension.refresh(&step.join, batch, time))
    }

    /// Reports warnings about the tables that were not reported yet.
    pub(crate) fn warn(&mut self, listener: &mut dyn ProgressListener) -> Result<()> {
        let mut warnings = self.joins.iter_mut().flat_map(|step| step.dimension.take_warnings());
        warnings.try_for_each(|warning| listener.warning(&warning))
    }

    /// Waits for indexes that are still built behind those in use.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.joins.iter_mut().try_for_each(|step| step.dimension.settle())
    }

    /// What was noticed of the joins and of their tables.
    pub(crate) fn evidence(&self, observer: TableJoinsObserver<'_>) -> Vec<TableJoinEvidence> {
        let joins = observer.finish().into_iter().zip(self.dimensions());
        joins.map(|(join, dimension)| TableJoinEvidence { table: dimension.seen, ..join }).collect()
    }

    /// The dimensions in order.
    pub(crate) fn dimensions(&self) -> impl Iterator<Item = &LiveTable<'p>> {
        self.joins.iter().map(|step| &step.dimension)
    }

    /// What these counts and the tables' builds add to the work of a pass.
    pub(crate) fn work(&self, counts: &[JoinCounts], mut work: Work) -> Work {
        if self.joins.is_empty() {
            return work;
        }
        let sum = |count: fn(&JoinCounts) -> u64| counts.iter().map(count).sum::<u64>();
        work.rows_probed = Some(sum(|join| join.probed));
        work.keys_compared = Some(sum(|join| join.compared));
        work.rows_indexed = Some(self.dimensions().map(|table| table.indexed_rows).sum());
        work.residual_pairs += sum(|join| join.residual_pairs);
        work.values_gathered += sum(|join| join.gathered);
        work
    }

    /// Joins rows of the stream with every table.
    pub(crate) fn push(&self, rows: &RecordBatch, run: &mut Push<'_, '_>) -> Result<()> {
        push_from(&self.joins, 0, rows, run)
    }
}

/// Feeds `rows` to the join at `at`, and its output to those after it.
fn push_from(
    joins: &[TableJoin<'_>],
    at: usize,
    rows: &RecordBatch,
    run: &mut Push<'_, '_>,
) -> Result<()> {
    let Some(step) = joins.get(at) else { return (run.emit)(rows.clone()) };
    let place = |error| Failure::run(error).at(&step.plan.place);
    let input: &Projector = &step.plan.kernel.input;
    let input = timed(&mut run.times.keys, || input.apply(rows)).map_err(place)?;
    let mut wall = Duration::ZERO;
    let mut cursor = timed(&mut wall, || step.join.push(&input)).map_err(place)?;
    if let Some(observer) = &mut run.observer {
        observer.before(at, &mut cursor);
    }
    while let Some(joined) = timed(&mut wall, || cursor.next_batch()).map_err(place)? {
        push_from(joins, at + 1, &joined, run)?;
    }
    let stats = cursor.stats();
    if let Some(observer) = &mut run.observer {
        observer.after(at, step.plan, &input, &mut cursor)?;
    }
    run.counts[at].add(&stats);
    run.times.add(&stats, wall);
    Ok(())
}

impl JoinTimes {
    /// Adds a join's wall time, split as its kernels' CPU time is: with several
    /// threads that sums to more, and what is between the kernels is in none.
    fn add(&mut self, stats: &stream_static::Stats, wall: Duration) {
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
