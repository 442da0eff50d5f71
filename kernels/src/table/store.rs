//! The entries of an index: a copy of each key and the link to the next row of
//! its chain, side by side, so that a step along a chain touches one cache line.
//!
//! A build row is named by its *position*, which counts from 1: position 0
//! stands for "none" and holds a filler, so that it can be read without a
//! branch.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;

use crate::arch::prefetch_read;
use crate::key::KeyView;
use crate::memory::Buffer;

/// The entries of a build side whose keys have one shape.
pub(super) trait KeyStore: fmt::Debug + Send + Sync + 'static {
    /// The probe side's keys.
    type Probe<'a>: Copy;
    /// A key as an ordinary map owns it.
    type Owned: OwnedKey;

    /// Copies the keys of a build side.
    fn new(keys: KeyView<'_>, hashes: &[u64]) -> Self;

    /// Number of positions, position 0 included.
    fn positions(&self) -> usize;

    /// The position after `position` in its chain.
    ///
    /// # Safety
    /// `position` is below [`positions`](Self::positions).
    unsafe fn next(&self, position: u32) -> u32;

    /// Links `position` to the one after it.
    ///
    /// # Panics
    /// If either is not below [`positions`](Self::positions).
    fn link(&mut self, position: u32, next: u32);

    /// Views probe keys, which have the shape of the store.
    fn probe(keys: KeyView<'_>) -> Self::Probe<'_>;

    /// Whether the key at `position` is that of probe row `row`; false or
    /// anything for position 0, which the caller discards.
    ///
    /// # Safety
    /// `position` is below [`positions`](Self::positions) and `row` is below the
    /// number of probe keys.
    unsafe fn matches(&self, position: u32, probe: Self::Probe<'_>, row: usize, hash: u64) -> bool;

    /// Prefetches what `matches` and `next` will read first.
    fn prefetch(&self, position: u32);

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
    /// Bytes on the heap beside the key itself.
    fn heap_bytes(&self) -> usize;
}

#[cold]
pub(super) fn wrong_shape() -> ! {
    panic!("keys of another shape than the index was built with")
}

macro_rules! fixed_store {
    ($store:ident, $word:ty, $variant:ident, $words:literal, $what:literal) => {
        #[doc = $what]
        #[derive(Debug)]
        pub(super) struct $store {
            /// The words of the key, the lowest first, then the next position.
            entries: Buffer<[u64; $words + 1]>,
        }

        impl KeyStore for $store {
            type Probe<'a> = &'a [$word];
            type Owned = $word;

            fn new(keys: KeyView<'_>, _hashes: &[u64]) -> Self {
                let keys = Self::probe(keys);
                let mut entries = Buffer::<[u64; $words + 1]>::zeroed(keys.len() + 1);
                for (entry, &key) in entries[1..].iter_mut().zip(keys) {
                    for (i, word) in entry[..$words].iter_mut().enumerate() {
                        *word = (key >> (64 * i)) as u64;
                    }
                }
                Self { entries }
            }

            fn positions(&self) -> usize {
                self.entries.len()
            }

            #[inline(always)]
            unsafe fn next(&self, position: u32) -> u32 {
                debug_assert!((position as usize) < self.entries.len());
                // SAFETY: the caller keeps `position < entries.len()`.
                unsafe { self.entries.get_unchecked(position as usize)[$words] as u32 }
            }

            #[inline(always)]
            fn link(&mut self, position: u32, next: u32) {
                assert!((next as usize) < self.entries.len());
                self.entries[position as usize][$words] = u64::from(next);
            }

            fn probe(keys: KeyView<'_>) -> Self::Probe<'_> {
                let KeyView::$variant(words) = keys else { wrong_shape() };
                words
            }

            #[inline(always)]
            unsafe fn matches(&self, position: u32, probe: &[$word], row: usize, _: u64) -> bool {
                debug_assert!((position as usize) < self.entries.len() && row < probe.len());
                // SAFETY: the caller keeps `position < entries.len()` and
                // `row < probe.len()`.
                let (entry, key) = unsafe {
                    (self.entries.get_unchecked(position as usize), *probe.get_unchecked(row))
                };
                (0..$words).fold(true, |same, i| same & (entry[i] == (key >> (64 * i)) as u64))
            }

            #[inline(always)]
            fn prefetch(&self, position: u32) {
                prefetch_read(&self.entries, position as usize);
            }

            fn bytes(&self) -> usize {
                self.entries.bytes()
            }
        }

        impl OwnedKey for $word {
            type Borrowed = $word;

            #[inline]
            fn each(keys: KeyView<'_>, from: usize, mut visit: impl FnMut(usize, &$word) -> bool) {
                for (row, key) in $store::probe(keys).iter().enumerate().skip(from) {
                    if !visit(row, key) {
                        break;
                    }
                }
            }

            #[inline]
            fn at(keys: KeyView<'_>, row: usize) -> &$word {
                &$store::probe(keys)[row]
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
/// next position in its lower half, and where the bytes begin.
#[derive(Debug)]
pub(super) struct StoredBytes {
    entries: Buffer<[u64; 2]>,
    values: Buffer<u8>,
}

const UPPER_HALF: u64 = 0xffff_ffff_0000_0000;

impl KeyStore for StoredBytes {
    type Probe<'a> = &'a crate::key::ByteKeys;
    type Owned = Box<[u8]>;

    fn new(keys: KeyView<'_>, hashes: &[u64]) -> Self {
        let keys = Self::probe(keys);
        // One more than there are positions: it says where the last key ends.
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

    fn positions(&self) -> usize {
        self.entries.len() - 1
    }

    #[inline(always)]
    unsafe fn next(&self, position: u32) -> u32 {
        debug_assert!((position as usize) < self.positions());
        // SAFETY: the caller keeps `position < positions() < entries.len()`.
        unsafe { self.entries.get_unchecked(position as usize)[0] as u32 }
    }

    #[inline(always)]
    fn link(&mut self, position: u32, next: u32) {
        assert!((next as usize) < self.positions());
        let entry = &mut self.entries[position as usize][0];
        *entry = *entry & UPPER_HALF | u64::from(next);
    }

    fn probe(keys: KeyView<'_>) -> Self::Probe<'_> {
        let KeyView::Bytes(keys) = keys else { wrong_shape() };
        keys
    }

    #[inline(always)]
    unsafe fn matches(&self, position: u32, probe: Self::Probe<'_>, row: usize, hash: u64) -> bool {
        let position = position as usize;
        debug_assert!(position < self.positions() && row < probe.len());
        // SAFETY: the caller keeps `position < positions() < entries.len()`.
        let [tag, from] = unsafe { *self.entries.get_unchecked(position) };
        if (tag ^ hash) & UPPER_HALF != 0 {
            return false;
        }
        self.values[from as usize..self.entries[position + 1][1] as usize] == *probe.get(row)
    }

    #[inline(always)]
    fn prefetch(&self, position: u32) {
        prefetch_read(&self.entries, position as usize);
    }

    fn bytes(&self) -> usize {
        self.entries.bytes() + self.values.bytes()
    }
}

impl OwnedKey for Box<[u8]> {
    type Borrowed = [u8];

    #[inline]
    fn each(keys: KeyView<'_>, from: usize, mut visit: impl FnMut(usize, &[u8]) -> bool) {
        let keys = StoredBytes::probe(keys);
        for row in from..keys.len() {
            if !visit(row, keys.get(row)) {
                break;
            }
        }
    }

    #[inline]
    fn at(keys: KeyView<'_>, row: usize) -> &[u8] {
        StoredBytes::probe(keys).get(row)
    }

    fn to_owned(key: &[u8]) -> Self {
        key.into()
    }

    fn heap_bytes(&self) -> usize {
        self.len()
    }
}
