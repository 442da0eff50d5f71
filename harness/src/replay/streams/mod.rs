//! One pass over two recorded streams: merged, cut into batches, joined within
//! the interval, given out, timed.

mod chunk;
mod curve;
mod cut;
mod ends;
mod joined;
mod merge;
mod notice;
mod outlier;
mod pass;
mod progress;
mod read_through;
mod side;

#[cfg(test)]
mod tests;

pub use curve::{CurvePoint, Delays, Lateness, SideRows, Vary, lateness, watermark_curve};
pub(super) use pass::run;
pub(super) use read_through::read_through;
