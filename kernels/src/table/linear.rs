//! Linear probing over slots that hold the key and its number: mostly one cache
//! line per look-up.
//!
//! ```text
//! build rows   0: 5    1: 9    2: 5            the hashes of 5 and 9 end in 3
//!
//! slot         0   1   2   3      4      5   6   7
//!              -   -   -   5 #1   9 #2   -   -   -
//!
//! insert 9     slot 3 is taken by 5, slot 4 is empty: number 2 goes there
//! insert 5     slot 3 has it: one more row of number 1, no slot
//! look up 9    slot 3: 5 is not 9; slot 4: number 2
//! look up 6    its hash ends in 4; slot 4: 9 is not 6; slot 5 is empty: no match
//! ```
//!
//! The load is at most 0.3, so that nearly all keys lie where their hash says, or at most
//! 0.5 where slots would take more than a gigabyte. Only distinct keys take
//! slots: rows that repeat a key make no clusters. Where hashes cluster
//! nevertheless (equal hashes of different keys), building would take quadratic
//! time: it stops, and another index is built.

use super::build::{BuildInput, BuiltIndex};
use super::grouped::{BLOCK, Grouped, Locate, RowSource};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use super::inline_keys::{InlineKeys, Numbering};
use crate::arch::{CacheSizes, prefetch_read};
use crate::memory::Buffer;
use crate::pairs::NO_ROW;

/// From this many bytes of slots on, memory counts more than short probes. Not
/// measured.
const LARGE_BYTES: usize = 1 << 30;
/// How far ahead of its use a slot is prefetched when building.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 32;
/// Slots passed over per row, beyond which hashes are said to cluster. At load 0.5
/// half a slot is expected. A guard against quadratic time, not tuned.
const MAX_PASSED_PER_ROW: usize = 16;

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "linear";

    fn row_bytes(entry: usize) -> usize {
        // A load of 0.3 at most, in powers of two; order and runs.
        entry * 20 / 3 + 8
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        Linear::<F::Inline>::build(&input)
    }
}

/// The index over keys of one shape.
#[derive(Debug)]
struct Linear<K: InlineKeys> {
    keys: K,
    /// A power of two of them, at least one of them empty.
    slots: Buffer<K::Slot>,
    numbers: usize,
    prefetch: bool,
}

/// How many slots of `slot_bytes` this many rows get.
fn slots_for(rows: usize, slot_bytes: usize) -> usize {
    let slots = (rows * 10).div_ceil(3).max(4).next_power_of_two();
    let can_be_halved = rows * 2 <= slots / 2;
    if slots.saturating_mul(slot_bytes) > LARGE_BYTES && can_be_halved { slots / 2 } else { slots }
}

impl<K: InlineKeys> Linear<K> {
    /// The index, or why there is none.
    fn build(input: &BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        let (probe, hashes) = (K::keys(input.keys), input.hashes);
        let rows = hashes.len();
        let mut keys = K::with_room(rows);
        let mut slots = Buffer::<K::Slot>::zeroed(slots_for(rows, size_of::<K::Slot>()));
        let mask = slots.len() - 1;
        let mut numbering = Numbering::default();
        let mut passed = 0;
        for stretch in input.stretches() {
            let stretch = stretch?;
            for (row, &hash) in stretch.clone().zip(&hashes[stretch]) {
                if let Some(&ahead) = hashes.get(row + AHEAD) {
                    prefetch_read(&slots, ahead as usize & mask);
                }
                let mut at = hash as usize & mask;
                loop {
                    let slot = &mut slots[at];
                    let number = K::number(slot);
                    if number == 0 {
                        *slot = keys.add(probe, row, hash, numbering.fresh());
                        break;
                    }
                    // SAFETY: a build row, and there is one hash per key.
                    if unsafe { keys.matches(slot, probe, row, hash) } {
                        numbering.repeated(number);
                        break;
                    }
                    at = (at + 1) & mask;
                    passed += 1;
                }
                if passed > rows.saturating_mul(MAX_PASSED_PER_ROW).max(1 << 16) {
                    return Err(NotBuilt::Unfit(format!(
                        "hashes of different keys cluster too much for `linear` ({passed} slots \
                         passed over for {row} of {rows} rows)"
                    )));
                }
            }
        }
        let numbers = numbering.distinct() as usize;
        keys.shrink();
        let grouped = numbering.finish();
        if let Some((runs, order)) = &grouped {
            let first_row = |number: u32| order[runs.start(number) as usize];
            slots = fewer::<K>(slots, numbers, |number| hashes[first_row(number) as usize]);
        }
        let touched = slots.bytes() + keys.bytes();
        let prefetch = touched > CacheSizes::detect().l2 / 2;
        let (runs, order) = grouped.unzip();
        Ok(Grouped::built(input, Self { keys, slots, numbers, prefetch }, runs, order))
    }
}

