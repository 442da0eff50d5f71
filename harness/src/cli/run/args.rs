//! The arguments of `run`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::axis::{Axis, axis};
use super::find_rate::FindRateArgs;
use super::format::Format;
use crate::cli::measure_one::MEASURE_FOR;
use crate::cli::scenario_args::{ScenarioArgs, StrategyArgs, positive};
use crate::error::Result;
use crate::scenario::{self, Scenario};
use crate::text::duration::Micros;

/// Replay a scenario through its join strategies and measure each
///
/// Checks that all strategies give the same rows, and repeats short recordings
/// until two seconds are measured. Results go to standard output.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,

    #[command(flatten)]
    pub(super) strategies: StrategyArgs,

    /// Write the joined rows to PATH (`-`: standard output), as Parquet, Arrow IPC, CSV or JSON
    /// lines by its extension
    #[arg(short, long, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,

    /// Format of the joined rows: none, console, parquet, arrow, arrow-stream, csv or jsonl
    #[arg(long, value_name = "FORMAT")]
    pub(super) output_format: Option<String>,

    /// Replace an existing output file, or a file at the path of the report that is not a report
    #[arg(long)]
    pub(super) force: bool,

    /// Write the stream rows without a match, and which tables they missed, to FILE, in the format of
    /// its extension
    #[arg(long, value_name = "FILE")]
    pub(super) unmatched: Option<PathBuf>,

    /// Write the measurements as JSON to PATH
    #[arg(long, value_name = "PATH")]
    pub(super) report: Option<PathBuf>,

    /// Write the measurements as CSV to PATH, one line per run
    #[arg(long, value_name = "PATH")]
    pub(super) csv: Option<PathBuf>,

    /// Run with each of these values at KEY, such as `replay.trigger.rows=1000,10000`; if given
    /// several times, with every combination
    #[arg(long, value_name = "KEY=A,B,...", value_parser = axis)]
    pub(super) vary: Vec<Axis>,

    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,

    /// Stop after this time, such as `90s`: the batches that are complete by then are reported, and
    /// the exit code is 1
    #[arg(long, value_name = "TIME")]
    pub(super) timeout: Option<Micros>,

    /// Measure each strategy for at least this time: a shorter recording is replayed repeatedly
    #[arg(long, value_name = "TIME", default_value = "2s", env = MEASURE_FOR)]
    pub(super) measure_for: Micros,

    /// End the replay after this time, such as `30s`, as if the recording ended there: at the end of
    /// the batch, or with the rows that are due by then if the replay is paced
    #[arg(long, value_name = "TIME", value_parser = positive)]
    pub(super) duration: Option<Micros>,

    #[command(flatten)]
    pub(super) find_rate: FindRateArgs,

    /// No progress bar
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl RunArgs {
    /// The scenario as the flags change it.
    pub(super) fn scenario(&self) -> Result<Scenario> {
        let scenario = self.scenario.find()?;
        match self.duration {
            _ if self.find_rate.find_rate => Ok(self.find_rate.paced(scenario)),
            Some(Micros(micros)) => {
                scenario::set(&scenario, "replay.duration", &format!("{micros} us"))
            }
            None => Ok(scenario),
        }
    }

    /// Files that are written in addition to the rows.
    pub(super) fn written(&self) -> [(&'static str, Option<&Path>); 3] {
        [
            ("unmatched", self.unmatched.as_deref()),
            ("report", self.report.as_deref()),
            ("CSV", self.csv.as_deref()),
        ]
    }
}
