//! The stream-stream join: two streams, a condition on keys and event time,
//! state that is dropped when nothing can match it any more.

mod admission;
mod batch;
mod emit;
mod exact_times;
mod intake;
mod join;
mod options;
mod partition;
mod pending;
mod plan;
mod planned;
mod report;
mod shared;
mod spec;
mod state;
mod steps;
mod task;
mod threads;
mod value_sizes;

pub use batch::Batch;
pub use intake::Arrivals;
pub use join::Join;
pub use options::{Options, StateLimit};
pub use report::{BatchKind, BatchReport, BatchTimes, EventTimeStats, SideReport};
pub use spec::{End, Input, Spec};
