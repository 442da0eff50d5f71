//! Which index to build: the one whose build and probes together cost least,
//! by a model fitted from measurements, not by sizes set once and for all.
//!
//! ```
//! use streamjoin_kernels::{IndexChoice, Isa, KeyHasher, Result};
//! use streamjoin_kernels::table::KeyTable;
//! use streamjoin_kernels::table::auto::AutoIndex;
//!
//! # fn main() -> Result<()> {
//! let keys: Vec<u64> = (0..100_000).map(|i| i * i).collect();
//! let index_for = |probe_rows| -> Result<&'static str> {
//!     let auto = AutoIndex { probe_rows: Some(probe_rows), ..AutoIndex::default() };
//!     let hasher = KeyHasher::with_seed(Isa::detect(), 1);
//!     let table = KeyTable::with_index(&keys, &IndexChoice::Auto(auto), hasher)?;
//!     Ok(table.index_name())
//! };
//! // A table that is hardly used is one that is cheap to build.
//! assert_ne!(index_for(1e9)?, index_for(1e3)?);
//! # Ok(())
//! # }
//! ```

mod first;
mod model;
mod sample;
mod shipped;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub(crate) use first::QuickestFirst;
pub use model::{CostModel, CostPoint, KeysAtHand};

use super::build::{BuildInput, BuiltIndex, IndexBuilder, IndexChoice};
use super::filter::FilteredBuilder;
use super::kind::IndexKind;
use crate::error::Result;
use crate::key::KeyView;

/// What a table will be used for, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Probe rows over the life of the table.
    pub probe_rows: f64,
    /// Share of them that find a match, between 0 and 1.
    pub hit_rate: f64,
    /// Whether only the existence of a match is asked for (semi and anti joins
    /// without a residual).
    pub existence: bool,
    /// Whether columns of the table are gathered for the matches.
    pub gathers: bool,
}

impl Expected {
    /// Probe rows a build row that are assumed where nothing is known: a table
    /// that a stream is enriched from is kept for a while.
    pub const PROBES_A_ROW: f64 = 10.0;

    /// What is assumed of a table of `rows` rows where nothing is known.
    #[must_use]
    pub fn of_rows(rows: usize) -> Self {
        Self {
            probe_rows: Self::PROBES_A_ROW * rows as f64,
            hit_rate: 1.0,
            existence: false,
            gathers: true,
        }
    }
}

/// An index that could be built, with a Bloom filter in front or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The index.
    pub index: IndexKind,
    /// Whether there is a Bloom filter in front of it.
    pub filtered: bool,
}

impl Candidate {
    /// What builds it.
    #[must_use]
    pub fn choice(self) -> IndexChoice {
        if self.filtered {
            IndexChoice::Own(Arc::new(FilteredBuilder { inner: self.index.into() }))
        } else {
            self.index.into()
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.index, if self.filtered { " behind a Bloom filter" } else { "" })
    }
}

/// What the model says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The candidate.
    pub candidate: Candidate,
    /// Nanoseconds to build a row.
    pub build_ns: f64,
    /// Nanoseconds to probe a row, and to gather for it if that is asked for.
    pub probe_ns: f64,
    /// Bytes a row.
    pub bytes: f64,
    /// Nanoseconds for the table and all of its probes.
    pub total_ns: f64,
}

/// Chooses an index for the keys that it is given, and builds it.
#[derive(Clone, Debug)]
pub struct AutoIndex {
    /// What indexes cost.
    pub model: Arc<CostModel>,
    /// Probe rows over the life of the table; none: not known, and
    /// [`Expected::PROBES_A_ROW`] a build row are assumed.
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
    /// The candidates for these keys, the cheapest first, never none.
    #[must_use]
    pub fn rank(&self, input: BuildInput<'_>) -> Vec<Estimate> {
        let keys = KeysAtHand::look(input);
        self.model.rank(keys, self.expected(keys.rows))
    }

    /// What a table of so many rows will be used for.
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
        let chosen = [1.0, 2.0, 10.0].map(|rows_a_key| {
            let (shape, dense) = (keys.shape(), false);
            let keys_at_hand = KeysAtHand { shape, rows, rows_a_key, dense };
            let best = self.model.rank(keys_at_hand, self.expected(rows))[0].candidate;
            best.choice().builder().estimated_bytes(keys)
        });
        chosen.into_iter().max().unwrap_or(0)
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        let best = self.rank(input)[0].candidate;
        best.choice().builder().build(input)
    }
}
