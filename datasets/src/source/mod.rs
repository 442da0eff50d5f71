//! One recording or one table: one or many files, one format, one schema.
//! `open` finds and checks the files, `lake` refuses those that are not read file by
//! file, `schema` joins up their columns (by `columns`, in the `common_type`), `batches`
//! reads them and makes them `conform`.

mod batches;
mod columns;
mod common_type;
mod conform;
mod lake;
mod listing;
mod nulls;
mod open;
mod partition;
mod schema;
mod stamp;

pub use batches::{Batches, SourceBatch, read_table};
pub use open::Source;
