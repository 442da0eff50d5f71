//! What is to be known of keys before an index is built over them.

#[cfg(test)]
mod tests;

use super::expected::KeysAtHand;
use crate::arch::mix;
use crate::table::build::BuildInput;
use crate::table::direct::Direct;

/// Rows whose hashes are compared to tell how many rows a key has. Its precision is
/// tested; its time was not measured.
const SAMPLE: usize = 4096;

impl KeysAtHand {
    /// Looks at keys: their number and shape, whether they lie close together,
    /// and, from a sample, how many rows share a key.
    #[must_use]
    pub fn look(input: BuildInput<'_>) -> Self {
        Self {
            shape: input.keys.shape(),
            rows: input.keys.len(),
            rows_per_key: rows_per_key(input.hashes),
            dense: Direct::serves(input.keys),
        }
    }
}

/// Rows per key, weighted by rows: two rows drawn at random are of one key with a
/// chance of `(rows per key - 1) / (rows - 1)`, so that few equal pairs in a
/// sample tell even a small number of a large table.
fn rows_per_key(hashes: &[u64]) -> f64 {
    let rows = hashes.len();
    if rows < 2 {
        return 1.0;
    }
    let mut sample: Vec<u64> = if rows <= SAMPLE {
        hashes.to_vec()
    } else {
        // Drawn at random, each once: rows of a key may lie side by side, or at
        // any distance that steps of equal length would miss.
        let draw = |i| ((u128::from(mix(i)) * rows as u128) >> 64) as usize;
        let mut drawn: Vec<usize> = (1..=SAMPLE as u64).map(draw).collect();
        drawn.sort_unstable();
        drawn.dedup();
        drawn.into_iter().map(|row| hashes[row]).collect()
    };
    let sampled = sample.len();
    sample.sort_unstable();
    let same = sample.chunk_by(|a, b| a == b).map(|run| run.len() as f64);
    let pairs: f64 = same.map(|run| run * (run - 1.0) / 2.0).sum();
    let all = sampled as f64 * (sampled as f64 - 1.0) / 2.0;
    1.0 + (rows as f64 - 1.0) * pairs / all
}
