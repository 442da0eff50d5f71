//! A scenario bound to its data: names to columns, types to types.

pub(in crate::plan) mod arrival;
pub(in crate::plan) mod relation;
pub(in crate::plan) mod replay_order;
pub(in crate::plan) mod stream_static;
pub(in crate::plan) mod stream_stream;
pub(in crate::plan) mod time_advice;

use arrow::datatypes::DataType;
use streamjoin_kernels::spark::CastMode;

use crate::error::{Failure, Result};
use crate::plan::bind::relation::{Clauses, Origin, Relation, Selection};
use crate::plan::bind::replay_order::{bind_pair, for_two_streams};
use crate::plan::bind::stream_static::{BoundStreamStatic, JoinInputs};
use crate::plan::bind::stream_stream::BoundStreams;
use crate::plan::event_time::EventTime;
use crate::plan::feed::{Feed, FeedSpec};
use crate::plan::table::Table;
use crate::scenario::{DimensionSpec, DisorderSpec, Scenario, StreamSpec, Trigger};
use streamjoin_sql::Scope;

/// What is known of a scenario's query; complete unless `failure` says why not.
#[derive(Debug)]
pub struct Bound {
    /// The stream, of a scenario with one.
    pub stream: Option<BoundStream>,
    /// The streams, of a scenario that joins two.
    pub pair: Option<BoundStreams>,
    /// The joins that could be bound, in order.
    pub joins: Vec<BoundTable>,
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
    /// The event-time column and its type.
    pub event_time: Option<(Origin, DataType)>,
    /// The event time among the columns that the query sees, if it is one.
    pub time_column: Option<usize>,
    /// The column that tells when a row arrived, and its type.
    pub arrival: Option<(Origin, DataType)>,
    /// The column of the trigger `column`.
    pub trigger_column: Option<Origin>,
}

/// A dimension with its join.
#[derive(Clone, Debug)]
pub struct BoundTable {
    /// Contents over time.
    pub table: Table,
    /// Columns.
    pub relation: Relation,
    /// The join.
    pub join: BoundStreamStatic,
}

/// The cast mode of a scenario.
#[must_use]
pub fn cast_mode(scenario: &Scenario) -> CastMode {
    let of_join = scenario.spec.join.as_ref().and_then(|join| join.get_ref().ansi.as_ref());
    if of_join.map(|ansi| *ansi.get_ref()).or(scenario.spec.ansi).unwrap_or(true) {
        CastMode::Ansi
    } else {
        CastMode::NullOnError
    }
}

/// Opens what `scenario` names and binds its query, as far as it goes.
#[must_use]
pub fn bind(scenario: &Scenario) -> Bound {
    let mut bound =
        Bound { stream: None, pair: None, joins: Vec::new(), output: None, failure: None };
    bound.failure = bind_into(scenario, &mut bound).err();
    bound
}

