//! How the commands on data read it.

use arrow::datatypes::{Field, Schema, SchemaRef};
use clap::Args;
use serde::Deserialize;
use streamjoin_datasets::{ReadOptions, parse_type};

use super::failure::failure;
use crate::error::{Failure, Result};
use crate::scenario::Ordered;

/// How text is read.
#[derive(Clone, Debug, Args)]
pub(super) struct ReadingArgs {
    /// Columns of CSV and JSON lines with their types, as in a scenario:
    /// '{ id = "bigint", at = "timestamp" }'
    #[arg(long, value_name = "TOML")]
    pub(super) schema: Option<String>,

    /// CSV: what separates fields, one ASCII character or `tab`
    #[arg(long, value_name = "CHARACTER")]
    pub(super) delimiter: Option<String>,

    /// CSV: the first line is a row; columns are _c0, _c1, ... unless --schema
    /// names them
    #[arg(long)]
    pub(super) no_header: bool,
}

impl ReadingArgs {
    pub(super) fn options(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions { header: !self.no_header, ..ReadOptions::default() };
        if let Some(text) = &self.delimiter {
            options.delimiter = match text.as_bytes() {
                b"tab" | b"\\t" => b'\t',
                [byte] if byte.is_ascii() => *byte,
                _ => {
                    return Err(Failure::usage(format!(
                        "--delimiter must be one ASCII character or `tab`, not `{text}`"
                    )));
                }
            };
        }
        options.schema = self.schema.as_deref().map(schema).transpose()?;
        Ok(options)
    }
}

/// `{ id = "bigint", ... }`, with or without braces or `schema =` before them.
fn schema(text: &str) -> Result<SchemaRef> {
    #[derive(Deserialize)]
    struct Wrapped {
        schema: Ordered<String>,
    }
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("schema").and_then(|rest| rest.trim_start().strip_prefix('='));
    let inner = inner.unwrap_or(trimmed).trim();
    let table = match inner.starts_with('{') {
        true => inner.to_owned(),
        false => format!("{{ {inner} }}"),
    };
    let wrapped: Wrapped = toml::from_str(&format!("schema = {table}"))
        .map_err(|error| Failure::usage(format!("--schema '{trimmed}': {}", error.message())))?;
    let fields = wrapped.schema.0.iter().map(|(name, text)| {
        let data_type = parse_type(text).map_err(|error| failure(error).at("--schema"))?;
        Ok(Field::new(name.get_ref(), data_type, true))
    });
    let fields = fields.collect::<Result<Vec<_>>>()?;
    if fields.is_empty() {
        return Err(Failure::usage("--schema names no column"));
    }
    Ok(SchemaRef::new(Schema::new(fields)))
}
