//! A plan as text for people.

mod condition;
mod read;
mod replay;
mod state;
mod stream_static;
mod stream_stream;

use std::fmt::Write;

use streamjoin_datasets::type_text;

use super::bind::{Bound, BoundInput, Origin, Selected, Selection};
use super::physical::Plan;
use super::strategy::Strategy;
use crate::error::Result;
use crate::scenario::Scenario;

use read::{describe_read, describe_table_read};
use replay::{describe_batches, describe_stream};

/// What a scenario asks for, as far as it could be understood.
pub fn logical(scenario: &Scenario, bound: &Bound) -> String {
    let mut text = match scenario.text.is_of_flags() {
        true => "scenario in flags\n".to_owned(),
        false => format!("scenario {} ({})\n", scenario.name, scenario.text),
    };
    if let Some(description) = &scenario.description {
        let _ = writeln!(text, "  {description}");
    }
    match &bound.input {
        Some(BoundInput::Stream(stream)) => {
            describe_stream(&mut text, stream);
            describe_batches(&mut text, &bound.replay);
        }
        Some(BoundInput::Streams(streams)) => {
            describe_stream(&mut text, &streams.sides.left);
            describe_stream(&mut text, &streams.sides.right);
            describe_batches(&mut text, &bound.replay);
            stream_stream::describe(&mut text, &bound.replay, streams);
        }
        None => {}
    }
    for (at, table) in bound.tables.iter().enumerate() {
        stream_static::describe(&mut text, at + 1, table);
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
        let data_type = type_text(&column.data_type);
        let _ = writeln!(text, "  {}: {data_type}{nullable}{made}", column.name);
    }
}

/// How each strategy runs a plan.
///
/// # Errors
/// As the kernels refuse.
pub fn physical(plan: &Plan, strategies: &[Strategy]) -> Result<String> {
    let mut text = String::new();
    match plan {
        Plan::StreamStatic(plan) => describe_read(&mut text, &plan.stream),
        Plan::StreamStream(plan) => stream_stream::describe_columns(&mut text, plan)?,
    }
    for join in plan.joins() {
        describe_table_read(&mut text, join);
    }
    for Strategy { name, threads, isa, .. } in strategies {
        let plural = if threads.get() == 1 { "" } else { "s" };
        let _ = writeln!(text, "strategy {name}: {threads} thread{plural}, {isa}");
    }
    if let Plan::StreamStream(plan) = plan {
        let store = |_, strategy: &Strategy| stream_stream::store(plan, strategy).map(Some);
        describe_shared(&mut text, &["state"], strategies, store)?;
    }
    let joins = plan.joins();
    let names: Vec<&str> = joins.iter().map(|join| join.name.as_str()).collect();
    describe_shared(&mut text, &names, strategies, |at, strategy| {
        Ok(Some(stream_static::choice(&joins[at], strategy)))
    })?;
    describe_shared(&mut text, &names, strategies, |at, strategy| {
        stream_static::costs(&joins[at], strategy)
    })?;
    text.truncate(text.trim_end().len());
    Ok(text)
}

/// What strategies do about each of `subjects`: once for those that do the same.
fn describe_shared(
    text: &mut String,
    subjects: &[&str],
    strategies: &[Strategy],
    describe: impl Fn(usize, &Strategy) -> Result<Option<String>>,
) -> Result<()> {
    /// What is said, and of which strategies.
    type Said<'s> = Vec<(String, Vec<&'s str>)>;
    let mut shared: Vec<(Said<'_>, Vec<&str>)> = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let mut said: Said<'_> = Vec::new();
        for strategy in strategies {
            let Some(line) = describe(at, strategy)? else { continue };
            match said.iter_mut().find(|(known, _)| *known == line) {
                Some((_, names)) => names.push(&strategy.name),
                None => said.push((line, vec![&strategy.name])),
            }
        }
        match shared.iter_mut().find(|(known, _)| *known == said) {
            Some((_, subjects)) => subjects.push(subject),
            None => shared.push((said, vec![subject])),
        }
    }
    for (said, subjects) in shared {
        let subjects = subjects.join(", ");
        for (line, names) in said {
            let _ = match names.len() == strategies.len() {
                true => writeln!(text, "{subjects}: {line}"),
                false => writeln!(text, "{subjects} with {}: {line}", names.join(", ")),
            };
        }
    }
    Ok(())
}
