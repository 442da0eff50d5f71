//! The records of a CSV input as columns.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray, StringBuilder};
use arrow::datatypes::{Field, SchemaRef};

use super::lines::Lines;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::reader::ReadRequest;
use crate::format::text::{
    Bare, Misfit, TextBatches, TextRows, can_parse, holds_empty_text, malformed, parse_column,
};

/// The fields of the columns that are read.
pub(super) struct Rows {
    path: PathBuf,
    lines: Lines,
    /// All columns, if their types were inferred.
    inferred: Option<SchemaRef>,
    /// Position in the file of each column that is read, and whether it
    /// distinguishes the empty text from null.
    positions: Vec<(usize, bool)>,
    /// The fields read since the last batch, and their bytes.
    texts: Vec<StringBuilder>,
    bytes: usize,
}

impl Rows {
    /// The batches of `lines`.
    pub(super) fn batches(lines: Lines, request: ReadRequest<'_>) -> Result<TextBatches<Rows>> {
        let ReadRequest { path, schema, projection, options, .. } = request;
        let positions = lines.positions(path, schema)?;
        let inferred = options.schema.is_none().then(|| schema.clone());
        let schema = Arc::new(schema.project(projection).map_err(|source| {
            DatasetError::arrow(format!("{}: select columns", path.display()), source)
        })?);
        if let Some(field) = schema.fields().iter().find(|f| !can_parse(f.data_type())) {
            return Err(DatasetError::CannotHold {
                format: FileFormat::Csv,
                what: format!("column `{}` of type {}", field.name(), field.data_type()),
                remedy: "declare it as string and cast it".to_owned(),
            });
        }
        let positions = projection
            .iter()
            .zip(schema.fields())
            .map(|(&i, field)| (positions[i], holds_empty_text(field.data_type())));
        let positions: Vec<_> = positions.collect();
        let texts = positions.iter().map(|_| StringBuilder::new()).collect();
        let rows = Rows { path: path.to_owned(), lines, inferred, positions, texts, bytes: 0 };
        Ok(TextBatches::new(path, rows, schema, options))
    }
}

impl TextRows for Rows {
    fn append(&mut self) -> Result<Option<u64>> {
        let Some(line) = self.lines.next(&self.path)? else { return Ok(None) };
        for (text, &(column, holds_empty)) in self.texts.iter_mut().zip(&self.positions) {
            let field = self.lines.text(&self.path, line, column)?;
            text.append_option(field.filter(|text| holds_empty || !text.is_empty()));
        }
        self.bytes += self.lines.record.size();
        Ok(Some(line))
    }

    fn arrived(&self) -> Option<i64> {
        self.lines.is_live().then_some(self.lines.arrived)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn decode(&mut self, lines: &[u64]) -> Result<(Vec<ArrayRef>, Option<DatasetError>)> {
        self.bytes = 0;
        // A row that broke off may have left its first fields.
        let texts = self.texts.iter_mut().map(|text| text.finish().slice(0, lines.len()));
        Ok((texts.map(|text| Arc::new(text) as ArrayRef).collect(), None))
    }

    fn convert(&self, column: &ArrayRef, field: &Field, lines: &[u64]) -> Result<ArrayRef, Misfit> {
        let text: &StringArray = column.as_string();
        if !field.is_nullable()
            && let Some(row) = (0..text.len()).find(|&row| text.is_null(row))
        {
            let message = format!(
                "column `{}`: an empty field, but the column is not nullable",
                field.name()
            );
            return Err((row, DatasetError::line(&self.path, lines[row], message)));
        }
        match parse_column(text, field.data_type(), Bare::Number) {
            Ok(Ok(column)) => Ok(column),
            Ok(Err(row)) => {
                let (line, value) = (lines[row], text.value(row));
                Err((row, malformed(&self.path, line, field, value, self.inferred.as_ref())))
            }
            Err(source) => {
                let doing = format!("{}: column `{}`", self.path.display(), field.name());
                Err((0, DatasetError::arrow(doing, source)))
            }
        }
    }

    fn line(&self) -> u64 {
        self.lines.line()
    }
}
