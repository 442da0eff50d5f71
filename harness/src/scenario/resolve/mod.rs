//! A scenario with every default filled in.

mod context;
mod join;
mod output;
mod replay;
mod rows;
mod scenario;
mod strategy;

pub use context::Clauses;
pub use join::{Condition, StreamJoin, TableJoin, Version};
pub use output::Output;
pub use replay::Replay;
pub use rows::{Reading, RowSource, Stream};
pub use scenario::Scenario;
pub(super) use scenario::resolve;
pub use strategy::{BROADCAST_THRESHOLD, StrategyOptions};
