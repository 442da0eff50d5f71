//! The figures of a pass, as names and values.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::record::Work;
use crate::replay::PassOutcome;

/// Values by name, in the order of the names.
pub type Figures = BTreeMap<String, Figure>;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Figure {
    /// A number of rows, bytes, or whatever was counted.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// A checksum.
    Text(String),
    /// It does not apply.
    None,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::None => f.write_str("none"),
        }
    }
}

impl From<u64> for Figure {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<Option<u64>> for Figure {
    fn from(count: Option<u64>) -> Self {
        count.map_or(Self::None, Self::Count)
    }
}

/// The figures of one pass of one strategy, grouped by what a change means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PassFigures {
    /// Output and dropped rows: any change is a wrong answer.
    pub answer: Figures,
    /// Rows of state: any change is a regression, as fewer rows mean that some left
    /// too early. Empty without a join that keeps state.
    pub state: Figures,
    /// Bytes of tables and state: more, beyond the band, is a regression.
    pub bytes: Figures,
    /// Counts of work: more is a regression.
    pub work: Figures,
}

impl PassFigures {
    /// The figures of a pass over `plan`.
    pub fn of(plan: &Plan, pass: &PassOutcome) -> Self {
        Self {
            answer: answer(plan, pass),
            state: state(pass),
            bytes: bytes(plan, pass),
            work: work(&pass.work),
        }
    }

    /// The figures that every baseline of `plan` must have and this one lacks.
    /// Figures that a later version adds do not count; kinds that apply are never
    /// empty.
    pub(super) fn lacking(&self, plan: &Plan) -> Vec<String> {
        let mut needed: Vec<(&str, &Figures, String)> = Vec::new();
        let mut need = |kind, figures, names: &[&str]| {
            needed.extend(names.iter().map(|name| (kind, figures, (*name).to_owned())));
        };
        need("answer", &self.answer, &ANSWER);
        for join in plan.joins() {
            for what in ["matched", "unmatched"] {
                need("answer", &self.answer, &[&format!("{what}.{}", join.name)]);
            }
        }
        if !plan.joins().is_empty() {
            need("bytes", &self.bytes, &["tables"]);
        }
        if matches!(plan, Plan::StreamStream(_)) {
            need("state", &self.state, &STATE);
            need("bytes", &self.bytes, &STATE_BYTES);
        }
        let mut lacking: Vec<String> = needed
            .into_iter()
            .filter(|(_, figures, name)| !figures.contains_key(name))
            .map(|(kind, _, name)| format!("{kind}.{name}"))
            .collect();
        if self.work.is_empty() {
            lacking.push("work".to_owned());
        }
        lacking
    }

    /// Every kind of figure with its name.
    pub(super) fn kinds(&self) -> [(&'static str, &Figures); 4] {
        [
            ("answer", &self.answer),
            ("state", &self.state),
            ("bytes", &self.bytes),
            ("work", &self.work),
        ]
    }
}

/// Figures of every answer, of every state and of its bytes.
const ANSWER: [&str; 9] = [
    "rowsIn",
    "rowsOut",
    "rowsUnmatched",
    "batches",
    "checksum",
    "dropped.filtered",
    "dropped.late",
    "dropped.nullKey",
    "dropped.nullTime",
];
const STATE: [&str; 6] = ["peak", "plateau", "plateaus", "left", "right", "evicted"];
const STATE_BYTES: [&str; 5] =
    ["state.payload", "state.index", "state.bitmap", "state.slack", "state.peak"];

fn answer(plan: &Plan, pass: &PassOutcome) -> Figures {
    let dropped = &pass.dropped;
    let checksum = pass.checksum.as_ref().map(ToString::to_string);
    let mut figures = named([
        ("rowsIn", pass.rows_in.into()),
        ("rowsOut", pass.rows_out.into()),
        ("rowsUnmatched", pass.rows_unmatched.into()),
        ("batches", pass.batches.into()),
        ("checksum", checksum.map_or(Figure::None, Figure::Text)),
        ("dropped.filtered", dropped.filtered.into()),
        ("dropped.late", dropped.late.into()),
        ("dropped.nullKey", dropped.null_key.into()),
        ("dropped.nullTime", dropped.null_time.into()),
    ]);
    for (join, &(matched, unmatched)) in plan.joins().iter().zip(&pass.joins) {
        figures.insert(format!("matched.{}", join.name), matched.into());
        figures.insert(format!("unmatched.{}", join.name), unmatched.into());
    }
    figures
}

fn state(pass: &PassOutcome) -> Figures {
    let Some(state) = pass.state else { return Figures::new() };
    let rows = state.rows;
    named([
        ("peak", rows.peak.into()),
        ("plateau", rows.plateau.into()),
        ("plateaus", rows.plateaus.map_or(Figure::None, Figure::Flag)),
        ("left", rows.left.into()),
        ("right", rows.right.into()),
        ("evicted", pass.evicted.into()),
    ])
}

fn bytes(plan: &Plan, pass: &PassOutcome) -> Figures {
    let mut figures = Figures::new();
    if !plan.joins().is_empty() {
        figures.insert("tables".to_owned(), pass.table_bytes.into());
    }
    if let Some(state) = pass.state {
        figures.extend(named([
            ("state.payload", state.bytes.payload.into()),
            ("state.index", state.bytes.index.into()),
            ("state.bitmap", state.bytes.bitmap.into()),
            ("state.slack", state.bytes.slack.into()),
            ("state.peak", state.bytes.peak.into()),
        ]));
    }
    figures
}

/// The counters that apply, by the names that reports give them.
fn work(work: &Work) -> Figures {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(work) else {
        unreachable!("a struct of numbers is an object")
    };
    let counted = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_u64()?)));
    counted.map(|(name, count)| (name, count.into())).collect()
}

fn named<const N: usize>(figures: [(&str, Figure); N]) -> Figures {
    figures.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect()
}
