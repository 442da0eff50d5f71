//! Recorded streams and tables: files of several formats read as one stream of
//! Arrow record batches, writers for the same formats, generators, and a
//! catalogue of shipped recordings.
//!
//! ```
//! use std::path::Path;
//! use streamjoin_datasets::{ReadOptions, Source};
//!
//! # fn main() -> Result<(), streamjoin_datasets::DatasetError> {
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().join("orders.csv");
//! # std::fs::write(&path, "id,price\n1,9.5\n2,\n").unwrap();
//! let orders = Source::open(&path, &ReadOptions::default())?;
//! let price = orders.column("price")?;
//! for batch in orders.read(Some(&[price]))? {
//!     println!("{} rows", batch?.batch.num_rows());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Readers never panic: what a third-party reader makes of a damaged file
//! becomes a [`DatasetError`] that names the file and the place.

pub mod catalogue;
mod digest;
mod error;
mod format;
mod generate;
mod guard;
mod hex;
mod import;
mod input;
mod options;
mod recorder;
mod sidecar;
mod source;
mod type_text;
mod write;

pub use digest::{FileSum, sha256_file};
pub use error::{DatasetError, Place, Result};
#[cfg(unix)]
pub use format::tell_of_cut_files;
pub use format::{FileFormat, LiveFormat};
pub use generate::{
    AdEvents, AdStream, Dimension, GeneratedBatches, Generator, Keys, Nexmark, NexmarkStream, Rate,
};
pub use hex::{from_hex, to_hex};
pub use import::{ImportFrom, ImportOptions, Imported, import};
pub use input::{Compression, Live};
pub use options::ReadOptions;
pub use recorder::{BatchCut, Lost, RecordOptions, Recorded, record};
pub use sidecar::{Column, FileDigest, Sidecar, sidecar_path};
pub use source::{Batches, Source, SourceBatch, read_table};
pub use type_text::{parse_type, timestamp_utc, type_text};
pub use write::{AtomicFile, BatchWriter, remove_unfinished, writer, writer_for};
