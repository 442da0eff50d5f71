//! A scenario bound to its data: names to columns, types to types.

use arrow::datatypes::DataType;
use streamjoin_kernels::key::CastMode;

use super::event_time::EventTime;
use super::feed::{Feed, FeedSpec};
use super::join::{BoundJoin, JoinInputs};
use super::relation::{Clauses, Origin, Relation, Selection};
use super::table::Table;
use crate::error::{Failure, Result};
use crate::scenario::{DimensionSpec, Scenario, StreamSpec, Trigger};
use crate::sql::Scope;

/// What is known of a scenario's query; complete unless `failure` says why not.
#[derive(Debug)]
pub struct Bound {
    /// The stream.
    pub stream: Option<BoundStream>,
    /// The joins that could be bound, in order.
    pub joins: Vec<BoundDimension>,
    /// What is given out.
    pub output: Option<Selection>,
    /// What stopped the binding.
    pub failure: Option<Failure>,
}

/// The stream with its clock.
#[derive(Clone, Debug)]
pub struct BoundStream {
    /// Rows.
    pub feed: Feed,
    /// Columns.
    pub relation: Relation,
    /// The event-time column and how to read it.
    pub event_time: Option<(Origin, DataType)>,
    /// The column of the trigger `column`.
    pub trigger_column: Option<Origin>,
}

/// A dimension with its join.
#[derive(Clone, Debug)]
pub struct BoundDimension {
    /// Contents over time.
    pub table: Table,
    /// Columns.
    pub relation: Relation,
    /// The join.
    pub join: BoundJoin,
}

/// The cast mode of a scenario.
#[must_use]
pub fn cast_mode(scenario: &Scenario) -> CastMode {
    if scenario.spec.ansi.unwrap_or(true) { CastMode::Ansi } else { CastMode::NullOnError }
}

/// Opens what `scenario` names and binds its query, as far as it goes.
#[must_use]
pub fn bind(scenario: &Scenario) -> Bound {
    let mut bound = Bound { stream: None, joins: Vec::new(), output: None, failure: None };
    bound.failure = bind_into(scenario, &mut bound).err();
    bound
}

fn bind_into(scenario: &Scenario, bound: &mut Bound) -> Result<()> {
    let mode = cast_mode(scenario);
    let (name, spec) = the_stream(scenario)?;
    distinct_names(scenario)?;
    let stream = bind_stream(name, spec, scenario, mode)?;
    let mut scope = stream.relation.scope.clone();
    let follows_time = stream.event_time.is_some();
    bound.stream = Some(stream);
    for (position, dimension) in scenario.spec.dimension.iter().enumerate() {
        let spec = dimension.get_ref();
        let joined = bind_dimension(spec, &scope, position == 0, scenario)?;
        if joined.table.follows_time() && !follows_time {
            return Err(Failure::usage(format!(
                "dimension `{}` has versions that start at a timestamp, but [stream.{name}] has no `event_time`: add one, or use from_batch",
                spec.name.get_ref()
            ))
            .at(scenario.place(&spec.name)));
        }
        scope = joined.join.output.clone();
        bound.joins.push(joined);
    }
    if bound.joins.is_empty() {
        return Err(Failure::usage(format!(
            "{}: nothing to join `{name}` with: add a [[dimension]]",
            scenario.text
        )));
    }
    bound.output = Some(bind_output(&scope, scenario, mode)?);
    Ok(())
}

fn the_stream(scenario: &Scenario) -> Result<(&str, &StreamSpec)> {
    match scenario.spec.stream.0.as_slice() {
        [(name, spec)] => Ok((name.get_ref(), spec)),
        [] => Err(Failure::usage(format!(
            "{}: no [stream.NAME]: name the recording to replay",
            scenario.text
        ))),
        [_, (second, _), ..] => Err(Failure::usage(format!(
            "a second stream `{}`: joining two streams is not supported yet by this version, which joins one stream with [[dimension]] tables",
            second.get_ref()
        ))
        .at(scenario.place(second))),
    }
}

/// Names qualify columns: none is empty, none is used twice.
fn distinct_names(scenario: &Scenario) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    let streams = scenario.spec.stream.0.iter().map(|(name, _)| name);
    let dimensions = scenario.spec.dimension.iter().map(|spec| &spec.get_ref().name);
    for name in streams.chain(dimensions) {
        if name.get_ref().is_empty() {
            return Err(Failure::usage(
                "a name is empty: names qualify columns, as in NAME.column",
            )
            .at(scenario.place(name)));
        }
        if seen.iter().any(|seen| seen.eq_ignore_ascii_case(name.get_ref())) {
            return Err(Failure::usage(format!(
                "the name `{}` is used twice: names qualify columns, so each stream and dimension needs its own",
                name.get_ref()
            ))
            .at(scenario.place(name)));
        }
        seen.push(name.get_ref());
    }
    Ok(())
}

