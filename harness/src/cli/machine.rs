//! `streamjoin machine`: the memory limits of this machine.

use std::io::Write;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::error::{Failure, Result};
use crate::machine::{self, MachineOptions};
use crate::sink::PipeStdout;
use crate::text::bytes;

/// Measure what memory allows a join on this machine
///
/// Random touches by size of the array, on huge and on 4 KB pages, the latency of loads that
/// depend on each other, and sequential bandwidth; on one core.
#[derive(Clone, Debug, Args)]
pub struct MachineArgs {
    /// Largest array, such as 64MB or 2GB; a quarter of the free memory at most
    #[arg(long, value_name = "BYTES", default_value = "2GB", value_parser = bytes::parse)]
    pub max_bytes: u64,

    /// Interleaved repetitions; medians are reported
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,

    /// Milliseconds of one measurement
    #[arg(long, value_name = "MS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub slice: u64,

    /// How to print
    #[arg(long, value_enum, default_value_t = MachineFormat::Human)]
    pub format: MachineFormat,
}

/// How to print the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MachineFormat {
    /// A table.
    Human,
    /// One JSON object.
    Json,
}

/// Runs the command.
///
/// # Errors
/// A run failure where standard output cannot be written.
pub fn run(args: &MachineArgs) -> Result<()> {
    let report = machine::measure(&MachineOptions {
        max_bytes: args.max_bytes,
        repetitions: args.repetitions as usize,
        slice: Duration::from_millis(args.slice),
    });
    let text = match args.format {
        MachineFormat::Human => report.human(),
        MachineFormat::Json => {
            let json = serde_json::to_string_pretty(&report).map_err(Failure::run)?;
            json + "\n"
        }
    };
    PipeStdout::default()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::run(format!("cannot write to standard output: {error}")))
}
