//! A stream that is joined with tables, as it runs.

use super::carry::Carried;
use super::query::Query;
use super::stream::{StreamPlan, also_read, has_end};
use super::table_join::{TableJoinPlan, table_join_plans};
use super::table_joins::{Before, OutputPlan, TableJoins};
use crate::error::Result;
use crate::plan::bind::BoundStream;
use crate::plan::timing::Timing;
use crate::scenario::{DisorderSpec, Trigger};

/// One stream, joined with tables one after the other.
#[derive(Debug)]
pub struct StreamStaticPlan {
    /// The stream.
    pub stream: StreamPlan,
    /// How fast it comes, and when it ends.
    pub timing: Timing,
    /// Which rows are held back.
    pub disorder: Option<DisorderSpec>,
    /// Whether the recording begins again at its end, until time ends the stream.
    pub repeat: bool,
    /// The joins in order.
    pub joins: Vec<TableJoinPlan>,
    /// What is emitted.
    pub output: OutputPlan,
    /// Unmatched rows as they are written, if all stream columns are carried.
    pub carried: Option<Carried>,
}

impl StreamStaticPlan {
    /// `stream` with what follows it.
    ///
    /// # Errors
    /// A usage failure for a replay that cannot run.
    pub(super) fn new(stream: &BoundStream, query: Query) -> Result<Self> {
        let scope = &stream.relation.scope;
        let Query { tables, output, replay, limit, carry, mode } = query;
        let planned = TableJoins::new(scope, Before::Matched, &tables, &output, mode, carry);
        let timing = Timing::of(&replay)?;
        let disorder = replay.disorder.map(|disorder| disorder.value);
        let trigger = replay.trigger.value;
        has_end(stream, &trigger, limit, &timing)?;
        let uses_time = stream.spec.watermark.is_some()
            || disorder.is_some()
            || matches!(trigger, Trigger::EventTime(_))
            || tables.iter().any(|table| table.table.follows_time());
        let uses_arrival = disorder.is_some() || matches!(trigger, Trigger::Arrival(_));
        let times = [
            stream.event_time.as_ref().filter(|_| uses_time),
            stream.arrival.as_ref().filter(|_| uses_arrival),
        ];
        let prepare = stream.relation.prepare(&planned.stream, also_read(stream, times));
        let carried = carry.then(|| Carried::new(scope));
        let stream = StreamPlan::new(stream, prepare, times, trigger, limit);
        let rows = stream.feed.rows().into_iter().chain(limit).chain(timing.rows()).min();
        let mut joins = table_join_plans(tables, planned.joins);
        for join in &mut joins {
            let versions = join.table.versions.len().max(1) as f64;
            join.probe_rows = rows.map(|rows| rows as f64 / versions);
        }
        let output = planned.output;
        Ok(Self { stream, timing, disorder, repeat: false, joins, output, carried })
    }
}
