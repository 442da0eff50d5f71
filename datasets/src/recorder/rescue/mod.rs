//! What is kept of a file that could not be written to its end: it is cut after
//! the last row, batch or row group that is whole, and ended there.

mod arrow;
mod lines;
mod parquet;

use std::io;

use super::overflow::Overflow;
use crate::format::FileFormat;

/// A place where a file may be cut.
#[derive(Clone, Copy)]
struct Cut {
    /// Bytes before it.
    end: u64,
    /// Rows before it.
    rows: u64,
}

/// Makes a readable file of the beginning of `file`; answers how many rows that
/// has. With none, the file is not changed.
pub(super) fn rescue(format: FileFormat, file: &Overflow) -> io::Result<u64> {
    if file.write_tail().is_err() {
        // Without what was written of the tail there is room for an end.
        file.cut(file.written(), &[])?;
    }
    match format {
        FileFormat::Csv => cut_last(file, lines::csv(file)?, &[]),
        FileFormat::JsonLines => cut_last(file, lines::json(file)?, &[]),
        FileFormat::ArrowStream => cut_last(file, arrow::stream(file)?, &arrow::END_OF_STREAM),
        FileFormat::ArrowFile => {
            let footer = arrow::Footer::read(file)?;
            cut_and_end(file, &footer.cuts(file)?, |cut| footer.until(cut))
        }
        FileFormat::Parquet => {
            let footer = parquet::Footer::read(file)?;
            cut_and_end(file, &footer.cuts(), |cut| footer.until(cut))
        }
    }
}

fn cut_last(file: &Overflow, cut: Cut, end: &[u8]) -> io::Result<u64> {
    if cut.rows > 0 {
        file.cut(cut.end, end)?;
    }
    Ok(cut.rows)
}

/// Cuts where the end that `end` makes of the first so many parts fits.
fn cut_and_end(
    file: &Overflow,
    cuts: &[Cut],
    end: impl Fn(usize) -> io::Result<Vec<u8>>,
) -> io::Result<u64> {
    let mut refused = None;
    for (at, cut) in cuts.iter().enumerate().rev().filter(|(_, cut)| cut.end <= file.written()) {
        match file.cut(cut.end, &end(at + 1)?) {
            Ok(()) => return Ok(cut.rows),
            Err(error) => refused = Some(error),
        }
    }
    refused.map_or(Ok(0), Err)
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
