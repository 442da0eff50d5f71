//! The join of two streams, bound to the columns of both.

use streamjoin_kernels::spark::{self, CastMode};
use streamjoin_kernels::state::kept_type;
use streamjoin_kernels::time::{TimeCondition, TimeDelta, TimeKey};
use streamjoin_kernels::{JoinType, OutputColumn, Side, SideColumn, Sides};

use super::condition::{Written, using_clause, using_failed};
use super::relation::schema_of;
use super::stream::BoundStream;
use super::time_advice::advice;
use super::window::{put_in_windows, window_key};
use crate::error::{Failure, Result};
use crate::plan::feed::Form;
use crate::scenario::{Located, Merge, Scenario, Stream, StreamJoin};
use crate::text::nearest::did_you_mean;
use streamjoin_sql::{
    self as sql, BoundExpr, JoinCondition, KeyExpr, Scope, ScopeColumn, TimeColumns, WindowColumns,
};

/// Two streams and their join.
#[derive(Clone, Debug)]
pub struct BoundStreams {
    /// The join as the scenario says it.
    pub spec: StreamJoin,
    /// The streams.
    pub sides: Sides<BoundStream>,
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
    /// Over the columns of each side: a row that fails it matches nothing.
    pub filters: Sides<Option<BoundExpr>>,
    /// Over both: pairs that fail it do not match.
    pub residual: Option<BoundExpr>,
    /// The columns of each side without which a row matches nothing.
    pub not_null: Sides<Vec<usize>>,
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
    /// Opens both streams and binds their join.
    ///
    /// # Errors
    /// As the streams and the join.
    pub(super) fn bind(spec: &StreamJoin, scenario: &Scenario) -> Result<Self> {
        let mode = scenario.cast_mode();
        if let (Some(ansi), Some(above)) = (&spec.ansi, scenario.ansi)
            && **ansi != above
        {
            return Err(ansi.refuse("`ansi` is given twice, and not the same: keep one of them"));
        }
        if spec.left.eq_ignore_ascii_case(&spec.right) {
            return Err(spec.right.refuse(format!(
                "`{}` is both sides of the [join]: name its recording in a second [stream.NAME]",
                spec.left.value
            )));
        }
        let idle_timeout = scenario.streams.iter().find_map(|s| s.idle_timeout.as_ref());
        let sides = Sides::try_new(|side| -> Result<BoundStream> {
            let name = match side {
                Side::Left => &spec.left,
                Side::Right => &spec.right,
            };
            let stream = side_named(name, scenario)?;
            let mut bound = BoundStream::bind(
                stream,
                &scenario.replay,
                idle_timeout.is_some(),
                Form::ByValue,
                mode,
            )?;
            bound.can_be_merged(&scenario.replay.merge)?;
            if let Some(window) = &spec.window {
                put_in_windows(&mut bound, window, mode)?;
            }
            Ok(bound)
        })?;
        if let Some(timeout) = idle_timeout
            && let Some((_, stream)) = sides.iter().find(|(_, stream)| stream.arrival.is_none())
        {
            return Err(timeout.refuse(format!(
                "`idle_timeout` is a time of arrival: it needs [stream.{}] arrival = \"COLUMN\", or a sidecar that names it",
                stream.spec.name.value
            )));
        }
        for Stream { name, .. } in &scenario.streams {
            if ![&spec.left, &spec.right].iter().any(|side| side.value == name.value) {
                return Err(name.refuse(format!(
                    "stream `{}` is neither side of the [join]: remove it",
                    name.value
                )));
            }
        }
        let join = BoundStreamStream::bind(spec, &sides, mode)?;
        Ok(Self { spec: spec.clone(), sides, join })
    }

    /// The number of columns that the query sees of the left stream.
    pub(in crate::plan) fn left_columns(&self) -> usize {
        self.sides.left.relation.scope.columns.len()
    }
}

impl BoundStreamStream {
    /// Binds the join that `spec` describes. With a `window`, the streams' event
    /// times have been replaced by its start.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario.
    fn bind(spec: &StreamJoin, sides: &Sides<BoundStream>, mode: CastMode) -> Result<Self> {
        let join_type = spec.join_type;
        let mut condition = condition(spec, sides, mode)?;
        let using = condition.using.take();
        let mut time = condition.time;
        if let Some(window) = &spec.window
            && time.key.is_none()
        {
            condition.keys.push(window_key(sides, window, mode)?);
            time.key = Some(TimeKey::Window { width: TimeDelta::from_micros(window.0) });
        }
        let (output, sources) = joined(join_type, sides, using.as_deref())
            .map_err(|failure| failure.at(spec.left.place()))?;
        let mut warnings = Vec::new();
        if time.interval.matches_nothing() {
            warnings.push(format!(
                "the condition on event time can hold for no pair of rows ({}): nothing will match; look at its signs and sides",
                time.interval
            ));
        }
        Ok(Self {
            join_type,
            keys: condition.keys,
            filters: Sides { left: condition.left_filter, right: condition.right_filter },
            not_null: Sides { left: condition.left_not_null, right: condition.right_not_null },
            residual: condition.residual,
            time,
            using,
            output,
            sources,
            warnings,
        })
    }

