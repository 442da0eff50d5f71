//! One pass over a recording: cut into batches, joined, given out, timed.

mod clock;
mod dimension;
mod pass;
mod pipeline;
mod trigger;
mod watermark;

#[cfg(test)]
mod tests;

pub use clock::{BatchClock, Phase};
pub use pass::{Counted, Pass, PassOutcome, Watcher};
pub use trigger::{CutInput, Cutter};
