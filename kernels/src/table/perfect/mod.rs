//! A perfect hash table: every key has a slot of its own, which is found by
//! arithmetic and one byte, so that a look-up has no loop and no branch.
//!
//! Keys fall into small buckets; of each bucket one byte, its *pilot*, says how
//! the hashes of its keys are changed so that all of them land in slots of
//! their own (Pibiri, Trani, "PTHash", SIGIR 2021; Hermann et al., "PHOBIC",
//! ESA 2024; Groot Koerkamp, "PtrHash", SEA 2025). The keys lie in slot order,
//! so that a probe touches one pilot, which is mostly in cache, and one key.
//! Building costs several times what `chained` costs: worth it for a table that
//! is probed many times.
//!
//! There are a quarter more slots than keys. A hole holds a copy of a key whose
//! slot is another one: a probe for that key goes to its own slot, so that a
//! hole is never found.

mod pilots;
mod slot_keys;
#[cfg(test)]
mod tests;

pub(super) use self::pilots::Unplaceable;
use self::pilots::{Pilots, place};
pub(super) use self::slot_keys::{ByteSlots, SlotKeys, WideSlots, WordSlots};
use super::{BuildInput, BuiltIndex, FindCursor, JoinIndex, Probe};
use crate::arch::{CacheSizes, Isa, found_bits, select_matches};
use crate::pairs::{NO_ROW, Pairs};

/// Probe rows in flight together; whole words of [`JoinIndex::exists`].
const BLOCK: usize = 128;

#[derive(Debug)]
pub(super) struct Perfect<S> {
    isa: Isa,
    rows: usize,
    pilots: Pilots,
    keys: S,
    /// Whether to ask for pilots and for keys ahead of their use: it pays only
    /// where they exceed the cache.
    prefetch_pilots: bool,
    prefetch_keys: bool,
}

impl<S: SlotKeys> Perfect<S> {
    /// Builds the index, or says why these keys have none.
    pub(super) fn build(input: BuildInput<'_>) -> Result<BuiltIndex, Unplaceable> {
        let BuildInput { keys, hashes, isa } = input;
        let (pilots, order) = place(hashes)?;
        let keys = S::new(keys, hashes, &order);
        let l2 = CacheSizes::detect().l2;
        let index = Self {
            isa,
            rows: hashes.len(),
            prefetch_pilots: pilots.bytes() > l2 / 2,
            prefetch_keys: keys.bytes() > l2 / 2,
            pilots,
            keys,
        };
        Ok(BuiltIndex::ordered(index, order))
    }

    /// Finds the slots of the block at `from` and asks for their keys.
    fn locate(&self, hashes: &[u64], from: usize, slots: &mut [u32; BLOCK]) {
        let hashes = block(hashes, from);
        let slots = &mut slots[..hashes.len()];
        self.pilots.slots(self.isa, hashes, slots);
        if self.prefetch_keys {
            slots.iter().for_each(|&slot| self.keys.prefetch(slot));
        }
    }

    /// Calls `on_block(first row, matches)` for blocks of the probe from `from`
    /// on, until it returns false; the first block is cut at `until`.
    #[inline(always)]
    fn each_block(
        &self,
        probe: Probe<'_>,
        from: usize,
        mut on_block: impl FnMut(usize, &mut [u32]) -> bool,
    ) {
        if self.rows == 0 {
            // There is no key to copy into the holes.
            let mut none = [NO_ROW; BLOCK];
            for at in (from..probe.len()).step_by(BLOCK) {
                if !on_block(at, &mut none[..BLOCK.min(probe.len() - at)]) {
                    return;
                }
            }
            return;
        }
        let keys = S::probe(probe.keys());
        let hashes = probe.hashes();
        let mut matches = [0u32; BLOCK];
        // While a block is compared the keys of the next one are on their way,
        // and the pilots of the one after it.
        let (mut here, mut next) = ([0u32; BLOCK], [0u32; BLOCK]);
        if self.prefetch_pilots {
            self.pilots.prefetch(block(hashes, from));
            self.pilots.prefetch(block(hashes, from + BLOCK));
        }
        self.locate(hashes, from, &mut here);
        for at in (from..probe.len()).step_by(BLOCK) {
            if self.prefetch_pilots {
                self.pilots.prefetch(block(hashes, at + 2 * BLOCK));
            }
            self.locate(hashes, at + BLOCK, &mut next);
            let len = BLOCK.min(probe.len() - at);
            let matches = &mut matches[..len];
            // SAFETY: slots come from these pilots, whose slots the keys were
            // laid out by; rows `at .. at + len` are rows of the probe.
            unsafe { self.keys.matches(self.isa, &here[..len], keys, hashes, at, matches) };
            if let Some(matchable) = probe.matchable() {
                for (row, found) in (at..).zip(matches.iter_mut()) {
                    if !matchable.value(row) {
                        *found = NO_ROW;
                    }
                }
            }
            if !on_block(at, matches) {
                return;
            }
            std::mem::swap(&mut here, &mut next);
        }
    }
}

/// The block at `from`, cut at the end of the rows, beyond which it is empty.
fn block(hashes: &[u64], from: usize) -> &[u64] {
    let from = from.min(hashes.len());
    &hashes[from..hashes.len().min(from + BLOCK)]
}

impl<S: SlotKeys> JoinIndex for Perfect<S> {
    fn name(&self) -> &'static str {
        "perfect"
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn positions(&self) -> usize {
        self.pilots.positions()
    }

    fn bytes(&self) -> usize {
        self.pilots.bytes() + self.keys.bytes()
    }

    fn touched_arrays(&self) -> Vec<usize> {
        vec![self.pilots.bytes(), self.keys.bytes()]
    }

    fn unique(&self) -> Option<bool> {
        Some(true)
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) {
        assert_eq!(probe.len(), matches.len(), "one match a probe row");
        self.each_block(probe, 0, |at, found| {
            matches[at..at + found.len()].copy_from_slice(found);
            true
        });
    }

    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        assert_eq!(found.len(), probe.len().div_ceil(64), "one bit a probe row");
        self.each_block(probe, 0, |at, matches| {
            let words = at / 64..at / 64 + matches.len().div_ceil(64);
            found_bits(self.isa, matches, &mut found[words]);
            true
        });
    }

    fn find(&self, probe: Probe<'_>, cursor: &mut FindCursor, pairs: &mut Pairs, limit: usize) {
        // A row has one match at most, so that none is left half done.
        assert!(cursor.rows.is_empty(), "cursor of another index");
        let from = cursor.next_row;
        if from >= probe.len() {
            return;
        }
        // A first block that has no room as a whole is begun again later.
        let room = limit.saturating_sub(pairs.len()).max(usize::from(pairs.is_empty()));
        let mut held = pairs.len();
        let most = held + room;
        let grown = held + (probe.len() - from).min(room).next_multiple_of(BLOCK);
        pairs.probe_rows.resize(grown, 0);
        pairs.build_rows.resize(grown, 0);
        self.each_block(probe, from, |at, matches| {
            let matches = &matches[..matches.len().min(most - held)];
            held += select_matches(
                self.isa,
                matches,
                at as u32,
                &mut pairs.probe_rows[held..],
                &mut pairs.build_rows[held..],
            );
            cursor.next_row = at + matches.len();
            held < most
        });
        pairs.probe_rows.truncate(held);
        pairs.build_rows.truncate(held);
    }
}
