//! When batches start, and where their time goes.

mod latencies;
mod phases;
mod schedule;
mod timeline;
mod trend;

pub use latencies::Latencies;
pub use schedule::{Backlog, PaceOutcome};
pub use timeline::{Clock, system_clock};

pub(crate) use latencies::waited;
pub(crate) use phases::{BatchClock, Phase, timed};
pub(crate) use schedule::Schedule;
pub(crate) use timeline::Timeline;
