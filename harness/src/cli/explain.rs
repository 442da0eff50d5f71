//! `explain`: what a scenario means, without running it.

use clap::Args;

use super::output::Results;
use super::preflight::sink;
use super::scenario_args::{ScenarioArgs, StrategyArgs};
use crate::error::Result;
use crate::plan::{bind, explain, plan_bound, strategies};
use crate::replay::ready;

/// Show how a scenario's joins are understood and executed
///
/// Shows keys with their types before and after coercion, filters, the columns that are read and
/// kept, and the strategies with reasons. A refused scenario is explained too, with what would work.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    #[command(flatten)]
    strategies: StrategyArgs,
}

impl ExplainArgs {
    pub(super) fn execute(self) -> Result<()> {
        let scenario = self.scenario.find()?;
        let strategies = strategies(&scenario, &self.strategies.strategy, self.strategies.threads)?;
        let bound = bind(&scenario);
        let mut results = Results::new(false);
        results.line(&explain::logical(&scenario, &bound))?;
        let plan = plan_bound(bound, self.strategies.limit)?;
        results.line(&explain::physical(&plan, &strategies)?)?;
        ready(&plan, &strategies, &sink(&scenario, None, None, true)?)
    }
}
