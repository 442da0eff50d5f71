//! What is known before an index is chosen: of the keys, and of what will be
//! looked up.

use crate::key::KeyShape;

/// What a table will be used for, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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

    /// With as many probe rows.
    #[must_use]
    pub fn with_probe_rows(self, probe_rows: f64) -> Self {
        Self { probe_rows, ..self }
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
}

/// What is known of the keys of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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

impl KeysAtHand {
    /// Distinct keys that lie far apart, one for each of `rows` rows.
    #[must_use]
    pub fn distinct(shape: KeyShape, rows: usize) -> Self {
        Self { shape, rows, rows_per_key: 1.0, dense: false }
    }

    /// With as many rows per key.
    #[must_use]
    pub fn with_rows_per_key(self, rows_per_key: f64) -> Self {
        Self { rows_per_key, ..self }
    }

    /// With keys that lie close together, or do not.
    #[must_use]
    pub fn with_dense(self, dense: bool) -> Self {
        Self { dense, ..self }
    }
}
