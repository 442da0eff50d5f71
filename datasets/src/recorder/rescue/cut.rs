//! Places where a file can be cut, and why one cannot be.

use std::io;

/// A place where a file may be cut.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// Bytes before it.
    pub(super) end: u64,
    /// Rows before it.
    pub(super) rows: u64,
}

/// The error of a file that cannot be understood.
pub(super) fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
