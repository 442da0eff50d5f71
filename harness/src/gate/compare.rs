//! A pass against the baseline, figure by figure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::baseline::Bands;
use super::figures::{Figure, PassFigures};
use crate::text::percent;

/// What a comparison comes to, from good to bad.
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
    #[must_use]
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
    /// New over old, less 1; null where one of them is no number or old is 0.
    pub change: Option<f64>,
    /// How far it may move, as a share of the old value; 0: not at all.
    pub band: f64,
    /// What it means.
    pub verdict: Verdict,
}

impl Difference {
    /// The change in percent; one too small for two digits is not shown as none.
    #[must_use]
    pub fn percent(&self) -> Option<String> {
        self.change.map(|change| percent::two_decimals(change, true))
    }
}

/// The figures that differ from the baseline's, the worst first. A figure that
/// the baseline does not have, since another version made it, is no difference;
/// one that this version no longer has leaves nothing to compare with.
#[must_use]
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

/// What this version counts and the baseline does not.
#[must_use]
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
        // Fewer rows are no gain: a row that has left matches nothing any more.
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
mod tests {
    use super::*;

    fn measured(kind: &str, figure: Figure) -> PassFigures {
        let mut measured = PassFigures::default();
        let figures = match kind {
            "answer" => &mut measured.answer,
            "state" => &mut measured.state,
            "bytes" => &mut measured.bytes,
            _ => &mut measured.work,
        };
        figures.insert("x".to_owned(), figure);
        measured
    }

    #[test]
    fn a_small_change_is_not_shown_as_none() {
        for (old, new, text) in [(20_001, 20_000, "< 0.01 %"), (100, 101, "+1.00 %")] {
            let [old, new] = [old, new].map(|n| measured("answer", Figure::Count(n)));
            let differences = compare(&old, &new, Bands::default());
            assert_eq!(differences[0].percent().unwrap(), text);
        }
    }

    #[test]
    fn each_kind_of_figure_has_its_own_meaning() {
        use Verdict::{Better, Inconclusive, Regression, Same, WrongAnswer};
        let count = Figure::Count;
        for (kind, old, new, expected) in [
            ("answer", count(100), count(100), Same),
            ("answer", count(100), count(101), WrongAnswer),
            ("answer", count(100), count(99), WrongAnswer),
            ("answer", Figure::Text("a".into()), Figure::Text("b".into()), WrongAnswer),
            ("answer", Figure::None, count(0), WrongAnswer),
            ("state", count(100), count(101), Regression),
            ("state", count(100), count(99), Regression),
            ("state", Figure::Flag(true), Figure::Flag(false), Regression),
            ("state", Figure::None, count(1), Regression),
            ("bytes", count(1000), count(1010), Same),
            ("bytes", count(1000), count(1011), Regression),
            ("bytes", count(1000), count(990), Same),
            ("bytes", count(1000), count(989), Better),
            ("bytes", count(0), count(1), Regression),
            ("work", count(1000), count(1001), Regression),
            ("work", count(1000), count(999), Better),
            ("work", count(0), count(0), Same),
        ] {
            let bands = Bands { bytes: 0.01 };
            let (old, new) = (measured(kind, old), measured(kind, new));
            let found = compare(&old, &new, bands);
            let verdict = found.first().map_or(Same, |difference| difference.verdict);
            assert_eq!(verdict, expected, "{kind}: {old:?} {new:?}");
            assert!(found.iter().all(|difference| difference.figure == format!("{kind}.x")));
        }
        let gone = compare(&measured("work", count(1)), &PassFigures::default(), Bands::default());
        assert_eq!(gone[0].verdict, Inconclusive);
        let new = measured("work", count(1));
        assert!(compare(&PassFigures::default(), &new, Bands::default()).is_empty());
        assert!(unwatched(&PassFigures::default(), &new).contains("work.x"));
    }

    #[test]
    fn the_worst_comes_first_and_changes_are_shares() {
        let old = PassFigures {
            answer: measured("answer", Figure::Count(5)).answer,
            work: measured("work", Figure::Count(200)).work,
            ..PassFigures::default()
        };
        let new = PassFigures {
            answer: measured("answer", Figure::Count(6)).answer,
            work: measured("work", Figure::Count(150)).work,
            ..PassFigures::default()
        };
        let found = compare(&old, &new, Bands::default());
        let seen: Vec<_> = found.iter().map(|d| (d.figure.as_str(), d.verdict, d.change)).collect();
        assert_eq!(seen[0].0, "answer.x");
        assert_eq!(seen[1], ("work.x", Verdict::Better, Some(-0.25)));
    }
}