    /// The join with its keys, for messages.
    pub fn place(&self, left: &str, right: &str) -> String {
        let keys = self.keys.iter().map(|key| format!("{} = {}", key.left, key.right));
        match keys.collect::<Vec<_>>().join(" AND ") {
            keys if keys.is_empty() => format!("join of `{left}` with `{right}`"),
            keys => format!("join of `{left}` with `{right}` on {keys}"),
        }
    }

    /// The columns of a side that the condition uses; `left_columns` is the
    /// number of the left side's columns.
    pub fn columns(&self, side: Side, left_columns: usize) -> impl Iterator<Item = usize> + '_ {
        let keys = self.keys.iter().flat_map(move |key| match side {
            Side::Left => key.left.columns(),
            Side::Right => key.right.columns(),
        });
        let residual = self.residual.iter().flat_map(BoundExpr::columns);
        let residual = residual.map(move |&column| side_column(column, left_columns));
        let residual = residual.filter(move |column| column.side == side);
        keys.chain(self.filters[side].iter().flat_map(BoundExpr::columns))
            .chain(&self.not_null[side])
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

/// The stream that a [join] names.
fn side_named<'s>(name: &Located<String>, scenario: &'s Scenario) -> Result<&'s Stream> {
    scenario.stream(name).ok_or_else(|| {
        let names = scenario.streams.iter().map(|stream| stream.name.as_str());
        let hint = did_you_mean(name, names).unwrap_or("add [stream.NAME]".to_owned());
        name.refuse(format!("[join] names stream `{}`, which is not there; {hint}", name.value))
    })
}

impl BoundStream {
    /// Checks that the stream has what two streams are merged by.
    fn can_be_merged(&self, merge: &Located<Merge>) -> Result<()> {
        let name = &self.spec.name;
        let at = merge.written_at().unwrap_or_else(|| name.place());
        match **merge {
            Merge::EventTime if self.event_time.is_none() => {
                let flag = match at.text().is_of_flags() {
                    true => format!(" with --event-time {}=COLUMN", name.value),
                    false => String::new(),
                };
                return Err(Failure::usage(format!(
                    "two streams are merged by event time, but [stream.{}] has no `event_time`: add one{flag}, or say [replay] merge = \"file-order\" or \"arrival\"",
                    name.value
                ))
                .at(at));
            }
            Merge::Arrival if self.arrival.is_none() => {
                return Err(Failure::usage(format!(
                    "merge = \"arrival\" needs [stream.{}] arrival = \"COLUMN\", or a sidecar that names it",
                    name.value
                ))
                .at(at));
            }
            _ => {}
        }
        match &self.spec.idle_timeout {
            Some(timeout) if timeout.0 <= 0 => {
                Err(timeout.refuse("`idle_timeout` must be longer than zero"))
            }
            _ => Ok(()),
        }
    }
}

fn condition(
    spec: &StreamJoin,
    sides: &Sides<BoundStream>,
    mode: CastMode,
) -> Result<JoinCondition> {
    let Sides { left, right } = sides.as_ref().map(|stream| &stream.relation.scope);
    let times = sides.as_ref().map(|stream| stream.time_column);
    let windows = spec.window.as_ref().map(|window| WindowColumns {
        left: times.left.unwrap_or_default(),
        right: times.right.unwrap_or_default(),
        width: window.0,
    });
    let times = times.map(|time| time.filter(|_| windows.is_none()));
    let times = &TimeColumns { left: times.left, right: times.right, windows };
    let bind = |text: &str| sql::stream_stream_condition(text, left, right, mode, times);
    match Written::of(&spec.condition, "a [join]")? {
        Written::On(on) => bind(on).map_err(|error| {
            let is_of_times =
                ["INTERVAL", "TIMESTAMP", "DATE"].iter().any(|word| error.message().contains(word));
            let hint = match windows {
                Some(_) => {
                    " (with `window`, each event time is replaced by its window's `window_start`)"
                        .to_owned()
                }
                None if is_of_times => {
                    advice(sides).map(|advice| format!("; {advice}")).unwrap_or_default()
                }
                None => String::new(),
            };
            on.refuse(format!("`on`: {error}{hint}"))
        }),
        Written::Using(using) => {
            bind(&using_clause(using)).map_err(|error| using_failed(using, &error))
        }
        Written::Nothing => Err(spec.left.refuse(
            "the [join] has no condition: add `on = \"...\"` or `using = [...]`; two streams need an equality",
        )),
    }
}

fn joined(
    join_type: JoinType,
    sides: &Sides<BoundStream>,
    using: Option<&[String]>,
) -> Result<(Scope, Vec<SideColumn>)> {
    let scopes = sides.as_ref().map(|stream| &stream.relation.scope);
    let schemas = scopes.map(schema_of);
    let inputs = schemas.as_ref().map(|schema| &**schema);
    let output: Vec<OutputColumn<SideColumn>> = match using {
        Some(names) => spark::output_using(join_type, inputs, names).map_err(Failure::usage)?,
        None => spark::output_on(join_type, inputs),
    };
    let columns = output.iter().map(|column| {
        let SideColumn { side, column: at } = column.source;
        let from = &scopes[side].columns[at];
        ScopeColumn {
            name: column.name.clone(),
            data_type: kept_type(&from.data_type),
            nullable: from.nullable || join_type.extends_with_nulls(side),
            ..from.clone()
        }
    });
    let scope = Scope { columns: columns.collect() };
    Ok((scope, output.into_iter().map(|column| column.source).collect()))
}
