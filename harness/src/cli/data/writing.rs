//! The file that the commands on data write, and its sidecar.

use std::path::PathBuf;

use clap::Args;
use streamjoin_datasets::FileFormat;

use super::failure::failure;
use crate::error::Result;

/// What is written.
#[derive(Clone, Debug, Args)]
pub(super) struct WritingArgs {
    /// File to write; its extension is its format (.arrow, .parquet, .arrows, .csv, .jsonl)
    #[arg(short, long, value_name = "PATH")]
    pub(super) output: PathBuf,

    /// Format to write, if the extension does not say
    #[arg(long, value_name = "FORMAT")]
    pub(super) output_format: Option<String>,

    /// Replace an existing file
    #[arg(long)]
    pub(super) force: bool,

    /// Name in the catalogue; else the file's name
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// One sentence on what a row is
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(super) description: String,

    /// Event-time column
    #[arg(long, value_name = "COLUMN")]
    pub(super) event_time: Option<String>,
}

/// The format of that name.
pub(super) fn format(name: Option<&str>) -> Result<Option<FileFormat>> {
    name.map(|name| name.parse().map_err(failure)).transpose()
}
