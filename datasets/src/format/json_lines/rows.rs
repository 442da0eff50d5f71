//! JSON lines as columns.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Field, SchemaRef};
use arrow::error::ArrowError;

use super::decode::Decoder;
use super::lines::Lines;
use super::restore::{has_numbers_among_times, restore};
use super::rewrite::rewrite;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::reader::ReadRequest;
use crate::format::text::{Misfit, TextBatches, TextRows, declaration, malformed};

/// The lines of an input.
pub(super) struct Rows {
    path: PathBuf,
    lines: Lines,
    /// All columns, if they were inferred.
    inferred: Option<SchemaRef>,
    /// The columns that are read.
    schema: SchemaRef,
    decoder: Decoder,
    /// The lines since the last batch, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Rows {
    /// The batches of `lines`.
    pub(super) fn batches(lines: Lines, request: ReadRequest<'_>) -> Result<TextBatches<Rows>> {
        let ReadRequest { path, schema: all, projection, options, .. } = request;
        let schema = all.project(projection);
        let schema =
            Arc::new(schema.map_err(|source| DatasetError::arrow(path.display(), source))?);
        let inferred = options.schema.is_none().then(|| all.clone());
        // A field beyond the first 1,000 rows must not get lost where all
        // columns are asked for; where some are named, it cannot be among them.
        let strict = inferred.is_some() && projection.len() == all.fields().len();
        let decoder = Decoder::new(&schema, strict);
        // Refuses a type that cannot be read before the first line is.
        let unreadable = match decoder.decode(b"{}", 1) {
            Err(ArrowError::NotYetImplemented(message)) => Some(message),
            Err(_) => None,
            Ok(nulls) => nulls.columns().iter().zip(schema.fields()).find_map(|(column, field)| {
                let error = restore(column, field.data_type()).err()?;
                Some(format!("column `{}`: {error}", field.name()))
            }),
        };
        if let Some(what) = unreadable {
            return Err(DatasetError::CannotHold {
                format: FileFormat::JsonLines,
                what,
                remedy: "declare the column as string and cast it".to_owned(),
            });
        }
        let (text, ends) = (Vec::new(), Vec::new());
        let path_owned = path.to_owned();
        let rows =
            Rows { path: path_owned, lines, inferred, schema: schema.clone(), decoder, text, ends };
        Ok(TextBatches::new(path, rows, schema, options))
    }

    /// The lines as the decoder reads them, and where each ends.
    fn rewritten(&self, text: &[u8], ends: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let mut whole = Vec::with_capacity(text.len());
        let mut new_ends = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            let line = &text[start..end];
            let plain = std::str::from_utf8(line).ok();
            match plain.and_then(|line| rewrite(line, self.schema.fields())) {
                Some(line) => whole.extend_from_slice(line.as_bytes()),
                None => whole.extend_from_slice(line),
            }
            new_ends.push(whole.len());
            start = end;
        }
        (whole, new_ends)
    }

    /// Decodes line by line to find the one that failed: how many precede it, and
    /// its error.
    fn culprit(
        &self,
        text: &[u8],
        ends: &[usize],
        lines: &[u64],
        whole: Option<&ArrowError>,
    ) -> Misfit {
        let mut start = 0;
        for (before, (&line, &end)) in lines.iter().zip(ends).enumerate() {
            let message = match self.decoder.decode(&text[start..end], 1) {
                Ok(batch) if batch.num_rows() == 1 => None,
                Ok(_) => Some("not one JSON object".to_owned()),
                Err(e) => Some(plain_message(&e)),
            };
            if let Some(message) = message {
                let message = format!("{message}; {}", self.remedy(&message));
                return (before, DatasetError::line(&self.path, line, message));
            }
            start = end;
        }
        let first = lines.first().copied().unwrap_or(1);
        let message = whole.map_or_else(|| "not one object per line".to_owned(), plain_message);
        (0, DatasetError::line(&self.path, first, message))
    }

    fn remedy(&self, message: &str) -> String {
        let Some(schema) = &self.inferred else {
            return "each line must be one object whose values fit the columns' types".to_owned();
        };
        let columns = declaration(schema, None);
        let missing = message.strip_suffix(MISSING).and_then(|rest| rest.strip_suffix('\''));
        match missing.and_then(|rest| rest.rsplit_once("column '")) {
            Some((_, name)) => format!(
                "the columns are those of the first 1,000 rows: declare `{name}` with its type in addition to {columns}"
            ),
            None => format!(
                "each line must be one object whose values fit the types of the first 1,000 rows: correct it, or declare the types: {columns}"
            ),
        }
    }
}

impl TextRows for Rows {
    fn append(&mut self) -> Result<Option<u64>> {
        let line = self.lines.next(&self.path, &mut self.text)?;
        self.ends.extend(line.map(|_| self.text.len()));
        Ok(line)
    }

    fn arrived(&self) -> Option<i64> {
        self.lines.arrived()
    }

    fn bytes(&self) -> usize {
        self.text.len()
    }

    fn decode(&mut self, lines: &[u64]) -> Result<(Vec<ArrayRef>, Option<DatasetError>)> {
        let (mut text, ends) = (std::mem::take(&mut self.text), std::mem::take(&mut self.ends));
        // A line that broke off may have left its text.
        text.truncate(ends.last().copied().unwrap_or(0));
        let mut result = self.decoder.decode(&text, lines.len());
        let is_good = |batch: &RecordBatch| {
            let columns = batch.columns().iter().zip(self.schema.fields());
            let is_number = |(c, f): (_, &Arc<Field>)| has_numbers_among_times(c, f.data_type());
            batch.num_rows() == lines.len() && !columns.into_iter().any(is_number)
        };
        let mut ends = ends;
        if !result.as_ref().is_ok_and(is_good) {
            (text, ends) = self.rewritten(&text, &ends);
            result = self.decoder.decode(&text, lines.len());
        }
        let (batch, error) = match result {
            Ok(batch) if batch.num_rows() == lines.len() => (batch, None),
            result => {
                let (rows, error) = self.culprit(&text, &ends, lines, result.err().as_ref());
                let text = &text[..rows.checked_sub(1).map_or(0, |last| ends[last])];
                let batch = self.decoder.decode(text, rows);
                let failed = |source| DatasetError::arrow(self.path.display(), source);
                (batch.map_err(failed)?, Some(error))
            }
        };
        Ok((batch.columns().to_vec(), error))
    }

    fn convert(&self, column: &ArrayRef, field: &Field, lines: &[u64]) -> Result<ArrayRef, Misfit> {
        let failed = |source| {
            let doing = format!("{}: column `{}`", self.path.display(), field.name());
            (0, DatasetError::arrow(doing, source))
        };
        restore(column, field.data_type()).map_err(failed)?.map_err(|unfit| {
            // The type of a nested column cannot be declared from one value in it.
            let inferred = self.inferred.as_ref().filter(|_| !field.data_type().is_nested());
            let part = field.clone().with_data_type(unfit.data_type);
            let line = lines[unfit.row];
            (unfit.row, malformed(&self.path, line, &part, &unfit.value, inferred))
        })
    }

    fn line(&self) -> u64 {
        self.lines.line()
    }
}

/// How arrow says that a field has no column.
const MISSING: &str = " missing from schema";

fn plain_message(error: &ArrowError) -> String {
    match error {
        ArrowError::JsonError(message) => message.clone(),
        other => other.to_string(),
    }
}
