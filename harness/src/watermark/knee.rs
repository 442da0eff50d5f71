//! The delay after which more delay buys little.

/// The position of the knee of a falling curve of `(cost, loss)`, in the order
/// of ascending cost: the point farthest below the straight line from the first
/// to the last, both axes brought to the range 0 to 1. That is the offline form
/// of Kneedle (V. Satopaa, J. Albrecht, D. Irwin, B. Raghavan: Finding a
/// "Kneedle" in a Haystack: Detecting Knee Points in System Behavior, ICDCS
/// Workshops 2011) without its smoothing, as the curve is exact.
///
/// Of a curve that loses the same everywhere it is the cheapest point; of one
/// that nowhere bends downwards there is none.
pub fn knee(curve: &[(f64, f64)]) -> Option<usize> {
    let cost = Range::of(curve.iter().map(|(cost, _)| *cost))?;
    let loss = Range::of(curve.iter().map(|(_, loss)| *loss))?;
    let below = |(of_cost, of_loss): &(f64, f64)| 1.0 - cost.share(*of_cost) - loss.share(*of_loss);
    let (place, greatest) = curve
        .iter()
        .map(below)
        .enumerate()
        .reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    (greatest > 1e-9).then_some(place)
}

/// Least and greatest value.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: f64,
    greatest: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        Some(Self { least: values.clone().reduce(f64::min)?, greatest: values.reduce(f64::max)? })
    }

    /// Where in the range a value is, from 0 to 1; 0 in a range without length.
    fn share(self, value: f64) -> f64 {
        let length = self.greatest - self.least;
        if length > 0.0 { (value - self.least) / length } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_farthest_below_the_chord() {
        let curve = [(10.0, 0.5), (20.0, 0.1), (40.0, 0.05), (80.0, 0.01), (110.0, 0.0)];
        assert_eq!(knee(&curve), Some(1));
        // Figure 2 of the paper turned over: 5 - 1 / (x + 0.1) at ten places
        // from 0 to 1 has its knee at 0.22.
        let places = (0..10).map(|place| f64::from(place) / 9.0);
        let figure: Vec<(f64, f64)> = places.map(|x| (x, 1.0 / (x + 0.1) - 5.0)).collect();
        assert_eq!(knee(&figure), Some(2));
    }

    #[test]
    fn curves_that_do_not_bend() {
        assert_eq!(knee(&[]), None);
        assert_eq!(knee(&[(1.0, 1.0), (2.0, 0.5), (3.0, 0.0)]), None, "straight");
        assert_eq!(knee(&[(1.0, 1.0), (2.0, 0.9), (3.0, 0.0)]), None, "upwards");
        assert_eq!(knee(&[(1.0, 0.0), (2.0, 0.0)]), Some(0), "nothing is lost");
        assert_eq!(knee(&[(5.0, 0.2), (5.0, 0.1), (5.0, 0.1)]), Some(1), "at no cost");
        assert_eq!(knee(&[(5.0, 0.0)]), Some(0));
    }
}
