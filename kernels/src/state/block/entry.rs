//! The entry of a stored row: its key, the link to the next older row of its
//! bucket and its event time, side by side, so that a step along a chain
//! touches one cache line.
//!
//! The last word holds the link in its lower half and, in its upper half, how
//! far the event time lies after the block's base, in microseconds. That reaches
//! 35 minutes; a block whose times lie further apart also keeps them whole. The
//! uppermost bit says whether a row before it in its block has a greater time.

use super::lengths::Lengths;
use crate::arch::LinkTime;
use crate::hash::KeyHasher;
use crate::key::{ByteKeys, KeyView, Shaped, shaped};

/// How keys of one shape are kept in entries.
pub(crate) trait EntryKey: Shaped {
    /// Words of an entry, the last of which is link and time.
    const WORDS: usize;

    /// The keys, where entries are such a word and that of link and time.
    fn words(_keys: KeyView<'_>) -> Option<&[u64]> {
        None
    }
    /// How many of `rows` have keys that fit into a heap that holds `held`
    /// bytes, and at most `most`.
    fn fitting(_batch: Self::Keys<'_>, rows: &[u32], _held: usize, _most: usize) -> usize {
        rows.len()
    }
    /// The bytes that the keys of `rows` take of a heap.
    fn lengths(_batch: Self::Keys<'_>, _rows: &[u32]) -> Lengths {
        Lengths::default()
    }
    /// The bytes that the key of an entry takes of `heap`.
    fn heap_bytes(_entry: &[u64], _heap: &[u8]) -> usize {
        0
    }
    /// Puts a key into an entry; long ones into `heap`.
    fn write(entry: &mut [u64], batch: Self::Keys<'_>, row: usize, hash: u64, heap: &mut Vec<u8>);
    /// Whether the entry has the key of `row`.
    ///
    /// # Safety
    /// `row` is below [`len_of`](Shaped::len_of).
    unsafe fn matches<'a>(
        entry: &[u64],
        batch: Self::Keys<'_>,
        row: usize,
        hash: u64,
        heap: impl FnOnce() -> &'a [u8],
    ) -> bool;
    /// The hash of the key, of which at least the upper half is right.
    fn hash(entry: &[u64], hasher: &KeyHasher) -> u64;
    /// Copies the key of an entry into another block's.
    fn copy(entry: &[u64], heap: &[u8], into: &mut [u64], into_heap: &mut Vec<u8>);
}

/// Link and time of an entry.
#[inline(always)]
pub(super) fn last_word<E: EntryKey>(entry: &[u64]) -> LinkTime {
    LinkTime(entry[E::WORDS - 1])
}

/// Keys of up to 8 bytes.
#[derive(Debug)]
pub(crate) struct WordEntry;

shaped!(WordEntry: Words, [u64]);

impl EntryKey for WordEntry {
    const WORDS: usize = 2;

    fn words(keys: KeyView<'_>) -> Option<&[u64]> {
        Some(Self::keys(keys))
    }

    #[inline(always)]
    fn write(entry: &mut [u64], batch: &[u64], row: usize, _: u64, _: &mut Vec<u8>) {
        entry[0] = batch[row];
    }

    #[inline(always)]
    unsafe fn matches<'a>(
        entry: &[u64],
        batch: &[u64],
        row: usize,
        _: u64,
        _: impl FnOnce() -> &'a [u8],
    ) -> bool {
        debug_assert!(row < batch.len());
        // SAFETY: the caller keeps `row < batch.len()`.
        entry[0] == unsafe { *batch.get_unchecked(row) }
    }

    fn hash(entry: &[u64], hasher: &KeyHasher) -> u64 {
        hasher.hash_word(entry[0])
    }

    fn copy(entry: &[u64], _: &[u8], into: &mut [u64], _: &mut Vec<u8>) {
        into[0] = entry[0];
    }
}

/// Keys of 9 to 16 bytes.
#[derive(Debug)]
pub(crate) struct WideEntry;

shaped!(WideEntry: Wide, [i128]);

impl EntryKey for WideEntry {
    const WORDS: usize = 3;

    #[inline(always)]
    fn write(entry: &mut [u64], batch: &[i128], row: usize, _: u64, _: &mut Vec<u8>) {
        (entry[0], entry[1]) = (batch[row] as u64, (batch[row] >> 64) as u64);
    }

    #[inline(always)]
    unsafe fn matches<'a>(
        entry: &[u64],
        batch: &[i128],
        row: usize,
        _: u64,
        _: impl FnOnce() -> &'a [u8],
    ) -> bool {
        debug_assert!(row < batch.len());
        // SAFETY: the caller keeps `row < batch.len()`.
        let key = unsafe { *batch.get_unchecked(row) };
        (entry[0] == key as u64) & (entry[1] == (key >> 64) as u64)
    }

    fn hash(entry: &[u64], hasher: &KeyHasher) -> u64 {
        hasher.hash_wide(i128::from(entry[1]) << 64 | i128::from(entry[0]))
    }

    fn copy(entry: &[u64], _: &[u8], into: &mut [u64], _: &mut Vec<u8>) {
        into[..2].copy_from_slice(&entry[..2]);
    }
}

/// Byte strings: the upper half of the hash, which tells most different keys
/// apart, over where the key stands in the block's heap, its length first.
#[derive(Debug)]
pub(crate) struct BytesEntry;

const LENGTH: usize = size_of::<u32>();

impl BytesEntry {
    fn key(entry: u64, heap: &[u8]) -> &[u8] {
        let from = entry as u32 as usize;
        let (length, rest) = heap[from..].split_at(LENGTH);
        let length = u32::from_le_bytes(length.try_into().expect("split at its size"));
        &rest[..length as usize]
    }

    fn push(hash: u64, key: &[u8], heap: &mut Vec<u8>) -> u64 {
        let from = heap.len() as u64;
        heap.extend_from_slice(&(key.len() as u32).to_le_bytes());
        heap.extend_from_slice(key);
        hash & !u64::from(u32::MAX) | from
    }
}

shaped!(BytesEntry: Bytes, ByteKeys);

impl EntryKey for BytesEntry {
    const WORDS: usize = 2;

    fn fitting(batch: &ByteKeys, rows: &[u32], mut held: usize, most: usize) -> usize {
        let fits = rows.iter().take_while(|&&row| {
            held += LENGTH + batch.get(row as usize).len();
            held <= most
        });
        fits.count()
    }

    fn lengths(batch: &ByteKeys, rows: &[u32]) -> Lengths {
        rows.iter().map(|&row| LENGTH + batch.get(row as usize).len()).collect()
    }

    fn heap_bytes(entry: &[u64], heap: &[u8]) -> usize {
        LENGTH + Self::key(entry[0], heap).len()
    }

    #[inline]
    fn write(entry: &mut [u64], batch: &ByteKeys, row: usize, hash: u64, heap: &mut Vec<u8>) {
        entry[0] = Self::push(hash, batch.get(row), heap);
    }

    #[inline]
    unsafe fn matches<'a>(
        entry: &[u64],
        batch: &ByteKeys,
        row: usize,
        hash: u64,
        heap: impl FnOnce() -> &'a [u8],
    ) -> bool {
        (entry[0] ^ hash) >> 32 == 0 && Self::key(entry[0], heap()) == batch.get(row)
    }

    fn hash(entry: &[u64], _: &KeyHasher) -> u64 {
        entry[0]
    }

    fn copy(entry: &[u64], heap: &[u8], into: &mut [u64], into_heap: &mut Vec<u8>) {
        into[0] = Self::push(entry[0], Self::key(entry[0], heap), into_heap);
    }
}