fn bind_into(scenario: &Scenario, bound: &mut Bound) -> Result<()> {
    let mode = cast_mode(scenario);
    distinct_names(scenario)?;
    let (mut scope, timeless) = match &scenario.spec.join {
        Some(join) => {
            let pair = bind_pair(join, scenario, mode)?;
            let timeless = [&pair.left, &pair.right]
                .into_iter()
                .find(|stream| stream.event_time.is_none())
                .map(|stream| stream.relation.name.clone());
            let scope = pair.join.output.clone();
            bound.pair = Some(pair);
            (scope, timeless)
        }
        None => {
            let (name, spec) = the_stream(scenario)?;
            for_two_streams(scenario, spec)?;
            let stream = bind_stream(name, spec, scenario, mode)?;
            let scope = stream.relation.scope.clone();
            let timeless = stream.event_time.is_none().then(|| name.to_owned());
            bound.stream = Some(stream);
            (scope, timeless)
        }
    };
    for (position, dimension) in scenario.spec.dimension.iter().enumerate() {
        let spec = dimension.get_ref();
        let first = position == 0 && scenario.spec.join.is_none();
        let joined = bind_dimension(spec, &scope, first, scenario)?;
        if let Some(name) = timeless.as_ref().filter(|_| joined.table.follows_time()) {
            return Err(Failure::usage(format!(
                "dimension `{}` has versions that start at a timestamp, but [stream.{name}] has no `event_time`: add one, or use from_batch",
                spec.name.get_ref()
            ))
            .at(scenario.place(&spec.name)));
        }
        scope = joined.join.output.clone();
        bound.joins.push(joined);
    }
    if let (Some(stream), []) = (&bound.stream, bound.joins.as_slice()) {
        return Err(Failure::usage(format!(
            "{}: nothing to join `{}` with: add a [[dimension]], or a second stream and a [join]",
            scenario.text, stream.relation.name
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
        [(first, _), (second, _), ..] => Err(Failure::usage(format!(
            "a second stream `{}`: say how the two are joined: [join] left = \"{}\", right = \"{}\", on = \"...\"",
            second.get_ref(),
            first.get_ref(),
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

pub(in crate::plan) fn bind_stream(
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
    let arrival = arrival::bind(spec, scenario, &feed, &relation)?;
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
        Some((place, Trigger::Arrival(tick))) => {
            let at = |message: String| Failure::usage(message).at(scenario.place(place));
            if arrival.is_none() {
                return Err(at(format!(
                    "the trigger `arrival` needs [stream.{name}] arrival = \"COLUMN\", or a sidecar that names it"
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
            "[stream.{name}] has a `watermark` of {} us but no `event_time`: name its column",
            watermark.get_ref().0
        ))
        .at(scenario.place(watermark)));
    }
    if let Some(disorder) = &scenario.spec.replay.disorder {
        let at = |message: String| Err(Failure::usage(message).at(scenario.place(disorder)));
        let DisorderSpec { share, max, .. } = disorder.get_ref();
        if !(0.0..=1.0).contains(share) {
            return at(format!("`disorder`: `share` is {share}, but must be 0 to 1"));
        }
        if max.0 <= 0 {
            return at("`disorder`: `max` must be longer than nothing".to_owned());
        }
        if event_time.is_none() && arrival.is_none() {
            return at(format!(
                "`disorder` needs [stream.{name}] event_time = \"COLUMN\", or arrival"
            ));
        }
    }
    let time_column = match (&spec.event_time, &event_time) {
        (Some(time), Some((origin, _))) => relation.seen_as(&time.get_ref().column, origin),
        _ => None,
    };
    Ok(BoundStream { feed, relation, event_time, time_column, arrival, trigger_column })
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
            let feed = match scenario.in_memory.get(recording.get_ref()) {
                Some(rows) => Feed::Memory(rows.clone()),
                None => {
                    let options = feed_spec.options(scenario)?;
                    Feed::open(&scenario.path(recording.get_ref()), &options)
                        .map_err(|failure| failure.at(scenario.place(recording)))?
                }
            };
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
) -> Result<BoundTable> {
    let mode = cast_mode(scenario);
    let name = spec.name.get_ref();
    let table = Table::open(spec, scenario)?;
    let clauses = Clauses { select: spec.select.as_ref(), filter: spec.r#where.as_ref() };
    let relation = Relation::bind(name, &table.schema(), clauses, scenario, mode)?;
    let inputs = JoinInputs { stream, dimension: &relation.scope, first, mode };
    let join = BoundStreamStatic::bind(spec, inputs, scenario)?;
    Ok(BoundTable { table, relation, join })
}

fn bind_output(scope: &Scope, scenario: &Scenario, mode: CastMode) -> Result<Selection> {
    let spec = &scenario.spec.output;
    let clauses = Clauses { select: spec.select.as_ref(), filter: spec.r#where.as_ref() };
    clauses.bind(scope, scenario, mode)
}
