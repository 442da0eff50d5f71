//! Something that a run found and a person should know.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The result is most likely not what was meant.
    Problem,
    /// It goes well now, but may not for long.
    Warning,
    /// It could be had for less.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Problem => "problem",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// Something that a run found, with evidence and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Which finding it is, such as `few-keys-matched`; stable.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// The stream or dimension that it is about; null for the run as a whole.
    pub about: Option<String>,
    /// One sentence.
    pub title: String,
    /// What was observed, one sentence each.
    pub evidence: Vec<String>,
    /// The same for programs: names and numbers.
    pub data: Map<String, Value>,
    /// What to do about it.
    pub remedy: String,
    /// Whether a warning reported the title during the run.
    pub warned: bool,
}

impl Finding {
    /// A finding without evidence so far.
    pub fn new(id: &str, severity: Severity, title: String) -> Self {
        Self {
            id: id.to_owned(),
            severity,
            about: None,
            title,
            evidence: Vec::new(),
            data: Map::new(),
            remedy: String::new(),
            warned: false,
        }
    }

    /// Says which stream or dimension it is about.
    #[must_use]
    pub fn about(mut self, name: &str) -> Self {
        self.about = Some(name.to_owned());
        self
    }

    /// Adds a sentence of evidence.
    #[must_use]
    pub fn saw(mut self, sentence: impl Into<String>) -> Self {
        self.evidence.push(sentence.into());
        self
    }

    /// Adds a number or name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}
