//! Two recorded streams through the library's replay.

mod bad_input;
mod batches;
mod curve;
mod order;
mod shipped;
mod support;
mod tables;
mod watermarks;
