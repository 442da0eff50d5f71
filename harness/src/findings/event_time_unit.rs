//! Event times that are read in the wrong unit.

use arrow::datatypes::TimeUnit;
use streamjoin_kernels::Side;

use super::finished_run::FinishedRun;
use crate::plan::{Plan, StreamPlan};
use crate::record::{Finding, Severity};
use crate::replay::TimesSeen;
use crate::text::instant::iso_millis;

/// Times from 2000 to 2100 are what streams are made of.
const LIKELY: std::ops::Range<i128> = 946_684_800_000_000..4_102_444_800_000_000;

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let evidence = run.evidence();
    let streams: Vec<(&StreamPlan, Option<TimesSeen>)> = match (run.plan, &evidence.stream_stream) {
        (Plan::StreamStatic(plan), _) => vec![(&plan.stream, evidence.times)],
        (Plan::StreamStream(plan), Some(pair)) => [Side::Left, Side::Right]
            .into_iter()
            .zip(&pair.sides)
            .map(|(side, found)| (&plan.side(side).stream, found.times))
            .collect(),
        _ => Vec::new(),
    };
    let wrong = streams.into_iter().filter_map(|(stream, times)| {
        let times = times?;
        let unit = stream.event_time.as_ref()?.unit().map(Unit::of);
        let better = better(times, unit)?;
        let title = format!(
            "The event times of `{}` are from {} to {}: they look like {} read as {}",
            stream.name,
            iso_millis(times.min),
            iso_millis(times.max),
            better.name,
            unit.map_or("something else", |unit| unit.name)
        );
        let read = |time: i64| {
            let micros = better.scale(time, unit.map_or(1, |unit| unit.nanos));
            i64::try_from(micros).map_or_else(|_| "out of range".to_owned(), iso_millis)
        };
        let remedy = match unit {
            Some(_) => format!(
                "set event_time = {{ column = \"{}\", unit = \"{}\" }} under [stream.{}]",
                stream.event_time.as_ref()?.column(),
                better.key,
                stream.name
            ),
            None => format!(
                "the column is already a timestamp, made with the wrong unit: write the recording again, or select its integer under [stream.{}] and name the unit in event_time",
                stream.name
            ),
        };
        Some(
            Finding::new("event-time-unit", Severity::Problem, title)
                .about(&stream.name)
                .saw(format!(
                    "as {} they are from {} to {}",
                    better.name,
                    read(times.min),
                    read(times.max)
                ))
                .with("min", iso_millis(times.min))
                .with("max", iso_millis(times.max))
                .with("unit", unit.map(|unit| unit.key))
                .with("likelyUnit", better.key)
                .remedy(remedy),
        )
    });
    wrong.collect()
}

/// A unit of integer event times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unit {
    /// As a scenario names it.
    key: &'static str,
    /// In a sentence.
    name: &'static str,
    /// Nanoseconds of one.
    nanos: i128,
}

const UNITS: [Unit; 4] = [
    Unit { key: "s", name: "seconds", nanos: 1_000_000_000 },
    Unit { key: "ms", name: "milliseconds", nanos: 1_000_000 },
    Unit { key: "us", name: "microseconds", nanos: 1_000 },
    Unit { key: "ns", name: "nanoseconds", nanos: 1 },
];

impl Unit {
    fn of(unit: TimeUnit) -> Self {
        UNITS[match unit {
            TimeUnit::Second => 0,
            TimeUnit::Millisecond => 1,
            TimeUnit::Microsecond => 2,
            TimeUnit::Nanosecond => 3,
        }]
    }

    /// Microseconds that were read in a unit of `read_as` nanoseconds, read in this
    /// one.
    fn scale(self, micros: i64, read_as: i128) -> i128 {
        i128::from(micros) * self.nanos / read_as
    }
}

/// The unit in which all times are of this century, if they are not in that
/// which they were read in. Of timestamps, which do not say their integers, a
/// factor of 1000 counts.
fn better(times: TimesSeen, unit: Option<Unit>) -> Option<Unit> {
    let likely = |unit: Unit, read_as: i128| {
        [times.min, times.max].iter().all(|&time| LIKELY.contains(&unit.scale(time, read_as)))
    };
    let read_as = unit.unwrap_or(UNITS[2]);
    if [times.min, times.max].iter().any(|&time| LIKELY.contains(&i128::from(time))) {
        return None;
    }
    let others = UNITS.into_iter().filter(|other| *other != read_as);
    let mut others = others.filter(|other| likely(*other, read_as.nanos));
    others.find(|other| {
        let factor = (other.nanos / read_as.nanos).max(read_as.nanos / other.nanos);
        unit.is_some() || factor == 1000
    })
}

#[cfg(test)]
#[path = "event_time_unit_tests.rs"]
mod tests;
