//! A query and its rows, and what the rules say of one pair, one row, one line.

use streamjoin_kernels::JoinType;
use streamjoin_kernels::time::{TimeKey, WatermarkPolicy};

pub(crate) const LEFT: usize = 0;
pub(crate) const RIGHT: usize = 1;

/// A row of either side.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) keys: Vec<Option<u8>>,
    /// In microseconds.
    pub(crate) time: Option<i64>,
    pub(crate) value: Option<i32>,
}

/// A distance in microseconds, and whether it is included.
pub(crate) type End = Option<(i64, bool)>;

/// The query.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) join_type: JoinType,
    /// Whether null equals null, key by key.
    pub(crate) null_safe: Vec<bool>,
    /// Bounds on right - left.
    pub(crate) lower: End,
    pub(crate) upper: End,
    /// Event time, or its window, as one more key.
    pub(crate) time_key: Option<TimeKey>,
    /// In microseconds.
    pub(crate) delays: [Option<i64>; 2],
    pub(crate) policy: WatermarkPolicy,
    pub(crate) no_data_batches: bool,
    /// `value > 2` in ON, on either side.
    pub(crate) filters: [bool; 2],
    /// `left.value < right.value` in ON.
    pub(crate) residual: bool,
}

impl Query {
    pub(crate) fn pair(&self, left: &Row, right: &Row) -> bool {
        let keys = left.keys.iter().zip(&right.keys).zip(&self.null_safe);
        let mut keys = keys.map(|((l, r), safe)| l == r && (*safe || l.is_some()));
        let times = || match (self.lower, self.upper, self.time_key) {
            (None, None, None) => true,
            (_, _, Some(TimeKey::Window { width })) => {
                let window = |row: &Row| row.time.map(|t| t.div_euclid(width.as_micros()));
                window(left).is_some() && window(left) == window(right)
            }
            _ => {
                let (Some(l), Some(r)) = (left.time, right.time) else { return false };
                let distance = i128::from(r) - i128::from(l);
                let above = self.lower.is_none_or(|(b, inclusive)| {
                    distance > i128::from(b) || inclusive && distance == i128::from(b)
                });
                let below = self.upper.is_none_or(|(b, inclusive)| {
                    distance < i128::from(b) || inclusive && distance == i128::from(b)
                });
                above && below && (self.time_key.is_none() || distance == 0)
            }
        };
        let residual = || match (left.value, right.value) {
            _ if !self.residual => true,
            (Some(l), Some(r)) => l < r,
            _ => false,
        };
        keys.all(|same| same) && times() && residual()
    }

    pub(crate) fn passes(&self, i: usize, row: &Row) -> bool {
        !self.filters[i] || row.value.is_some_and(|value| value > 2)
    }

    pub(crate) fn preserved(&self, i: usize) -> bool {
        use JoinType::*;
        match self.join_type {
            LeftOuter | LeftAnti => i == LEFT,
            RightOuter => i == RIGHT,
            FullOuter => true,
            _ => false,
        }
    }

    pub(crate) fn uses_time(&self) -> bool {
        self.lower.is_some() || self.upper.is_some() || self.time_key.is_some()
    }

    pub(crate) fn is_window(&self) -> bool {
        matches!(self.time_key, Some(TimeKey::Window { .. }))
    }

    /// The time by which a row is late and leaves.
    pub(crate) fn stand_in(&self, row: &Row) -> Option<i128> {
        let time = i128::from(row.time?);
        Some(match self.time_key {
            Some(TimeKey::Window { width }) => {
                let width = i128::from(width.as_micros());
                (time.div_euclid(width) + 1) * width
            }
            _ => time,
        })
    }

    /// Rules 21 to 25, with D4 put right: the line in microseconds.
    pub(crate) fn line(&self, i: usize, watermark: i128) -> Option<i128> {
        if self.time_key.is_some() {
            return self.delays.iter().any(Option::is_some).then_some(watermark * 1000);
        }
        let (bound, sign) = if i == LEFT { (self.upper, -1) } else { (self.lower, 1) };
        let (bound, inclusive) = bound?;
        self.delays[1 - i]?;
        let exact = watermark * 1000 + sign * i128::from(bound);
        let millis = if exact < 0 { -(-exact / 1000) } else { exact / 1000 };
        Some((if inclusive { millis - 1 } else { millis }) * 1000)
    }
}
