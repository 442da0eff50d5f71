//! What indexes cost, between the points where that was measured.

use std::sync::{Arc, OnceLock};

use super::candidate::Candidate;
use super::expected::{Expected, KeysAtHand};
use super::point::CostPoint;
use super::shipped;
use crate::error::{JoinError, Result};
use crate::key::KeyShape;
use crate::table::IndexKind;

/// From this many rows per key on a perfect hash is not tried: it takes distinct
/// keys only.
pub(super) const DISTINCT_BELOW: f64 = 1.000_001;

/// What the model says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The candidate.
    pub candidate: Candidate,
    /// Nanoseconds to build a row.
    pub build_ns: f64,
    /// Nanoseconds to probe a row, and to gather for it if that is asked for.
    pub probe_ns: f64,
    /// Bytes per row.
    pub bytes: f64,
    /// Nanoseconds for the table and all of its probes.
    pub total_ns: f64,
}

/// What indexes cost at every size: points that were measured, and straight
/// lines over the logarithms of rows and of rows per key between them.
///
/// ```
/// use streamjoin_kernels::key::KeyShape;
/// use streamjoin_kernels::table::auto::{CostModel, Expected, KeysAtHand};
///
/// let model = CostModel::shipped();
/// let keys = KeysAtHand::distinct(KeyShape::Word, 1_000_000);
/// for estimate in model.rank(keys, Expected::of_rows(keys.rows)) {
///     println!("{}: {:.1} ns per probe row", estimate.candidate, estimate.probe_ns);
/// }
/// assert_eq!(CostModel::new(model.points().to_vec()).unwrap(), *model);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CostModel {
    points: Vec<CostPoint>,
}

impl CostModel {
    /// A model of these points.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`] if a key shape has no index that serves all
    /// keys (`chained` or `contiguous`), or a figure is not a positive number.
    pub fn new(points: Vec<CostPoint>) -> Result<Self> {
        for point in &points {
            let figures = [
                point.rows,
                point.rows_per_key,
                point.build_ns,
                point.hit_ns,
                point.miss_ns,
                point.exists_ns,
            ];
            if !figures.iter().all(|figure| figure.is_finite() && *figure > 0.0)
                || ![point.gather_ns, point.bytes].iter().all(|figure| *figure >= 0.0)
            {
                return Err(JoinError::InvalidPlan(format!(
                    "the cost of {} at {} rows is not a positive number",
                    point.candidate, point.rows
                )));
            }
        }
        for shape in [KeyShape::Word, KeyShape::Wide, KeyShape::Bytes] {
            let serves_all = |point: &CostPoint| {
                let kind = point.candidate.index;
                point.shape == shape
                    && !point.candidate.filtered
                    && matches!(kind, IndexKind::Chained | IndexKind::Contiguous)
            };
            if !points.iter().any(serves_all) {
                return Err(JoinError::InvalidPlan(format!(
                    "the costs say nothing of `chained` or `contiguous` for keys of shape {shape:?}"
                )));
            }
        }
        Ok(Self { points })
    }

    /// The model that comes with this crate: measured on one machine, so that
    /// ratios hold elsewhere about and sizes of caches do not.
    #[must_use]
    pub fn shipped() -> Arc<Self> {
        static MODEL: OnceLock<Arc<CostModel>> = OnceLock::new();
        Arc::clone(MODEL.get_or_init(|| Arc::new(Self { points: shipped::points() })))
    }

    /// The points, in the order in which they were given.
    #[must_use]
    pub fn points(&self) -> &[CostPoint] {
        &self.points
    }

    /// The indexes that can serve these keys, the cheapest first.
    #[must_use]
    pub fn rank(&self, keys: KeysAtHand, expected: Expected) -> Vec<Estimate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for point in self.points.iter().filter(|point| point.shape == keys.shape) {
            let candidate = point.candidate;
            let serves = match candidate.index {
                IndexKind::Direct => keys.dense,
                IndexKind::Perfect => keys.rows_per_key < DISTINCT_BELOW,
                _ => true,
            };
            if serves && !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        let mut ranked: Vec<Estimate> = candidates
            .into_iter()
            .map(|candidate| self.estimate(candidate, keys, expected))
            .collect();
        ranked.sort_by(|a, b| a.total_ns.total_cmp(&b.total_ns));
        ranked
    }

    fn estimate(&self, candidate: Candidate, keys: KeysAtHand, expected: Expected) -> Estimate {
        let at = |figure: fn(&CostPoint) -> f64| self.figure(candidate, keys, figure);
        let build_ns = at(|point| point.build_ns);
        // Bytes per row fall in proportion as rows per key grow: straight in logarithms.
        let bytes = at(|point| point.bytes.max(f64::MIN_POSITIVE).ln()).exp();
        let hits = expected.hit_rate.clamp(0.0, 1.0);
        let found = if expected.existence {
            at(|point| point.exists_ns)
        } else {
            let gather = if expected.gathers { at(|point| point.gather_ns) } else { 0.0 };
            at(|point| point.hit_ns) + gather
        };
        let probe_ns = hits * found + (1.0 - hits) * at(|point| point.miss_ns);
        let total_ns = build_ns * keys.rows as f64 + probe_ns * expected.probe_rows;
        Estimate { candidate, build_ns, probe_ns, bytes, total_ns }
    }

    /// A figure between the points: over rows at the two nearest numbers of
    /// rows per key, and then between these.
    fn figure(&self, candidate: Candidate, keys: KeysAtHand, figure: fn(&CostPoint) -> f64) -> f64 {
        let points = || {
            let same =
                move |point: &&CostPoint| point.candidate == candidate && point.shape == keys.shape;
            self.points.iter().filter(same)
        };
        let mut levels: Vec<f64> = points().map(|point| point.rows_per_key).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let by_level: Vec<(f64, f64)> = levels
            .into_iter()
            .map(|level| {
                let line = points().filter(|point| point.rows_per_key == level);
                let line = line.map(|point| (point.rows, figure(point))).collect();
                (level, between(line, keys.rows as f64))
            })
            .collect();
        between(by_level, keys.rows_per_key)
    }
}

/// The value at `x` on the lines between points, straight over the logarithm of
/// x; that of the outermost point beyond it.
fn between(mut points: Vec<(f64, f64)>, x: f64) -> f64 {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let after = points.partition_point(|point| point.0 < x);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x / x0).ln() / (x1 / x0).ln(),
        (Some((_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_lie_on_the_lines_between_points() {
        let line = vec![(1e6, 8.0), (1e3, 2.0), (1e4, 4.0)];
        for (x, y) in [(1e3, 2.0), (1e4, 4.0), (1e5, 6.0), (1e6, 8.0), (1.0, 2.0), (1e9, 8.0)] {
            assert!((between(line.clone(), x) - y).abs() < 1e-9, "{x}");
        }
    }
}
