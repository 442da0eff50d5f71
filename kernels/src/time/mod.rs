//! Event time: columns as microseconds, the interval between two streams, the
//! watermark, and what it lets a join forget.
//!
//! Microseconds and milliseconds are since 1970-01-01T00:00:00Z and may be
//! negative. Sums that leave 64 bits are exact or saturate, never wrap.
//!
//! ```
//! use streamjoin_kernels::Side;
//! use streamjoin_kernels::time::{DeclaredWatermarks, IntervalCondition, TimeCondition, WatermarkPolicy, Watermarks};
//!
//! // A right row matches up to an hour after its left row.
//! let hour = 3_600_000_000;
//! let interval = IntervalCondition::between(0, hour);
//! assert!(interval.contains(5, hour) && !interval.contains(5, 4));
//!
//! // Both sides are at most a minute out of order.
//! let minute = Some(60_000_000);
//! let mut watermarks = Watermarks::new(WatermarkPolicy::Min, minute, minute);
//! watermarks.begin_batch();
//! watermarks.see(Side::Left, 2 * hour);
//! watermarks.see(Side::Right, 3 * hour);
//! watermarks.end_batch();
//! assert_eq!(watermarks.global(), Some((2 * hour - 60_000_000) / 1000));
//!
//! // So left rows need not be kept for ever.
//! let condition = TimeCondition { interval, key: None };
//! assert!(condition.expiry(Side::Left, watermarks.declared()).is_bounded());
//! assert!(!condition.expiry(Side::Left, DeclaredWatermarks::default()).is_bounded());
//! ```

mod event_time;
mod expiry;
mod interval;
mod watermark;

#[cfg(test)]
mod tests;

pub use event_time::{EventTimes, is_event_time, window_end, window_start};
pub use expiry::{DeclaredWatermarks, Expiry, TimeCondition, TimeKey, Unbounded};
pub use interval::{Bound, IntervalCondition};
pub use watermark::{BatchWatermarks, WatermarkPolicy, Watermarks};

/// Microseconds of a millisecond: watermarks count the latter, rows the former.
pub const MICROS_PER_MILLI: i64 = 1_000;
