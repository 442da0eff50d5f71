//! The baseline file: JSON, sorted, one value per line, so that changes are
//! readable in review.
//!
//! Nothing in it belongs to a machine: no absolute path, no time, and no figure
//! that depends on cores, instruction set, caches, page size or fitted costs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use streamjoin_datasets::AtomicFile;

use super::figures::PassFigures;
use crate::error::{Failure, Result};
use crate::text::nearest::did_you_mean;

/// Where baselines are kept by default.
pub const DEFAULT_DIR: &str = "benches/baselines";
/// Version of the file's form.
const SCHEMA_VERSION: u32 = 1;
/// How far bytes may grow before that is a regression, unless the file says
/// otherwise.
const BYTES_BAND: f64 = 0.01;

/// A baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Baseline {
    /// Version of the file's form.
    pub schema_version: u32,
    /// Version of the program that wrote it.
    pub streamjoin: String,
    /// How far figures may move. It may be edited: it is kept.
    pub bands: Bands,
    /// What was forced while it was measured, so that it holds on every machine.
    pub forced: BTreeMap<String, String>,
    /// The scenarios, in the order in which they are run.
    pub scenarios: Vec<Entry>,
    /// Why it was changed, the oldest change first.
    pub history: Vec<Change>,
}

/// How far figures may move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bands {
    /// Of bytes, as a share of the old value: 0.01 is one percent.
    pub bytes: f64,
}

impl Default for Bands {
    fn default() -> Self {
        Self { bytes: BYTES_BAND }
    }
}

/// One scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// The name of a shipped scenario, or a path from the baseline's folder.
    pub scenario: String,
    /// SHA-256 of the query, without comments and strategies.
    pub query: String,
    /// SHA-256 of what each stream and table reads.
    pub data: BTreeMap<String, String>,
    /// One case per strategy, in the scenario's order.
    pub strategies: Vec<Case>,
}

/// One strategy of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Case {
    /// The strategy's name.
    pub strategy: String,
    /// Its settings other than the defaults.
    pub settings: BTreeMap<String, String>,
    /// The figures of its pass.
    #[serde(rename = "measured")]
    pub figures: PassFigures,
}

/// One change of a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Change {
    /// The day, UTC.
    pub date: String,
    /// The program's version.
    pub streamjoin: String,
    /// Why.
    pub reason: String,
    /// What changed, one line per strategy.
    pub changed: Vec<String>,
}

impl Change {
    /// A change of today.
    pub fn now(reason: &str, changed: Vec<String>) -> Self {
        Self {
            date: chrono::Utc::now().format("%Y-%m-%d").to_string(),
            streamjoin: env!("CARGO_PKG_VERSION").to_owned(),
            reason: reason.to_owned(),
            changed,
        }
    }
}

impl Baseline {
    /// A baseline of these scenarios.
    pub fn new(bands: Bands, scenarios: Vec<Entry>, history: Vec<Change>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            streamjoin: env!("CARGO_PKG_VERSION").to_owned(),
            bands,
            forced: super::forced::forced(),
            scenarios,
            history,
        }
    }
}

/// Where a baseline is.
#[derive(Clone, Debug)]
pub struct BaselineFile {
    name: String,
    path: PathBuf,
}

impl BaselineFile {
    /// The baseline called `name` in `folder`, whether it is there or not.
    ///
    /// # Errors
    /// A usage failure for a name that would not make a plain file name.
    pub fn new(folder: &Path, name: &str) -> Result<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(Failure::usage(format!(
                "`{name}` is not a name for a baseline: use letters, digits, `-`, `_` and `.`"
            )));
        }
        Ok(Self { name: name.to_owned(), path: folder.join(format!("{name}.json")) })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that its scenarios' paths start from.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Reads it.
    ///
    /// # Errors
    /// A usage failure for a name that is unknown, with the nearest known one,
    /// and for a file that is damaged, with the place; a run failure for one that
    /// cannot be read.
    pub fn read(&self) -> Result<Baseline> {
        if !self.path.exists() {
            return Err(self.unknown());
        }
        let bytes = fs::read(&self.path).map_err(|error| self.run(error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            self.damaged(&format!("not UTF-8 text (byte {at} of the file)"))
        })?;
        // The version first: another version's content is not damage.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: u32,
        }
        if let Ok(Version { schema_version }) = serde_json::from_str(&text)
            && schema_version != SCHEMA_VERSION
        {
            return Err(self
                .damaged(&format!("schemaVersion is {schema_version}, {SCHEMA_VERSION} is read")));
        }
        let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
            let place = format!("{}:{}:{}", self.path.display(), error.line(), error.column());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            Failure::usage(format!("{place}: {message}; {}", self.remedy()))
        })?;
        if !(baseline.bands.bytes >= 0.0 && baseline.bands.bytes < 1.0) {
            return Err(self.damaged(&format!(
                "bands.bytes is {}: a share from 0 to less than 1 is expected, such as 0.01",
                baseline.bands.bytes
            )));
        }
        let forced = super::forced::forced();
        if baseline.forced != forced {
            return Err(
                self.damaged("it was measured with other forced settings than this version has")
            );
        }
        if baseline.scenarios.is_empty() {
            return Err(self.damaged("it has no scenario"));
        }
        Ok(baseline)
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub fn write(&self, baseline: &Baseline) -> Result<()> {
        let text = serde_json::to_string_pretty(baseline).map_err(Failure::run)?;
        let mut file = AtomicFile::create(&self.path, true).map_err(Failure::run)?;
        writeln!(file, "{text}").map_err(|error| self.run(error))?;
        file.commit().map_err(Failure::run)
    }

    fn unknown(&self) -> Failure {
        let folder = self.folder().display();
        let known = names(self.folder());
        if known.is_empty() {
            return Failure::usage(format!(
                "unknown baseline `{}`: there is none in {folder}. Make one with `streamjoin baseline save {}`, or name another folder with --baseline-dir",
                self.name, self.name
            ));
        }
        let hint = did_you_mean(&self.name, known.iter().map(String::as_str));
        let hint = hint.map_or_else(String::new, |hint| hint + " ");
        let known = known.join(", ");
        Failure::usage(format!("unknown baseline `{}`: {hint}In {folder}: {known}", self.name))
    }

    pub(super) fn damaged(&self, what: &str) -> Failure {
        Failure::usage(format!("{}: {what}; {}", self.path.display(), self.remedy()))
    }

    fn remedy(&self) -> String {
        format!(
            "restore the file, or create it again with `streamjoin baseline save {} --force`",
            self.name
        )
    }

    fn run(&self, error: std::io::Error) -> Failure {
        Failure::run(error).at(self.path.display())
    }
}

/// The baselines in a folder, by name.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let json = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut names: Vec<String> =
        json.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}
