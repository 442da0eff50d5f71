//! Two recorded streams through the library's replay.

mod bad_input;
mod batches;
mod order;
mod shipped;
mod support;
mod tables;
mod watermark_delays;
mod watermarks;
