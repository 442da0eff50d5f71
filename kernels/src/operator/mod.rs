//! Joins as operators that are driven batch by batch.

mod build;
mod coalesce;
mod cursor;
mod encode;
mod options;
mod output;
mod plan;
mod spec;
mod stats;
mod stream_static;
mod unit;

pub use cursor::JoinCursor;
pub use options::{JoinOptions, Layout};
pub use output::{output_on, output_using, using_keys};
pub use spec::{KeyPair, OutputColumn, StreamStaticSpec};
pub use stats::JoinStats;
pub use stream_static::StreamStaticJoin;
