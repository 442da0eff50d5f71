//! Replays recorded streams through join strategies and reports throughput,
//! latency and state size.
//!
//! The rooms, low to high; each imports from those before it only:
//! * [`text`] (texts of numbers, times and names), [`error`], `statistics`,
//!   `interrupt` (Ctrl-C), [`sink`] (where rows go);
//! * [`scenario`] (what is asked for), [`costs`] (the file of index costs), [`plan`]
//!   (what will run);
//! * [`record`] (what is reported: progress, summary, findings, checksum), [`replay`]
//!   (one pass), [`findings`] (what a pass shows in addition to its numbers);
//! * [`measure`] (several passes, in child processes), [`machine`] (memory limits),
//!   [`sweep`] (generated workloads), [`gate`] (one pass against a baseline),
//!   [`watermark`] (many delays in one pass), [`init`] (a first scenario),
//!   [`conform`] (cases recorded from Spark);
//! * [`cli`] (the commands).
//!
//! SQL is a crate of its own, [`streamjoin_sql`].

#![forbid(unsafe_code)]

pub mod cli;
pub mod conform;
pub mod costs;
pub mod error;
mod failing_row;
pub mod findings;
pub mod gate;
pub mod init;
mod interrupt;
mod join_error;
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
