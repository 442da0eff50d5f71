//! Replays recorded streams through join strategies and reports throughput,
//! latency and state size.
//!
//! The floors, each importing from lower ones only: [`scenario`] (what is asked
//! for), [SQL](streamjoin_sql) and [`plan`] (what it comes to), [`replay`] (one pass),
//! [`measure`] (many), [`gate`] (one, against a baseline), [`sweep`] (generated
//! workloads), [`watermark`] (many delays in one pass), [`init`] (a first scenario),
//! [`record`] and
//! [`sink`] (what is left behind), [`cli`] (the commands).

pub mod cli;
pub mod conform;
pub mod costs;
pub mod error;
mod failing_row;
pub mod findings;
pub mod gate;
pub mod init;
mod interrupt;
pub mod machine;
pub mod measure;
pub mod plan;
pub mod record;
pub mod replay;
pub mod scenario;
pub mod sink;
mod statistics;
pub mod sweep;
pub mod text;
pub mod watermark;
