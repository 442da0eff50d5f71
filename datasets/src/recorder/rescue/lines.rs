//! Rows of text.

use std::io;

use super::cut::Cut;
use crate::recorder::overflow::Overflow;

const CHUNK: usize = 256 << 10;

/// The end of the last whole record of CSV; its first is the header.
pub(super) fn csv(file: &Overflow) -> io::Result<Cut> {
    // A quote inside quotes is written twice, so counting them is enough.
    let mut quoted = false;
    let mut cut = last(file, |byte| {
        quoted ^= byte == b'"';
        byte == b'\n' && !quoted
    })?;
    cut.rows = cut.rows.saturating_sub(1);
    Ok(cut)
}

/// The end of the last whole line.
pub(super) fn json(file: &Overflow) -> io::Result<Cut> {
    last(file, |byte| byte == b'\n')
}

fn last(file: &Overflow, mut ends: impl FnMut(u8) -> bool) -> io::Result<Cut> {
    let mut cut = Cut { end: 0, rows: 0 };
    let mut start = 0;
    while start < file.written() {
        let wanted = (file.written() - start).min(CHUNK as u64) as usize;
        let bytes = file.read_at(start, wanted)?;
        if bytes.is_empty() {
            break;
        }
        for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| ends(**byte)) {
            cut = Cut { end: start + at as u64 + 1, rows: cut.rows + 1 };
        }
        start += bytes.len() as u64;
    }
    Ok(cut)
}
