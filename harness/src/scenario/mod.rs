//! The scenario file: which streams, which tables, joined how, replayed how.
//!
//! A TOML file whose keys are a public contract: an unknown key is an error with
//! its place and the nearest known one. It is read into what its sections say
//! (`spec`) and resolved into a [`Scenario`] (`resolve`), in which every default
//! is filled in and values that may turn out wrong know their place.

mod in_memory;
mod load;
mod located;
mod naming;
mod resolve;
mod set;
mod shipped;
mod sink_format;
mod source_text;
mod spec;

#[cfg(test)]
mod tests;

pub use in_memory::{InMemory, MemoryRows};
pub use load::{load, parse, parse_with};
pub use located::{Located, Place};
pub use naming::name_of_path;
pub use resolve::{
    BROADCAST_THRESHOLD, Clauses, Condition, Output, Reading, Replay, RowSource, Scenario,
    StrategyOptions, Stream, StreamJoin, TableJoin, Version,
};
pub use set::set;
pub use shipped::{DEFAULT_SCENARIO, find, shipped, shipped_names};
pub use sink_format::SinkFormat;
pub use source_text::SourceText;
pub use spec::{
    Choice, DisorderSpec, End, EventTimeSpec, Finished, Merge, Ordered, Pace, Refresh, Swap,
    TimeUnitName, Trigger, VersionStart,
};