fn bind_stream(
    name: &str,
    spec: &StreamSpec,
    scenario: &Scenario,
    mode: CastMode,
) -> Result<BoundStream> {
    let feed = open_stream(name, spec, scenario)?;
    let clauses = Clauses { select: spec.select.as_ref(), filter: spec.r#where.as_ref() };
    let relation = Relation::bind(name, &feed.schema(), clauses, scenario, mode)?;
    let event_time = match &spec.event_time {
        Some(time) => {
            let at = |message| Failure::usage(message).at(scenario.place(time));
            let (origin, column) = relation.find(&time.get_ref().column).map_err(at)?;
            // The reader's form is checked now, its place among the read columns comes later.
            EventTime::new(time.get_ref(), origin.item(|c| c), &column.data_type).map_err(at)?;
            Some((origin, column.data_type))
        }
        None => None,
    };
    let trigger = scenario.spec.replay.trigger.as_ref();
    let trigger_column = match trigger.map(|trigger| (trigger, trigger.get_ref())) {
        Some((place, Trigger::Column(column))) => {
            let at = |message| Failure::usage(message).at(scenario.place(place));
            let (origin, column) = relation.find(column).map_err(at)?;
            if column.data_type.is_nested() {
                return Err(at(format!(
                    "trigger column `{}` is of type {}: a nested value cannot be compared",
                    column.name, column.data_type
                )));
            }
            Some(origin)
        }
        Some((place, Trigger::EventTime(tick))) => {
            let at = |message: String| Failure::usage(message).at(scenario.place(place));
            if event_time.is_none() {
                return Err(at(format!(
                    "the trigger `event_time` needs [stream.{name}] event_time = \"COLUMN\""
                )));
            }
            if tick.0 <= 0 {
                return Err(at("a tick must be longer than nothing, such as \"10 s\"".to_owned()));
            }
            None
        }
        _ => None,
    };
    if let Some(watermark) = &spec.watermark
        && event_time.is_none()
    {
        return Err(Failure::usage(format!(
            "[stream.{name}] has a `watermark` but no `event_time`: name its column"
        ))
        .at(scenario.place(watermark)));
    }
    Ok(BoundStream { feed, relation, event_time, trigger_column })
}

fn open_stream(name: &str, spec: &StreamSpec, scenario: &Scenario) -> Result<Feed> {
    let feed_spec = FeedSpec {
        format: spec.format.as_ref(),
        schema: spec.schema.as_ref(),
        csv: spec.csv.as_ref(),
        mmap: spec.mmap.unwrap_or(true),
    };
    match (&spec.recording, &spec.generator) {
        (Some(recording), None) => {
            let options = feed_spec.options(scenario)?;
            let feed = Feed::open(&scenario.path(recording.get_ref()), &options)
                .map_err(|failure| failure.at(scenario.place(recording)))?;
            feed_spec.check(&feed, scenario)?;
            Ok(feed)
        }
        (None, Some(generator)) => {
            let feed = Feed::generated(generator.get_ref())
                .map_err(|failure| failure.at(scenario.place(generator)))?;
            feed_spec.check(&feed, scenario)?;
            Ok(feed)
        }
        _ => {
            Err(Failure::usage(format!("[stream.{name}] needs one of `recording` and `generator`"))
                .at(&scenario.text))
        }
    }
}

fn bind_dimension(
    spec: &DimensionSpec,
    stream: &Scope,
    first: bool,
    scenario: &Scenario,
) -> Result<BoundDimension> {
    let mode = cast_mode(scenario);
    let name = spec.name.get_ref();
    let table = Table::open(spec, scenario)?;
    let clauses = Clauses { select: spec.select.as_ref(), filter: spec.r#where.as_ref() };
    let relation = Relation::bind(name, &table.schema(), clauses, scenario, mode)?;
    let inputs = JoinInputs { stream, dimension: &relation.scope, first, mode };
    let join = BoundJoin::bind(spec, inputs, scenario)?;
    Ok(BoundDimension { table, relation, join })
}

fn bind_output(scope: &Scope, scenario: &Scenario, mode: CastMode) -> Result<Selection> {
    let spec = &scenario.spec.output;
    let clauses = Clauses { select: spec.select.as_ref(), filter: spec.r#where.as_ref() };
    clauses.bind(scope, scenario, mode)
}
