//! `window`: two streams that match within one tumbling window.

use arrow::datatypes::DataType;
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::is_event_time;
use streamjoin_kernels::{NullEquality, Sides};

use super::relation::Origin;
use super::stream::BoundStream;
use crate::error::Result;
use crate::scenario::Located;
use crate::text::duration::Micros;
use streamjoin_sql::{self as sql, KeyExpr, ScopeColumn};

/// The column that a window's start has.
const WINDOW_START: &str = "window_start";

/// Puts the start of its tumbling window in the place of a stream's event time,
/// as Spark's `window` does.
///
/// # Errors
/// A usage failure with its place in the scenario.
pub(super) fn put_in_windows(
    stream: &mut BoundStream,
    window: &Located<Micros>,
    mode: CastMode,
) -> Result<()> {
    let name = &stream.relation.name;
    let width = window.0;
    if width <= 0 {
        return Err(window.refuse("a window must be longer than zero, such as \"10 s\""));
    }
    let Some(time) = &stream.event_time else {
        return Err(
            window.refuse(format!("`window` needs [stream.{name}] event_time = \"COLUMN\""))
        );
    };
    let Origin::Column(column) = &time.origin else {
        return Err(window.refuse(format!(
            "`window` needs an event time of stream `{name}` that is a column of the recording, not one that is computed"
        )));
    };
    if !is_event_time(&time.data_type) || matches!(time.data_type, DataType::Date64) {
        return Err(window.refuse(format!(
            "`window` needs an event time of stream `{name}` that is a timestamp, not {}",
            time.data_type
        )));
    }
    let source = &stream.relation.source;
    let time = format!("`{}`", source.columns[*column].name.replace('`', "``"));
    let micros = format!("unix_micros(CAST({time} AS TIMESTAMP))");
    let text = format!("timestamp_micros({micros} - (({micros} % {width}) + {width}) % {width})");
    let start = sql::expression(&text, source, mode).map_err(|error| window.refuse(error))?;
    let relation = &mut stream.relation;
    let seen = ScopeColumn {
        qualifiers: vec![relation.name.clone()],
        name: WINDOW_START.to_owned(),
        data_type: start.data_type().clone(),
        nullable: start.nullable(),
        uuid: false,
    };
    match stream.time_column {
        Some(at) => {
            relation.scope.columns[at] = seen;
            relation.columns[at] = Origin::Expr(start);
        }
        None => {
            relation.scope.columns.push(seen);
            relation.columns.push(Origin::Expr(start));
            stream.time_column = Some(relation.columns.len() - 1);
        }
    }
    Ok(())
}

/// The equality of both windows.
///
/// # Errors
/// A usage failure with its place in the scenario.
pub(super) fn window_key(
    sides: &Sides<BoundStream>,
    window: &Located<Micros>,
    mode: CastMode,
) -> Result<KeyExpr> {
    let Sides { left, right } = Sides::try_new(|side| {
        let stream = &sides[side];
        let at = stream.time_column.unwrap_or_default();
        // A scope of its own, in which nothing else has the name.
        let mut scope = stream.relation.scope.clone();
        for (position, column) in scope.columns.iter_mut().enumerate() {
            column.name = if position == at { WINDOW_START.to_owned() } else { String::new() };
        }
        sql::expression(WINDOW_START, &scope, mode).map_err(|error| window.refuse(error))
    })?;
    Ok(KeyExpr { left, right, null_equality: NullEquality::NullMatchesNothing })
}
