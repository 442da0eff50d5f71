//! A scenario bound to its data: names to columns, types to types.

mod condition;
mod input_column;
mod relation;
mod state_growth;
mod stream;
mod stream_static;
mod stream_stream;
mod time_advice;
mod window;

use streamjoin_kernels::spark::CastMode;

use crate::error::{Failure, Result};
use crate::plan::feed::Form;
use crate::scenario::{Replay, Scenario};

pub use input_column::InputColumn;
pub use relation::{Origin, Relation, Selected, Selection};
pub use stream::{BoundStream, BoundTime};
pub use stream_static::{BoundKey, BoundStreamStatic, BoundTable, Residual};
pub use stream_stream::{BoundStreamStream, BoundStreams};
pub(crate) use time_advice::timestamp_sql;
pub(super) use {
    relation::{field, schema_of},
    stream_stream::side_column,
    time_advice::advice,
};

/// What is known of a scenario's query; complete unless `failure` says why not.
#[derive(Debug)]
pub struct Bound {
    /// What the joins with tables start from.
    pub input: Option<BoundInput>,
    /// The joins with tables that could be bound, in order.
    pub tables: Vec<BoundTable>,
    /// What is emitted.
    pub output: Option<Selection>,
    /// What stopped the binding.
    pub failure: Option<Failure>,
    /// How the rows are replayed.
    pub replay: Replay,
    /// What a malformed cast does.
    pub mode: CastMode,
}

/// What the joins with tables start from.
#[derive(Debug)]
pub enum BoundInput {
    /// The rows of one stream.
    Stream(Box<BoundStream>),
    /// The joined rows of two.
    Streams(Box<BoundStreams>),
}

/// Opens what `scenario` names and binds its query, as far as it goes.
pub fn bind(scenario: &Scenario) -> Bound {
    let mut bound = Bound {
        input: None,
        tables: Vec::new(),
        output: None,
        failure: None,
        replay: scenario.replay.clone(),
        mode: scenario.cast_mode(),
    };
    bound.failure = bind_into(scenario, &mut bound).err();
    bound
}

fn bind_into(scenario: &Scenario, bound: &mut Bound) -> Result<()> {
    let mode = bound.mode;
    distinct_names(scenario)?;
    let (mut scope, timeless) = match &scenario.join {
        Some(join) => {
            let streams = BoundStreams::bind(join, scenario)?;
            let timeless = streams.sides.iter().find(|(_, stream)| stream.event_time.is_none());
            let timeless = timeless.map(|(_, stream)| stream.relation.name.clone());
            let scope = streams.join.output.clone();
            bound.input = Some(BoundInput::Streams(Box::new(streams)));
            (scope, timeless)
        }
        None => {
            let stream = stream::the_only_one(scenario)?;
            let stream = BoundStream::bind(stream, &scenario.replay, false, Form::Shared, mode)?;
            let timeless = stream.event_time.is_none().then(|| stream.relation.name.clone());
            let scope = stream.relation.scope.clone();
            bound.input = Some(BoundInput::Stream(Box::new(stream)));
            (scope, timeless)
        }
    };
    for (at, table) in scenario.tables.iter().enumerate() {
        let first = at == 0 && scenario.join.is_none();
        let table = BoundTable::bind(table, &scope, first, mode)?;
        if let Some(stream) = timeless.as_ref().filter(|_| table.table.follows_time()) {
            return Err(table.spec.name.refuse(format!(
                "dimension `{}` has versions that start at a timestamp, but [stream.{stream}] has no `event_time`: add one, or use from_batch",
                table.relation.name
            )));
        }
        scope = table.join.output.clone();
        bound.tables.push(table);
    }
    if let (Some(BoundInput::Stream(stream)), []) = (&bound.input, bound.tables.as_slice()) {
        return Err(Failure::usage(format!(
            "{}: nothing to join `{}` with: add a [[dimension]], or a second stream and a [join]",
            scenario.text, stream.relation.name
        )));
    }
    bound.output = Some(Selection::bind(&scenario.output.clauses, &scope, mode)?);
    Ok(())
}

/// Names qualify columns: none is empty, none is used twice.
fn distinct_names(scenario: &Scenario) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    let streams = scenario.streams.iter().map(|stream| &stream.name);
    for name in streams.chain(scenario.tables.iter().map(|table| &table.name)) {
        if name.is_empty() {
            return Err(name.refuse("a name is empty: names qualify columns, as in NAME.column"));
        }
        if seen.iter().any(|seen| seen.eq_ignore_ascii_case(name)) {
            return Err(name.refuse(format!(
                "the name `{}` is used twice: names qualify columns, so each stream and dimension needs its own",
                name.value
            )));
        }
        seen.push(name);
    }
    Ok(())
}
