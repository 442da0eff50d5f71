//! How far batches fall behind, as a straight line.

use std::time::Duration;

/// The straight line through points that come one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trend {
    points: f64,
    /// The first and the last x.
    ends: Option<(f64, f64)>,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Trend {
    pub(super) fn add(&mut self, x: f64, y: f64) {
        // Around running means, so that a long run loses no digits.
        self.points += 1.0;
        self.ends = Some((self.ends.map_or(x, |(first, _)| first), x));
        let dx = x - self.x;
        self.x += dx / self.points;
        self.y += (y - self.y) / self.points;
        self.xx += dx * (x - self.x);
        self.xy += dx * (y - self.y);
    }

    /// The mean distance of two points, in seconds.
    pub(super) fn between(&self) -> Duration {
        let (first, last) = self.ends.unwrap_or_default();
        let mean = (last - first) / (self.points - 1.0).max(1.0);
        Duration::try_from_secs_f64(mean).unwrap_or_default()
    }

    pub(super) fn slope(&self) -> f64 {
        if self.xx > 0.0 { self.xy / self.xx } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_have_a_slope() {
        let mut trend = Trend::default();
        assert!(trend.slope().abs() < f64::EPSILON);
        for x in 0..50 {
            trend.add(f64::from(x), 3.0 + 0.25 * f64::from(x));
        }
        assert!((trend.slope() - 0.25).abs() < 1e-9, "{trend:?}");
    }
}
