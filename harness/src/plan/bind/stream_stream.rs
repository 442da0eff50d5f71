//! The join of two streams, bound to the columns of both.

use arrow::datatypes::DataType;
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::{TimeCondition, TimeKey, is_event_time};
use streamjoin_kernels::{JoinType, NullEquality, OutputColumn, Side, SideColumn, stream_stream};
use toml::Spanned;

use crate::error::{Failure, Result};
use crate::plan::bind::BoundStream;
use crate::plan::bind::relation::{Origin, schema_of};
use crate::scenario::{JoinSpec, Scenario};
use crate::text::duration::Micros;
use streamjoin_sql::{
    self as sql, BoundExpr, JoinCondition, KeyExpr, Scope, ScopeColumn, TimeColumns, WindowColumns,
};

/// Two streams and their join.
#[derive(Clone, Debug)]
pub struct BoundStreams {
    /// The stream on the left.
    pub left: BoundStream,
    /// The stream on the right.
    pub right: BoundStream,
    /// The join.
    pub join: BoundStreamStream,
}

/// The condition and the columns of a join of two streams.
#[derive(Clone, Debug)]
pub struct BoundStreamStream {
    /// The join type.
    pub join_type: JoinType,
    /// Equal keys, the windows among them.
    pub keys: Vec<KeyExpr>,
    /// Over left columns: a row that fails it matches nothing.
    pub left_filter: Option<BoundExpr>,
    /// Over right columns.
    pub right_filter: Option<BoundExpr>,
    /// Over both: pairs that fail it do not match.
    pub residual: Option<BoundExpr>,
    /// Left columns without which a row matches nothing.
    pub left_not_null: Vec<usize>,
    /// Right columns without which a row matches nothing.
    pub right_not_null: Vec<usize>,
    /// What the condition says about event time.
    pub time: TimeCondition,
    /// The columns of `USING`, if the condition was given so.
    pub using: Option<Vec<String>>,
    /// The joined columns.
    pub output: Scope,
    /// Where each joined column comes from.
    pub sources: Vec<SideColumn>,
    /// What is odd about it, though it can be run.
    pub warnings: Vec<String>,
}

impl BoundStreams {
    /// One of the streams.
    #[must_use]
    pub fn side(&self, side: Side) -> &BoundStream {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }
}

impl BoundStreamStream {
    /// Binds the join that `spec` describes. With a `window`, the streams' event
    /// times have been replaced by its start ([`put_in_windows`]).
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    pub(in crate::plan) fn bind(
        spec: &JoinSpec,
        left: &BoundStream,
        right: &BoundStream,
        mode: CastMode,
        scenario: &Scenario,
    ) -> Result<Self> {
        let join_type = spec.r#type.as_ref().map_or(JoinType::Inner, |t| *t.get_ref());
        let (l, r) = (&left.relation.scope, &right.relation.scope);
        let (mut condition, using) = condition(spec, left, right, mode, scenario)?;
        let windowed = spec.window.as_ref().map(|window| window.get_ref().0);
        let mut time = condition.time;
        if let Some(width) = windowed
            && time.key.is_none()
        {
            condition.keys.push(window_key(left, right, mode, scenario, spec)?);
            time.key = Some(TimeKey::Window { width });
        }
        let (output, sources) = joined(join_type, l, r, using.as_deref())
            .map_err(|failure| failure.at(scenario.place(&spec.left)))?;
        let mut warnings = Vec::new();
        if time.interval.matches_nothing() {
            warnings.push(format!(
                "the condition on event time can hold for no pair of rows ({}): nothing will match; look at its signs and sides",
                time.interval
            ));
        }
        Ok(Self {
            join_type,
            left_not_null: condition.left_not_null,
            right_not_null: condition.right_not_null,
            keys: condition.keys,
            left_filter: condition.left_filter,
            right_filter: condition.right_filter,
            residual: condition.residual,
            time,
            using,
            output,
            sources,
            warnings,
        })
    }

