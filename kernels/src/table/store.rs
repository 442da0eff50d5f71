//! The entries of an index: a copy of each key and the link to the next row of
//! its chain, side by side, so that a step along a chain touches one cache line.
//!
//! The entry of a build row is number `row + 1`: entry 0 stands for "none" and
//! holds a filler, so that it can be read without a branch.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;

use crate::arch::prefetch_read;
use crate::key::{ByteKeys, KeyView, Shaped, shaped};
use crate::memory::Buffer;

/// The entries of a build side whose keys have one shape.
pub(super) trait KeyStore: Shaped {
    /// A key as an ordinary map owns it.
    type Owned: OwnedKey;

    /// Copies the keys of a build side.
    fn new(keys: KeyView<'_>, hashes: &[u64]) -> Self;

    /// Number of entries, entry 0 included.
    fn entries(&self) -> usize;

    /// The entry after `entry` in its chain, 0 at the end.
    ///
    /// # Safety
    /// `entry` is below [`entries`](Self::entries).
    unsafe fn next(&self, entry: u32) -> u32;

    /// Links `entry` to the one after it.
    ///
    /// # Panics
    /// If either is not below [`entries`](Self::entries).
    fn link(&mut self, entry: u32, next: u32);

    /// Whether the key at `entry` is that of probe row `row`; false or
    /// anything for entry 0, which the caller discards.
    ///
    /// # Safety
    /// `entry` is below [`entries`](Self::entries) and `row` is below the
    /// number of probe keys.
    unsafe fn matches(&self, entry: u32, probe: Self::Keys<'_>, row: usize, hash: u64) -> bool;

    /// Prefetches what `matches` and `next` will read first.
    fn prefetch(&self, entry: u32);

    fn bytes(&self) -> usize;
}

/// A key as `row-at-a-time` and the plain state stores keep it.
pub(crate) trait OwnedKey:
    Borrow<Self::Borrowed> + Hash + Eq + fmt::Debug + Send + Sync + 'static
{
    /// What is looked up.
    type Borrowed: Hash + Eq + ?Sized;

    /// Calls `visit` with each key, in order, until it returns false.
    fn each(keys: KeyView<'_>, from: usize, visit: impl FnMut(usize, &Self::Borrowed) -> bool);
    /// The key of a row.
    fn at(keys: KeyView<'_>, row: usize) -> &Self::Borrowed;
    fn to_owned(key: &Self::Borrowed) -> Self;
    /// Bytes on the heap in addition to the key itself.
    fn heap_bytes(&self) -> usize;
}

macro_rules! fixed_store {
    ($store:ident, $word:ty, $variant:ident, $words:literal, $what:literal) => {
        #[doc = $what]
        #[derive(Debug)]
        pub(super) struct $store {
            /// The words of the key, the lowest first, then the next entry.
            entries: Buffer<[u64; $words + 1]>,
        }

        shaped!($store: $variant, [$word]);

        impl KeyStore for $store {
            type Owned = $word;

            fn new(keys: KeyView<'_>, _hashes: &[u64]) -> Self {
                let keys = Self::keys(keys);
                let mut entries = Buffer::<[u64; $words + 1]>::zeroed(keys.len() + 1);
                for (entry, &key) in entries[1..].iter_mut().zip(keys) {
                    for (i, word) in entry[..$words].iter_mut().enumerate() {
                        *word = (key >> (64 * i)) as u64;
                    }
                }
                Self { entries }
            }

            fn entries(&self) -> usize {
                self.entries.len()
            }

            #[inline(always)]
            unsafe fn next(&self, entry: u32) -> u32 {
                debug_assert!((entry as usize) < self.entries.len());
                // SAFETY: the caller keeps `entry < entries.len()`.
                unsafe { self.entries.get_unchecked(entry as usize)[$words] as u32 }
            }

            #[inline(always)]
            fn link(&mut self, entry: u32, next: u32) {
                assert!((next as usize) < self.entries.len());
                self.entries[entry as usize][$words] = u64::from(next);
            }

            #[inline(always)]
            unsafe fn matches(&self, entry: u32, probe: &[$word], row: usize, _: u64) -> bool {
                debug_assert!((entry as usize) < self.entries.len() && row < probe.len());
                // SAFETY: the caller keeps `entry < entries.len()` and
                // `row < probe.len()`.
                let (words, key) = unsafe {
                    (self.entries.get_unchecked(entry as usize), *probe.get_unchecked(row))
                };
                (0..$words).fold(true, |same, i| same & (words[i] == (key >> (64 * i)) as u64))
            }

            #[inline(always)]
            fn prefetch(&self, entry: u32) {
                prefetch_read(&self.entries, entry as usize);
            }

            fn bytes(&self) -> usize {
                self.entries.bytes()
            }
        }

        impl OwnedKey for $word {
            type Borrowed = $word;

            #[inline]
            fn each(keys: KeyView<'_>, from: usize, mut visit: impl FnMut(usize, &$word) -> bool) {
                for (row, key) in $store::keys(keys).iter().enumerate().skip(from) {
                    if !visit(row, key) {
                        break;
                    }
                }
            }

            #[inline]
            fn at(keys: KeyView<'_>, row: usize) -> &$word {
                &$store::keys(keys)[row]
            }

            fn to_owned(key: &$word) -> Self {
                *key
            }

            fn heap_bytes(&self) -> usize {
                0
            }
        }
    };
}

fixed_store!(StoredWords, u64, Words, 1, "Keys of up to 8 bytes.");
fixed_store!(StoredWide, i128, Wide, 2, "Keys of 9 to 16 bytes.");

/// Byte-string keys. An entry holds half of the hash, which tells most
/// different keys apart without touching their bytes, in its upper half, the
/// next entry in its lower half, and where the bytes begin.
#[derive(Debug)]
pub(super) struct StoredBytes {
    entries: Buffer<[u64; 2]>,
    values: Buffer<u8>,
}

const UPPER_HALF: u64 = 0xffff_ffff_0000_0000;

shaped!(StoredBytes: Bytes, ByteKeys);

impl KeyStore for StoredBytes {
    type Owned = Box<[u8]>;

    fn new(keys: KeyView<'_>, hashes: &[u64]) -> Self {
        let keys = Self::keys(keys);
        // One more than there are rows and fillers: it says where the last key ends.
        let mut entries = Buffer::<[u64; 2]>::zeroed(keys.len() + 2);
        let mut end = 0;
        for (row, &hash) in hashes.iter().enumerate() {
            entries[row + 1] = [hash & UPPER_HALF, end as u64];
            end += keys.get(row).len();
        }
        entries[keys.len() + 1][1] = end as u64;
        let mut values = Buffer::zeroed(end);
        for row in 0..keys.len() {
            let from = entries[row + 1][1] as usize;
            values[from..from + keys.get(row).len()].copy_from_slice(keys.get(row));
        }
        Self { entries, values }
    }

    fn entries(&self) -> usize {
        self.entries.len() - 1
    }

    #[inline(always)]
    unsafe fn next(&self, entry: u32) -> u32 {
        debug_assert!((entry as usize) < self.entries());
        // SAFETY: the caller keeps `entry < entries() < entries.len()`.
        unsafe { self.entries.get_unchecked(entry as usize)[0] as u32 }
    }

    #[inline(always)]
    fn link(&mut self, entry: u32, next: u32) {
        assert!((next as usize) < self.entries());
        let word = &mut self.entries[entry as usize][0];
        *word = *word & UPPER_HALF | u64::from(next);
    }

    #[inline(always)]
    unsafe fn matches(&self, entry: u32, probe: Self::Keys<'_>, row: usize, hash: u64) -> bool {
        let entry = entry as usize;
        debug_assert!(entry < self.entries() && row < probe.len());
        // SAFETY: the caller keeps `entry < entries() < entries.len()`.
        let [tag, from] = unsafe { *self.entries.get_unchecked(entry) };
        if (tag ^ hash) & UPPER_HALF != 0 {
            return false;
        }
        self.values[from as usize..self.entries[entry + 1][1] as usize] == *probe.get(row)
    }

    #[inline(always)]
    fn prefetch(&self, entry: u32) {
        prefetch_read(&self.entries, entry as usize);
    }

    fn bytes(&self) -> usize {
        self.entries.bytes() + self.values.bytes()
    }
}

impl OwnedKey for Box<[u8]> {
    type Borrowed = [u8];

    #[inline]
    fn each(keys: KeyView<'_>, from: usize, mut visit: impl FnMut(usize, &[u8]) -> bool) {
        let keys = StoredBytes::keys(keys);
        for row in from..keys.len() {
            if !visit(row, keys.get(row)) {
                break;
            }
        }
    }

    #[inline]
    fn at(keys: KeyView<'_>, row: usize) -> &[u8] {
        StoredBytes::keys(keys).get(row)
    }

    fn to_owned(key: &[u8]) -> Self {
        key.into()
    }

    fn heap_bytes(&self) -> usize {
        self.len()
    }
}
