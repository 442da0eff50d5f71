//! What is refused before the first row, in one place for every command.

use crate::error::Result;
use crate::plan::{Plan, Strategy};
use crate::sink::SinkSpec;

/// Checks that each strategy can run `plan` and that the sink can hold its rows:
/// what this lets through, no type of a column makes fail.
///
/// # Errors
/// A usage failure.
pub fn ready(plan: &Plan, strategies: &[Strategy], sink: &SinkSpec) -> Result<()> {
    strategies.iter().try_for_each(|strategy| plan.check(strategy))?;
    sink.check(plan.output_schema())
}
