//! When rows arrived: the column that a stream names or, where something asks
//! for it, the one that its recording's sidecar does.

use arrow::datatypes::DataType;
use streamjoin_datasets::Sidecar;
use toml::Spanned;

use crate::error::{Failure, Result};
use crate::plan::bind::relation::{Origin, Relation};
use crate::plan::bind::replay_order::arrival_time;
use crate::plan::feed::Feed;
use crate::scenario::{Merge, Scenario, StreamSpec, Trigger};

/// The column of arrival times and its type.
///
/// # Errors
/// A usage failure for a column that is not there or holds no times.
pub(in crate::plan) fn bind(
    spec: &StreamSpec,
    scenario: &Scenario,
    feed: &Feed,
    relation: &Relation,
) -> Result<Option<(Origin, DataType)>> {
    match &spec.arrival {
        Some(column) => {
            let at = |message| Failure::usage(message).at(scenario.place(column));
            find(column.get_ref(), relation).map(Some).map_err(at)
        }
        None if is_asked_for(scenario) => {
            let Feed::Recording(source) = feed else { return Ok(None) };
            let sidecar = Sidecar::of(source.origin()).map_err(Failure::run)?;
            // A recording without it is told by whoever needs it.
            let column = sidecar.and_then(|sidecar| sidecar.arrival);
            Ok(column.and_then(|column| find(&column, relation).ok()))
        }
        None => Ok(None),
    }
}

fn find(column: &str, relation: &Relation) -> Result<(Origin, DataType), String> {
    let (origin, found) = relation.find(column)?;
    arrival_time(column, origin.item(|c| c), &found.data_type)?;
    Ok((origin, found.data_type))
}

/// Whether the replay looks at times of arrival.
fn is_asked_for(scenario: &Scenario) -> bool {
    let replay = &scenario.spec.replay;
    let trigger = replay.trigger.as_ref().map(Spanned::get_ref);
    let merge = replay.merge.as_ref().map(Spanned::get_ref);
    matches!(trigger, Some(Trigger::Arrival(_)))
        || matches!(merge, Some(Merge::Arrival))
        || scenario.spec.stream.0.iter().any(|(_, stream)| stream.idle_timeout.is_some())
}
