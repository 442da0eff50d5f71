//! A stream bound to its data: columns, times, and what its replay needs of them.

use arrow::datatypes::DataType;
use streamjoin_datasets::Sidecar;
use streamjoin_kernels::spark::CastMode;

use super::relation::{Origin, Relation};
use crate::error::{Failure, Result};
use crate::plan::event_time::EventTime;
use crate::plan::feed::{Feed, FeedRows, Form};
use crate::scenario::{
    EventTimeSpec, Located, Merge, Replay, Scenario, Stream, TimeUnitName, Trigger,
};

/// A stream with its times.
#[derive(Clone, Debug)]
pub struct BoundStream {
    /// As the scenario says it.
    pub spec: Stream,
    /// Rows.
    pub feed: Feed,
    /// Columns.
    pub relation: Relation,
    /// When a row happened.
    pub event_time: Option<BoundTime>,
    /// The event time among the columns that the query sees, if it is one.
    pub time_column: Option<usize>,
    /// When a row arrived.
    pub arrival: Option<BoundTime>,
    /// The column of the trigger `column`.
    pub trigger_column: Option<Origin>,
}

/// A time of each row.
#[derive(Clone, Debug)]
pub struct BoundTime {
    /// Where it comes from.
    pub origin: Origin,
    /// Its type there.
    pub data_type: DataType,
    reader: EventTime,
}

impl BoundTime {
    fn bind(spec: &EventTimeSpec, relation: &Relation) -> Result<Self, String> {
        let (origin, column) = relation.find(&spec.column)?;
        let reader = EventTime::new(spec, origin.value(|column| column), &column.data_type)?;
        Ok(Self { origin, data_type: column.data_type, reader })
    }

    /// The column with times of arrival called `column`.
    fn of_arrival(column: &str, relation: &Relation) -> Result<Self, String> {
        let (_, found) = relation.find(column)?;
        let unit = found.data_type.is_integer().then_some(TimeUnitName::Microsecond);
        let spec = EventTimeSpec { column: column.to_owned(), unit, format: None };
        Self::bind(&spec, relation).map_err(|_| {
            format!(
                "`arrival` column `{column}` is of type {}: it must be a timestamp, or integer microseconds",
                found.data_type
            )
        })
    }

    /// Reads it from batches in which source column `c` stands at `position(c)`.
    pub fn reader(&self, position: impl Fn(usize) -> usize) -> EventTime {
        self.reader.over(self.origin.value(position))
    }
}

impl BoundStream {
    /// Opens and binds `stream`, read in this form; `idle` where some stream has an
    /// `idle_timeout`.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario, a run failure for files that
    /// cannot be read.
    pub(super) fn bind(
        stream: &Stream,
        replay: &Replay,
        idle: bool,
        form: Form,
        mode: CastMode,
    ) -> Result<Self> {
        let Some(source) = &stream.source else {
            let name = &stream.name;
            let message =
                format!("[stream.{}] needs one of `recording` and `generator`", name.value);
            return Err(Failure::usage(message).at(name.place().text()));
        };
        let feed = Feed::of(source, &stream.reading, source.place())?.in_form(form);
        let relation = Relation::bind(&stream.name, &feed.schema(), &stream.clauses, mode)?;
        let event_time = stream
            .event_time
            .as_ref()
            .map(|time| BoundTime::bind(time, &relation).map_err(|message| time.refuse(message)));
        let event_time = event_time.transpose()?;
        let time_column = match (&stream.event_time, &event_time) {
            (Some(spec), Some(time)) => relation.seen_as(&spec.column, &time.origin),
            _ => None,
        };
        let arrival = match &stream.arrival {
            Some(column) => Some(
                BoundTime::of_arrival(column, &relation)
                    .map_err(|message| column.refuse(message))?,
            ),
            None if is_arrival_needed(replay, idle) => arrival_of_sidecar(&feed, &relation)?,
            None => None,
        };
        let trigger_column = match &*replay.trigger {
            Trigger::Column(column) => {
                Some(trigger_column(column, &relation).map_err(|m| replay.trigger.refuse(m))?)
            }
            _ => None,
        };
        let bound = Self {
            spec: stream.clone(),
            feed,
            relation,
            event_time,
            time_column,
            arrival,
            trigger_column,
        };
        bound.has_what_replay_needs(replay)?;
        Ok(bound)
    }

