//! Measures a strategy in a process of its own.

use std::path::Path;

use super::args::RunArgs;
use super::reporter::Reporter;
use crate::cli::measure_one::Job;
use crate::error::Result;
use crate::measure::{Measured, Worker};
use crate::plan::Strategy;
use crate::scenario::Scenario;
use crate::sink::SinkSpec;

/// What one strategy writes.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    pub(super) sink: &'a SinkSpec,
    pub(super) unmatched: Option<&'a Path>,
    pub(super) force: bool,
}

/// Measures one strategy in a process of its own.
pub(super) fn measure_in_own_process(
    scenario: &Scenario,
    strategy: &Strategy,
    files: Files<'_>,
    args: &RunArgs,
    reporter: &mut Reporter<'_>,
) -> Result<Measured> {
    let job = Job {
        scenario,
        strategy: &strategy.name,
        threads: args.strategies.threads,
        limit: args.strategies.limit,
        measure_for: args.measure_for,
        progress: reporter.keeps || reporter.prints,
        unmatched: files.unmatched.map(|path| (path, files.force)),
        output: match files.sink {
            SinkSpec::File { path, format, force } => Some((path, *format, *force)),
            SinkSpec::None | SinkSpec::Console => None,
        },
    };
    Worker::start(&strategy.name, job.command()?)?.follow(reporter)
}
