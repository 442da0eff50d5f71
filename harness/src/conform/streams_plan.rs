//! A stream-stream case as a join of the public operator.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, TimestampMicrosecondArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::window_start;
use streamjoin_kernels::{JoinError, OutputColumn, Side, SideColumn, stream_stream};

use super::case::CaseSide;
use super::fields;
use super::plan::{Appended, Refusal, refused};
use super::streams_case::{StreamStreamQuery, TimeBounds, TimedInput};
use streamjoin_sql::{self as sql, BoundExpr, JoinCondition, Scope, TimeColumns, WindowColumns};

/// The operator of a case, and what its input has to go through.
pub(super) struct StreamsPlan {
    pub(super) condition: JoinCondition,
    spec: stream_stream::Spec,
    /// The columns as the condition sees them: the case's, then the windows.
    pub(super) schemas: [SchemaRef; 2],
    event_times: [usize; 2],
    appended: [Appended; 2],
    window: Option<i64>,
}

/// The name of the column that holds the window of a side's event time.
fn window_name(side: CaseSide) -> &'static str {
    match side {
        CaseSide::Left => "lw",
        CaseSide::Right => "rw",
    }
}

impl StreamsPlan {
    /// Binds the condition; `schemas` are the types in which the streams come.
    pub(super) fn bind(
        query: &StreamStreamQuery,
        schemas: [&SchemaRef; 2],
    ) -> Result<Self, Refusal> {
        let own = [schemas[0].fields().len(), schemas[1].fields().len()];
        let event_times =
            [event_time(&query.left, schemas[0])?, event_time(&query.right, schemas[1])?];
        let schemas = [CaseSide::Left, CaseSide::Right].map(|side| {
            let schema = schemas[side as usize];
            let Some(_) = query.window_us else { return Arc::clone(schema) };
            let time = schema.field(event_times[side as usize]).clone();
            let window = time.with_name(window_name(side));
            let fields = schema.fields().iter().map(|field| field.as_ref().clone());
            Arc::new(Schema::new(fields.chain([window]).collect::<Vec<Field>>()))
        });
        let times = TimeColumns {
            left: Some(event_times[0]),
            right: Some(event_times[1]),
            windows: query.window_us.map(|width| WindowColumns {
                left: own[0],
                right: own[1],
                width,
            }),
        };
        let (left, right) =
            (Scope::of_schema("l", &schemas[0]), Scope::of_schema("r", &schemas[1]));
        let mode = CastMode::Ansi;
        let condition = match &query.condition_sql {
            None => JoinCondition::default(),
            Some(text) => sql::stream_stream_condition(text, &left, &right, mode, &times)
                .map_err(|error| Refusal::Query(error.to_string()))?,
        };
        fields::check_keys(&query.as_join(), &condition, &left, &right).map_err(Refusal::Case)?;
        check_bounds(query.time_bounds, &condition).map_err(Refusal::Case)?;

        let mut appended = [Appended(Vec::new()), Appended(Vec::new())];
        let keys = condition
            .keys
            .iter()
            .map(|key| stream_stream::Key {
                left: appended[0].position(&key.left, left.columns.len()),
                right: appended[1].position(&key.right, right.columns.len()),
                null_equality: key.null_equality,
            })
            .collect();
        let join_type = query.join_type.parse().map_err(|error| refused(&error))?;
        let output = match (&condition.using, query.window_us) {
            (Some(names), _) => {
                stream_stream::output_using(join_type, &schemas[0], &schemas[1], names)
                    .map_err(|error| refused(&error))?
            }
            (None, None) => stream_stream::output_on(join_type, &schemas[0], &schemas[1]),
            (None, Some(_)) => stream_stream::output_on(join_type, &schemas[0], &schemas[1])
                .into_iter()
                .filter_map(|column| windowed(column, query, own, event_times))
                .collect(),
        };
        let (own_left, delays) =
            (left.columns.len(), [query.left.watermark_delay_us, query.right.watermark_delay_us]);
        let input = |at: usize, scope: &Scope, filter: &Option<BoundExpr>, not_null: &[usize]| {
            let mut input = stream_stream::Input::timed(
                appended[at].schema(scope),
                event_times[at],
                delays[at],
            );
            input.filter = filter.as_ref().map(|expr| expr.to_filter(|column| column));
            input.not_null = not_null.to_vec();
            input
        };
        let spec = stream_stream::Spec {
            left: input(0, &left, &condition.left_filter, &condition.left_not_null),
            right: input(1, &right, &condition.right_filter, &condition.right_not_null),
            join_type,
            keys,
            time: condition.time,
            residual: condition.residual.as_ref().map(|expr| {
                expr.to_filter(|column| match column.checked_sub(own_left) {
                    None => SideColumn::left(column),
                    Some(column) => SideColumn::right(column),
                })
            }),
            policy: query.watermark_policy.parse().map_err(|error| refused(&error))?,
            no_data_batches: query.no_data_batches,
            output_mode: query
                .output_mode
                .as_deref()
                .unwrap_or("append")
                .parse()
                .map_err(|error| refused(&error))?,
            output,
            cast_mode: mode,
        };
        let window = query.window_us;
        let plan = Self { condition, spec, schemas, event_times, appended, window };
        plan.operator(stream_stream::Options::default()).map_err(|error| refused(&error))?;
        Ok(plan)
    }

