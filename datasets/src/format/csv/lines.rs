//! The records of a CSV input and their lines.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema};

use super::split::{Record, Split, Splitter};
use crate::compression::uncompressed_name;
use crate::error::{DatasetError, Result};
use crate::format::options::ReadOptions;
use crate::format::text::Ahead;
use crate::input::Input;

/// The delimiter: a tab in a `.tsv`, unless another is asked for.
pub(super) fn delimiter_of(path: &Path, asked: u8) -> u8 {
    let name = uncompressed_name(path);
    let tsv = name.extension().is_some_and(|e| e.eq_ignore_ascii_case("tsv"));
    if tsv && asked == b',' { b'\t' } else { asked }
}

/// The records of an input and where they stand.
pub(super) struct Lines {
    input: Input,
    splitter: Splitter,
    pub(super) record: Record,
    /// When it arrived, if the input is live.
    pub(super) arrived: i64,
    /// Names of the columns: the header, or `_c0`, `_c1`, ...
    pub(super) names: Vec<String>,
    named: bool,
    /// Records that were read ahead, and when they arrived.
    ahead: Ahead<(Record, i64)>,
}

impl Lines {
    pub(super) fn open(path: &Path, mut input: Input, options: &ReadOptions) -> Result<Lines> {
        input.skip_mark(path)?;
        let delimiter = delimiter_of(path, options.delimiter);
        let mut lines = Lines {
            input,
            splitter: Splitter::new(delimiter),
            record: Record::default(),
            arrived: 0,
            names: Vec::new(),
            named: options.header,
            ahead: Ahead::new(),
        };
        let Some(line) = lines.split(path)? else {
            let message = "the file holds no line of text; write at least a header";
            return Err(DatasetError::line(path, 1, message));
        };
        if !options.header {
            lines.names = (0..lines.record.len()).map(|i| format!("_c{i}")).collect();
            lines.count_row();
            lines.ahead.push((lines.record.clone(), lines.arrived));
        } else {
            lines.read_header(path, line, delimiter)?;
        }
        if lines.names.len() == 1 {
            // A blank line is the only way to write a null.
            lines.splitter.take_blank_lines();
        }
        Ok(lines)
    }

    fn read_header(&mut self, path: &Path, line: u64, delimiter: u8) -> Result<()> {
        for column in 0..self.record.len() {
            let (name, quoted) = self.record.field(column).unwrap_or_default();
            let name = std::str::from_utf8(name).map_err(|_| {
                let message = format!(
                    "the name of column {} is not UTF-8; convert the file to UTF-8",
                    column + 1
                );
                DatasetError::line(path, line, message)
            })?;
            let name = name.trim().to_owned();
            let other = [';', '\t', '|'].into_iter().find(|c| name.contains(*c));
            if let (1, false, Some(other)) = (self.record.len(), quoted, other) {
                let other = other.to_string();
                let message = format!(
                    "the header `{name}` is one column, as `{}` is the delimiter; declare the delimiter {other:?} (`csv = {{ delimiter = {other:?} }}` of the stream or table, `--set stream.NAME.csv.delimiter={other:?}` or `dimension.NAME...` in flags), or quote the name",
                    char::from(delimiter).escape_default()
                );
                return Err(DatasetError::line(path, line, message));
            }
            if self.names.contains(&name) {
                let message = format!("two columns are named `{name}`; rename one in the header");
                return Err(DatasetError::line(path, line, message));
            }
            self.names.push(name);
        }
        Ok(())
    }

    /// Reads the next row into `record`; its line, or `None` at the end.
    pub(super) fn next(&mut self, path: &Path) -> Result<Option<u64>> {
        if let Some(ahead) = self.ahead.next()? {
            (self.record, self.arrived) = ahead;
            return Ok(Some(self.record.line));
        }
        if self.input.live_state().is_some_and(|live| live.is_full()) {
            return Ok(None);
        }
        let Some(line) = self.split(path)? else { return Ok(None) };
        if self.record.len() != self.names.len() {
            let message = format!(
                "{} fields, but there are {} columns; quote fields that hold the delimiter",
                self.record.len(),
                self.names.len()
            );
            return Err(DatasetError::line(path, line, message));
        }
        self.count_row();
        Ok(Some(line))
    }

    /// Puts back records that were read ahead, and the error after them.
    pub(super) fn put_back(
        &mut self,
        records: VecDeque<(Record, i64)>,
        failed: Option<DatasetError>,
    ) -> Result<()> {
        self.ahead.put_back(records, failed, &self.input)
    }

    /// Whether rows arrive while they are read.
    pub(super) fn is_live(&self) -> bool {
        self.input.live_state().is_some()
    }

    /// The line that is being read.
    pub(super) fn line(&self) -> u64 {
        self.splitter.line()
    }

    fn count_row(&mut self) {
        if let Some(live) = self.input.live_state() {
            live.take_rows(1);
            self.arrived = live.arrived();
        }
    }

    /// Reads the next record, whatever its fields.
    fn split(&mut self, path: &Path) -> Result<Option<u64>> {
        let split = self.splitter.next(&mut self.input, &mut self.record);
        let split = split.map_err(|e| self.input.failed(path, e))?;
        let line = self.record.line;
        match split {
            Split::Record => Ok(Some(line)),
            Split::End => Ok(None),
            // The rest of the record was not waited for.
            Split::Unclosed | Split::Unended if self.input.is_cut() => Ok(None),
            Split::Unended => Ok(Some(line)),
            Split::Unclosed => {
                let message = "a quoted field is not closed before the end of the file; close it, or double a quote that belongs to a value";
                Err(DatasetError::line(path, line, message))
            }
        }
    }

    /// Where each column of a declared schema stands in the file.
    pub(super) fn positions(&self, path: &Path, schema: &Schema) -> Result<Vec<usize>> {
        if !self.named {
            let (declared, found) = (schema.fields().len(), self.names.len());
            if declared != found {
                let message = format!(
                    "{found} fields, but {declared} columns are declared; without a header every column must be"
                );
                return Err(DatasetError::line(path, 1, message));
            }
            return Ok((0..declared).collect());
        }
        let find = |field: &Arc<Field>| {
            self.names.iter().position(|name| name == field.name()).ok_or_else(|| {
                let known = self.names.iter().map(String::as_str);
                DatasetError::unknown_column(path.display(), field.name(), known)
            })
        };
        schema.fields().iter().map(find).collect()
    }

    /// A field as text; `None` for an empty one that is not quoted.
    pub(super) fn text(&self, path: &Path, line: u64, column: usize) -> Result<Option<&str>> {
        let (bytes, quoted) = self.record.field(column).unwrap_or_default();
        if bytes.is_empty() && !quoted {
            return Ok(None);
        }
        std::str::from_utf8(bytes).map(Some).map_err(|_| {
            let name = &self.names[column];
            let message = format!("column `{name}`: not UTF-8; convert the file to UTF-8");
            DatasetError::line(path, line, message)
        })
    }
}