/// Where rows repeat keys, slots for as many keys as differ.
fn fewer<K: InlineKeys>(
    slots: Buffer<K::Slot>,
    numbers: usize,
    hash: impl Fn(u32) -> u64,
) -> Buffer<K::Slot> {
    let wanted = slots_for(numbers, size_of::<K::Slot>());
    // To lay them out again pays only where they were far too many.
    if wanted * 4 > slots.len() {
        return slots;
    }
    let mut fewer = Buffer::<K::Slot>::zeroed(wanted);
    let mask = wanted - 1;
    for slot in slots.iter().filter(|slot| K::number(slot) != 0) {
        let mut at = hash(K::number(slot) - 1) as usize & mask;
        while K::number(&fewer[at]) != 0 {
            at = (at + 1) & mask;
        }
        fewer[at] = *slot;
    }
    fewer
}

impl<K: InlineKeys> Locate for Linear<K> {
    const NAME: &'static str = Kind::NAME;
    type Shape = K;

    fn numbers(&self) -> usize {
        self.numbers
    }

    #[inline]
    unsafe fn locate<R: RowSource>(
        &self,
        keys: K::Keys<'_>,
        hashes: &[u64],
        rows: R,
        found: &mut [u32],
    ) -> usize {
        debug_assert!(found.len() <= BLOCK);
        let mask = self.slots.len() - 1;
        // SAFETY: the caller's: rows of the block are below the number of hashes.
        let hash_of = |i: usize| unsafe { *hashes.get_unchecked(rows.row(i)) };
        if self.prefetch {
            for i in 0..found.len() {
                prefetch_read(&self.slots, hash_of(i) as usize & mask);
            }
            if K::HAS_ENTRIES {
                for i in 0..found.len() {
                    self.keys.prefetch(&self.slots[hash_of(i) as usize & mask]);
                }
            }
        }
        let mut left = 0;
        let mut unfinished = [0u8; BLOCK];
        for i in 0..found.len() {
            let hash = hash_of(i);
            // SAFETY: the mask keeps the slot below their number, a power of
            // two; rows as above; `left <= i < found.len() <= BLOCK`.
            unsafe {
                let slot = self.slots.get_unchecked(hash as usize & mask);
                let hit = self.keys.matches(slot, keys, rows.row(i), hash);
                let number = K::number(slot);
                // Of an empty slot, number 0, this is `NO_ROW`.
                *found.get_unchecked_mut(i) = if hit { number.wrapping_sub(1) } else { NO_ROW };
                *unfinished.get_unchecked_mut(left) = i as u8;
                left += usize::from(!hit & (number != 0));
            }
        }
        // All rows that are not through look at their next slot together.
        let mut distance = 1;
        let mut looked_at = found.len();
        while left > 0 {
            looked_at += left;
            let mut kept = 0;
            for j in 0..left {
                // SAFETY: as above; `kept <= j < left <= BLOCK`, and what is
                // unfinished is below `found.len()`.
                unsafe {
                    let i = usize::from(*unfinished.get_unchecked(j));
                    debug_assert!(i < found.len());
                    let hash = hash_of(i);
                    let slot =
                        self.slots.get_unchecked((hash as usize).wrapping_add(distance) & mask);
                    let hit = self.keys.matches(slot, keys, rows.row(i), hash);
                    let number = K::number(slot);
                    *found.get_unchecked_mut(i) = if hit { number.wrapping_sub(1) } else { NO_ROW };
                    *unfinished.get_unchecked_mut(kept) = i as u8;
                    kept += usize::from(!hit & (number != 0));
                }
            }
            (left, distance) = (kept, distance + 1);
        }
        looked_at
    }

    fn arrays(&self) -> Vec<usize> {
        vec![self.slots.bytes(), self.keys.bytes()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::inline_keys::InlineWords;
    use super::*;
    use crate::arch::Isa;

    #[test]
    fn loads_stay_low() {
        for rows in [0, 1, 2, 10, 1000, 1_000_000, 9_999_999] {
            let slots = slots_for(rows, 16);
            assert!(slots > rows && rows * 10 <= slots * 3, "{rows} in {slots}");
        }
        let slots = slots_for(30_000_000, 16);
        assert!((60_000_000..=100_000_000).contains(&slots), "{slots}");
    }

    #[test]
    fn equal_hashes_of_many_keys_are_given_up_early() {
        let words: Vec<u64> = (0..100_000).collect();
        let hashes = vec![3; words.len()];
        let input = BuildInput::new(&words[..], &hashes, Isa::Portable).unwrap();
        let Err(NotBuilt::Unfit(why)) = Linear::<InlineWords>::build(&input) else {
            panic!("it clusters")
        };
        assert!(why.contains("cluster"), "{why}");
        // Equal keys are not a cluster.
        let words = vec![5u64; words.len()];
        let input = BuildInput::new(&words[..], &hashes, Isa::Portable).unwrap();
        let built = Linear::<InlineWords>::build(&input).unwrap();
        assert!(built.fallback.is_none() && built.index.bytes() < words.len() * 8);
    }
}
