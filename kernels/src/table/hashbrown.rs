//! A hashbrown table at its best: hashes computed before, keys inside the
//! table, huge pages, looked up block by block.
//!
//! ```text
//! build rows      0: 5    1: 9    2: 5
//!
//! control bytes   -   1a  -   -   7f  -  ...   7 bits of the hash, 16 slots at once
//! slots           -  5 #1 -   -  9 #2 -  ...   the key and its number
//!
//! look up 9       the group of its hash: which control bytes are 7f? Slot 4 is 9:
//!                 number 2
//! look up 6       no control byte of the group has its bits, one is empty: no match
//! ```
//!
//! hashbrown does not prefetch, and its groups of 16 control bytes and its
//! entries lie apart: two cache lines per look-up. `row-at-a-time` differs from
//! it in the hash, the pages and the batch. Where hashes of different keys are
//! equal, building would take quadratic time: it stops, and another index is
//! built.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::build::{BuildInput, BuiltIndex};
use super::grouped::{BLOCK, Grouped, Locate, RowSource};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use super::inline_keys::{InlineKeys, Numbering};
use crate::memory::HugePages;
use crate::pairs::NO_ROW;

/// Keys compared per row, beyond which too many hashes are equal; one is usual. A
/// guard against quadratic time, not tuned.
const MAX_COMPARED_PER_ROW: usize = 16;

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "hashbrown";

    fn row_bytes(entry: usize) -> usize {
        // At most 16/7 slots per row, and a byte of control for each.
        entry * 16 / 7 + 16
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        Hashbrown::<F::Inline>::build(&input)
    }
}

/// The index over keys of one shape.
#[derive(Debug)]
struct Hashbrown<K: InlineKeys> {
    keys: K,
    table: HashTable<K::Slot, HugePages>,
    numbers: usize,
}

/// hashbrown takes buckets from the lower bits and tags from the upper seven,
/// which are the same for all keys of a partition: they get others added.
#[inline(always)]
fn spread(hash: u64) -> u64 {
    hash ^ hash << 32
}

impl<K: InlineKeys> Hashbrown<K> {
    /// The index, or why there is none.
    fn build(input: &BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        let (probe, hashes) = (K::keys(input.keys), input.hashes);
        let rows = hashes.len();
        let mut keys = K::with_room(rows);
        let mut table = HashTable::with_capacity_in(rows, HugePages::default());
        let mut numbering = Numbering::default();
        let mut compared = 0;
        for stretch in input.stretches() {
            let stretch = stretch?;
            for (row, &hash) in stretch.clone().zip(&hashes[stretch]) {
                let equal = |slot: &K::Slot| {
                    compared += 1;
                    // SAFETY: a build row, and there is one hash per key.
                    unsafe { keys.matches(slot, probe, row, hash) }
                };
                match table
                    .entry(spread(hash), equal, |_| unreachable!("there is room for all rows"))
                {
                    Entry::Occupied(entry) => numbering.repeated(K::number(entry.get())),
                    Entry::Vacant(entry) => {
                        entry.insert(keys.add(probe, row, hash, numbering.fresh()));
                    }
                }
                if compared > rows.saturating_mul(MAX_COMPARED_PER_ROW).max(1 << 16) {
                    return Err(NotBuilt::Unfit(format!(
                        "too many equal hashes of different keys for `hashbrown` ({compared} keys \
                         compared for {row} of {rows} rows)"
                    )));
                }
            }
        }
        let numbers = numbering.distinct() as usize;
        keys.shrink();
        let grouped = numbering.finish();
        // To lay slots out again pays only where there were far too many.
        if let Some((runs, order)) = &grouped
            && numbers * 4 <= rows
        {
            let first_row = |number: u32| order[runs.start(number) as usize];
            table.shrink_to_fit(|slot| spread(hashes[first_row(K::number(slot) - 1) as usize]));
        }
        let (runs, order) = grouped.unzip();
        Ok(Grouped::built(input, Self { keys, table, numbers }, runs, order))
    }
}

impl<K: InlineKeys> Locate for Hashbrown<K> {
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
        let mut looked_at = 0;
        for (i, found) in found.iter_mut().enumerate() {
            // SAFETY: the caller's: rows of the block are below the number of
            // hashes, which is that of keys.
            let slot = unsafe {
                let row = rows.row(i);
                let hash = *hashes.get_unchecked(row);
                let matches = |slot: &K::Slot| {
                    looked_at += 1;
                    self.keys.matches(slot, keys, row, hash)
                };
                self.table.find(spread(hash), matches)
            };
            *found = slot.map_or(NO_ROW, |slot| K::number(slot) - 1);
        }
        looked_at
    }

    fn arrays(&self) -> Vec<usize> {
        vec![self.table.allocation_size(), self.keys.bytes()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::inline_keys::InlineWords;
    use super::*;
    use crate::arch::Isa;

    #[test]
    fn equal_hashes_of_many_keys_are_given_up_early() {
        let words: Vec<u64> = (0..100_000).collect();
        let hashes = vec![3; words.len()];
        let input = BuildInput::new(&words[..], &hashes, Isa::Portable).unwrap();
        let Err(NotBuilt::Unfit(why)) = Hashbrown::<InlineWords>::build(&input) else {
            panic!("hashes are equal")
        };
        assert!(why.contains("equal hashes"), "{why}");
    }
}
