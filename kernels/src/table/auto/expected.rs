//! What is known before an index is chosen: of the keys, and of what will be
//! looked up.

use crate::key::KeyShape;

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
    /// Probe rows per build row that are assumed where nothing is known: a table
    /// that a stream is enriched from is kept for a while. An assumption, not a
    /// measurement.
    pub const PROBES_PER_ROW: f64 = 10.0;

    /// What is assumed of a table of `rows` rows where nothing is known.
    #[must_use]
    pub fn of_rows(rows: usize) -> Self {
        Self {
            probe_rows: Self::PROBES_PER_ROW * rows as f64,
            hit_rate: 1.0,
            existence: false,
            gathers: true,
        }
    }
}

/// What is known of the keys of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeysAtHand {
    /// Their shape.
    pub shape: KeyShape,
    /// Rows of the table.
    pub rows: usize,
    /// Rows per key, on average over the rows.
    pub rows_per_key: f64,
    /// Whether they are integers that lie close together.
    pub dense: bool,
}
