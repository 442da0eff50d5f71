//! `streamjoin data import`.

use std::path::PathBuf;

use clap::Args;
use streamjoin_datasets::{Generator, ImportFrom, ImportOptions, ReadOptions, Source, import};

use super::failure::failure;
use super::reading::ReadingArgs;
use super::writing::{WritingArgs, format};
use crate::cli::output_paths::check_read;
use crate::error::{Failure, Result};
use crate::text::bytes;
use crate::text::number::grouped;

/// Arguments of `data import`.
#[derive(Clone, Debug, Args)]
pub(super) struct ImportArgs {
    /// File, folder or glob to import
    #[arg(value_name = "SOURCE")]
    pub(super) source: Option<PathBuf>,

    /// Generator instead of files, as in a scenario:
    /// '{ kind = "rate", rows_per_second = 5, limit = 1000 }'
    #[arg(long, value_name = "TOML", conflicts_with = "source")]
    pub(super) generator: Option<String>,

    /// What is written.
    #[command(flatten)]
    pub(super) writing: WritingArgs,

    /// Format of SOURCE, if the extension does not say
    #[arg(long, value_name = "FORMAT")]
    pub(super) input_format: Option<String>,

    /// How SOURCE is read.
    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// Columns to sort by, ascending, nulls first; all rows are held in memory
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(super) sort_by: Vec<String>,

    /// Stop after N rows (before sorting)
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,

    /// Arrival column
    #[arg(long, value_name = "COLUMN")]
    pub(super) arrival: Option<String>,

    /// Licence of the data
    #[arg(long, value_name = "LICENCE")]
    pub(super) licence: Option<String>,

    /// Where the data is from
    #[arg(long, value_name = "TEXT")]
    pub(super) origin: Option<String>,
}

pub(super) fn run(args: &ImportArgs) -> Result<String> {
    let writing = &args.writing;
    let options = ImportOptions {
        format: format(writing.output_format.as_deref())?,
        force: writing.force,
        sort_by: args.sort_by.clone(),
        limit: args.limit,
        name: writing.name.clone(),
        description: writing.description.clone(),
        event_time: writing.event_time.clone(),
        arrival: args.arrival.clone(),
        licence: args.licence.clone(),
        source: args.origin.clone(),
    };
    let imported = match (&args.generator, &args.source) {
        (Some(text), _) => {
            let generator = generator(text)?;
            import(ImportFrom::Generator(&generator), &writing.output, &options)
        }
        (None, Some(path)) => {
            let read = ReadOptions {
                format: format(args.input_format.as_deref())?,
                ..args.reading.options()?
            };
            let source = Source::open(path, &read).map_err(failure)?;
            check_read(&writing.output, source.files())?;
            import(ImportFrom::Source(&source), &writing.output, &options)
        }
        (None, None) => {
            return Err(Failure::usage("nothing to import: give SOURCE or --generator"));
        }
    };
    let imported = imported.map_err(failure)?;
    Ok(format!(
        "{}: {} rows, {}, SHA-256 {}\n{}\n",
        imported.path.display(),
        grouped(imported.rows),
        bytes::binary(imported.bytes),
        imported.sha256,
        imported.sidecar.display()
    ))
}

/// `{ kind = "rate", ... }`, with or without braces.
fn generator(text: &str) -> Result<Generator> {
    #[derive(serde::Deserialize)]
    struct Wrapped {
        generator: Generator,
    }
    let trimmed = text.trim();
    let inline = match trimmed.starts_with('{') {
        true => trimmed.to_owned(),
        false => format!("{{ {trimmed} }}"),
    };
    let wrapped: Wrapped = toml::from_str(&format!("generator = {inline}"))
        .map_err(|error| Failure::usage(format!("--generator '{trimmed}': {}", error.message())))?;
    wrapped.generator.check().map_err(failure)?;
    Ok(wrapped.generator)
}
