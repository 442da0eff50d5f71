//! The keys of a perfect table, in slot order.

use std::sync::Arc;

use super::pilots::Pilots;
use crate::arch::{CacheSizes, Hashed, Isa, Strided, prefetch_read};
use crate::error::Result;
use crate::key::{ByteKeys, Shaped, shaped};
use crate::memory::Buffer;
use crate::pairs::NO_ROW;
use crate::table::FusedRows;
use crate::table::build::{BuildInput, stretches};
use crate::table::byte_entries::{ByteRows, PREFIX, head};

/// How far ahead of its use a build key is prefetched.
/// The prototype of this crate found 16 to 64 best; not measured here.
const AHEAD: usize = 32;

/// Rows of a probe.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rows<'a> {
    /// As many as are asked for, from this one on.
    From(usize),
    /// These, at most [`LISTED`].
    Listed(&'a [u32]),
}

/// Rows that can be listed at a time.
pub(super) const LISTED: usize = 1024;

impl Rows<'_> {
    #[inline(always)]
    fn at(self, i: usize) -> usize {
        match self {
            Self::From(first) => first + i,
            Self::Listed(rows) => rows[i] as usize,
        }
    }
}

/// Rows of a probe that are looked up together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookUp<'a> {
    pub(super) isa: Isa,
    pub(super) pilots: &'a Pilots,
    pub(super) rows: Rows<'a>,
    /// The hash of each of the rows.
    pub(super) hashes: &'a [u64],
}

/// The keys of a table whose keys have one shape.
pub(crate) trait SlotKeys: Shaped + Sized {
    /// Lays out the key of row `order[i]` in slot `i`, that of row 0 where there
    /// is no row.
    ///
    /// # Errors
    /// If the build was cancelled.
    fn new(input: &BuildInput<'_>, order: &[u32]) -> Result<Self>;

    /// The rows, if they hold columns beside the keys.
    fn fused(&self) -> Option<FusedRows> {
        None
    }

    /// `matches[i]` is the slot of the `i`th row to look up if its key is there, else
    /// [`NO_ROW`].
    ///
    /// # Panics
    /// If the slices differ in length or a row is not one of the probe.
    fn matches(&self, look_up: &LookUp<'_>, probe: Self::Keys<'_>, matches: &mut [u32]);

    fn bytes(&self) -> usize;
}

/// Probe rows in flight together. Other sizes were not measured.
const BLOCK: usize = 64;

/// Finds the slots of all `hashes`, asks for what `prefetch` does, and then calls
/// `compare(row, slot)` for each, whose answer goes to `matches`.
#[inline(always)]
fn by_slot(
    look_up: &LookUp<'_>,
    matches: &mut [u32],
    prefetch: impl Fn(usize),
    same: impl Fn(usize, usize) -> bool,
) {
    let LookUp { isa, pilots, hashes, .. } = *look_up;
    assert_eq!(hashes.len(), matches.len());
    // While a block is compared the keys of the next one are on their way.
    let (mut here, mut next) = ([0u32; BLOCK], [0u32; BLOCK]);
    let locate = |from: usize, slots: &mut [u32; BLOCK]| {
        let hashes = &hashes[from.min(hashes.len())..hashes.len().min(from + BLOCK)];
        let slots = &mut slots[..hashes.len()];
        pilots.slots(isa, hashes, slots);
        slots.iter().for_each(|&slot| prefetch(slot as usize));
    };
    locate(0, &mut here);
    for (from, matches) in (0..).step_by(BLOCK).zip(matches.chunks_mut(BLOCK)) {
        locate(from + BLOCK, &mut next);
        for ((row, found), &slot) in (from..).zip(matches).zip(&here) {
            *found = if same(row, slot as usize) { slot } else { NO_ROW };
        }
        std::mem::swap(&mut here, &mut next);
    }
}

/// Calls `put(slot, row)` for each slot, with row 0 for holes, and asks for the
/// row's key before.
fn lay_out<T>(
    input: &BuildInput<'_>,
    order: &[u32],
    keys: &[T],
    mut put: impl FnMut(usize, usize),
) -> Result<()> {
    for stretch in stretches(order.len()) {
        input.check_cancelled()?;
        for (slot, &row) in stretch.clone().zip(&order[stretch]) {
            if let Some(&later) = order.get(slot + AHEAD) {
                prefetch_read(keys, later as usize);
            }
            put(slot, if row == NO_ROW { 0 } else { row as usize });
        }
    }
    Ok(())
}

/// Keys of up to 8 bytes, with columns of the table beside each where that pays.
#[derive(Debug)]
pub(crate) struct WordSlots {
    rows: FusedRows,
}

/// The most words of columns that are laid out next to a key: with more, half of the
/// rows would lie on two cache lines. Counted, not measured.
const MOST_BESIDE: usize = 3;

shaped!(WordSlots: Words, [u64]);

impl SlotKeys for WordSlots {
    fn new(input: &BuildInput<'_>, order: &[u32]) -> Result<Self> {
        let keys = Self::keys(input.keys);
        // In cache a row more a line costs nothing, and more lines do.
        let pays = |words: usize| {
            (1..=MOST_BESIDE).contains(&words) && size_of_val(order) * 2 > input.caches.l2
        };
        // Asked once: a caller's columns may give another number each time.
        let beside = input.beside.map(|columns| (columns, columns.words()));
        let beside = beside.filter(|&(_, words)| pays(words));
        let stride = 1 + beside.map_or(0, |(_, words)| words);
        let mut words = Buffer::zeroed(order.len() * stride);
        if !keys.is_empty() {
            lay_out(input, order, keys, |slot, row| words[slot * stride] = keys[row])?;
            if let Some((columns, _)) = beside {
                columns.write(order, stride, &mut words);
            }
        }
        Ok(Self { rows: FusedRows { words: Arc::new(words), stride } })
    }

