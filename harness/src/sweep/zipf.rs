//! Ranks by a Zipf law.

/// Draws ranks from 0 to `count - 1`; rank `r` with a probability in proportion
/// to `1 / (r + 1)^exponent`. Needs no table: rejection-inversion (Hormann and
/// Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", 1996).
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    count: f64,
    exponent: f64,
    /// The integral of the density up to half a rank beyond the first and the
    /// last one.
    first: f64,
    last: f64,
    squeeze: f64,
}

impl Zipf {
    pub(super) fn new(count: u64, exponent: f64) -> Self {
        let count = count.max(1) as f64;
        let first = integral(1.5, exponent) - 1.0;
        let last = integral(count + 0.5, exponent);
        let squeeze = 2.0 - inverse(integral(2.5, exponent) - 2_f64.powf(-exponent), exponent);
        Self { count, exponent, first, last, squeeze }
    }

    /// A rank; `random` gives numbers from 0 to 1, 1 excluded.
    pub(super) fn draw(&self, mut random: impl FnMut() -> f64) -> u64 {
        loop {
            let area = self.last + random() * (self.first - self.last);
            let x = inverse(area, self.exponent);
            let rank = x.round().clamp(1.0, self.count);
            let accepted = rank - x <= self.squeeze
                || area >= integral(rank + 0.5, self.exponent) - rank.powf(-self.exponent);
            if accepted {
                return rank as u64 - 1;
            }
        }
    }
}

/// The integral of `x^-exponent`, up to a constant.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = x.ln();
    grown((1.0 - exponent) * log) * log
}

/// The inverse of [`integral`].
fn inverse(area: f64, exponent: f64) -> f64 {
    let t = (area * (1.0 - exponent)).max(-1.0);
    let log = if t.abs() > 1e-8 { t.ln_1p() / t } else { 1.0 - t / 2.0 };
    (log * area).exp()
}

/// `(e^x - 1) / x`.
fn grown(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.exp_m1() / x } else { 1.0 + x / 2.0 }
}

#[cfg(test)]
mod tests {
    use streamjoin_kernels::arch::mix;

    use super::*;

    #[test]
    fn ranks_follow_the_law() {
        for exponent in [0.5, 1.0, 1.3] {
            let zipf = Zipf::new(1000, exponent);
            let mut counts = vec![0_u32; 1000];
            let mut seed = 0;
            let draws = 400_000;
            for _ in 0..draws {
                let rank = zipf.draw(|| {
                    seed += 1;
                    (mix(seed) >> 11) as f64 / 2_f64.powi(53)
                });
                counts[rank as usize] += 1;
            }
            let all: f64 = (1..=1000).map(|rank| f64::from(rank).powf(-exponent)).sum();
            for rank in [0, 1, 2, 9, 99, 999] {
                let expected = f64::from(draws) * f64::from(rank + 1).powf(-exponent) / all;
                let off = f64::from(counts[rank as usize]) - expected;
                assert!(off.abs() < 6.0 * expected.sqrt() + 1.0, "{exponent} {rank} {off}");
            }
        }
        assert_eq!(Zipf::new(1, 1.0).draw(|| 0.7), 0);
    }
}
