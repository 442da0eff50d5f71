//! Two streams bound to their data, and to what their replay orders them by.

use arrow::datatypes::DataType;
use streamjoin_kernels::spark::CastMode;
use toml::Spanned;

use crate::error::{Failure, Result};
use crate::plan::bind::stream_stream::{self, BoundStreamStream, BoundStreams};
use crate::plan::bind::{BoundStream, bind_stream};
use crate::plan::event_time::EventTime;
use crate::plan::projector::Item;
use crate::scenario::{EventTimeSpec, JoinSpec, Merge, Scenario, StreamSpec, TimeUnitName};
use crate::text::nearest::nearest;

/// Refuses what means something for two streams only.
///
/// # Errors
/// A usage failure with its place in the scenario.
pub(in crate::plan) fn for_two_streams(scenario: &Scenario, stream: &StreamSpec) -> Result<()> {
    let replay = &scenario.spec.replay;
    let found = [
        ("merge", replay.merge.as_ref().map(|key| scenario.place(key))),
        ("idle_timeout", stream.idle_timeout.as_ref().map(|key| scenario.place(key))),
        ("finished", stream.finished.as_ref().map(|key| scenario.place(key))),
    ];
    match found.into_iter().find_map(|(key, place)| Some((key, place?))) {
        Some((key, place)) => Err(Failure::usage(format!(
            "`{key}` is about a [join] of two streams, and there is none: remove it"
        ))
        .at(place)),
        None => Ok(()),
    }
}

/// Opens both streams and binds their join.
///
/// # Errors
/// As the streams and the join.
pub(in crate::plan) fn bind_pair(
    join: &Spanned<JoinSpec>,
    scenario: &Scenario,
    mode: CastMode,
) -> Result<BoundStreams> {
    let spec = join.get_ref();
    if let (Some(ansi), Some(above)) = (&spec.ansi, scenario.spec.ansi)
        && *ansi.get_ref() != above
    {
        return Err(Failure::usage("`ansi` is given twice, and not the same: keep one of them")
            .at(scenario.place(ansi)));
    }
    if spec.left.get_ref().eq_ignore_ascii_case(spec.right.get_ref()) {
        return Err(Failure::usage(format!(
            "`{}` is both sides of the [join]: name its recording in a second [stream.NAME]",
            spec.left.get_ref()
        ))
        .at(scenario.place(&spec.right)));
    }
    let streams = &scenario.spec.stream;
    let side = |name: &Spanned<String>| {
        let Some(stream) = streams.get(name.get_ref()) else {
            let hint = match nearest(name.get_ref(), streams.names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "add [stream.NAME]".to_owned(),
            };
            return Err(Failure::usage(format!(
                "[join] names stream `{}`, which is not there; {hint}",
                name.get_ref()
            ))
            .at(scenario.place(name)));
        };
        let mut bound = bind_stream(name.get_ref(), stream, scenario, mode)?;
        merged_by(name.get_ref(), stream, &bound, scenario)?;
        if let Some(window) = &spec.window {
            stream_stream::put_in_windows(&mut bound, window, mode, scenario)?;
        }
        Ok(bound)
    };
    let (left, right) = (side(&spec.left)?, side(&spec.right)?);
    idle_needs_arrival(&[(&spec.left, &left), (&spec.right, &right)], scenario)?;
    for (name, _) in &streams.0 {
        if ![&spec.left, &spec.right].iter().any(|side| side.get_ref() == name.get_ref()) {
            return Err(Failure::usage(format!(
                "stream `{}` is neither side of the [join]: remove it",
                name.get_ref()
            ))
            .at(scenario.place(name)));
        }
    }
    let join = BoundStreamStream::bind(spec, &left, &right, mode, scenario)?;
    Ok(BoundStreams { left, right, join })
}

/// Checks that a stream has what the replay of two streams orders them by.
fn merged_by(
    name: &str,
    spec: &StreamSpec,
    stream: &BoundStream,
    scenario: &Scenario,
) -> Result<()> {
    let replay = &scenario.spec.replay;
    let merge = replay.merge.as_ref().map_or(Merge::default(), |merge| *merge.get_ref());
    let named = scenario.spec.stream.0.iter().find(|(known, _)| known.get_ref() == name);
    let place = || match (&replay.merge, named) {
        (Some(merge), _) => scenario.place(merge),
        (None, Some((name, _))) => scenario.place(name),
        (None, None) => scenario.text.to_string(),
    };
    match merge {
        Merge::EventTime if stream.event_time.is_none() => {
            return Err(Failure::usage(format!(
                "two streams are merged by event time, but [stream.{name}] has no `event_time`: add one{}, or say [replay] merge = \"file-order\" or \"arrival\"",
                if scenario.text.is_of_flags() { format!(" with --event-time {name}=COLUMN") } else { String::new() }
            ))
            .at(place()));
        }
        Merge::Arrival if stream.arrival.is_none() => {
            return Err(Failure::usage(format!(
                "merge = \"arrival\" needs [stream.{name}] arrival = \"COLUMN\", or a sidecar that names it"
            ))
            .at(place()));
        }
        _ => {}
    }
    if let Some(timeout) = &spec.idle_timeout {
        let at = |message: String| Err(Failure::usage(message).at(scenario.place(timeout)));
        if timeout.get_ref().0 <= 0 {
            return at("`idle_timeout` must be longer than nothing".to_owned());
        }
    }
    Ok(())
}

/// Checks that silences can be told, if somebody asks for them.
fn idle_needs_arrival(
    sides: &[(&Spanned<String>, &BoundStream)],
    scenario: &Scenario,
) -> Result<()> {
    let mut streams = scenario.spec.stream.0.iter();
    let Some(timeout) = streams.find_map(|(_, stream)| stream.idle_timeout.as_ref()) else {
        return Ok(());
    };
    let Some((name, _)) = sides.iter().find(|(_, stream)| stream.arrival.is_none()) else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "`idle_timeout` is a time of arrival: it needs [stream.{}] arrival = \"COLUMN\", or a sidecar that names it",
        name.get_ref()
    ))
    .at(scenario.place(timeout)))
}

/// Arrival times from a column of type `data_type`.
///
/// # Errors
/// A message that says what is accepted.
pub(in crate::plan) fn arrival_time(
    column: &str,
    item: Item,
    data_type: &DataType,
) -> std::result::Result<EventTime, String> {
    let unit = data_type.is_integer().then_some(TimeUnitName::Microsecond);
    let spec = EventTimeSpec { column: column.to_owned(), unit, format: None };
    EventTime::new(&spec, item, data_type).map_err(|_| {
        format!(
            "`arrival` column `{column}` is of type {data_type}: it must be a timestamp, or integer microseconds"
        )
    })
}
