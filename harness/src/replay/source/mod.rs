//! Where rows come from: recordings read, put out of order, merged and cut into
//! batches.

mod chunk;
mod cut;
mod cut_input;
mod disorder;
mod piece;
mod read_through;
mod side;
mod stream_static;
mod stream_stream;
mod time_order;

pub use read_through::read_through;

pub(crate) use piece::RowPlace;
pub(crate) use stream_static::{Part, Step, StreamBatches};
pub(crate) use stream_stream::{MergedBatch, MergedBatches};
