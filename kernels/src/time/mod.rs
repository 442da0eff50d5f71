//! Event time: columns as microseconds, the interval between two streams, the
//! watermark, and what it lets a join forget.
//!
//! A [`Timestamp`] is a point in time, a [`TimeDelta`] a distance; both count
//! microseconds, as [`EventTimes`] does. Sums that leave 64 bits are exact or
//! saturate, never wrap.
//!
//! ```
//! use std::time::Duration;
//! use streamjoin_kernels::Side;
//! use streamjoin_kernels::time::{
//!     DeclaredWatermarks, IntervalCondition, TimeCondition, TimeDelta, Timestamp,
//!     WatermarkPolicy, Watermarks,
//! };
//!
//! // A right row matches up to an hour after its left row.
//! let interval = IntervalCondition::between(TimeDelta::ZERO, Duration::from_secs(3600));
//! let at = Timestamp::from_secs;
//! assert!(interval.contains(at(5), at(3605)) && !interval.contains(at(5), at(4)));
//!
//! // Both sides are at most a minute out of order.
//! let minute = Some(TimeDelta::from_secs(60));
//! let mut watermarks = Watermarks::new(WatermarkPolicy::Min, minute, minute);
//! watermarks.begin_batch();
//! watermarks.see(Side::Left, at(7200));
//! watermarks.see(Side::Right, at(9000));
//! watermarks.end_batch();
//! assert_eq!(watermarks.global(), Some(at(7200 - 60)));
//!
//! // So left rows need not be kept for ever.
//! let condition = TimeCondition::from(interval);
//! assert!(condition.expiry(Side::Left, watermarks.declared()).is_bounded());
//! assert!(!condition.expiry(Side::Left, DeclaredWatermarks::default()).is_bounded());
//! ```

mod delta;
mod event_time;
mod expiry;
mod interval;
mod timestamp;
mod watermark;

#[cfg(test)]
mod tests;

pub use delta::TimeDelta;
pub use event_time::{EventTimes, is_event_time, window_end, window_start};
pub use expiry::{DeclaredWatermarks, Expiry, TimeCondition, TimeKey, Unbounded};
pub use interval::{Bound, IntervalCondition};
pub use timestamp::Timestamp;
pub use watermark::{BatchWatermarks, WatermarkPolicy, Watermarks};

/// Microseconds of a millisecond.
const MICROS_PER_MILLI: i64 = 1_000;
/// Microseconds of a second.
const MICROS_PER_SECOND: i64 = 1_000_000;