    fn fused(&self) -> Option<FusedRows> {
        (self.rows.stride > 1).then(|| self.rows.clone())
    }

    fn matches(&self, look_up: &LookUp<'_>, probe: &[u64], matches: &mut [u32]) {
        let mut listed = [0; LISTED];
        let words = match look_up.rows {
            Rows::From(first) => &probe[first..first + matches.len()],
            Rows::Listed(rows) => {
                for (word, &row) in listed.iter_mut().zip(rows) {
                    *word = probe[row as usize];
                }
                &listed[..rows.len()]
            }
        };
        let keys = Hashed { words, hashes: look_up.hashes };
        let FusedRows { words, stride } = &self.rows;
        let prefetch = words.bytes() > CacheSizes::detect().l2 / 2;
        let table = Strided { words, stride: *stride, prefetch };
        assert_eq!(words.len(), look_up.pilots.positions() * stride, "pilots of another table");
        // SAFETY: there is a word for each position.
        unsafe { look_up.pilots.matches(look_up.isa, table, keys, matches) }
    }

    fn bytes(&self) -> usize {
        self.rows.words.bytes()
    }
}

/// Keys of 9 to 16 bytes.
#[derive(Debug)]
pub(crate) struct WideSlots(Buffer<i128>);

shaped!(WideSlots: Wide, [i128]);

impl SlotKeys for WideSlots {
    fn new(input: &BuildInput<'_>, order: &[u32]) -> Result<Self> {
        let keys = Self::keys(input.keys);
        let mut words = Buffer::zeroed(order.len());
        if !keys.is_empty() {
            lay_out(input, order, keys, |slot, row| words[slot] = keys[row])?;
        }
        Ok(Self(words))
    }

