//! Which rows of a probe are looked at, and which of them were found.

use arrow::buffer::BooleanBuffer;

use crate::pairs::NO_ROW;
use crate::table::Probe;

/// Which probe rows a block holds.
pub(crate) trait RowSource: Copy {
    /// The `i`th row of the block.
    ///
    /// # Safety
    /// `i` is below the number of rows in the block.
    unsafe fn row(self, i: usize) -> usize;
}

/// The rows from a row on.
#[derive(Clone, Copy)]
pub(crate) struct From(pub(crate) usize);

impl RowSource for From {
    #[inline(always)]
    unsafe fn row(self, i: usize) -> usize {
        self.0 + i
    }
}

/// The rows of a list.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'a>(pub(crate) &'a [u32]);

impl RowSource for Listed<'_> {
    #[inline(always)]
    unsafe fn row(self, i: usize) -> usize {
        debug_assert!(i < self.0.len());
        // SAFETY: the caller keeps `i` below the length.
        unsafe { *self.0.get_unchecked(i) as usize }
    }
}

/// Fills `rows` with the rows from `next` on that may match, as many as there
/// is room for; returns the first row not looked at and how many there are.
pub(crate) fn list_rows(probe: Probe<'_>, mut next: usize, rows: &mut [u32]) -> (usize, usize) {
    let Some(matchable) = probe.matchable() else {
        let count = rows.len().min(probe.len() - next);
        for (i, row) in rows[..count].iter_mut().enumerate() {
            *row = (next + i) as u32;
        }
        return (next + count, count);
    };
    let mut count = 0;
    while next < probe.len() && count < rows.len() {
        let len = (rows.len() - count).min(probe.len() - next).min(64);
        let mut bits = bits_from(matchable, next, len);
        while bits != 0 {
            rows[count] = (next + bits.trailing_zeros() as usize) as u32;
            count += 1;
            bits &= bits - 1;
        }
        next += len;
    }
    (next, count)
}

/// `len <= 64` bits from bit `from` on, the first one lowest.
fn bits_from(bits: &BooleanBuffer, from: usize, len: usize) -> u64 {
    let start = bits.offset() + from;
    let bytes = &bits.values()[start / 8..(start + len).div_ceil(8)];
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let wide = (u128::from_le_bytes(wide) >> (start % 8)) as u64;
    if len == 64 { wide } else { wide & ((1 << len) - 1) }
}

/// Moves the rows that were found, and what was found, to the front; returns
/// how many they are.
pub(super) fn compress(rows: &mut [u32], found: &mut [u32]) -> usize {
    let mut count = 0;
    for i in 0..found.len().min(rows.len()) {
        (rows[count], found[count]) = (rows[i], found[i]);
        count += usize::from(found[i] != NO_ROW);
    }
    count
}
