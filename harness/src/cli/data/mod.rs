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

use clap::{Args, Subcommand};

use super::output::print;
use crate::error::Result;

use import::ImportArgs;
use inspect::InspectArgs;
use list::ListArgs;
use record::RecordArgs;

/// List, inspect, import and record recordings and tables
#[derive(Clone, Debug, Args)]
pub(super) struct DataArgs {
    /// What to do.
    #[command(subcommand)]
    command: DataCommand,
}

/// What to do with data.
#[derive(Clone, Debug, Subcommand)]
enum DataCommand {
    /// List the shipped recordings and tables
    List(ListArgs),
    /// Show columns, value ranges and first rows of a file, folder or glob
    Inspect(InspectArgs),
    /// Write files or a generator's rows to one file with a sidecar
    Import(Box<ImportArgs>),
    /// Record the rows of standard input, each with the time of its arrival
    Record(Box<RecordArgs>),
}

impl DataArgs {
    pub(super) fn execute(self) -> Result<()> {
        let (text, outcome) = match &self.command {
            DataCommand::List(args) => list::run(args)?,
            DataCommand::Inspect(args) => (inspect::run(args)?, Ok(())),
            DataCommand::Import(args) => (import::run(args)?, Ok(())),
            DataCommand::Record(args) => record::run(args)?,
        };
        print(&text)?;
        outcome
    }
}
