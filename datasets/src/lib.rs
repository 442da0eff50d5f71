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
//! Readers and writers never panic: a panic of a third-party reader over a damaged
//! file becomes a [`DatasetError`] that names the file, the place and the column, and
//! one of a writer becomes one that names the column.
//!
//! Files are read, not mapped: a map shows what others write to the file, and
//! Arrow trusts offsets, texts and dictionary codes once they are checked. What is
//! checked here is a copy that nobody else can write to. A file that changes
//! while it is read is an error ([`DatasetError::Changed`]) at the latest when its
//! last row has been read: rows that came before may be of the old content or the
//! new, and each of them is valid. A file that is replaced by another of the same
//! name is read to its end.
//!
//! Where things are, each importing from those before it only:
//! * `nearest` (texts for messages), `column_name` (names in any case),
//!   `nested` (columns in other types), `hex`, `compression`, `file_format` (names of
//!   formats), `place`, `error`, `type_text` (column types as text);
//! * `guard`: panics of third-party code as errors; `columns`: columns as formats need
//!   them, other types with the same values;
//! * `input`: bytes of a file or a live input, decompressed;
//! * `write`: files that appear whole, and what writers of every format use;
//! * `format`: one file or folder per format;
//! * `digest`, `sidecar`: what is known about a recording;
//! * `source`: files read as one stream; [`catalogue`]: the shipped recordings;
//! * `generate`: generated rows, one file per generator;
//! * `import` and `recorder`: from a source, a generator or a live input to a
//!   recording.

#![forbid(unsafe_code)]

pub mod catalogue;
mod column_name;
mod columns;
mod compression;
mod digest;
mod error;
mod file_format;
mod format;
mod generate;
mod guard;
mod hex;
mod import;
mod input;
mod nearest;
mod nested;
mod place;
pub mod random;
mod recorder;
mod sidecar;
mod source;
mod type_text;
mod write;

pub use columns::{TimeStyle, has_union, time_text};
pub use compression::Compression;
pub use digest::{FileSum, sha256_file};
pub use error::{DatasetError, Result};
pub use file_format::{FileFormat, UnknownFormatName};
pub use format::{LiveFormat, ReadOptions, writer, writer_for};
pub use generate::{
    AdEvents, AdStream, Dimension, GeneratedBatches, Generator, Keys, Nexmark, NexmarkStream, Rate,
};
pub use hex::{from_hex, to_hex};
pub use import::{ImportFrom, ImportOptions, Imported, import};
pub use input::Live;
pub use place::Place;
pub use recorder::{BatchCut, Lost, RecordOptions, Recorded, record};
pub use sidecar::{Column, FileDigest, Sidecar, sidecar_path};
pub use source::{Batches, Source, SourceBatch, read_table};
pub use type_text::{parse_type, timestamp_utc, type_text};
pub use write::{AtomicFile, BatchWriter, remove_unfinished};
