//! The watermark: per side, and global.

use super::delta::TimeDelta;
use super::expiry::DeclaredWatermarks;
use super::timestamp::Timestamp;
use crate::named::named;
use crate::side::Side;

/// How the watermarks of the sides become one.
// Closed: Spark has these two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WatermarkPolicy {
    /// The slowest side decides: nothing that it may still bring is late.
    #[default]
    Min,
    /// The fastest side decides.
    Max,
}

impl WatermarkPolicy {
    /// Every policy.
    pub const ALL: [Self; 2] = [Self::Min, Self::Max];

    /// The name, such as `min`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

named!(WatermarkPolicy, "watermark policy");

/// The two watermarks of one executed batch, in whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchWatermarks {
    /// The one in force: eviction uses it.
    pub in_force: Timestamp,
    /// The one of the batch before: the late filter uses it.
    pub late: Timestamp,
}

impl BatchWatermarks {
    /// Whether a row of a side that declares a watermark is late. One without a
    /// time is never late.
    #[inline]
    #[must_use]
    pub fn is_late(&self, time: Option<Timestamp>) -> bool {
        time.is_some_and(|time| time <= self.late)
    }
}

/// Watermarks from batch to batch, in whole milliseconds.
///
/// All start at 0, that is 1970, and never fall. A batch runs with the global
/// value that the batches before it left behind.
#[derive(Clone, Debug)]
pub struct Watermarks {
    policy: WatermarkPolicy,
    left: Option<SideWatermark>,
    right: Option<SideWatermark>,
    /// What the next batch runs with, in milliseconds.
    global: i64,
    /// What the last batch ran with, in milliseconds; 0 before the first.
    last: i64,
}

#[derive(Clone, Copy, Debug)]
struct SideWatermark {
    /// In milliseconds.
    delay: i64,
    /// In milliseconds.
    value: i64,
    /// Whether the side has its say in the global value.
    takes_part: bool,
}

impl Watermarks {
    /// Of delays, the whole milliseconds count; a side without one declares no
    /// watermark.
    #[must_use]
    pub fn new(policy: WatermarkPolicy, left: Option<TimeDelta>, right: Option<TimeDelta>) -> Self {
        let side = |delay: TimeDelta| SideWatermark {
            delay: delay.as_millis(),
            value: 0,
            takes_part: true,
        };
        Self { policy, left: left.map(side), right: right.map(side), global: 0, last: 0 }
    }

    /// Which sides declare one.
    #[must_use]
    pub fn declared(&self) -> DeclaredWatermarks {
        DeclaredWatermarks { left: self.left.is_some(), right: self.right.is_some() }
    }

    /// Begins an executed batch.
    pub fn begin_batch(&mut self) -> BatchWatermarks {
        let late = std::mem::replace(&mut self.last, self.global);
        BatchWatermarks {
            in_force: Timestamp::from_millis(self.global),
            late: Timestamp::from_millis(late),
        }
    }

    /// What the last batch left behind, without beginning one.
    #[must_use]
    pub fn current(&self) -> BatchWatermarks {
        BatchWatermarks {
            in_force: Timestamp::from_millis(self.global),
            late: Timestamp::from_millis(self.last),
        }
    }

    /// Takes note of the greatest event time of a batch, late rows included. It
    /// counts from the next [`end_batch`](Self::end_batch) on.
    pub fn see(&mut self, side: Side, greatest: Timestamp) {
        if let Some(side) = self.side_mut(side) {
            let value = greatest.as_millis().saturating_sub(side.delay);
            side.value = side.value.max(value);
        }
    }

    /// Ends an executed batch: the global value moves.
    pub fn end_batch(&mut self) {
        let sides = [self.left, self.right].into_iter().flatten().filter(|side| side.takes_part);
        let values = sides.map(|side| side.value);
        let value = match self.policy {
            WatermarkPolicy::Min => values.min(),
            WatermarkPolicy::Max => values.max(),
        };
        self.global = self.global.max(value.unwrap_or(0));
    }

    /// Whether the global value is beyond the one that the last batch ran with.
    #[must_use]
    pub fn has_advanced(&self) -> bool {
        self.global > self.last
    }

    /// What the next batch will run with, none if no side declares a watermark.
    #[must_use]
    pub fn global(&self) -> Option<Timestamp> {
        self.declared().any().then_some(Timestamp::from_millis(self.global))
    }

    /// A side's own value; none if it declares none.
    #[must_use]
    pub fn side(&self, side: Side) -> Option<Timestamp> {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
        .map(|side| Timestamp::from_millis(side.value))
    }

    /// Lets an idle or finished side leave the global value, or come back. The
    /// global value moves at once, where that lets it, but never falls; with no
    /// side left it stays.
    pub fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        if let Some(side) = self.side_mut(side) {
            side.takes_part = takes_part;
            self.end_batch();
        }
    }

    fn side_mut(&mut self, side: Side) -> Option<&mut SideWatermark> {
        match side {
            Side::Left => self.left.as_mut(),
            Side::Right => self.right.as_mut(),
        }
    }
}
