//! Zipf's distribution by Walker's alias method: one table look-up per draw.

/// Ordinal `k` (from 0) is drawn with probability proportional to `1 / (k + 1)^s`.
#[derive(Debug)]
pub struct Zipf {
    /// For each column of the table: up to which fraction of 2^32 it stands for
    /// itself, and what it stands for above.
    columns: Vec<(u32, u32)>,
}

impl Zipf {
    /// `n` is at least 1 and at most 2^31.
    #[must_use]
    pub fn new(n: usize, exponent: f64) -> Zipf {
        let weight = |k: usize| ((k + 1) as f64).powf(-exponent);
        let total: f64 = (0..n).map(weight).sum();
        // Weights fall with k: heavy columns are a prefix, light ones the rest,
        // so both lists are kept as a cursor each.
        let scaled = |k: usize| weight(k) * n as f64 / total;
        let first_light = partition_point(n, |k| scaled(k) >= 1.0);
        let mut columns: Vec<(u32, u32)> = (0..n as u32).map(|k| (u32::MAX, k)).collect();
        let mut heavy = 0;
        let mut left = scaled(0);
        let mut light = first_light;
        while light < n && heavy < first_light {
            let own = scaled(light);
            columns[light] = (fraction(own), heavy as u32);
            left -= 1.0 - own;
            light += 1;
            while left < 1.0 && heavy < first_light {
                // What is left of a heavy column is filled up by the next one.
                let next = heavy + 1;
                if next >= first_light {
                    break;
                }
                columns[heavy] = (fraction(left), next as u32);
                left = scaled(next) - (1.0 - left);
                heavy = next;
            }
        }
        Zipf { columns }
    }

    /// An ordinal, from a random number.
    #[inline]
    #[must_use]
    pub fn pick(&self, random: u64) -> u64 {
        let product = u128::from(random) * self.columns.len() as u128;
        let column = (product >> 64) as usize;
        let (own, alias) = self.columns[column];
        // The fraction inside the column is the product's low half.
        let inside = (product as u64 >> 32) as u32;
        // Arithmetic, not a branch: the coin is as good as random.
        let keep = u64::from(inside <= own).wrapping_neg();
        (column as u64 & keep) | (u64::from(alias) & !keep)
    }
}

fn fraction(part: f64) -> u32 {
    (part.clamp(0.0, 1.0) * 4_294_967_296.0) as u32
}

fn partition_point(n: usize, heavy: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if heavy(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn frequencies_are_those_of_the_law() {
        for (n, s) in [(1, 1.0), (2, 1.0), (10, 0.5), (1000, 1.0), (100, 2.0)] {
            let zipf = Zipf::new(n, s);
            let total: f64 = (1..=n).map(|k| (k as f64).powf(-s)).sum();
            let draws = 400_000;
            let random = Random::new(7, 7);
            let mut counts = vec![0_u64; n];
            for row in 0..draws {
                counts[zipf.pick(random.at(row)) as usize] += 1;
            }
            for k in [0, 1, n / 2, n - 1].into_iter().filter(|k| *k < n) {
                let expected = draws as f64 * ((k + 1) as f64).powf(-s) / total;
                let off = (counts[k] as f64 - expected).abs();
                assert!(
                    off < 6.0 * expected.sqrt() + 2.0,
                    "n {n} s {s} k {k}: {off} off {expected}"
                );
            }
        }
    }
}
