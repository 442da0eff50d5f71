//! A plan as text.

pub(in crate::plan) mod stream_stream;

use std::fmt::Write;

use arrow::datatypes::{DataType, Schema};
use streamjoin_kernels::{NullEquality, Side, spark, stream_static};

use crate::error::Result;
use crate::plan::bind::relation::{Origin, Selected, Selection};
use crate::plan::bind::stream_static::BoundStreamStatic;
use crate::plan::bind::{Bound, BoundStream, BoundTable};
use crate::plan::{Plan, Strategy, StreamPlan, TableJoinPlan};
use crate::scenario::{Pace, Refresh, Scenario, Swap, Trigger, VersionStart};

/// What a scenario asks for, as far as it could be understood.
#[must_use]
pub fn logical(scenario: &Scenario, bound: &Bound) -> String {
    let mut text = match scenario.text.is_of_flags() {
        true => "scenario in flags\n".to_owned(),
        false => format!("scenario {} ({})\n", scenario.name, scenario.text),
    };
    if let Some(description) = &scenario.spec.description {
        let _ = writeln!(text, "  {description}");
    }
    if let Some(stream) = &bound.stream {
        describe_stream(&mut text, stream);
        describe_batches(&mut text, scenario);
    }
    if let (Some(pair), Some(join)) = (&bound.pair, &scenario.spec.join) {
        describe_stream(&mut text, &pair.left);
        describe_stream(&mut text, &pair.right);
        describe_batches(&mut text, scenario);
        stream_stream::describe(&mut text, scenario, join.get_ref(), pair);
    }
    for (number, joined) in bound.joins.iter().enumerate() {
        describe_join(&mut text, number, joined);
    }
    if let Some(output) = &bound.output {
        describe_output(&mut text, output);
    }
    if let Some(failure) = &bound.failure {
        let _ = writeln!(text, "refused: {failure}");
    }
    text.truncate(text.trim_end().len());
    text
}

fn describe_stream(text: &mut String, stream: &BoundStream) {
    let relation = &stream.relation;
    let _ = writeln!(text, "stream {}: {}", relation.name, stream.feed.describe());
    if let Some(rows) = stream.feed.rows() {
        let _ = writeln!(text, "  rows: {rows}");
    }
    if let Some(filter) = &relation.filter {
        let _ = writeln!(text, "  where: {filter}");
    }
}

fn describe_batches(text: &mut String, scenario: &Scenario) {
    let trigger = scenario.spec.replay.trigger.as_ref();
    let default = Trigger::default();
    let trigger = match trigger.map_or(&default, |trigger| trigger.get_ref()) {
        Trigger::Rows(rows) => format!("every {rows} rows"),
        Trigger::EventTime(tick) => format!("every {} s of event time", tick.0 as f64 / 1e6),
        Trigger::Column(column) => format!("when `{column}` changes"),
        Trigger::File => "after each file".to_owned(),
        Trigger::Once => "one, of everything".to_owned(),
        Trigger::Arrival(tick) => format!("every {} s of arrival time", tick.0 as f64 / 1e6),
        Trigger::Every(tick) => {
            format!("every {} s, of what arrived by then", tick.0 as f64 / 1e6)
        }
    };
    let _ = writeln!(text, "batches: {trigger}");
    if let Some(pace) = &scenario.spec.replay.pace
        && let Pace::RowsPerSecond(rate) = pace.get_ref()
    {
        let _ = writeln!(text, "pace: {rate} rows a second");
    }
    if let Some(duration) = &scenario.spec.replay.duration {
        let _ = writeln!(text, "ends: after {} s", duration.get_ref().0 as f64 / 1e6);
    }
}

fn describe_join(text: &mut String, number: usize, joined: &BoundTable) {
    let BoundTable { table, relation, join } = joined;
    let (left, right) = match join.stream_side {
        Side::Left => ("stream", relation.name.as_str()),
        Side::Right => (relation.name.as_str(), "stream"),
    };
    let _ = writeln!(text, "join {}: {left} {} {right}", number + 1, join.join_type);
    for version in &table.versions {
        let from = match version.from {
            None => String::new(),
            Some(VersionStart::Batch(batch)) => format!("from batch {batch} on: "),
            Some(VersionStart::Time(time)) => {
                format!("from {} on: ", crate::text::instant::iso_millis(time))
            }
        };
        let rows = version.feed.rows().map_or(String::new(), |rows| format!(", {rows} rows"));
        let _ = writeln!(text, "  table: {from}{}{rows}", version.feed.describe());
    }
    let refresh = match table.refresh {
        Refresh::Once => "read and built once, before the first batch",
        Refresh::EveryBatch => "looked at before each batch, built again when it changed",
    };
    let _ = writeln!(text, "  refresh: {refresh}");
    if let Some(filter) = &relation.filter {
        let _ = writeln!(text, "  where: {filter}");
    }
    describe_condition(text, join);
    if let Some(refusal) = &join.refusal {
        let _ = writeln!(text, "  refused: {refusal}");
    }
}

fn describe_condition(text: &mut String, join: &BoundStreamStatic) {
    if let Some(names) = &join.using {
        let _ = writeln!(text, "  using: {}", names.join(", "));
    }
    if join.keys.is_empty() {
        let _ = writeln!(text, "  no equality: every stream row meets every table row");
    }
    for bound in &join.keys {
        let (stream, dimension) = bound.types();
        let sign = match bound.null_equality {
            NullEquality::NullMatchesNothing => "=",
            NullEquality::NullSafe => "<=>",
        };
        let compared = match spark::comparison_type(stream, dimension) {
            Ok(compared) => format!("compared as {compared}"),
            Err(error) => format!("refused: {error}"),
        };
        let _ = writeln!(
            text,
            "  key: {} {sign} {} ({stream} with {dimension}, {compared})",
            bound.stream, bound.dimension
        );
    }
    if let Some(filter) = &join.stream_filter {
        let _ = writeln!(text, "  stream rows that can match: {filter}");
    }
    if let Some(filter) = &join.dimension_filter {
        let _ = writeln!(text, "  table rows that can match: {filter}");
    }
    if let Some(residual) = &join.residual {
        let _ = writeln!(text, "  checked for each pair: {}", residual.predicate);
    }
}

