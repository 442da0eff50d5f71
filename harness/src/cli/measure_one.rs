//! `measure-one`: what `run` starts for each of several strategies. Not for
//! people: it speaks the measuring process's protocol.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use streamjoin_datasets::FileFormat;

use super::unmatched::Unmatched;
use crate::error::{Failure, Result};
use crate::measure::{Outputs, measure_with, serve};
use crate::plan::{plan, strategies};
use crate::scenario::{self, Scenario, SourceText};
use crate::sink::SinkSpec;
use crate::text::duration::Micros;

/// Names the environment variable with the least time of a measurement.
pub(super) const MEASURE_FOR: &str = "STREAMJOIN_MEASURE_FOR";

/// Measure one strategy for another streamjoin process
#[derive(Debug, Args)]
pub(super) struct MeasureOneArgs {
    /// The scenario's text, where its file does not have it
    #[arg(long)]
    text: Option<String>,
    /// The scenario's file: relative paths start at its folder
    #[arg(long)]
    scenario: PathBuf,
    #[arg(long)]
    name: String,
    #[arg(long)]
    strategy: String,
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    #[arg(long)]
    measure_for: Micros,
    #[arg(long)]
    limit: Option<u64>,
    #[arg(long)]
    progress: bool,
    #[arg(long)]
    output: Option<PathBuf>,
    #[arg(long, requires = "output")]
    output_format: Option<String>,
    #[arg(long)]
    unmatched: Option<PathBuf>,
    #[arg(long)]
    force: bool,
}

impl MeasureOneArgs {
    pub(super) fn execute(self) -> Result<()> {
        let least = self.measure_for.as_duration();
        serve(self.progress, |listener| {
            let scenario = match self.text {
                Some(text) => scenario::parse(SourceText::new(self.scenario, text), &self.name)?,
                None => scenario::load(&self.scenario, &self.name)?,
            };
            let plan = plan(&scenario, self.limit)?;
            let strategies = strategies(&scenario, &[self.strategy], self.threads)?;
            let Some(strategy) = strategies.first() else {
                return Err(Failure::usage("no strategy to measure"));
            };
            let sink = SinkSpec::resolve(
                self.output.as_deref(),
                self.output_format.as_deref(),
                self.force,
            )?;
            let unmatched = self.unmatched.as_deref();
            let unmatched = unmatched
                .map(|path| Unmatched::new(&scenario, self.limit, path, self.force))
                .transpose()?;
            let unmatched = unmatched.as_ref().map(Unmatched::to);
            // Other strategies, which do not write, are measured in other processes.
            let outputs = Outputs { sink: &sink, unmatched, apart: true };
            measure_with(&plan, strategy, outputs, least, listener)
        })
    }
}

/// What one measuring process is to do.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) strategy: &'a str,
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) measure_for: Micros,
    pub(super) limit: Option<u64>,
    pub(super) progress: bool,
    /// A file to write; a sink on standard output cannot be given away.
    pub(super) output: Option<(&'a Path, FileFormat, bool)>,
    /// A file for rows without a match, and whether it may be replaced.
    pub(super) unmatched: Option<(&'a Path, bool)>,
}

impl Job<'_> {
    /// The command that does it.
    pub(super) fn command(&self) -> Result<Command> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::run(format!("cannot find this program again: {error}")))?;
        let mut command = Command::new(program);
        command.arg("measure-one");
        // Values may start with a dash: give them with their flags.
        command.arg(format!("--name={}", self.scenario.name));
        command.arg("--scenario").arg(self.scenario.text.path());
        if self.scenario.text.is_of_flags() || self.scenario.text.is_edited() {
            command.arg(format!("--text={}", self.scenario.text.text()));
        }
        command.arg(format!("--strategy={}", self.strategy));
        command.arg(format!("--measure-for={}us", self.measure_for.0));
        if let Some(threads) = self.threads {
            command.arg(format!("--threads={threads}"));
        }
        if let Some(limit) = self.limit {
            command.arg(format!("--limit={limit}"));
        }
        if self.progress {
            command.arg("--progress");
        }
        if let Some((path, format, _)) = self.output {
            command.arg("--output").arg(path).arg(format!("--output-format={format}"));
        }
        if let Some((path, _)) = self.unmatched {
            command.arg("--unmatched").arg(path);
        }
        let forces = [self.output.map(|output| output.2), self.unmatched.map(|file| file.1)];
        if forces.contains(&Some(true)) {
            command.arg("--force");
        }
        Ok(command)
    }
}
