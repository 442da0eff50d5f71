//! How rows come, as text.

use std::fmt::Write;

use streamjoin_kernels::Sides;

use crate::plan::bind::BoundStream;
use crate::scenario::{End, Finished, Merge, Pace, Replay, Trigger};
use crate::text::duration::exact;
use crate::text::number::grouped;

pub(super) fn describe_stream(text: &mut String, stream: &BoundStream) {
    let relation = &stream.relation;
    let _ = writeln!(text, "stream {}: {}", relation.name, stream.feed.describe());
    if let Some(rows) = stream.feed.rows() {
        let _ = writeln!(text, "  rows: {}", grouped(rows));
    }
    if let Some(filter) = &relation.filter {
        let _ = writeln!(text, "  where: {filter}");
    }
}

pub(super) fn describe_batches(text: &mut String, replay: &Replay) {
    let trigger = match &*replay.trigger {
        Trigger::Rows(rows) => format!("every {} rows", grouped(rows.get())),
        Trigger::EventTime(tick) => format!("every {} of event time", exact(tick.0)),
        Trigger::Column(column) => format!("when `{column}` changes"),
        Trigger::File => "after each file".to_owned(),
        Trigger::Once => "one, of everything".to_owned(),
        Trigger::Arrival(tick) => format!("every {} of arrival time", exact(tick.0)),
        Trigger::Every(tick) => format!("every {}, of what arrived by then", exact(tick.0)),
    };
    let _ = writeln!(text, "batches: {trigger}");
    if let Pace::RowsPerSecond(rate) = *replay.pace {
        let _ = writeln!(text, "pace: {rate} rows per second");
    }
    if let Some(duration) = &replay.duration {
        let _ = writeln!(text, "ends: after {}", exact(duration.0));
    }
}

/// How two streams become one, and what happens at the end.
pub(super) fn describe_merge(text: &mut String, replay: &Replay, streams: &Sides<BoundStream>) {
    let order = match *replay.merge {
        Merge::EventTime => "by event time, left first on ties",
        Merge::Arrival => "by arrival time, left first on ties",
        Merge::FileOrder => "in proportion to their rows",
    };
    let _ = writeln!(text, "merged: {order}");
    if let Some(disorder) = &replay.disorder {
        let _ = writeln!(
            text,
            "disorder: {} % of the rows are held back by up to {} (seed {})",
            disorder.share * 100.0,
            exact(disorder.max.0),
            disorder.seed
        );
    }
    for (_, stream) in streams.iter() {
        let name = &stream.relation.name;
        if let Some(timeout) = &stream.spec.idle_timeout {
            let _ = writeln!(
                text,
                "{name}: leaves the watermark after a silence of {} of arrival time",
                exact(timeout.0)
            );
        }
        if *stream.spec.finished == Finished::Leaves {
            let _ = writeln!(text, "{name}: leaves the watermark when it ends");
        }
    }
    let end = match replay.end {
        End::Flush => "flush: unmatched rows of a preserved side are emitted in one last batch",
        End::Hold => "hold: state is left as it is",
    };
    let _ = writeln!(text, "at the end: {end}");
}
