//! `streamjoin data`: recordings and tables, listed, inspected, imported, recorded.

mod failure;
mod import;
mod inspect;
mod list;
mod printing;
mod reading;
mod record;
mod statistics;
mod writing;

use std::io::Write;

use clap::{Args, Subcommand};

use crate::error::{Failure, Result};
use crate::sink::PipeStdout;

pub use import::ImportArgs;
pub use inspect::InspectArgs;
pub use list::ListArgs;
pub use printing::DataFormat;
pub use reading::ReadingArgs;
pub use record::RecordArgs;
pub use writing::WritingArgs;

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
    /// Record the rows of standard input, each with the time of its arrival
    Record(Box<RecordArgs>),
}

/// Runs the command.
///
/// # Errors
/// A usage failure for arguments that do not fit, a run failure for files that
/// cannot be read or written.
pub fn run(args: &DataArgs) -> Result<()> {
    let (text, outcome) = match &args.command {
        DataCommand::List(args) => list::run(args)?,
        DataCommand::Inspect(args) => (inspect::run(args)?, Ok(())),
        DataCommand::Import(args) => (import::run(args)?, Ok(())),
        DataCommand::Record(args) => record::run(args)?,
    };
    PipeStdout::default()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::run(format!("cannot write to standard output: {error}")))?;
    outcome
}
