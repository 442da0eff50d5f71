//! The index that costs least.

use std::sync::Arc;

use super::expected::{Expected, KeysAtHand};
use super::model::{CostModel, Estimate};
use crate::error::Result;
use crate::key::KeyView;
use crate::table::build::{BuildInput, BuiltIndex, IndexBuilder};

/// Chooses an index for the keys that it is given, and builds it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AutoIndex {
    /// What indexes cost.
    pub model: Arc<CostModel>,
    /// Probe rows over the life of the table; `None` if not known, and then
    /// [`Expected::PROBES_PER_ROW`] per build row are assumed.
    pub probe_rows: Option<f64>,
    /// Share of the probe rows that find a match.
    pub hit_rate: f64,
    /// Whether only existence is asked for; a join sets it.
    pub existence: bool,
    /// Whether columns of the table are gathered; a join sets it.
    pub gathers: bool,
}

impl Default for AutoIndex {
    fn default() -> Self {
        let Expected { hit_rate, existence, gathers, .. } = Expected::of_rows(0);
        let model = CostModel::shipped();
        Self { model, probe_rows: None, hit_rate, existence, gathers }
    }
}

impl AutoIndex {
    /// With this model.
    #[must_use]
    pub fn with_model(self, model: Arc<CostModel>) -> Self {
        Self { model, ..self }
    }

    /// For as many probe rows over the life of the table; none if that is
    /// not known.
    #[must_use]
    pub fn with_probe_rows(self, probe_rows: impl Into<Option<f64>>) -> Self {
        Self { probe_rows: probe_rows.into(), ..self }
    }

    /// For probe rows of which this share finds a match.
    #[must_use]
    pub fn with_hit_rate(self, hit_rate: f64) -> Self {
        Self { hit_rate, ..self }
    }

    /// Where only existence is asked for, or more.
    #[must_use]
    pub fn with_existence(self, existence: bool) -> Self {
        Self { existence, ..self }
    }

    /// Where columns of the table are gathered, or none.
    #[must_use]
    pub fn with_gathers(self, gathers: bool) -> Self {
        Self { gathers, ..self }
    }

    /// The candidates for these keys, the cheapest first, never none.
    #[must_use]
    pub fn rank(&self, input: BuildInput<'_>) -> Vec<Estimate> {
        let keys = KeysAtHand::look(input);
        self.model.rank(keys, self.expected(keys.rows))
    }

    /// What a table of `rows` rows will be used for.
    #[must_use]
    pub fn expected(&self, rows: usize) -> Expected {
        let Self { hit_rate, existence, gathers, .. } = *self;
        let assumed = Expected::of_rows(rows).probe_rows;
        Expected { probe_rows: self.probe_rows.unwrap_or(assumed), hit_rate, existence, gathers }
    }
}

impl IndexBuilder for AutoIndex {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        // What is chosen is not known before hashes are: the largest of what is
        // for keys that differ and for keys that repeat.
        let rows = keys.len();
        let chosen = [1.0, 2.0, 10.0].map(|rows_per_key| {
            let (shape, dense) = (keys.shape(), false);
            let keys_at_hand = KeysAtHand { shape, rows, rows_per_key, dense };
            let best = self.model.rank(keys_at_hand, self.expected(rows))[0].candidate;
            best.builder().estimated_bytes(keys)
        });
        chosen.into_iter().max().unwrap_or(0)
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        let best = self.rank(input)[0].candidate;
        best.builder().build(input)
    }
}