    /// Checks that the stream has the times that its replay goes by.
    fn has_what_replay_needs(&self, replay: &Replay) -> Result<()> {
        let name = &self.relation.name;
        let (timeless, no_arrival) = (self.event_time.is_none(), self.arrival.is_none());
        let trigger = &replay.trigger;
        match **trigger {
            Trigger::EventTime(_) if timeless => {
                return Err(trigger.refuse(format!(
                    "the trigger `event_time` needs [stream.{name}] event_time = \"COLUMN\""
                )));
            }
            Trigger::Arrival(_) if no_arrival => {
                return Err(trigger.refuse(format!(
                    "the trigger `arrival` needs [stream.{name}] arrival = \"COLUMN\", or a sidecar that names it"
                )));
            }
            Trigger::EventTime(tick) | Trigger::Arrival(tick) if tick.0 <= 0 => {
                return Err(trigger.refuse("a tick must be longer than zero, such as \"10 s\""));
            }
            _ => {}
        }
        if let Some(watermark) = &self.spec.watermark
            && timeless
        {
            return Err(watermark.refuse(format!(
                "[stream.{name}] has a `watermark` of {} us but no `event_time`: name its column",
                watermark.0
            )));
        }
        let Some(disorder) = &replay.disorder else { return Ok(()) };
        if !(0.0..=1.0).contains(&disorder.share) {
            let share = disorder.share;
            return Err(
                disorder.refuse(format!("`disorder`: `share` is {share}, but must be 0 to 1"))
            );
        }
        if disorder.max.0 <= 0 {
            return Err(disorder.refuse("`disorder`: `max` must be longer than zero"));
        }
        if timeless && no_arrival {
            return Err(disorder.refuse(format!(
                "`disorder` needs [stream.{name}] event_time = \"COLUMN\", or arrival"
            )));
        }
        Ok(())
    }
}

/// The stream of a scenario that joins it with tables only.
///
/// # Errors
/// A usage failure where there is another number of streams, and for what applies
/// to two streams only.
pub(super) fn the_only_one(scenario: &Scenario) -> Result<&Stream> {
    let stream = match scenario.streams.as_slice() {
        [stream] => stream,
        [] => {
            return Err(Failure::usage(format!(
                "{}: no [stream.NAME]: name the recording to replay",
                scenario.text
            )));
        }
        [first, second, ..] => {
            let (first, second) = (&first.name, &second.name);
            return Err(second.refuse(format!(
                "a second stream `{}`: say how the two are joined: [join] left = \"{}\", right = \"{}\", on = \"...\"",
                second.value, first.value, second.value
            )));
        }
    };
    let found = [
        ("merge", scenario.replay.merge.written_at()),
        ("idle_timeout", stream.idle_timeout.as_ref().map(Located::place)),
        ("finished", stream.finished.written_at()),
    ];
    if let Some((key, place)) = found.into_iter().find_map(|(key, place)| Some((key, place?))) {
        return Err(Failure::usage(format!(
            "`{key}` is about a [join] of two streams, and there is none: remove it"
        ))
        .at(place));
    }
    Ok(stream)
}

/// The column of the trigger `column`.
fn trigger_column(column: &str, relation: &Relation) -> Result<Origin, String> {
    let (origin, column) = relation.find(column)?;
    if column.data_type.is_nested() {
        return Err(format!(
            "trigger column `{}` is of type {}: a nested value cannot be compared",
            column.name, column.data_type
        ));
    }
    Ok(origin)
}

/// Whether the replay goes by times of arrival.
fn is_arrival_needed(replay: &Replay, idle: bool) -> bool {
    matches!(*replay.trigger, Trigger::Arrival(_)) || *replay.merge == Merge::Arrival || idle
}

/// Times of arrival from the column that a recording's sidecar names, if it names
/// one: whoever needs it says so otherwise.
fn arrival_of_sidecar(feed: &Feed, relation: &Relation) -> Result<Option<BoundTime>> {
    let FeedRows::Recording(source) = &feed.from else { return Ok(None) };
    let sidecar = Sidecar::of(source.origin()).map_err(Failure::run)?;
    let column = sidecar.and_then(|sidecar| sidecar.arrival);
    Ok(column.and_then(|column| BoundTime::of_arrival(&column, relation).ok()))
}
