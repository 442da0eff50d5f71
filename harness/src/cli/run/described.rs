//! The scenario as reports hold it.

use crate::scenario::Scenario;

/// The scenario as it was run.
pub(super) fn described(scenario: &Scenario, limit: Option<u64>) -> serde_json::Value {
    serde_json::json!({
        "name": scenario.name,
        "description": scenario.description,
        "path": scenario.text.path().display().to_string(),
        "limit": limit.or(scenario.replay.limit),
        "text": scenario.text.text(),
    })
}
