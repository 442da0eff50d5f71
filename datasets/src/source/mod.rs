//! One recording or one table: one or many files, one format, one schema.
//! `open` finds and checks the files, `batches` reads them.

mod batches;
mod listing;
mod open;
mod partition;
mod schema;
mod stamp;

pub use batches::{Batches, SourceBatch, read_table};
pub use open::Source;
