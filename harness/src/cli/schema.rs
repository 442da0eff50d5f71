//! `schema`: JSON Schemas of the results, for the programs that read them.

use clap::{Args, ValueEnum};

use super::output::Results;
use crate::error::{Failure, Result};
use crate::gate::gate_schema;
use crate::record::{line_schema, report_schema};

/// Print the JSON Schema of what `run` and `gate` write for programs
///
/// Within one `schemaVersion` fields are only added; a field that does not apply is present and
/// null.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The output to describe
    #[arg(value_enum, default_value_t)]
    of: Output,
}

/// An output for programs.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Output {
    /// What `--report` and `--format json` write
    #[default]
    Report,
    /// A line of `--format jsonl`
    Line,
    /// What `gate --format json` prints
    Gate,
}

impl SchemaArgs {
    pub(super) fn execute(&self) -> Result<()> {
        let schema = match self.of {
            Output::Report => report_schema(),
            Output::Line => line_schema(),
            Output::Gate => gate_schema(),
        };
        let text = serde_json::to_string_pretty(&schema).map_err(Failure::run)?;
        Results::new(false).line(&text)
    }
}
