//! Whether the query, its data and the strategies are still those of the
//! baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use streamjoin_datasets::to_hex;

use super::baseline::{BaselineFile, Case, Entry};
use super::forced;
use crate::error::{Failure, Result};
use crate::plan::{Plan, Strategy, TYPES_OF, plan, strategies};
use crate::scenario::{self, Scenario};

/// A scenario that is about to be measured.
#[derive(Debug)]
pub struct Asked {
    /// As the baseline names it.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
    /// Its strategies, with the settings that a gate forces.
    pub strategies: Vec<Strategy>,
    /// SHA-256 of the query, without comments and strategies.
    pub query: String,
    /// SHA-256 of what each stream and table reads.
    pub data: BTreeMap<String, String>,
}

impl Asked {
    /// Plans a scenario for `baseline`; `argument` is a path or a shipped name.
    ///
    /// # Errors
    /// A run failure for missing files, a usage failure for what is wrong with
    /// the scenario or refused by the kernels.
    pub fn open(argument: &str, data_dir: Option<&Path>, baseline: &BaselineFile) -> Result<Self> {
        let scenario = scenario::find(Some(argument), data_dir)?;
        let is_file = Path::new(argument).is_file();
        let name = if is_file { relative(argument, baseline)? } else { scenario.name.clone() };
        Self::plan(name, &scenario)
    }

    /// Plans a scenario of a baseline.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn reopen(entry: &Entry, data_dir: Option<&Path>, baseline: &BaselineFile) -> Result<Self> {
        let scenario = if entry.scenario.ends_with(".toml") {
            let path = baseline.folder().join(&entry.scenario);
            scenario::find(path.to_str(), data_dir)?
        } else {
            scenario::find(Some(&entry.scenario), data_dir)?
        };
        let asked = Self::plan(entry.scenario.clone(), &scenario)?;
        // Another query may have other figures, and is not compared anyway.
        if asked.query == entry.query {
            for case in &entry.strategies {
                let lacking = case.figures.lacking(&asked.plan);
                if !lacking.is_empty() {
                    return Err(baseline.damaged(&format!(
                        "scenario `{}`, strategy `{}`: `measured` lacks {}",
                        entry.scenario,
                        case.strategy,
                        lacking.join(", ")
                    )));
                }
            }
        }
        Ok(asked)
    }

    fn plan(name: String, scenario: &Scenario) -> Result<Self> {
        let at = |failure: Failure| failure.at(format!("scenario `{name}`"));
        without_clock(scenario.text.text()).map_err(at)?;
        let plan = plan(scenario, None).map_err(at)?;
        let mut strategies = strategies(scenario, &[], None).map_err(at)?;
        strategies.iter_mut().for_each(forced::force);
        for strategy in &strategies {
            plan.check(strategy).map_err(at)?;
        }
        Ok(Self {
            query: query(scenario.text.text()).map_err(at)?,
            data: plan.data_digests().map_err(at)?,
            name,
            plan,
            strategies,
        })
    }

    /// Why the baseline's figures are not of this query and data; none if they are.
    pub fn other_than(&self, entry: &Entry) -> Option<String> {
        let mut changed = Vec::new();
        let names: BTreeSet<&String> = entry.data.keys().chain(self.data.keys()).collect();
        for name in names {
            let (old, new) = (entry.data.get(name), self.data.get(name));
            let types = name.strip_prefix(TYPES_OF);
            // Older baselines do not know types.
            if old == new || types.is_some() && old.is_none() {
                continue;
            }
            changed.push(match types {
                Some(of) => format!("the types of `{of}`"),
                None => format!("the data of `{name}`"),
            });
        }
        if entry.query != self.query {
            changed.push("the scenario".to_owned());
        }
        (!changed.is_empty()).then(|| {
            format!(
                "{} changed since the baseline, so there is nothing to compare with",
                changed.join(" and ")
            )
        })
    }
}

