//! The stream-stream join: two streams, a condition on keys and event time,
//! state that is dropped when nothing can match it any more.

mod batch;
mod emit;
mod intake;
mod join;
mod options;
mod output;
mod partition;
mod plan;
mod report;
mod spec;
mod task;
mod threads;

pub use batch::StreamBatch;
pub use join::StreamStreamJoin;
pub use options::{StateLimit, StreamOptions};
pub use output::{streams_output_on, streams_output_using, streams_using_keys};
pub use report::{BatchKind, BatchReport, BatchTimes, EventTimeStats, SideReport};
pub use spec::{End, StreamInput, StreamKey, StreamStreamSpec};
