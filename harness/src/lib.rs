//! Replays recorded streams through join strategies and reports throughput,
//! latency and state size.

pub mod cli;
pub mod conform;
pub mod error;
pub mod machine;
pub mod record;
pub mod sink;
pub mod sql;