/// Why a strategy's settings differ from the baseline's; none if they do not.
///
/// # Errors
/// As `forced::settings`.
pub fn other_strategy(strategy: &Strategy, case: &Case) -> Result<Option<String>> {
    let (old, new) = (&case.settings, forced::settings(strategy)?);
    let default = "the default".to_owned();
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changed = names.into_iter().filter(|&name| old.get(name) != new.get(name));
    let changed: Vec<String> = changed
        .map(|name| {
            let value = |of: &BTreeMap<String, String>| of.get(name).unwrap_or(&default).clone();
            format!("{name} was {} and is {}", value(old), value(&new))
        })
        .collect();
    Ok((!changed.is_empty()).then(|| {
        let changed = changed.join(", ");
        format!("its settings changed since the baseline ({changed}), so there is nothing to compare with")
    }))
}

/// The path of a scenario file as seen from the baseline's folder, so that it
/// is the same in every checkout.
fn relative(argument: &str, baseline: &BaselineFile) -> Result<String> {
    let at = |path: &Path| {
        fs::canonicalize(path).map_err(|error| Failure::run(error).at(path.display()))
    };
    let scenario = at(Path::new(argument))?;
    let folder = at_or_above(baseline.folder())?;
    let path = pathdiff::diff_paths(&scenario, &folder).filter(|path| path.is_relative());
    let path = path.and_then(|path| path.to_str().map(|path| path.replace('\\', "/")));
    let path = path.filter(|path| path.ends_with(".toml"));
    path.ok_or_else(|| {
        Failure::usage(format!(
            "scenario {argument}: a baseline names its scenarios by UTF-8 paths from its own folder ({}) that end in .toml",
            folder.display()
        ))
    })
}

/// A folder that may not be there yet, without links and dots.
fn at_or_above(folder: &Path) -> Result<PathBuf> {
    if let Ok(found) = fs::canonicalize(folder) {
        return Ok(found);
    }
    match (folder.parent(), folder.file_name()) {
        (Some(above), Some(name)) => {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            Ok(at_or_above(above)?.join(name))
        }
        _ => Err(Failure::usage(format!("{}: no such folder", folder.display()))),
    }
}

/// Refuses a scenario whose batches are cut by time: their rows, and so the
/// state, differ from run to run.
fn without_clock(text: &str) -> Result<()> {
    let table: toml::Table = toml::from_str(text).map_err(Failure::usage)?;
    let replay = table.get("replay").and_then(toml::Value::as_table);
    let key = |name: &str| replay.and_then(|replay| replay.get(name));
    let paced = key("pace").is_some_and(|pace| pace.as_str() != Some("unthrottled"));
    let timed = key("trigger").is_some_and(|trigger| trigger.get("every").is_some());
    let (what, instead) = if timed {
        ("trigger = { every = ... }", "trigger = { rows = 65_536 }")
    } else if paced {
        ("pace", "no pace")
    } else if key("duration").is_some() {
        ("duration", "limit = N, a number of rows")
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "[replay] {what} goes by the clock, and a gate has none: give it a scenario that does without, such as one with {instead}"
    )))
}

/// SHA-256 of a scenario's query: its keys in order, without comments and
/// description, and without strategies, which are compared on their own.
fn query(text: &str) -> Result<String> {
    let mut table: toml::Table = toml::from_str(text).map_err(Failure::usage)?;
    table.remove("description");
    table.remove("strategies");
    if let Some(toml::Value::Table(output)) = table.get_mut("output") {
        // A gate writes no rows.
        output.remove("path");
        output.remove("format");
        if output.is_empty() {
            table.remove("output");
        }
    }
    let mut canonical = String::new();
    write(&toml::Value::Table(table), &mut canonical);
    Ok(to_hex(&Sha256::digest(canonical)))
}

/// Writes a value without any freedom of form.
fn write(value: &toml::Value, out: &mut String) {
    match value {
        toml::Value::Table(table) => {
            let sorted: BTreeMap<&String, &toml::Value> = table.iter().collect();
            out.push('{');
            for (key, value) in sorted {
                quote(key, out);
                out.push(':');
                write(value, out);
                out.push(',');
            }
            out.push('}');
        }
        toml::Value::Array(values) => {
            out.push('[');
            for value in values {
                write(value, out);
                out.push(',');
            }
            out.push(']');
        }
        toml::Value::String(text) => quote(text, out),
        other => out.push_str(&other.to_string()),
    }
}

fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