    /// The join with its keys, for messages.
    #[must_use]
    pub fn place(&self, left: &str, right: &str) -> String {
        let keys = self.keys.iter().map(|key| format!("{} = {}", key.left, key.right));
        match keys.collect::<Vec<_>>().join(" AND ") {
            keys if keys.is_empty() => format!("join of `{left}` with `{right}`"),
            keys => format!("join of `{left}` with `{right}` on {keys}"),
        }
    }

    /// The columns of a side that the condition looks at; `left_columns` is the
    /// number of the left side's columns.
    pub fn columns(&self, side: Side, left_columns: usize) -> impl Iterator<Item = usize> + '_ {
        let keys = self.keys.iter().flat_map(move |key| match side {
            Side::Left => key.left.columns(),
            Side::Right => key.right.columns(),
        });
        let (filter, not_null) = match side {
            Side::Left => (&self.left_filter, &self.left_not_null),
            Side::Right => (&self.right_filter, &self.right_not_null),
        };
        let residual = self.residual.iter().flat_map(BoundExpr::columns);
        let residual = residual.map(move |&column| side_column(column, left_columns));
        let residual = residual.filter(move |column| column.side == side);
        keys.chain(filter.iter().flat_map(BoundExpr::columns))
            .chain(not_null)
            .copied()
            .chain(residual.map(|column| column.column))
    }
}

/// A position among left ++ right columns as a column of its side.
pub(in crate::plan) fn side_column(position: usize, left_columns: usize) -> SideColumn {
    match position.checked_sub(left_columns) {
        None => SideColumn::left(position),
        Some(column) => SideColumn::right(column),
    }
}

fn condition(
    spec: &JoinSpec,
    left: &BoundStream,
    right: &BoundStream,
    mode: CastMode,
    scenario: &Scenario,
) -> Result<(JoinCondition, Option<Vec<String>>)> {
    let (l, r) = (&left.relation.scope, &right.relation.scope);
    let windows = spec.window.as_ref().map(|window| WindowColumns {
        left: left.time_column.unwrap_or_default(),
        right: right.time_column.unwrap_or_default(),
        width: window.get_ref().0,
    });
    let time = |stream: &BoundStream| stream.time_column.filter(|_| windows.is_none());
    let times = &TimeColumns { left: time(left), right: time(right), windows };
    let with_names = |mut condition: JoinCondition| {
        let using = condition.using.take();
        (condition, using)
    };
    match (&spec.on, &spec.using) {
        (Some(_), Some(using)) => {
            Err(Failure::usage("a [join] takes `on` or `using`, not both: remove one of them")
                .at(scenario.place(using)))
        }
        (Some(on), None) => {
            sql::stream_stream_condition(on.get_ref(), l, r, mode, times).map(with_names).map_err(|error| {
                let is_of_times = ["INTERVAL", "TIMESTAMP", "DATE"]
                    .iter()
                    .any(|word| error.message().contains(word));
                let hint = match windows {
                    Some(_) => {
                        " (with `window`, each event time is replaced by its window's `window_start`)".to_owned()
                    }
                    None if is_of_times => crate::plan::bind::time_advice::advice(scenario, [left, right])
                        .map(|advice| format!("; {advice}"))
                        .unwrap_or_default(),
                    None => String::new(),
                };
                Failure::usage(format!("`on`: {error}{hint}")).at(scenario.place(on))
            })
        }
        (None, Some(using)) => {
            let names = using.get_ref().iter().map(|name| format!("`{}`", name.replace('`', "``")));
            let text = format!("USING ({})", names.collect::<Vec<_>>().join(", "));
            sql::stream_stream_condition(&text, l, r, mode, times).map(with_names).map_err(|error| {
                Failure::usage(format!("`using`: {}", error.message())).at(scenario.place(using))
            })
        }
        (None, None) => Err(Failure::usage(
            "the [join] has no condition: add `on = \"...\"` or `using = [...]`; two streams need an equality",
        )
        .at(scenario.place(&spec.left))),
    }
}

