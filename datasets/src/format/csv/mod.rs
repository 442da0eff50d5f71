//! CSV: a header line, one delimiter, declared or inferred types. An empty
//! field is null, and `""` the empty string; binary is hexadecimal; quoted
//! fields may hold line breaks. Blank lines are skipped, but in a file of one
//! column they are nulls. A first line `sep=;`, as Excel reads it, names the delimiter.

mod infer;
mod lines;
mod rows;
mod split;
mod write;

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef, SchemaRef};

use self::lines::{Lines, delimiter_of};
use self::rows::Rows;
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, refuse_duplicate_names};
use super::text::{can_parse, settled_schema};
use crate::columns::{decoded, retype_schema};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::input::Input;
use crate::write::{BatchWriter, Output};

/// The CSV format.
pub(crate) struct Csv;

impl Format for Csv {
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        let mut lines = Lines::open(path, Input::open(path)?, options)?;
        if let Some(schema) = &options.schema {
            let schema = Arc::new(lines.found(path, schema)?);
            return Ok(Shape { schema, rows: None, inferred: false });
        }
        let schema = Arc::new(infer::schema(path, &mut lines)?);
        Ok(Shape { schema, rows: None, inferred: true })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, options, .. } = request;
        let lines = Lines::open(path, Input::open(path)?, options)?;
        Ok(Box::new(Rows::batches(lines, request)?))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, name: &Path) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::Csv, schema)?;
        let rule = &mut |field: &FieldRef, part: &DataType| {
            let values = decoded(part);
            let remedy = match part.is_nested() && values.is_nested() {
                true => "select its parts, or write jsonl, parquet or arrow",
                false => FileFormat::Csv.instead(),
            };
            match can_parse(&values) {
                true => Ok(Some(values)),
                false => Err(DatasetError::CannotHold {
                    format: FileFormat::Csv,
                    what: format!("column `{}` of type {}", field.name(), field.data_type()),
                    remedy: remedy.to_owned(),
                }),
            }
        };
        let decoded = retype_schema(schema, rule)?;
        write::writer(sink, &decoded, delimiter_of(name, b','))
    }
}

/// The rows of a live input, whose columns are declared or inferred.
pub(super) fn live(
    path: &Path,
    input: Input,
    options: &ReadOptions,
) -> Result<(SchemaRef, Box<dyn FileBatches>)> {
    let mut lines = Lines::open(path, input, options)?;
    let schema = match &options.schema {
        Some(declared) => declared.clone(),
        None => Arc::new(settled_schema(&infer::schema(path, &mut lines)?)),
    };
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let request = ReadRequest { path, schema: &schema, projection: &all, narrow: &[], options };
    let batches = Rows::batches(lines, request)?;
    Ok((schema, Box::new(batches)))
}
