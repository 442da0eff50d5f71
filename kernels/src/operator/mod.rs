//! Joins as operators that are driven batch by batch.
//!
//! [`StreamStaticJoin`] joins a stream with a table, [`StreamStreamJoin`] two
//! streams; each has an example. Options are plain structures:
//!
//! ```
//! use streamjoin_kernels::{IndexKind, JoinOptions, Layout, StoreKind, StreamOptions};
//!
//! let partitioned = JoinOptions {
//!     layout: Layout::Partitioned,
//!     index: IndexKind::Linear.into(),
//!     max_output_rows: 1024,
//!     ..JoinOptions::default()
//! };
//! let plain = StreamOptions { store: StoreKind::OrderedMap, ..StreamOptions::default() };
//! assert_eq!((partitioned.layout.name(), plain.store.name()), ("partitioned", "ordered-map"));
//! ```

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