fn joined(
    join_type: JoinType,
    left: &Scope,
    right: &Scope,
    using: Option<&[String]>,
) -> Result<(Scope, Vec<SideColumn>)> {
    let (l, r) = (schema_of(left), schema_of(right));
    let output: Vec<OutputColumn<SideColumn>> = match using {
        Some(names) => {
            stream_stream::output_using(join_type, &l, &r, names).map_err(Failure::usage)?
        }
        None => stream_stream::output_on(join_type, &l, &r),
    };
    let columns = output.iter().map(|column| {
        let SideColumn { side, column: at } = column.source;
        let from = match side {
            Side::Left => &left.columns[at],
            Side::Right => &right.columns[at],
        };
        ScopeColumn {
            name: column.name.clone(),
            nullable: from.nullable || join_type.extends_with_nulls(side),
            ..from.clone()
        }
    });
    let scope = Scope { columns: columns.collect() };
    Ok((scope, output.into_iter().map(|column| column.source).collect()))
}

/// The column that a window's start has.
pub(in crate::plan) const WINDOW_START: &str = "window_start";

/// Puts the start of its tumbling window in the place of a stream's event time,
/// as Spark's `window` does.
///
/// # Errors
/// A usage failure with its place in the scenario.
pub(in crate::plan) fn put_in_windows(
    stream: &mut BoundStream,
    window: &Spanned<Micros>,
    mode: CastMode,
    scenario: &Scenario,
) -> Result<()> {
    let at = |message: String| Failure::usage(message).at(scenario.place(window));
    let name = &stream.relation.name;
    let width = window.get_ref().0;
    if width <= 0 {
        return Err(at("a window must be longer than nothing, such as \"10 s\"".to_owned()));
    }
    let Some((origin, data_type)) = &stream.event_time else {
        return Err(at(format!("`window` needs [stream.{name}] event_time = \"COLUMN\"")));
    };
    let Origin::Column(column) = origin else {
        return Err(at(format!(
            "`window` needs an event time of stream `{name}` that is a column of the recording, not one that is computed"
        )));
    };
    if !is_event_time(data_type) || matches!(data_type, DataType::Date64) {
        return Err(at(format!(
            "`window` needs an event time of stream `{name}` that is a timestamp, not {data_type}"
        )));
    }
    let source = &stream.relation.source;
    let time = format!("`{}`", source.columns[*column].name.replace('`', "``"));
    let micros = format!("unix_micros(CAST({time} AS TIMESTAMP))");
    let text = format!("timestamp_micros({micros} - (({micros} % {width}) + {width}) % {width})");
    let start = sql::expression(&text, source, mode).map_err(|error| at(error.to_string()))?;
    let relation = &mut stream.relation;
    let seen = ScopeColumn {
        qualifiers: vec![relation.name.clone()],
        name: WINDOW_START.to_owned(),
        data_type: start.data_type().clone(),
        nullable: start.nullable(),
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
fn window_key(
    left: &BoundStream,
    right: &BoundStream,
    mode: CastMode,
    scenario: &Scenario,
    spec: &JoinSpec,
) -> Result<KeyExpr> {
    let side = |stream: &BoundStream| {
        let at = stream.time_column.unwrap_or_default();
        // A scope of its own, in which nothing else has the name.
        let mut scope = stream.relation.scope.clone();
        for (position, column) in scope.columns.iter_mut().enumerate() {
            column.name = if position == at { WINDOW_START.to_owned() } else { String::new() };
        }
        sql::expression(WINDOW_START, &scope, mode)
            .map_err(|error| Failure::usage(error).at(scenario.place(&spec.left)))
    };
    Ok(KeyExpr {
        left: side(left)?,
        right: side(right)?,
        null_equality: NullEquality::NullMatchesNothing,
    })
}
