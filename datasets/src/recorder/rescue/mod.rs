//! Rescues a file that could not be finished: it is cut after the last whole row,
//! batch or row group, and ended there.

mod arrow;
mod cut;
mod lines;
mod parquet;

use std::io;

use self::cut::Cut;
use super::overflow::Overflow;
use crate::file_format::FileFormat;

/// Makes a readable file of the beginning of `file`; returns its number of rows. With none, the file is not changed.
pub(super) fn rescue(format: FileFormat, file: &Overflow) -> io::Result<u64> {
    if file.write_tail().is_err() {
        // Without the tail there is room for an end.
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

/// Cuts after the most parts whose end, which `end` makes, fits.
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
