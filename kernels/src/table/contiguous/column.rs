//! Keys laid out one after the other, in the order of their numbers.

use std::cmp::Ordering;

use crate::arch::prefetch_read;
use crate::key::{ByteKeys, Shaped, shaped};
use crate::memory::{Buffer, Plain};
use crate::table::byte_entries::ByteEntries;

/// The distinct keys of a build side.
pub(crate) trait KeyColumn: Shaped {
    /// What is sorted: the key (or the whole hash, where it is too long to be
    /// moved), and last a word of half of the hash and the row.
    type Item: Plain + AsRef<[u64]>;
    /// How many keys are compared at once; this many entries after the last one
    /// may be read.
    const WINDOW: usize;
    /// Without these there are half as many buckets as keys, at least: where the
    /// window is short, buckets are shorter.
    const MORE_BUCKET_BITS: u32;

    /// The item of a row.
    fn item(keys: Self::Keys<'_>, row: usize, hash: u64) -> Self::Item;

    /// Whether two items may have the same key. Never false if they have.
    fn may_equal(a: &Self::Item, b: &Self::Item) -> bool;

    /// An order of keys in which equal ones are neighbours.
    fn order(keys: Self::Keys<'_>, a: &Self::Item, b: &Self::Item) -> Ordering;

    /// Room for `keys` keys.
    fn with_room(keys: usize) -> Self;

    /// Prefetches what pushing an item will read, first for that of a far one.
    fn prefetch_source(
        _keys: Self::Keys<'_>,
        _far: Option<&Self::Item>,
        _near: Option<&Self::Item>,
    ) {
    }

    /// Appends the key of an item.
    fn push(&mut self, keys: Self::Keys<'_>, item: &Self::Item);

    /// Gives back room that was not used.
    fn shrink(&mut self);

    /// Number of keys.
    fn len(&self) -> usize;

    /// Which of the [`WINDOW`](Self::WINDOW) keys from `at` on is that of the
    /// probe row, counted from 0; the number of them if none is.
    ///
    /// # Safety
    /// `at` is at most [`len`](Self::len), `row` is below the number of keys.
    unsafe fn window(&self, at: usize, keys: Self::Keys<'_>, row: usize, hash: u64) -> u32;

    /// Key `at` against that of a probe row, in the order of
    /// [`order`](Self::order).
    fn compare(&self, at: usize, keys: Self::Keys<'_>, row: usize, hash: u64) -> Ordering;

    /// Prefetches what `window` will read first.
    fn prefetch(&self, at: usize);

    /// Bytes held.
    fn bytes(&self) -> usize;
}

/// The last word of an item.
#[inline(always)]
fn hash_and_row(hash: u64, row: usize) -> u64 {
    hash << 32 | row as u64
}

macro_rules! fixed_column {
    ($column:ident, $word:ty, $words:literal, $variant:ident, $window:literal, $bits:literal, $what:literal) => {
        #[doc = $what]
        #[derive(Debug)]
        pub(crate) struct $column {
            words: Buffer<$word>,
            len: usize,
        }

        impl $column {
            #[inline(always)]
            fn word(item: &[u64; $words + 1]) -> $word {
                item[..$words].iter().rev().fold(0, |word, &part| {
                    // A shift by the whole width, of a word that is zero yet.
                    word.checked_shl(64).unwrap_or(0) | <$word>::from(part)
                })
            }
        }

        shaped!($column: $variant, [$word]);

        impl KeyColumn for $column {
            type Item = [u64; $words + 1];
            const WINDOW: usize = $window;
            const MORE_BUCKET_BITS: u32 = $bits;

            #[inline(always)]
            fn item(keys: &[$word], row: usize, hash: u64) -> Self::Item {
                let mut item = [hash_and_row(hash, row); $words + 1];
                for (i, part) in item[..$words].iter_mut().enumerate() {
                    *part = (keys[row] >> (64 * i)) as u64;
                }
                item
            }

            #[inline(always)]
            fn may_equal(a: &Self::Item, b: &Self::Item) -> bool {
                (0..$words).fold(true, |same, i| same & (a[i] == b[i]))
            }

            #[inline(always)]
            fn order(_: &[$word], a: &Self::Item, b: &Self::Item) -> Ordering {
                Self::word(a).cmp(&Self::word(b))
            }

            fn with_room(keys: usize) -> Self {
                Self { words: Buffer::zeroed(keys + $window), len: 0 }
            }

            #[inline(always)]
            fn push(&mut self, _: &[$word], item: &Self::Item) {
                self.words[self.len] = Self::word(item);
                self.len += 1;
            }

            fn shrink(&mut self) {
                if self.len + $window < self.words.len() {
                    // The padding may hold anything, zeros as well as keys.
                    self.words = Buffer::copied_from(&self.words[..self.len + $window]);
                }
            }

            fn len(&self) -> usize {
                self.len
            }

            #[inline(always)]
            unsafe fn window(&self, at: usize, keys: &[$word], row: usize, _: u64) -> u32 {
                debug_assert!(at + $window <= self.words.len() && row < keys.len());
                // SAFETY: `at <= len` by the caller, and there is room for a
                // window after the last key; `row` is a probe row.
                let (key, window) = unsafe {
                    let window: *const [$word; $window] = self.words.as_ptr().add(at).cast();
                    (*keys.get_unchecked(row), &*window)
                };
                // Without a branch: which one it is cannot be foretold.
                let mut found = $window;
                for (i, &word) in window.iter().enumerate().rev() {
                    found = if word == key { i as u32 } else { found };
                }
                found
            }

            #[inline(always)]
            fn compare(&self, at: usize, keys: &[$word], row: usize, _: u64) -> Ordering {
                self.words[at].cmp(&keys[row])
            }

            #[inline(always)]
            fn prefetch(&self, at: usize) {
                prefetch_read(&self.words, at);
            }

            fn bytes(&self) -> usize {
                self.words.bytes()
            }
        }
    };
}

fixed_column!(WordColumn, u64, 1, Words, 4, 0, "Keys of up to 8 bytes.");
fixed_column!(WideColumn, i128, 2, Wide, 2, 1, "Keys of 9 to 16 bytes.");

/// Byte-string keys.
#[derive(Debug)]
pub(crate) struct ByteColumn {
    entries: ByteEntries,
}

shaped!(ByteColumn: Bytes, ByteKeys);

impl KeyColumn for ByteColumn {
    type Item = [u64; 2];
    const WINDOW: usize = 2;
    const MORE_BUCKET_BITS: u32 = 1;

    #[inline(always)]
    fn item(_: &ByteKeys, row: usize, hash: u64) -> Self::Item {
        [hash, hash_and_row(hash, row)]
    }

    #[inline(always)]
    fn may_equal(a: &Self::Item, b: &Self::Item) -> bool {
        a[0] == b[0]
    }

    fn order(keys: &ByteKeys, a: &Self::Item, b: &Self::Item) -> Ordering {
        let key = |item: &Self::Item| keys.get(item[1] as u32 as usize);
        (a[0] >> 32).cmp(&(b[0] >> 32)).then_with(|| key(a).cmp(key(b)))
    }

    fn with_room(keys: usize) -> Self {
        Self { entries: ByteEntries::with_room(keys, Self::WINDOW) }
    }

    #[inline(always)]
    fn prefetch_source(keys: &ByteKeys, far: Option<&Self::Item>, near: Option<&Self::Item>) {
        let row = |item: &Self::Item| item[1] as u32 as usize;
        if let Some(far) = far {
            prefetch_read(keys.offsets(), row(far));
        }
        if let Some(near) = near {
            prefetch_read(keys.values(), keys.offsets()[row(near)] as usize);
        }
    }

    #[inline]
    fn push(&mut self, keys: &ByteKeys, item: &Self::Item) {
        self.entries.push(keys, item[1] as u32 as usize, item[0]);
    }

    fn shrink(&mut self) {
        self.entries.shrink(Self::WINDOW);
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline(always)]
    unsafe fn window(&self, at: usize, keys: &ByteKeys, row: usize, hash: u64) -> u32 {
        let mut candidates = 0u32;
        for i in 0..Self::WINDOW {
            // SAFETY: `at <= len` by the caller, and there is a window of
            // padding after the last entry.
            let may_match = unsafe { self.entries.may_match(at + i, keys, row, hash) };
            candidates |= u32::from(may_match) << i;
        }
        // Equal halves of hashes of different keys are rare: one turn at most.
        while candidates != 0 {
            let i = candidates.trailing_zeros();
            let at = at + i as usize;
            if at < self.len() && self.entries.same_bytes(at, keys, row) {
                return i;
            }
            candidates &= candidates - 1;
        }
        Self::WINDOW as u32
    }

    fn compare(&self, at: usize, keys: &ByteKeys, row: usize, hash: u64) -> Ordering {
        self.entries.compare(at, keys, row, hash)
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        self.entries.prefetch(at);
    }

    fn bytes(&self) -> usize {
        self.entries.bytes()
    }
}
