//! What is checked, and warned of, before the first row.

use std::path::Path;

use super::output::complain;
use crate::error::Result;
use crate::plan::{Plan, Strategy};
use crate::scenario::{Located, Scenario};
use crate::sink::SinkSpec;

/// Prints the warnings about a plan that are new, and returns them.
pub(super) fn warn(
    plan: &Plan,
    strategies: &[Strategy],
    is_news: &dyn Fn(&String) -> bool,
) -> Vec<String> {
    let mut warnings = plan.warnings().to_vec();
    let unlimited = strategies.iter().find(|strategy| !strategy.limits_state());
    if let (Some(strategy), Plan::StreamStream(plan)) = (unlimited, plan) {
        let growing = plan.unbounded.iter();
        warnings.extend(growing.map(|why| {
            format!(
                "{why}; strategy `{}` sets no `state_limit`, so only memory ends its growth",
                strategy.name
            )
        }));
    }
    warnings.retain(is_news);
    for warning in &warnings {
        complain(&format!("warning: {warning}"));
    }
    warnings
}

/// Where rows go: the arguments' word over the scenario's.
pub(super) fn sink(
    scenario: &Scenario,
    path: Option<&Path>,
    format: Option<&str>,
    force: bool,
) -> Result<SinkSpec> {
    if path.is_some() || format.is_some() {
        return SinkSpec::resolve(path, format, force);
    }
    let output = &scenario.output;
    let path = output.path.as_ref().map(|path| path.as_path());
    let format = output.format.as_ref().map(|format| format.to_string());
    SinkSpec::resolve(path, format.as_deref(), force).map_err(|failure| {
        let format = output.format.as_ref().map(Located::place);
        match output.path.as_ref().map(Located::place).or(format) {
            Some(place) => failure.at(place),
            None => failure.at(&scenario.text),
        }
    })
}
