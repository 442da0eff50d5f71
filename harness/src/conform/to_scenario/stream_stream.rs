//! Two streams. Each row arrives with its input batch, whose number a column
//! holds that the query does not see.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};

use super::{Written, line};
use crate::conform::case::{StreamStreamQuery, TimedStream};
use crate::conform::encoding::pieces;
use crate::conform::input::{Input, Parts};
use crate::error::{Failure, Result};
use crate::scenario::{InMemory, MemoryRows};
use crate::text::toml_string::quoted;

/// The column that holds the number of the input batch.
const BATCH: &str = "input batch";

pub(super) fn write(query: &StreamStreamQuery, input: &Input) -> Result<Written> {
    let mut text = String::new();
    let mut in_memory = InMemory::default();
    let sides = [("l", &query.left), ("r", &query.right)];
    for ((name, stream), rows) in sides.into_iter().zip(&input.streams) {
        text += &format!("[stream.{name}]\n");
        text += &line("recording", name);
        text += &selected(stream, query.window_keep_time);
        text += &line("event_time", &stream.event_time);
        text += &line("arrival", BATCH);
        if let Some(delay) = stream.watermark_delay_us {
            text += &line("watermark", &format!("{delay} us"));
        }
        in_memory = in_memory.with(name, recording(rows, input.encoded)?);
    }
    text += "[join]\nleft = \"l\"\nright = \"r\"\n";
    text += &line("type", &query.join_type);
    if let Some(sql) = &query.condition.sql {
        text += &line("on", &query.in_words_of_scenario(sql));
    }
    if let Some(width) = query.window_us {
        text += &line("window", &format!("{width} us"));
    }
    text += &line("watermark_policy", &query.watermark_policy);
    text += &line("output_mode", query.output_mode.as_deref().unwrap_or("append"));
    text += &format!("no_data_batches = {}\n", query.no_data_batches);
    text += "[replay]\nmerge = \"arrival\"\nend = \"hold\"\n";
    text += &format!("trigger = {{ column = \"{BATCH}\" }}\n");
    Ok((text, in_memory))
}

/// The case's columns, and the event time once more if it is kept as well as
/// the window that takes its place.
fn selected(stream: &TimedStream, keep_time: bool) -> String {
    let columns = stream.schema.iter().map(|(name, _)| format!("`{name}`"));
    let kept = keep_time.then(|| format!("`{}` AS kept", stream.event_time));
    let columns = columns.chain(kept).map(|column| quoted(&column));
    format!("select = [{}]\n", columns.collect::<Vec<_>>().join(", "))
}

/// A stream with the number of the input batch as its last column.
fn recording(rows: &Parts, in_pieces: bool) -> Result<MemoryRows> {
    let fields = rows.schema.fields().iter().map(|field| field.as_ref().clone());
    let fields = fields.chain([Field::new(BATCH, DataType::Int64, false)]);
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let mut batches = Vec::new();
    for (number, part) in (0_i64..).zip(&rows.parts) {
        let number: ArrayRef = Arc::new(Int64Array::from(vec![number; part.num_rows()]));
        let columns = part.columns().iter().cloned().chain([number]).collect();
        let batch = RecordBatch::try_new(schema.clone(), columns).map_err(Failure::run)?;
        batches.extend(if in_pieces { pieces(&batch) } else { vec![batch] });
    }
    MemoryRows::new(schema, batches)
}
