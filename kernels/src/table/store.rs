//! The keys that an index holds a copy of, by shape.
//!
//! A build row is named by its *position*, which counts from 1: position 0
//! stands for "none" and holds a filler, so that it can be read without a
//! branch.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;

use crate::arch::prefetch_read;
use crate::key::Keys;
use crate::memory::Buffer;

/// The build side's keys of one shape.
pub(super) trait KeyStore: fmt::Debug + Send + Sync + 'static {
    /// The probe side's keys.
    type Probe<'a>: Copy;
    /// A key as an ordinary map owns it.
    type Owned: OwnedKey;

    /// Copies the keys of a build side.
    fn new(keys: &Keys, hashes: &[u64]) -> Self;

    /// Views probe keys, which have the shape of the store.
    fn probe(keys: &Keys) -> Self::Probe<'_>;

    /// Whether the key at `position` is that of probe row `row`; false or
    /// anything for position 0, which the caller discards.
    ///
    /// # Safety
    /// `position` is at most the number of stored keys and `row` is below the
    /// number of probe keys.
    unsafe fn matches(&self, position: u32, probe: Self::Probe<'_>, row: usize, hash: u64) -> bool;

    /// Asks for what `matches` will read first.
    fn prefetch(&self, position: u32);

    fn bytes(&self) -> usize;
}

/// A key as `row-at-a-time` keeps it.
pub(super) trait OwnedKey:
    Borrow<Self::Borrowed> + Hash + Eq + fmt::Debug + Send + Sync + 'static
{
    /// What is looked up.
    type Borrowed: Hash + Eq + ?Sized;

    /// Calls `visit` with each key, in order, until it returns false.
    fn each(keys: &Keys, from: usize, visit: impl FnMut(usize, &Self::Borrowed) -> bool);
    fn to_owned(key: &Self::Borrowed) -> Self;
    /// Bytes on the heap beside the key itself.
    fn heap_bytes(&self) -> usize;
}

#[cold]
fn wrong_shape() -> ! {
    panic!("keys of another shape than the index was built with")
}

macro_rules! fixed_store {
    ($store:ident, $word:ty, $variant:ident, $what:literal) => {
        #[doc = $what]
        #[derive(Debug)]
        pub(super) struct $store {
            keys: Buffer<$word>,
        }

        impl KeyStore for $store {
            type Probe<'a> = &'a [$word];
            type Owned = $word;

            fn new(keys: &Keys, _hashes: &[u64]) -> Self {
                let source = Self::probe(keys);
                let mut keys = Buffer::zeroed(source.len() + 1);
                keys[1..].copy_from_slice(source);
                Self { keys }
            }

            fn probe(keys: &Keys) -> Self::Probe<'_> {
                let Keys::$variant(words) = keys else { wrong_shape() };
                words
            }

            #[inline(always)]
            unsafe fn matches(&self, position: u32, probe: &[$word], row: usize, _: u64) -> bool {
                debug_assert!((position as usize) < self.keys.len() && row < probe.len());
                // SAFETY: the caller keeps `position <= keys.len() - 1` and
                // `row < probe.len()`.
                unsafe { *self.keys.get_unchecked(position as usize) == *probe.get_unchecked(row) }
            }

            #[inline(always)]
            fn prefetch(&self, position: u32) {
                prefetch_read(&self.keys, position as usize);
            }

            fn bytes(&self) -> usize {
                self.keys.bytes()
            }
        }

        impl OwnedKey for $word {
            type Borrowed = $word;

            #[inline]
            fn each(keys: &Keys, from: usize, mut visit: impl FnMut(usize, &$word) -> bool) {
                for (row, key) in $store::probe(keys).iter().enumerate().skip(from) {
                    if !visit(row, key) {
                        break;
                    }
                }
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

fixed_store!(StoredWords, u64, Words, "Keys of up to 8 bytes.");
fixed_store!(StoredWide, i128, Wide, "Keys of 9 to 16 bytes.");

/// Byte-string keys, each beside a part of its hash, which tells most
/// different keys apart without touching their bytes.
#[derive(Debug)]
pub(super) struct StoredBytes {
    entries: Buffer<u64>,
    offsets: Buffer<u64>,
    values: Buffer<u8>,
}

impl KeyStore for StoredBytes {
    type Probe<'a> = &'a crate::key::ByteKeys;
    type Owned = Box<[u8]>;

    fn new(keys: &Keys, hashes: &[u64]) -> Self {
        let source = Self::probe(keys);
        let mut entries = Buffer::zeroed(hashes.len() + 1);
        entries[1..].copy_from_slice(hashes);
        let mut offsets = Buffer::zeroed(source.len() + 2);
        let mut end = 0;
        for row in 0..source.len() {
            offsets[row + 1] = end as u64;
            end += source.get(row).len();
        }
        offsets[source.len() + 1] = end as u64;
        let mut values = Buffer::zeroed(end);
        for row in 0..source.len() {
            let (from, to) = (offsets[row + 1] as usize, offsets[row + 2] as usize);
            values[from..to].copy_from_slice(source.get(row));
        }
        Self { entries, offsets, values }
    }

    fn probe(keys: &Keys) -> Self::Probe<'_> {
        let Keys::Bytes(keys) = keys else { wrong_shape() };
        keys
    }

    #[inline(always)]
    unsafe fn matches(&self, position: u32, probe: Self::Probe<'_>, row: usize, hash: u64) -> bool {
        let position = position as usize;
        debug_assert!(position < self.entries.len() && row < probe.len());
        // SAFETY: the caller keeps `position <= entries.len() - 1`.
        if unsafe { *self.entries.get_unchecked(position) } != hash {
            return false;
        }
        let (from, to) = (self.offsets[position] as usize, self.offsets[position + 1] as usize);
        self.values[from..to] == *probe.get(row)
    }

    #[inline(always)]
    fn prefetch(&self, position: u32) {
        prefetch_read(&self.entries, position as usize);
        prefetch_read(&self.offsets, position as usize);
    }

    fn bytes(&self) -> usize {
        self.entries.bytes() + self.offsets.bytes() + self.values.bytes()
    }
}

impl OwnedKey for Box<[u8]> {
    type Borrowed = [u8];

    #[inline]
    fn each(keys: &Keys, from: usize, mut visit: impl FnMut(usize, &[u8]) -> bool) {
        let keys = StoredBytes::probe(keys);
        for row in from..keys.len() {
            if !visit(row, keys.get(row)) {
                break;
            }
        }
    }

    fn to_owned(key: &[u8]) -> Self {
        key.into()
    }

    fn heap_bytes(&self) -> usize {
        self.len()
    }
}
