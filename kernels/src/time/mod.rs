//! Event time: columns as microseconds, the interval between two streams, the
//! watermark, and what it lets a join forget.
//!
//! Microseconds and milliseconds are since 1970-01-01T00:00:00Z and may be
//! negative. Sums that leave 64 bits are exact or saturate, never wrap.

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
