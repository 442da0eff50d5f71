//! An array over the domain of the keys: integers, dates, booleans or codes
//! that lie close together.
//!
//! ```text
//! build rows   0: 12   1: 10   2: 13           least key 10, four slots
//!
//! slot         0    1    2    3                key - 10
//! taken        1    0    1    1                one bit per slot
//! order        1    -    0    2                the build row in each slot
//!
//! look up 12   slot 2 is taken: position 2, row 0
//! look up 11   slot 1 is not taken: no match
//! look up 9    slot 2^64 - 1 is past the last one: no match
//! ```
//!
//! The slot of a key is its distance from the least one. A bitset says which
//! slots are taken, where not all are; it is all that an existence look-up
//! touches. Where keys differ and most slots are taken, positions are slots, so
//! that nothing else is read; else each slot says where the rows of its key
//! begin.
//!
//! A word may hold a narrower signed integer (the `i32` -1 is the word
//! `0xffff_ffff`), so the range is taken in each width that the words fit in,
//! modulo its size, and the smallest one counts.

#[cfg(test)]
mod tests;

use super::build::{BuildInput, BuiltIndex};
use super::grouped::{BLOCK, Grouped, Locate, RowSource, Runs};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use crate::arch::found_bits;
use crate::error::Result;
use crate::key::{KeyView, shaped};
use crate::memory::Buffer;
use crate::pairs::NO_ROW;

/// More slots per row than this take more memory than a hash table does (32 bytes
/// of starts per row): counted, not measured.
const MAX_SLOTS_PER_ROW: u64 = 8;
/// This many slots are always affordable. Not measured.
const SMALL_DOMAIN: u64 = 1 << 16;
/// Up to this many slots per row, positions may be slots: payload is laid out with
/// holes. Not measured.
const MAX_SLOTS_PER_POSITION: usize = 2;

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "direct";

    fn row_bytes(entry: usize) -> usize {
        // Slots per row at most, or the entries of the stand-in.
        entry + 40
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        Direct::build(&input)
    }
}

/// The index; its number of a key is the key's slot.
#[derive(Debug)]
pub(super) struct Direct {
    domain: Domain,
    /// A bit for each slot and an unset one after the last; `None` if all slots
    /// are taken.
    taken: Option<Buffer<u64>>,
}

/// A range of words, modulo the size of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Domain {
    least: u64,
    /// The largest word of the width.
    mask: u64,
    /// The distance of the last slot.
    last: u64,
    /// Whether there are no slots.
    is_empty: bool,
}

impl Domain {
    /// The smallest range that holds all words.
    fn of(words: &[u64]) -> Self {
        const NO_WORDS: Domain = Domain { least: 0, mask: u64::MAX, last: 0, is_empty: true };
        if words.is_empty() {
            return NO_WORDS;
        }
        let ends = (u64::MAX, 0);
        let (least, largest) =
            words.iter().fold(ends, |(low, high), &word| (word.min(low), word.max(high)));
        let unsigned = Self { least, mask: u64::MAX, last: largest - least, is_empty: false };
        let signed = [64u32, 32, 16, 8].into_iter().filter_map(|width| {
            let mask = u64::MAX >> (64 - width);
            let sign = 1 << (width - 1);
            // Without the sign bit there is nothing to wrap around.
            if largest > mask || largest < sign {
                return None;
            }
            // With the sign bit flipped, signed order is unsigned order.
            let (low, high) = words.iter().fold((u64::MAX, 0), |(low, high), &word| {
                (low.min(word ^ sign), high.max(word ^ sign))
            });
            Some(Self { least: low ^ sign, mask, last: high - low, is_empty: false })
        });
        signed.fold(unsigned, |best, other| if other.last < best.last { other } else { best })
    }

    /// The distance of a word; beyond [`last`](Self::last) if it is not of
    /// this domain.
    #[inline(always)]
    fn slot(&self, word: u64) -> u64 {
        // Bits outside the width make the distance larger than any slot.
        (word.wrapping_sub(self.least) & self.mask) | (word & !self.mask)
    }

    /// The number of slots, unless there are too many for `rows` rows.
    fn slots(&self, rows: usize) -> Option<usize> {
        if self.is_empty {
            return Some(0);
        }
        let affordable = (rows as u64).saturating_mul(MAX_SLOTS_PER_ROW).max(SMALL_DOMAIN);
        // Slots are numbered by 32 bits, of which the last value is not a slot.
        let slots = self.last.checked_add(1).filter(|&slots| slots <= affordable)?;
        (slots < u64::from(NO_ROW)).then_some(slots as usize)
    }
}

