//! Scenarios by name: the ones that the data folder ships.

use std::path::{Path, PathBuf};

use crate::error::{Failure, Result};
use crate::scenario::load::load;
use crate::scenario::resolve::Scenario;
use crate::text::nearest::did_you_mean;

/// The scenario that `run` runs when none is named.
pub const DEFAULT_SCENARIO: &str = "nyc-enrich";

/// Finds a scenario: a path to a file, or the name of a shipped one.
///
/// # Errors
/// A usage failure for an unknown name, a run failure for a file or data
/// folder that is not there.
pub fn find(argument: Option<&str>, data_dir: Option<&Path>) -> Result<Scenario> {
    let argument = argument.unwrap_or(DEFAULT_SCENARIO);
    let path = Path::new(argument);
    if path.is_file() || is_path(argument) {
        let name = path.file_stem().map_or(argument.into(), |stem| stem.to_string_lossy());
        return load(path, &name);
    }
    let data = streamjoin_datasets::catalogue::find_data_dir(data_dir).map_err(|error| {
        Failure::run(format!(
            "scenario `{argument}` is not a file, and shipped scenarios were not found: {error}"
        ))
    })?;
    let known = shipped(&data);
    match known.iter().find(|(name, _)| name == argument) {
        Some((name, path)) => load(path, name),
        None => {
            let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
            let hint = did_you_mean(argument, names.iter().copied());
            let hint = hint.map_or_else(String::new, |hint| hint + " ");
            Err(Failure::usage(format!(
                "unknown scenario `{argument}`: {hint}Give a path to a .toml file or one of the shipped names: {}",
                names.join(", ")
            )))
        }
    }
}

/// Names and files of the scenarios in a data folder, sorted by name.
pub fn shipped(data_dir: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(data_dir.join("scenarios")) else {
        return Vec::new();
    };
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)))
        .collect();
    found.sort();
    found
}

/// Names of the shipped scenarios, sorted.
///
/// # Errors
/// A run failure if the data folder is not there, or ships none.
pub fn shipped_names(data_dir: Option<&Path>) -> Result<Vec<String>> {
    let data = streamjoin_datasets::catalogue::find_data_dir(data_dir)
        .map_err(|error| Failure::run(format!("shipped scenarios were not found: {error}")))?;
    let names: Vec<String> = shipped(&data).into_iter().map(|(name, _)| name).collect();
    if names.is_empty() {
        return Err(Failure::run(format!("{}: no scenarios are shipped there", data.display())));
    }
    Ok(names)
}

/// Whether an argument reads like a path rather than like a name.
fn is_path(argument: &str) -> bool {
    argument.contains(['/', '\\']) || argument.ends_with(".toml")
}
