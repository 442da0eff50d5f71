//! Joins as operators that are driven batch by batch.

mod columns;
pub mod stream_static;
pub mod stream_stream;
