//! What writers of every format use: files that appear whole or not at all,
//! buffers and compression.

mod atomic;
mod batch_writer;
mod compressed;

pub use atomic::{AtomicFile, remove_unfinished};
pub use batch_writer::BatchWriter;
pub(crate) use batch_writer::{Output, buffered};
pub(crate) use compressed::compressed;
