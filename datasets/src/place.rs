//! Places in files, for messages.

use std::fmt;

/// Where in a file something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// No finer place than the file.
    File,
    /// The header: magic, schema or CSV header line.
    Header,
    /// The footer, which Parquet and Arrow files end with.
    Footer,
    /// A Parquet row group, counted from 0.
    RowGroup(usize),
    /// An Arrow record batch, counted from 0.
    Batch(usize),
    /// An Arrow dictionary, counted from 0.
    Dictionary(usize),
    /// A line of a text file, counted from 1.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Header => f.write_str(", header"),
            Place::Footer => f.write_str(", footer"),
            Place::RowGroup(n) => write!(f, ", row group {n}"),
            Place::Batch(n) => write!(f, ", record batch {n}"),
            Place::Dictionary(n) => write!(f, ", dictionary {n}"),
            Place::Line(n) => write!(f, ", line {n}"),
        }
    }
}
