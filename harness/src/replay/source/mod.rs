//! Where rows come from: recordings read, put out of order, merged and cut into
//! batches.

mod chunk;
mod cut;
mod disorder;
mod merge;
mod merged_cut;
mod piece;
mod read_through;
mod rows;
mod side;
mod stream;
mod time_order;

pub use read_through::read_through;

pub(crate) use merge::{MergedBatch, Merger};
pub(crate) use piece::RowPlace;
pub(crate) use rows::{failed, failed_row};
pub(crate) use stream::{Part, Reader, Step};
