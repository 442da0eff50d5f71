//! A run with the settings of one combination.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::cli::run::axis::Setting;
use crate::error::{Failure, Result};
use crate::record::{Finding, RunRecord};

/// One strategy's run with the settings that mean something to it.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) settings: Vec<Setting>,
    /// Whether a setting is about another strategy.
    pub(super) elsewhere: Vec<bool>,
    pub(super) record: RunRecord,
}

/// Settings for people.
pub(super) fn text(settings: &[Setting]) -> String {
    settings.iter().map(Setting::to_string).collect::<Vec<_>>().join(", ")
}

impl Run {
    /// What it found, by its name.
    pub(super) fn found(&self) -> (String, &[Finding]) {
        let name = format!("{} {}", text(&self.settings), self.record.strategy);
        (name, &self.record.findings)
    }

    /// A value a varied key, empty where it is about another strategy.
    pub(super) fn values(&self) -> Vec<String> {
        let shown = |(setting, elsewhere): (&Setting, &bool)| match elsewhere {
            true => String::new(),
            false => setting.shown(),
        };
        self.settings.iter().zip(&self.elsewhere).map(shown).collect()
    }

    fn settings_json(&self) -> Value {
        let pairs = self.settings.iter().zip(&self.elsewhere).map(|(setting, elsewhere)| {
            let value = if *elsewhere { Value::Null } else { setting.json() };
            (setting.key.clone(), value)
        });
        Value::Object(pairs.collect::<Map<String, Value>>())
    }

    pub(super) fn json(&self) -> Result<Value> {
        let mut run = serde_json::to_value(&self.record).map_err(Failure::run)?;
        run["settings"] = self.settings_json();
        Ok(run)
    }

    /// One line of JSON: `event`, `settings`, `strategy`, then the summary's fields.
    pub(super) fn line(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Flat<'a> {
            event: &'static str,
            settings: Value,
            strategy: &'a str,
            #[serde(flatten)]
            summary: &'a crate::record::Summary,
            warnings: &'a [String],
            findings: &'a [Finding],
        }
        serde_json::to_string(&Flat {
            event: "summary",
            settings: self.settings_json(),
            strategy: &self.record.strategy,
            summary: &self.record.summary,
            warnings: &self.record.warnings,
            findings: &self.record.findings,
        })
        .map_err(Failure::run)
    }
}