    pub(super) fn operator(
        &self,
        options: stream_stream::Options,
    ) -> Result<stream_stream::Join, JoinError> {
        stream_stream::Join::new(self.spec.clone(), options)
    }

    /// Rows of a side with the start of their windows, as the condition sees
    /// them.
    pub(super) fn windowed(&self, side: Side, batch: &RecordBatch) -> Result<RecordBatch, String> {
        let Some(width) = self.window else { return Ok(batch.clone()) };
        let at = usize::from(side == Side::Right);
        let time = batch.column(self.event_times[at]);
        let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
        let starts: TimestampMicrosecondArray = cast(time, &micros)
            .map_err(|error| error.to_string())?
            .as_primitive::<TimestampMicrosecondType>()
            .unary(|time| window_start(time, width));
        let starts: ArrayRef = Arc::new(starts);
        let starts = cast(&starts, time.data_type()).map_err(|error| error.to_string())?;
        let columns = batch.columns().iter().cloned().chain([starts]).collect();
        RecordBatch::try_new(Arc::clone(&self.schemas[at]), columns)
            .map_err(|error| error.to_string())
    }

    /// Such rows with the key expressions that are no plain columns.
    pub(super) fn prepare(
        &self,
        side: Side,
        batch: &RecordBatch,
    ) -> Result<RecordBatch, JoinError> {
        let at = usize::from(side == Side::Right);
        self.appended[at].append(batch, &self.spec.input(side).schema)
    }
}

fn event_time(input: &TimedInput, schema: &SchemaRef) -> Result<usize, Refusal> {
    schema.index_of(&input.event_time).map_err(|error| Refusal::Case(error.to_string()))
}

/// A column of the output where windows replace the event times: in their
/// place, or behind them if they are kept.
fn windowed(
    column: OutputColumn<SideColumn>,
    query: &StreamStreamQuery,
    own: [usize; 2],
    event_times: [usize; 2],
) -> Option<OutputColumn<SideColumn>> {
    let SideColumn { side, column: position } = column.source;
    let (at, case_side) = match side {
        Side::Left => (0, CaseSide::Left),
        Side::Right => (1, CaseSide::Right),
    };
    if position == own[at] {
        // It has taken the place of the event time.
        return None;
    }
    if position != event_times[at] || query.window_keep_time {
        return Some(column);
    }
    let name = format!("{}_start", window_name(case_side));
    Some(OutputColumn { source: SideColumn { side, column: own[at] }, name })
}

/// Compares the interval that was parsed with the case's fields.
fn check_bounds(wanted: Option<TimeBounds>, condition: &JoinCondition) -> Result<(), String> {
    let end = |micros: Option<i64>, inclusive| micros.map(|micros| (micros, inclusive));
    let wanted = match wanted {
        None => (None, None),
        Some(bounds) => (
            end(bounds.lower_us, bounds.lower_inclusive),
            end(bounds.upper_us, bounds.upper_inclusive),
        ),
    };
    let interval = condition.time.interval;
    let found = (
        interval.lower.map(|bound| (bound.micros, bound.inclusive)),
        interval.upper.map(|bound| (bound.micros, bound.inclusive)),
    );
    if found == wanted {
        return Ok(());
    }
    Err(format!(
        "the parser reads other time bounds than the case has: parsed {found:?}, wanted {wanted:?} (lower, upper: microseconds, inclusive)"
    ))
}
