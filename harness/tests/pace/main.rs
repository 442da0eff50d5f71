//! Replays by the clock: rows that fall due, ticks, late batches, the end by
//! time. The clock is the tests' own, so nothing here depends on how fast a
//! machine is.

mod disorder;
mod find_rate;
mod stream_static;
mod stream_stream;
mod support;
