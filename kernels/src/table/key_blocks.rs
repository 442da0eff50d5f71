//! Keys of many rows, taken up block by block.

use arrow::buffer::BooleanBuffer;

use super::Probe;
use crate::hash::KeyHasher;
use crate::key::{Comparison, KeyRows, KeyView, Widened};

/// Rows that are hashed and looked up together, so that their hashes stay in cache;
/// whole words of bits. The `lookup` bench and the shipped costs use the same
/// number; others were not measured.
pub(super) const BLOCK: usize = 8192;
/// Bytes of a block that are copied, as far as 64 rows allow. Not measured.
const COPIED_BYTES: usize = 2 << 20;

/// A block of rows, its keys and their hashes.
#[derive(Debug, Default)]
pub(super) struct KeyBlock {
    room: Widened,
    hashes: Vec<u64>,
    from: usize,
}

impl KeyBlock {
    /// Takes up the rows from `from` on, as many as a block has.
    pub(super) fn take_up(&mut self, rows: &dyn KeyRows, from: usize, hasher: &KeyHasher) {
        let mut len = BLOCK.min(rows.rows() - from);
        while len > 64 && rows.copied_bytes(from..from + len) > COPIED_BYTES {
            len = (len / 2).next_multiple_of(64);
        }
        self.from = from;
        self.room.clear();
        hasher.hash(rows.view(from..from + len, &mut self.room), &mut self.hashes);
    }

    /// Rows of the block; none before one is taken up.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Lets go of the block.
    pub(super) fn clear(&mut self) {
        self.hashes.clear();
    }

    /// Calls `look_up` with the rows of the block.
    pub(super) fn with<R>(
        &mut self,
        rows: &dyn KeyRows,
        comparison: Comparison,
        look_up: impl FnOnce(Probe<'_>) -> R,
    ) -> R {
        let range = self.from..self.from + self.hashes.len();
        let mask = rows.may_match(range.clone());
        let keys = if self.room.held().is_some() {
            self.room.held().expect("just seen")
        } else {
            rows.view(range, &mut self.room)
        };
        let mask = match comparison {
            Comparison::Bits => mask,
            Comparison::UnlikeSigns => {
                let positive = positive(keys);
                Some(mask.map_or_else(|| positive.clone(), |mask| &mask & &positive))
            }
        };
        look_up(Probe::new(keys, &self.hashes, mask.as_ref()))
    }
}

/// Which numbers do not have their highest bit set.
fn positive(keys: KeyView<'_>) -> BooleanBuffer {
    BooleanBuffer::collect_bool(keys.len(), |row| match keys {
        KeyView::Words(words) => words[row] >> 63 == 0,
        KeyView::Wide(words) => words[row] >= 0,
        KeyView::Bytes(_) => true,
    })
}
