//! `streamjoin data`: recordings and tables, listed, looked at, made, recorded.

mod import;
mod inspect;
mod list;
mod reading;
mod record;
mod statistics;

use std::io::Write;

use clap::{Args, Subcommand, ValueEnum};
use streamjoin_datasets::DatasetError;

use crate::error::{Failure, Result};
use crate::sink::PipeStdout;

pub use import::ImportArgs;
pub use inspect::InspectArgs;
pub use list::ListArgs;
pub use reading::ReadingArgs;
pub use record::RecordArgs;

/// List, inspect, import and record recordings and tables
#[derive(Clone, Debug, Args)]
pub struct DataArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: DataCommand,
}

/// What to do with data.
#[derive(Clone, Debug, Subcommand)]
pub enum DataCommand {
    /// List the shipped recordings and tables
    List(ListArgs),
    /// Show columns, value ranges and first rows of a file, folder or glob
    Inspect(InspectArgs),
    /// Write files or a generator's rows to one file with a sidecar
    Import(Box<ImportArgs>),
    /// Record what comes on standard input, with the time at which it comes
    Record(Box<RecordArgs>),
}

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DataFormat {
    /// Tables.
    #[default]
    Human,
    /// One JSON object.
    Json,
}

/// Runs the command.
///
/// # Errors
/// A usage failure for arguments that do not fit, a run failure for files that
/// cannot be read or written.
pub fn run(args: &DataArgs) -> Result<()> {
    let (text, verdict) = match &args.command {
        DataCommand::List(args) => list::run(args)?,
        DataCommand::Inspect(args) => (inspect::run(args)?, Ok(())),
        DataCommand::Import(args) => (import::run(args)?, Ok(())),
        DataCommand::Record(args) => record::run(args)?,
    };
    PipeStdout::default()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::run(format!("cannot write to standard output: {error}")))?;
    verdict
}

/// What arguments alone show is usage; what files show is not.
fn failure(error: DatasetError) -> Failure {
    match error {
        DatasetError::UnknownFormat { .. }
        | DatasetError::UnknownFormatName { .. }
        | DatasetError::UnknownColumn { .. }
        | DatasetError::UnknownType { .. }
        | DatasetError::CannotHold { .. }
        | DatasetError::Collision { .. }
        | DatasetError::Exists { .. }
        | DatasetError::Glob { .. }
        | DatasetError::Generator { .. } => Failure::usage(error),
        error => Failure::run(error),
    }
}

fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
