//! A stream as it is read and cut.

use super::prepare::Prepare;
use crate::error::{Failure, Result};
use crate::plan::bind::{BoundStream, BoundTime, Origin};
use crate::plan::computed::Value;
use crate::plan::event_time::EventTime;
use crate::plan::feed::Feed;
use crate::plan::timing::Timing;
use crate::scenario::Trigger;
use crate::text::duration::Micros;

/// A stream and how it is cut.
#[derive(Debug)]
pub struct StreamPlan {
    /// The stream's name.
    pub name: String,
    /// Rows.
    pub feed: Feed,
    /// What the joins see of them.
    pub prepare: Prepare,
    /// Event times, over rows as they are read.
    pub event_time: Option<EventTime>,
    /// Arrival times, over rows as they are read.
    pub arrival: Option<EventTime>,
    /// How late a row may come, in microseconds.
    pub watermark: Option<Micros>,
    /// Where a batch ends.
    pub trigger: Trigger,
    /// The column of the trigger `column`, over rows as they are read.
    pub trigger_column: Option<Value>,
    /// The most rows to read.
    pub limit: Option<u64>,
}

impl StreamPlan {
    /// `stream` with the times that something asks for.
    pub(super) fn new(
        stream: &BoundStream,
        prepare: Prepare,
        [event_time, arrival]: [Option<&BoundTime>; 2],
        trigger: Trigger,
        limit: Option<u64>,
    ) -> Self {
        let reader = |time: &BoundTime| time.reader(|column| prepare.read.at(column));
        let trigger_column = stream.trigger_column.as_ref();
        Self {
            name: stream.relation.name.clone(),
            feed: stream.feed.clone(),
            event_time: event_time.map(reader),
            arrival: arrival.map(reader),
            watermark: stream.spec.watermark.as_ref().map(|watermark| watermark.value),
            trigger,
            trigger_column: trigger_column
                .map(|origin| origin.value(|column| prepare.read.at(column))),
            limit,
            prepare,
        }
    }
}

/// The source columns that times and the trigger are read from.
pub(super) fn also_read<'s>(
    stream: &'s BoundStream,
    times: [Option<&'s BoundTime>; 2],
) -> impl Iterator<Item = usize> + 's {
    let times = times.into_iter().flatten().map(|time| &time.origin);
    times.chain(&stream.trigger_column).flat_map(Origin::columns).copied()
}

/// Refuses to read a stream without end.
pub(super) fn has_end(
    stream: &BoundStream,
    trigger: &Trigger,
    limit: Option<u64>,
    timing: &Timing,
) -> Result<()> {
    if !stream.feed.is_endless() || limit.is_some() {
        return Ok(());
    }
    let name = &stream.spec.name;
    let refuse = |how: &str| {
        let message = format!("[stream.{}] generates rows without end{how}", name.value);
        Err(Failure::usage(message).at(name.place().text()))
    };
    if timing.duration.is_none() {
        return refuse(": give `[replay] limit` or `duration`, or --limit or --duration");
    }
    if timing.rows().is_none() && *trigger == Trigger::Once {
        return refuse(
            ", and with the trigger `once` no batch would end: cut it by { rows = N }, or give a limit",
        );
    }
    Ok(())
}
