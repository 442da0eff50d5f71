//! `streamjoin machine`: the memory limits of this machine.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::output::print;
use crate::error::{Failure, Result};
use crate::machine::{self, MachineOptions};
use crate::text::bytes;

/// Measure what memory allows a join on this machine
///
/// Random touches by size of the array, on huge and on 4 KB pages, the latency of loads that
/// depend on each other, and sequential bandwidth; on one core.
#[derive(Clone, Debug, Args)]
pub(super) struct MachineArgs {
    /// Largest array, such as 64MB or 2GB; at most a quarter of the free memory
    #[arg(long, value_name = "BYTES", default_value = "2GB", value_parser = bytes::parse)]
    max_bytes: u64,

    /// Interleaved repetitions; their median is reported
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: u32,

    /// Milliseconds per measurement
    #[arg(long, value_name = "MS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    slice: u64,

    /// How to print
    #[arg(long, value_enum, default_value_t = MachineFormat::Human)]
    format: MachineFormat,
}

/// How to print the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MachineFormat {
    /// A table.
    Human,
    /// One JSON object.
    Json,
}

impl MachineArgs {
    pub(super) fn execute(self) -> Result<()> {
        let report = machine::measure(&MachineOptions {
            max_bytes: self.max_bytes,
            repetitions: self.repetitions as usize,
            slice: Duration::from_millis(self.slice),
        });
        let text = match self.format {
            MachineFormat::Human => report.human(),
            MachineFormat::Json => {
                let json = serde_json::to_string_pretty(&report).map_err(Failure::run)?;
                json + "\n"
            }
        };
        print(&text)
    }
}
