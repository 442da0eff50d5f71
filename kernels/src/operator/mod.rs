//! Joins as operators that are driven batch by batch.

mod build;
mod cursor;
mod encode;
mod exchange;
mod findable;
mod layout;
mod options;
mod output;
mod plan;
mod spec;
mod stats;
mod stream_static;
mod stream_stream;
mod unit;

pub use cursor::JoinCursor;
pub use options::{Beyond, BroadcastLimit, JoinOptions, Layout};
pub use output::{output_on, output_using, using_keys};
pub use spec::{KeyPair, OutputColumn, StreamStaticSpec};
pub use stats::JoinStats;
pub use stream_static::StreamStaticJoin;
pub use stream_stream::{
    BatchKind, BatchReport, BatchTimes, End, EventTimeStats, SideReport, StateLimit, StreamBatch,
    StreamInput, StreamKey, StreamOptions, StreamStreamJoin, StreamStreamSpec, streams_output_on,
    streams_output_using, streams_using_keys,
};
