//! A pass against the baseline, figure by figure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::baseline::Bands;
use super::figures::{Figure, PassFigures};
use crate::text::percent;

/// The verdict of a comparison, from good to bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As in the baseline.
    #[default]
    Same,
    /// Better than the baseline, which is worth keeping.
    Better,
    /// There is nothing to compare with.
    Inconclusive,
    /// It could not be run.
    Failed,
    /// Worse than the baseline.
    Regression,
    /// Another answer than the baseline's.
    WrongAnswer,
}

impl Verdict {
    /// As people read it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Better => "better",
            Self::Inconclusive => "inconclusive",
            Self::Failed => "failed",
            Self::Regression => "regression",
            Self::WrongAnswer => "wrong answer",
        }
    }
}

/// A figure that is not as in the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Its kind and name, such as `bytes.tables`.
    pub figure: String,
    /// What it was.
    pub old: Figure,
    /// What it is.
    pub new: Figure,
    /// New over old, less 1; null where one of them is not a number or old is 0.
    pub change: Option<f64>,
    /// How far it may move, as a share of the old value; 0: not at all.
    pub band: f64,
    /// What it means.
    pub verdict: Verdict,
}

impl Difference {
    /// The change in percent; one too small for two digits is not shown as none.
    pub fn percent(&self) -> Option<String> {
        self.change.map(|change| percent::two_decimals(change, true))
    }
}

/// The figures that differ from the baseline's, the worst first. A figure that
/// the baseline does not have, as another version made it, is not a difference;
/// one that this version no longer has leaves nothing to compare with.
pub fn compare(old: &PassFigures, new: &PassFigures, bands: Bands) -> Vec<Difference> {
    let mut differences = Vec::new();
    for ((kind, old), (_, new)) in old.kinds().into_iter().zip(new.kinds()) {
        for (name, old) in old {
            let band = if kind == "bytes" { bands.bytes } else { 0.0 };
            let new = new.get(name);
            let verdict = match new {
                None => Verdict::Inconclusive,
                Some(new) => verdict(kind, old, new, band),
            };
            if verdict == Verdict::Same {
                continue;
            }
            let new = new.cloned().unwrap_or(Figure::None);
            differences.push(Difference {
                figure: format!("{kind}.{name}"),
                change: change(old, &new),
                old: old.clone(),
                new,
                band,
                verdict,
            });
        }
    }
    differences.sort_by_key(|difference| Reverse(difference.verdict));
    differences
}

/// The figures that the baseline does not have.
pub fn unwatched(old: &PassFigures, new: &PassFigures) -> BTreeSet<String> {
    let kinds = old.kinds().into_iter().zip(new.kinds());
    kinds
        .flat_map(|((kind, old), (_, new))| {
            let missing = new.keys().filter(|name| !old.contains_key(*name));
            missing.map(move |name| format!("{kind}.{name}"))
        })
        .collect()
}

fn verdict(kind: &str, old: &Figure, new: &Figure, band: f64) -> Verdict {
    if old == new {
        return Verdict::Same;
    }
    match (kind, old, new) {
        ("answer", ..) => Verdict::WrongAnswer,
        // Fewer rows are not a gain: a row that has left matches nothing any more.
        ("state", ..) => Verdict::Regression,
        (_, Figure::Count(old), Figure::Count(new)) => {
            let (old, new) = (*old as f64, *new as f64);
            if new > old * (1.0 + band) {
                Verdict::Regression
            } else if new < old * (1.0 - band) {
                Verdict::Better
            } else {
                Verdict::Same
            }
        }
        // It began to apply, or no longer does.
        _ => Verdict::Regression,
    }
}

fn change(old: &Figure, new: &Figure) -> Option<f64> {
    match (old, new) {
        (Figure::Count(old), Figure::Count(new)) if *old > 0 => {
            Some(*new as f64 / *old as f64 - 1.0)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