impl Direct {
    /// Whether these keys lie close enough together.
    pub(super) fn serves(keys: KeyView<'_>) -> bool {
        match keys {
            KeyView::Words(words) => Domain::of(words).slots(words.len()).is_some(),
            KeyView::Wide(_) | KeyView::Bytes(_) => false,
        }
    }

    /// The index, or why there can be none.
    fn build(input: &BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        let KeyView::Words(words) = input.keys else {
            let why = "`direct` takes keys of one integer, date, boolean or code";
            return Err(why.to_owned().into());
        };
        let (rows, domain) = (words.len(), Domain::of(words));
        let slots = domain.slots(rows).ok_or_else(|| {
            format!(
                "`direct` takes up to {MAX_SLOTS_PER_ROW} slots per row, or {SMALL_DOMAIN}; \
                 {rows} rows would need {}",
                u128::from(domain.last) + 1
            )
        })?;
        if slots <= rows.saturating_mul(MAX_SLOTS_PER_POSITION)
            && let Some(order) = unique_order(input, words, domain, slots)?
        {
            let taken = (rows < slots || slots == 0).then(|| {
                let mut taken = Buffer::<u64>::zeroed(slots / 64 + 1);
                found_bits(input.isa, &order, &mut taken[..slots.div_ceil(64)]);
                taken
            });
            return Ok(Grouped::built(input, Self { domain, taken }, None, Some(order)));
        }
        let mut taken = Buffer::<u64>::zeroed(slots / 64 + 1);
        let mut starts = Buffer::<u32>::zeroed(slots + 1);
        for stretch in input.stretches() {
            for &word in &words[stretch?] {
                let slot = domain.slot(word) as usize;
                taken[slot / 64] |= 1 << (slot % 64);
                starts[slot] += 1;
            }
        }
        // Each start moves from where its run ends to where it begins, from the
        // last row to the first.
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        let mut order = vec![0; rows];
        for stretch in input.stretches().rev() {
            let stretch = stretch?;
            for (row, &word) in stretch.clone().zip(&words[stretch]).rev() {
                let start = &mut starts[domain.slot(word) as usize];
                *start -= 1;
                order[*start as usize] = row as u32;
            }
        }
        let all_taken = starts.windows(2).all(|pair| pair[0] < pair[1]);
        let taken = (!all_taken || slots == 0).then_some(taken);
        Ok(Grouped::built(input, Self { domain, taken }, Some(Runs::new(starts)), Some(order)))
    }

    /// The number of slots.
    fn slots(&self) -> usize {
        if self.domain.is_empty { 0 } else { self.domain.last as usize + 1 }
    }
}

/// The row in each slot, [`NO_ROW`] in holes; `None` if a slot has two.
fn unique_order(
    input: &BuildInput<'_>,
    words: &[u64],
    domain: Domain,
    slots: usize,
) -> Result<Option<Vec<u32>>> {
    let mut order = vec![NO_ROW; slots];
    for stretch in input.stretches() {
        let stretch = stretch?;
        for (row, &word) in stretch.clone().zip(&words[stretch]) {
            let slot = &mut order[domain.slot(word) as usize];
            if *slot != NO_ROW {
                return Ok(None);
            }
            *slot = row as u32;
        }
    }
    Ok(Some(order))
}

shaped!(Direct: Words, [u64]);

impl Locate for Direct {
    const NAME: &'static str = Kind::NAME;
    type Shape = Self;

    fn numbers(&self) -> usize {
        self.slots()
    }

    #[inline]
    unsafe fn locate<R: RowSource>(
        &self,
        keys: &[u64],
        _: &[u64],
        rows: R,
        found: &mut [u32],
    ) -> usize {
        debug_assert!(found.len() <= BLOCK);
        // SAFETY: the caller's: rows of the block are below the number of keys.
        let key = |i: usize| unsafe {
            debug_assert!(rows.row(i) < keys.len());
            *keys.get_unchecked(rows.row(i))
        };
        let last = self.domain.last;
        let Some(taken) = &self.taken else {
            for (i, found) in found.iter_mut().enumerate() {
                let slot = self.domain.slot(key(i));
                *found = if slot <= last { slot as u32 } else { NO_ROW };
            }
            return found.len();
        };
        // The bit after the last slot is unset: that of all other keys.
        let none = self.slots() as u64;
        for (i, found) in found.iter_mut().enumerate() {
            let slot = self.domain.slot(key(i)).min(none);
            debug_assert!(slot as usize / 64 < taken.len());
            // SAFETY: at most the number of slots, for which there is a bit.
            let word = unsafe { *taken.get_unchecked(slot as usize / 64) };
            *found = if word >> (slot % 64) & 1 == 1 { slot as u32 } else { NO_ROW };
        }
        found.len()
    }

    fn arrays(&self) -> Vec<usize> {
        self.taken.iter().map(Buffer::bytes).collect()
    }
}
