//! Tables as Spark's console sink and `show()` print them.

mod cell;

use std::io::Write;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};

use super::Sink;
use crate::error::{Failure, Result};

/// Rows shown of each batch.
const SHOWN_ROWS: usize = 20;
/// Characters shown of each cell.
const SHOWN_CHARS: usize = 20;
/// Least width of a column.
const LEAST_WIDTH: usize = 3;
const RULE: &str = "-------------------------------------------";

/// The sink `console`: for each batch its number and its first 20 rows.
pub struct Console {
    captions: Vec<String>,
    rows: Vec<Vec<String>>,
    more: bool,
    output: Box<dyn Write + Send>,
}

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console").field("captions", &self.captions).finish_non_exhaustive()
    }
}

impl Console {
    /// A console that prints to `output`.
    pub fn new(schema: &SchemaRef, output: Box<dyn Write + Send>) -> Self {
        Self { captions: captions(schema), rows: Vec::new(), more: false, output }
    }
}

impl Sink for Console {
    fn batch(&mut self, _: u64, rows: &RecordBatch) -> Result<()> {
        let wanted = SHOWN_ROWS - self.rows.len();
        self.more |= rows.num_rows() > wanted;
        if wanted > 0 {
            self.rows.extend(cells(rows, wanted)?);
        }
        Ok(())
    }

    fn end_batch(&mut self, batch_id: u64) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let mut text = format!("{RULE}\nBatch: {batch_id}\n{RULE}\n");
        text += &bordered(&self.captions, &rows);
        if std::mem::take(&mut self.more) {
            text += &format!("only showing top {SHOWN_ROWS} rows\n");
        }
        text.push('\n');
        let written = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
        written.map_err(|error| Failure::run(format!("cannot write to standard output: {error}")))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}

/// The first rows of `batch` as `show()` prints them: at most `limit` rows,
/// cells cut at 20 characters.
///
/// # Errors
/// A run failure where a value cannot be printed.
pub fn show(batch: &RecordBatch, limit: usize) -> Result<String> {
    show_all(&batch.schema(), std::slice::from_ref(batch), limit)
}

/// As [`show`], of the rows of several batches of `schema`.
///
/// # Errors
/// A run failure where a value cannot be printed.
pub fn show_all(schema: &Schema, batches: &[RecordBatch], limit: usize) -> Result<String> {
    let mut rows = Vec::new();
    for batch in batches {
        rows.extend(cells(batch, limit - rows.len())?);
    }
    Ok(bordered(&captions(schema), &rows))
}

/// The value in `row` of `column` as `show()` prints it, uncut.
///
/// # Errors
/// A run failure where a value cannot be printed.
pub fn cell_text(column: &dyn Array, row: usize) -> Result<String> {
    Ok(cell::escape(&cell::print(column, row)?))
}

fn captions(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| cell::escape(field.name())).collect()
}

fn cells(batch: &RecordBatch, limit: usize) -> Result<Vec<Vec<String>>> {
    let cell = |row| move |column: &ArrayRef| Ok(shorten(cell::escape(&cell::print(column, row)?)));
    let rows = batch.num_rows().min(limit);
    (0..rows).map(|row| batch.columns().iter().map(cell(row)).collect()).collect()
}

fn shorten(text: String) -> String {
    if text.chars().count() <= SHOWN_CHARS {
        return text;
    }
    let mut short: String = text.chars().take(SHOWN_CHARS - 3).collect();
    short.push_str("...");
    short
}

fn bordered(captions: &[String], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..captions.len())
        .map(|column| {
            let cells = rows.iter().map(|row| cell::width(&row[column]));
            cells.chain([cell::width(&captions[column]), LEAST_WIDTH]).max().unwrap_or_default()
        })
        .collect();
    let mut rule = String::from("+");
    for width in &widths {
        rule.extend(std::iter::repeat_n('-', *width));
        rule.push('+');
    }
    if widths.is_empty() {
        rule.push('+');
    }
    rule.push('\n');
    let line = |cells: &[String]| {
        let mut line = String::from("|");
        for (cell, width) in cells.iter().zip(&widths) {
            line.extend(std::iter::repeat_n(' ', width - cell::width(cell)));
            line.push_str(cell);
            line.push('|');
        }
        if widths.is_empty() {
            line.push('|');
        }
        line.push('\n');
        line
    };
    let mut text = rule.clone();
    text += &line(captions);
    text += &rule;
    for row in rows {
        text += &line(row);
    }
    text += &rule;
    text
}
