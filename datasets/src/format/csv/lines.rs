//! The records of a CSV input and their lines.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema};

use super::split::{Record, Split, Splitter};
use crate::column_name::position_of;
use crate::compression::uncompressed_name;
use crate::error::{DatasetError, Result};
use crate::format::options::ReadOptions;
use crate::format::text::Ahead;
use crate::input::Input;

/// Room for `"sep=;"` and the end of its line.
const SEPARATOR_LINE_BYTES: usize = 9;

/// The delimiter: a tab in a `.tsv`, unless another is asked for.
pub(super) fn delimiter_of(path: &Path, asked: u8) -> u8 {
    let name = uncompressed_name(path);
    let tsv = name.extension().is_some_and(|e| e.eq_ignore_ascii_case("tsv"));
    if tsv && asked == b',' { b'\t' } else { asked }
}

/// Skips the line with which Excel names the delimiter, `sep=;`; the delimiter.
fn skip_separator_line(path: &Path, input: &mut Input) -> Result<Option<u8>> {
    let head = input.peek(path, SEPARATOR_LINE_BYTES)?;
    let Some(end) = head.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
    let line = head[..end].strip_suffix(b"\r").unwrap_or(&head[..end]);
    let bare = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let delimiter = match bare.unwrap_or(line) {
        [name @ .., b'=', delimiter] if name.eq_ignore_ascii_case(b"sep") => *delimiter,
        _ => return Ok(None),
    };
    if !delimiter.is_ascii() || delimiter.is_ascii_alphanumeric() || delimiter == b'"' {
        return Ok(None);
    }
    let mut line = vec![0; end + 1];
    input.read_exact(&mut line).map_err(|e| input.failed(path, e))?;
    Ok(Some(delimiter))
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
        let mut delimiter = delimiter_of(path, options.delimiter);
        let mut splitter = Splitter::new(delimiter);
        if let Some(named) = skip_separator_line(path, &mut input)? {
            delimiter = named;
            splitter = Splitter::new(delimiter);
            splitter.skip_line();
        }
        let mut lines = Lines {
            input,
            splitter,
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

    /// Where each column of a declared schema stands in the file. A name is found in
    /// any case where it is not there as it is.
    pub(super) fn positions(&self, path: &Path, schema: &Schema) -> Result<Vec<usize>> {
        self.check_unnamed(path, schema)?;
        let all = schema.fields().iter().enumerate();
        let find = |(at, field): (usize, &Arc<Field>)| {
            self.position(at, field.name()).ok_or_else(|| {
                let known = self.names.iter().map(String::as_str);
                DatasetError::unknown_column(path.display(), field.name(), known)
            })
        };
        all.map(find).collect()
    }

    /// The columns of a declared schema that the file has, as it spells them.
    pub(super) fn found(&self, path: &Path, schema: &Schema) -> Result<Schema> {
        self.check_unnamed(path, schema)?;
        let all = schema.fields().iter().enumerate();
        let found = all.filter_map(|(at, field)| {
            let position = self.position(at, field.name())?;
            let name = if self.named { &self.names[position] } else { field.name() };
            Some(field.as_ref().clone().with_name(name))
        });
        Ok(Schema::new(found.collect::<Vec<_>>()))
    }

    fn position(&self, at: usize, name: &str) -> Option<usize> {
        if !self.named {
            return Some(at);
        }
        position_of(name, self.names.iter().map(String::as_str))
    }

    /// Without a header, every column must be declared.
    fn check_unnamed(&self, path: &Path, schema: &Schema) -> Result<()> {
        let (declared, found) = (schema.fields().len(), self.names.len());
        if self.named || declared == found {
            return Ok(());
        }
        let message = format!(
            "{found} fields, but {declared} columns are declared; without a header every column must be"
        );
        Err(DatasetError::line(path, 1, message))
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
