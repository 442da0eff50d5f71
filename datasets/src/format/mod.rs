//! File formats, one file or folder each. A new format is a file here, a variant
//! and a line in [`FileFormat`](crate::FileFormat), and an arm in `dispatch`; the
//! compiler asks for the arm.
//!
//! `reader` has the traits that a format implements, `dispatch` calls them,
//! `live` opens an input whose format is not known by name, and `text` has what
//! CSV and JSON lines share.

mod arrow_columns;
mod arrow_file;
pub(crate) mod arrow_message;
mod arrow_stream;
mod block_memory;
mod csv;
mod dispatch;
mod json_lines;
mod live;
mod options;
mod parquet;
mod reader;
mod text;
mod trial;

pub(crate) use dispatch::format_of;
pub use dispatch::{writer, writer_for};
pub use live::LiveFormat;
pub(crate) use live::live;
pub use options::ReadOptions;
pub(crate) use reader::{FileBatches, ReadRequest};
pub(crate) use text::{Bare, parse_column, settled, widen};
