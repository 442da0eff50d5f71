//! `--unmatched FILE`: the stream rows without a match.

use std::path::Path;

use streamjoin_datasets::FileFormat;

use crate::error::{Failure, Result};
use crate::measure::UnmatchedTo;
use crate::plan::{Carried, Plan, plan_carrying};
use crate::scenario::Scenario;
use crate::sink::SinkSpec;

/// The file, and the plan that carries what it holds.
pub(super) struct Unmatched {
    plan: Plan,
    sink: SinkSpec,
}

impl Unmatched {
    /// Checks what can be checked before the first row.
    ///
    /// # Errors
    /// A usage failure for a path that is used or of no known format, and for a
    /// join that cannot say which rows have no match.
    pub(super) fn new(
        scenario: &Scenario,
        limit: Option<u64>,
        path: &Path,
        force: bool,
    ) -> Result<Self> {
        let at = |failure: Failure| failure.at("--unmatched");
        if path == Path::new("-") {
            return Err(at(Failure::usage("it takes a file, not standard output")));
        }
        let Some(format) = FileFormat::from_path(path) else {
            return Err(at(Failure::usage(format!(
                "cannot tell the format of {} from its extension: end it in .parquet, .arrow, .arrows, .csv or .jsonl",
                path.display()
            ))));
        };
        let plan = plan_carrying(scenario, limit).map_err(at)?;
        let sink = SinkSpec::File { path: path.to_owned(), format, force };
        if let Some(schema) = plan.carried().map(Carried::schema) {
            sink.check(schema).map_err(at)?;
        }
        Ok(Self { plan, sink })
    }

    /// Where a measurement writes.
    pub(super) fn to(&self) -> UnmatchedTo<'_> {
        UnmatchedTo { plan: &self.plan, sink: &self.sink }
    }
}