fn describe_output(text: &mut String, output: &Selection) {
    let _ = writeln!(text, "output:");
    if let Some(filter) = &output.filter {
        let _ = writeln!(text, "  where: {filter}");
    }
    for Selected { origin, column } in &output.columns {
        let nullable = if column.nullable { "" } else { ", never null" };
        let made = match origin {
            Origin::Column(_) => String::new(),
            Origin::Expr(expr) => format!(" = {expr}"),
        };
        let _ = writeln!(text, "  {}: {}{nullable}{made}", column.name, column.data_type);
    }
}

/// How a plan is carried out by each strategy.
///
/// # Errors
/// As the kernels refuse.
pub fn physical(plan: &Plan, strategies: &[Strategy]) -> Result<String> {
    let mut text = String::new();
    match plan {
        Plan::StreamStatic(plan) => describe_read(&mut text, &plan.stream),
        Plan::StreamStream(plan) => stream_stream::describe_columns(&mut text, plan)?,
    }
    describe_tables(&mut text, plan.joins());
    for strategy in strategies {
        let _ = writeln!(
            text,
            "strategy {}: {} thread{}, {}",
            strategy.name,
            strategy.threads,
            if strategy.threads.get() == 1 { "" } else { "s" },
            strategy.isa
        );
        if let Plan::StreamStream(plan) = plan {
            stream_stream::describe_store(&mut text, plan, strategy)?;
        }
        for join in plan.joins() {
            let resolved = join.resolve(strategy);
            let operator = join.operator(strategy, None)?;
            let _ = writeln!(text, "  {}: {resolved} ({})", join.name, resolved.why);
            if resolved.layout.has_index() && join.has_keys() {
                describe_swap(&mut text, strategy);
            }
            describe_costs(&mut text, join, &operator);
        }
    }
    text.truncate(text.trim_end().len());
    Ok(text)
}

pub(in crate::plan) fn describe_read(text: &mut String, stream: &StreamPlan) {
    let schema = stream.feed.schema();
    let read: Vec<&str> =
        stream.prepare.read.positions().map(|c| schema.field(c).name().as_str()).collect();
    let _ = writeln!(
        text,
        "read of {}: {} of {} columns ({})",
        stream.name,
        read.len(),
        schema.fields().len(),
        read.join(", ")
    );
}

fn describe_tables(text: &mut String, joins: &[TableJoinPlan]) {
    for join in joins {
        let schema = join.table.schema();
        let read: Vec<&str> = join
            .kernel
            .table
            .rows
            .read
            .positions()
            .map(|c| schema.field(c).name().as_str())
            .collect();
        let _ = writeln!(
            text,
            "read of {}: {} of {} columns ({}); {}",
            join.name,
            read.len(),
            schema.fields().len(),
            read.join(", "),
            memory(join)
        );
    }
}

/// When the index is there, if not at once.
fn describe_swap(text: &mut String, strategy: &Strategy) {
    let first = "the index that costs least to build serves";
    let _ = match (strategy.swap, strategy.threads.get()) {
        (Swap::Now, _) => Ok(()),
        (Swap::Never, _) => writeln!(text, "    swap never: {first} throughout"),
        (Swap::Background, 1) => writeln!(
            text,
            "    swap background: {first} the first batch; with one thread the other one is built after it"
        ),
        (Swap::Background, _) => writeln!(
            text,
            "    swap background: {first} until the other one is built on another thread"
        ),
    };
}

/// What the cost model says, for the largest version of the table.
fn describe_costs(text: &mut String, join: &TableJoinPlan, operator: &stream_static::Join) {
    let Some(rows) = join.expected_rows().and_then(|rows| usize::try_from(rows).ok()) else {
        return;
    };
    let estimates = operator.estimates(rows);
    if estimates.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "    by cost, for {rows} rows if their keys are distinct and far apart (all ns):"
    );
    for estimate in estimates {
        let _ = writeln!(
            text,
            "      {}: {:.1} to build a row, {:.1} to probe a row, {:.0} in all",
            estimate.candidate, estimate.build_ns, estimate.probe_ns, estimate.total_ns
        );
    }
}

/// The table's size, if it can be guessed.
fn memory(join: &TableJoinPlan) -> String {
    let (Some(rows), Some(bytes)) = (join.expected_rows(), join.expected_bytes()) else {
        return "its size is not known before it is read".to_owned();
    };
    let (kilobytes, row) = (bytes.div_ceil(1000), row_bytes(join.kernel.table.keys.schema()));
    format!("about {kilobytes} kB in memory ({rows} rows of some {row} bytes and the index)")
}

pub(in crate::plan) fn row_bytes(schema: &Schema) -> u64 {
    schema.fields().iter().map(|field| column_bytes(field.data_type())).sum()
}

fn column_bytes(data_type: &DataType) -> u64 {
    match data_type {
        DataType::Boolean | DataType::Null => 1,
        DataType::Dictionary(key, _) => column_bytes(key),
        // Text of unknown length: offsets and a short word.
        other => other.primitive_width().map_or(16, |width| width as u64),
    }
}