    fn matches(&self, look_up: &LookUp<'_>, probe: &[i128], matches: &mut [u32]) {
        assert_eq!(self.0.len(), look_up.pilots.positions(), "pilots of another table");
        by_slot(
            look_up,
            matches,
            |slot| prefetch_read(&self.0, slot),
            |i, slot| {
                debug_assert!(slot < self.0.len());
                // SAFETY: slots are below the number of positions, which is that
                // of the keys.
                let stored = unsafe { *self.0.get_unchecked(slot) };
                stored == probe[look_up.rows.at(i)]
            },
        );
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// Byte-string keys: per slot the first 16 bytes, padded with zeros, where the
/// rest begins, and the length below half of the hash. A key of up to 16 bytes
/// is compared without touching anything else.
#[derive(Debug)]
pub(crate) struct ByteSlots {
    entries: Buffer<ByteEntry>,
    /// The bytes of long keys beyond their prefixes.
    rest: Buffer<u8>,
}

/// Prefix (two words), start of the rest, and length with the hash above it.
type ByteEntry = [u64; 4];

shaped!(ByteSlots: Bytes, ByteKeys);

impl SlotKeys for ByteSlots {
    fn new(input: &BuildInput<'_>, order: &[u32]) -> Result<Self> {
        let (keys, hashes) = (Self::keys(input.keys), input.hashes);
        let rest_bytes = keys.offsets().windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        let rest_bytes = rest_bytes.map(|len| len.saturating_sub(PREFIX)).sum();
        let mut entries = Buffer::<ByteEntry>::zeroed(order.len());
        let mut rest = Buffer::zeroed(rest_bytes);
        let mut end = 0;
        let mut first_row_rest = None;
        if !keys.is_empty() {
            lay_out(input, order, keys.offsets(), |slot, row| {
                let (prefix, key) = keys.prefix(row);
                let beyond = key.get(PREFIX..).unwrap_or(&[]);
                // Row 0 also stands in holes: its rest is kept once.
                let start = match first_row_rest {
                    Some(start) if row == 0 => start,
                    _ => {
                        rest[end..end + beyond.len()].copy_from_slice(beyond);
                        end += beyond.len();
                        end - beyond.len()
                    }
                };
                if row == 0 {
                    first_row_rest = Some(start);
                }
                let words = [prefix as u64, (prefix >> 64) as u64];
                entries[slot] = [words[0], words[1], start as u64, head(hashes[row], key.len())];
            })?;
        }
        Ok(Self { entries, rest })
    }

    fn matches(&self, look_up: &LookUp<'_>, probe: &ByteKeys, matches: &mut [u32]) {
        assert_eq!(self.entries.len(), look_up.pilots.positions(), "pilots of another table");
        by_slot(
            look_up,
            matches,
            |slot| prefetch_read(&self.entries, slot),
            |i, slot| {
                debug_assert!(slot < self.entries.len());
                // SAFETY: slots are below the number of positions, which is that
                // of the entries.
                let entry = unsafe { self.entries.get_unchecked(slot) };
                self.same(entry, probe, look_up.rows.at(i), look_up.hashes[i])
            },
        );
    }

    fn bytes(&self) -> usize {
        self.entries.bytes() + self.rest.bytes()
    }
}

impl ByteSlots {
    /// Whether an entry has the key of a probe row.
    #[inline(always)]
    fn same(&self, entry: &ByteEntry, probe: &ByteKeys, row: usize, hash: u64) -> bool {
        let (prefix, key) = probe.prefix(row);
        let differs = (entry[0] ^ prefix as u64)
            | (entry[1] ^ (prefix >> 64) as u64)
            | (entry[3] ^ head(hash, key.len()));
        differs == 0 && (key.len() <= PREFIX || self.same_rest(entry, key))
    }

    /// Whether the rest of an entry's key is that of `key`, whose length is the
    /// same, unless both exceed 4 GiB.
    fn same_rest(&self, entry: &ByteEntry, key: &[u8]) -> bool {
        let beyond = &key[PREFIX..];
        self.rest.get(entry[2] as usize..entry[2] as usize + beyond.len()) == Some(beyond)
    }
}
