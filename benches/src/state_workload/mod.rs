//! Two symmetrical streams that are joined within an interval of event time, in
//! steady state: as many rows leave the state as enter it.
//!
//! A row is a key (`i64`), an event time in microseconds and 8 bytes of payload.
//! A batch has [`BATCH_ROWS`] input rows, half of them of each side. Every row
//! is hashed, probed against the other side's state within the interval and
//! stored in its own side's; then what is older than the retention is evicted
//! and reclaimed. The source is not timed.

mod interruption;
mod load;
mod meter;
mod operator_load;
mod setting;
mod side_by_side;
mod source;
mod store_load;
#[cfg(test)]
mod tests;

pub use load::Load;
pub use meter::{EvictCall, Meter};
pub use operator_load::OperatorLoad;
pub use setting::{KeyChoice, STEP, Setting, Shape};
pub use side_by_side::SideBySide;
pub use source::{Batch, Rows, Source};
pub use store_load::StoreLoad;

/// Input rows of a batch, of both sides together.
pub const BATCH_ROWS: usize = 8192;
