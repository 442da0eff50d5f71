//! The stream-static join: each micro-batch of a stream is joined on its own
//! with the table of the moment; there is no state (SEMANTICS: Spark's
//! stream-static joins).

mod build;
mod cursor;
mod encode;
mod exchange;
mod findable;
mod join;
mod layout;
mod options;
mod output;
mod plan;
mod spec;
mod stats;
mod unit;

pub use cursor::Cursor;
pub use join::Join;
pub use options::{Beyond, BroadcastLimit, Layout, Options};
pub use output::{output_on, output_using, using_keys};
pub use spec::{KeyPair, Spec};
pub use stats::Stats;
