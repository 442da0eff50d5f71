//! A stream joined with tables. Each input batch is a file of the recording.

use std::fmt::Write;

use super::{Written, line};
use crate::conform::case::{CaseSide, Columns, Dimension, Refresh, StreamStaticQuery};
use crate::conform::encoding::pieces;
use crate::conform::input::{Input, Parts};
use crate::error::{Failure, Result};
use crate::scenario::{InMemory, MemoryRows};
use crate::text::toml_string::quoted;

pub(super) fn write(query: &StreamStaticQuery, input: &Input) -> Result<Written> {
    let Parts { schema, parts } = &input.streams[0];
    let stream = MemoryRows::new(schema.clone(), parts.clone())?;
    let mut in_memory = InMemory::default().with("s", stream);
    let mut text = format!("ansi = {}\n[stream.s]\nrecording = \"s\"\n", query.ansi);
    // The columns that have been joined so far, each under the name that it has
    // in the scenario.
    let mut joined: Vec<(String, &Columns)> = vec![("s".to_owned(), &query.stream.schema)];
    for (i, join) in query.joins.iter().enumerate() {
        let at = query.dims.iter().position(|dimension| dimension.name == join.dim);
        let Some(at) = at else {
            return Err(Failure::run(format!("join {i}: there is no dimension {}", join.dim)));
        };
        let (name, dimension, table) = (format!("d{i}"), &query.dims[at], &input.tables[at]);
        text += "[[dimension]]\n";
        text += &line("name", &name);
        text += &line("type", &join.join_type);
        if let Some(sql) = &join.condition.sql {
            text += &line("on", &qualified(sql, &format!("j{i}"), &joined));
        }
        if i == 0 && query.stream_side == CaseSide::Right {
            text += "stream_side = \"right\"\n";
        }
        text += &versions(dimension, &name, &input.executed()).map_err(Failure::run)?;
        for (version, rows) in table.parts.iter().enumerate() {
            let rows = if input.encoded { pieces(rows) } else { vec![rows.clone()] };
            let rows = MemoryRows::new(table.schema.clone(), rows)?;
            in_memory = in_memory.with(version_name(&name, version), rows);
        }
        joined.push((name, &dimension.schema));
    }
    text += "[replay]\ntrigger = \"file\"\n";
    Ok((text, in_memory))
}

fn version_name(table: &str, version: usize) -> String {
    format!("{table} version {version}")
}

/// The versions of a table from the executed batches on from which they are seen.
fn versions(
    dimension: &Dimension,
    name: &str,
    executed: &[usize],
) -> std::result::Result<String, String> {
    let once = matches!(dimension.refresh, Refresh::Fixed | Refresh::Cached);
    let mut text = "versions = [".to_owned();
    let mut last = None;
    for (batch, &input_batch) in executed.iter().enumerate() {
        // A table that is read once has its versions all the same.
        let version = match once {
            true if batch == 0 => dimension.version_at(0)?,
            true => dimension.version_at(input_batch)?,
            false => dimension.version_seen(input_batch)?,
        };
        if last.replace(version) != Some(version) {
            let table = quoted(&version_name(name, version));
            let _ = write!(text, "{{ from_batch = {batch}, table = {table} }}, ");
        }
    }
    text += "]\n";
    text += &line("refresh", if once { "once" } else { "every-batch" });
    Ok(text)
}

/// The condition with the names of the scenario: `j1` is what has been joined
/// before the second join, whose columns keep the names of their tables.
fn qualified(sql: &str, so_far: &str, joined: &[(String, &Columns)]) -> String {
    let columns = joined
        .iter()
        .flat_map(|(owner, columns)| columns.iter().map(move |(column, _)| (owner, column)));
    columns.fold(sql.to_owned(), |sql, (owner, column)| {
        sql.replace(&format!("{so_far}.`{column}`"), &format!("{owner}.`{column}`"))
    })
}
