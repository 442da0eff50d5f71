//! Replays recorded streams through join strategies and reports throughput,
//! latency and state size.

pub mod error;
pub mod sql;
