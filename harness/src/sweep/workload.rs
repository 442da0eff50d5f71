//! One workload of a sweep.

use std::fmt;

use streamjoin_datasets::random::{Random, Zipf, below, share};

use super::key_kind::{KeyKind, NULL, scramble};

/// A table and the probes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Rows of the table.
    pub build_rows: usize,
    /// Share of the probes with a key that the table has, without nulls.
    pub hit_rate: f64,
    /// Rows of the table per key.
    pub duplicates: usize,
    /// Exponent of the Zipf law of the probes that hit; 0: all keys are alike.
    pub zipf: f64,
    /// Share of the probes whose key is null.
    pub null_share: f64,
    /// The key columns.
    pub key: KeyKind,
    /// 8-byte columns of the table in addition to the key.
    pub payload: usize,
    /// Rows of a micro-batch.
    pub batch_rows: usize,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            build_rows: 1_000_000,
            hit_rate: 1.0,
            duplicates: 1,
            zipf: 0.0,
            null_share: 0.0,
            key: KeyKind::I64,
            payload: 1,
            batch_rows: 8192,
        }
    }
}

/// Probe rows of small tables: no branch predictor learns them.
const LEAST_PROBES: usize = 1 << 19;
/// Of large tables: they reach enough places to leave no cache a chance.
const MOST_PROBES: usize = 1 << 22;
/// The most bytes of probe keys.
const MOST_PROBE_BYTES: usize = 256 << 20;
/// The most micro-batches.
const MOST_BATCHES: usize = 1 << 15;

impl Workload {
    /// Different keys of the table.
    pub fn distinct(&self) -> usize {
        self.build_rows.div_ceil(self.duplicates.max(1)).max(1)
    }

    /// Micro-batches that are generated, and probed in turn.
    pub fn batches(&self) -> usize {
        let rows = (4 * self.distinct()).clamp(LEAST_PROBES, MOST_PROBES);
        let rows = rows.min(MOST_PROBE_BYTES / self.key.bytes());
        (rows / self.batch_rows.max(1)).clamp(1, MOST_BATCHES)
    }

    /// The ordinal of a table row's key: duplicates lie far apart.
    pub(super) fn build_ordinal(&self, row: usize) -> u64 {
        (row % self.distinct()) as u64
    }

    /// The ordinals of all probes' keys. Those that miss are drawn from as many
    /// other keys as the table has.
    pub(super) fn probe_ordinals(&self, rows: usize) -> Vec<u64> {
        let distinct = self.distinct() as u64;
        let zipf = (self.zipf > 0.0).then(|| Zipf::new(self.distinct(), self.zipf));
        // The same numbers in every run.
        let [nulls, hits, keys] = [0, 1, 2].map(|purpose| Random::new(0, purpose));
        (0..rows as u64)
            .map(|row| {
                if share(nulls.at(row)) < self.null_share {
                    return NULL;
                }
                if share(hits.at(row)) >= self.hit_rate {
                    return distinct + below(keys.at(row), distinct);
                }
                match &zipf {
                    None => below(keys.at(row), distinct),
                    Some(zipf) => place(zipf.pick(keys.at(row)), distinct),
                }
            })
            .collect()
    }
}

/// The ordinal of a rank: popular keys lie scattered in the table.
fn place(rank: u64, distinct: u64) -> u64 {
    let bits = distinct.next_power_of_two().ilog2().max(2);
    let mut ordinal = rank;
    loop {
        // Cycles of a bijection lead back to numbers that are small enough.
        ordinal = scramble(ordinal, bits);
        if ordinal < distinct {
            return ordinal;
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} build rows, key {}, hit rate {}, duplicates {}, zipf {}, null share {}, payload \
             {}, batches of {}",
            self.build_rows,
            self.key,
            self.hit_rate,
            self.duplicates,
            self.zipf,
            self.null_share,
            self.payload,
            self.batch_rows
        )
    }
}
