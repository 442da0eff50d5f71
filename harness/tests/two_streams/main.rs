//! Two recorded streams through the library's replay.

mod bad_input;
mod order;
mod shipped;
mod support;
mod tables;
mod watermarks;
