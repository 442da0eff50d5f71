//! A perfect hash table: every key has a slot of its own, which is found by
//! arithmetic and one byte, so that a look-up has no loop and no branch.
//!
//! ```text
//! build rows   0: 7    1: 30   2: 20   3: 10
//!
//! bucket       0    1    2                     a range of hashes
//! pilots       3    0    41                    one byte per bucket
//! slot         0    1    2    3    4
//! keys         20   7    30   7*   10          * a hole: a copy of a key of another slot
//! order        2    0    1    -    3           the build row in each slot
//!
//! look up 10   its hash is of bucket 2, whose pilot is 41; hash and 41 mixed give
//!              slot 4; the key there is 10: position 4, row 3
//! look up 99   bucket 1, pilot 0, slot 3; the key there is 7: no match
//! build        each bucket tries pilots 0, 1, 2, ... until all its keys fall into
//!              slots that are free and differ
//! ```
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
pub(super) mod slot_keys;
#[cfg(test)]
mod tests;

use self::pilots::{Pilots, Unplaceable, place};
use self::slot_keys::{LookUp, Rows, SlotKeys};
use super::index_kind::{KeyForm, KindOfIndex, NotBuilt};
use super::{BuildInput, BuiltIndex, FindCursor, JoinIndex, Probe};
use crate::arch::{Isa, found_bits, select_matches};
use crate::error::JoinError;
use crate::pairs::{NO_ROW, Pairs};

/// Probe rows that are looked up at a time; whole words of [`JoinIndex::exists`].
/// Other sizes were not measured.
const BLOCK: usize = slot_keys::LISTED;

/// The index as [`IndexKind`](super::IndexKind) builds it.
pub(super) struct Kind;

impl KindOfIndex for Kind {
    const NAME: &'static str = "perfect";

    fn row_bytes(entry: usize) -> usize {
        // 5/4 slots per row with their order, and the rows on their way there.
        entry * 5 / 4 + 24
    }

    fn build<F: KeyForm>(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        Perfect::<F::Slots>::build(input)
    }
}

#[derive(Debug)]
struct Perfect<S> {
    isa: Isa,
    rows: usize,
    pilots: Pilots,
    keys: S,
}

impl<S: SlotKeys> Perfect<S> {
    /// Builds the index, or says why these keys have none.
    fn build(input: BuildInput<'_>) -> Result<BuiltIndex, NotBuilt> {
        let BuildInput { hashes, isa, .. } = input;
        let placed = place(hashes, || input.check_cancelled().is_err());
        let (pilots, order) = placed.map_err(|unplaceable| match unplaceable {
            Unplaceable::Cancelled => NotBuilt::Failed(JoinError::Cancelled),
            other => NotBuilt::Unfit(other.to_string()),
        })?;
        let keys = S::new(&input, &order)?;
        let fused = keys.fused();
        let index = Self { isa, rows: hashes.len(), pilots, keys };
        Ok(BuiltIndex { fused, ..BuiltIndex::ordered(index, order) })
    }

    /// The match of each of at most [`BLOCK`] probe rows from `from` on. Returns
    /// how many were looked up: each at one place.
    fn match_block(&self, probe: Probe<'_>, from: usize, matches: &mut [u32]) -> usize {
        if self.rows == 0 {
            // There is no key that holes could have copies of.
            matches.fill(NO_ROW);
            return 0;
        }
        let keys = S::keys(probe.keys());
        let hashes = &probe.hashes()[from..from + matches.len()];
        let look_up = |rows, hashes| LookUp { isa: self.isa, pilots: &self.pilots, rows, hashes };
        let Some(matchable) = probe.matchable() else {
            self.keys.matches(&look_up(Rows::From(from), hashes), keys, matches);
            return matches.len();
        };
        // Only rows that may match are looked up.
        let (mut rows, mut row_hashes) = ([0; BLOCK], [0; BLOCK]);
        let mut listed = 0;
        for i in matchable.slice(from, matches.len()).set_indices() {
            rows[listed] = (from + i) as u32;
            row_hashes[listed] = hashes[i];
            listed += 1;
        }
        let rows = &rows[..listed];
        let mut found = [0; BLOCK];
        let found = &mut found[..listed];
        self.keys.matches(&look_up(Rows::Listed(rows), &row_hashes[..listed]), keys, found);
        matches.fill(NO_ROW);
        for (&row, &found) in rows.iter().zip(&*found) {
            matches[row as usize - from] = found;
        }
        listed
    }
}

impl<S: SlotKeys> JoinIndex for Perfect<S> {
    fn name(&self) -> &'static str {
        Kind::NAME
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

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match per probe row");
        let blocks = (0..).step_by(BLOCK).zip(matches.chunks_mut(BLOCK));
        let looked_at = blocks.map(|(from, matches)| self.match_block(probe, from, matches));
        looked_at.sum::<usize>() as u64
    }

    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        assert_eq!(found.len(), probe.len().div_ceil(64), "one bit per probe row");
        let mut matches = [0; BLOCK];
        for (from, found) in (0..).step_by(BLOCK).zip(found.chunks_mut(BLOCK / 64)) {
            let matches = &mut matches[..BLOCK.min(probe.len() - from)];
            self.match_block(probe, from, matches);
            found_bits(self.isa, matches, found);
        }
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        // A row has at most one match, so that none is left half done.
        assert!(cursor.rows.is_empty(), "cursor of another index");
        let mut matches = [0; BLOCK];
        let mut looked_at = 0;
        while cursor.next_row < probe.len() {
            let held = pairs.len();
            let room = limit.saturating_sub(held).max(usize::from(held == 0));
            if room == 0 {
                break;
            }
            let from = cursor.next_row;
            let matches = &mut matches[..BLOCK.min(probe.len() - from).min(room)];
            looked_at += self.match_block(probe, from, matches);
            let (probe_rows, build_rows) = pairs.push_zeros(matches.len());
            let found = select_matches(self.isa, matches, from as u32, probe_rows, build_rows);
            pairs.truncate(held + found);
            cursor.next_row = from + matches.len();
        }
        looked_at as u64
    }
}
