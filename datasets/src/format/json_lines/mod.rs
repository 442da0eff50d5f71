//! JSON lines: one object per line. A missing field is null, and a line that is `null` a row
//! of nulls; numbers that do not fit JSON (`NaN`, `Infinity`) are strings; a number in a
//! column of timestamps is seconds since 1970; binary is hexadecimal.

mod decode;
mod encode;
mod infer;
mod kcat;
mod lines;
mod restore;
mod rewrite;
mod rows;
mod write;

pub(super) use kcat::is_kcat;

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use self::lines::Lines;
use self::rows::Rows;
use super::options::ReadOptions;
use super::reader::{FileBatches, Format, ReadRequest, Shape, refuse_duplicate_names};
use super::text::settled_schema;
use crate::error::Result;
use crate::file_format::FileFormat;
use crate::input::Input;
use crate::write::{BatchWriter, Output};

/// The JSON lines format.
pub(crate) struct JsonLines;

impl Format for JsonLines {
    fn shape(&self, path: &Path, options: &ReadOptions) -> Result<Shape> {
        if let Some(schema) = &options.schema {
            return Ok(Shape { schema: schema.clone(), rows: None, inferred: false });
        }
        let mut lines = Lines::open(path, Input::open(path)?)?;
        let schema = Arc::new(infer::schema(path, &mut lines)?);
        Ok(Shape { schema, rows: None, inferred: true })
    }

    fn read(&self, request: ReadRequest<'_>) -> Result<Box<dyn FileBatches>> {
        let ReadRequest { path, .. } = request;
        let lines = Lines::open(path, Input::open(path)?)?;
        Ok(Box::new(Rows::batches(lines, request)?))
    }

    fn write(&self, sink: Output, schema: &SchemaRef, _: &Path) -> Result<Box<dyn BatchWriter>> {
        refuse_duplicate_names(FileFormat::JsonLines, schema)?;
        Ok(write::writer(sink, schema))
    }
}

/// The rows of a live input, whose columns are declared or inferred. `kcat` = the
/// prefix of its columns, if the lines are those of `kcat -J`.
pub(super) fn live(
    path: &Path,
    input: Input,
    kcat: Option<&str>,
    options: &ReadOptions,
) -> Result<(SchemaRef, Box<dyn FileBatches>)> {
    let mut lines = Lines::open(path, input)?;
    if let Some(prefix) = kcat {
        lines.unwrap_kcat(prefix);
    }
    let schema = match (&options.schema, kcat) {
        (Some(declared), None) => declared.clone(),
        (None, None) => Arc::new(settled_schema(&infer::schema(path, &mut lines)?)),
        (Some(declared), Some(prefix)) => {
            kcat::refuse_own(path, prefix, declared)?;
            Arc::new(kcat::schema(prefix, declared))
        }
        (None, Some(prefix)) => {
            let payload = settled_schema(&infer::schema(path, &mut lines)?);
            Arc::new(kcat::schema(prefix, &payload))
        }
    };
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let request = ReadRequest { path, schema: &schema, projection: &all, narrow: &[], options };
    let batches = Rows::batches(lines, request)?;
    Ok((schema, Box::new(batches)))
}
