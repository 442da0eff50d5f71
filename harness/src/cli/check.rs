//! `check`: a scenario and its data, without joining anything.

use clap::Args;

use super::output::Results;
use super::preflight::{sink, warn};
use super::scenario_args::{ScenarioArgs, StrategyArgs};
use crate::error::Result;
use crate::plan::{plan, strategies};
use crate::replay::{read_through, ready};
use crate::text::number::grouped;

/// Validate a scenario and read its data without joining
///
/// Reads every file that the scenario needs once, and so finds damaged files, malformed values and
/// casts that fail.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    #[command(flatten)]
    strategies: StrategyArgs,
}

impl CheckArgs {
    pub(super) fn execute(self) -> Result<()> {
        let scenario = self.scenario.find()?;
        let plan = plan(&scenario, self.strategies.limit)?;
        let strategies = strategies(&scenario, &self.strategies.strategy, self.strategies.threads)?;
        ready(&plan, &strategies, &sink(&scenario, None, None, true)?)?;
        warn(&plan, &strategies, &|_| true);
        let mut results = Results::new(false);
        for (name, rows) in read_through(&plan)? {
            results.line(&format!("{name}: {} rows", grouped(rows)))?;
        }
        let names: Vec<&str> = strategies.iter().map(|strategy| strategy.name.as_str()).collect();
        results.line(&format!("{}: ok, with {}", scenario.name, names.join(", ")))
    }
}
