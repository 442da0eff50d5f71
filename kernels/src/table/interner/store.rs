//! How the keys of each shape are kept, by number.

use std::fmt;

use super::rows::{ByteSource, RowKeys};
use crate::arch::prefetch_read;
use crate::key::{ByteKeys, KeyView, Keys, wrong_shape};
use crate::memory::{Buffer, Plain};
use crate::table::byte_entries::{ByteEntries, ByteRows, PREFIX};

/// Keys by number, counted from 1, of which there may be ever more.
pub(super) trait InternedKeys: fmt::Debug + Send + Sync + 'static {
    /// The keys of a block.
    type Keys<'a>: Copy;

    /// Views the keys of a block.
    ///
    /// # Panics
    /// If they have another shape.
    fn keys(keys: RowKeys<'_>) -> Self::Keys<'_>;

    /// Bytes of a key, but for what lies outside in byte strings.
    const KEY_BYTES: usize;

    fn new() -> Self;

    /// Whether key `number` is that of a row. Number 0 may be any key.
    ///
    /// # Safety
    /// There is such a number, or it is 0; `row` is below the number of keys of the batch.
    unsafe fn is(&self, number: u32, keys: Self::Keys<'_>, row: usize, hash: u64) -> bool;

    /// Whether the key of a row fits what was reserved.
    fn has_room(&self, keys: Self::Keys<'_>, row: usize) -> bool;

    /// Appends the key of a row, which fits.
    fn push(&mut self, keys: Self::Keys<'_>, row: usize, hash: u64);

    /// Bytes when there is room for `keys` keys, that of a row included.
    fn grown_bytes(&self, keys: usize, row: (Self::Keys<'_>, usize)) -> usize {
        let _ = row;
        (keys + 1).saturating_mul(Self::KEY_BYTES)
    }

    /// Makes that room.
    fn grow(&mut self, keys: usize, row: (Self::Keys<'_>, usize));

    /// Removes all keys but the first `len`.
    fn truncate(&mut self, len: usize);

    /// Prefetches a key; number 0 is harmless.
    fn prefetch(&self, number: u32);

    fn bytes(&self) -> usize;

    /// The keys in order.
    fn to_keys(&self) -> Keys;
}

/// Keys of a fixed width, after one that is none.
#[derive(Debug)]
pub(super) struct FixedKeys<T: Plain> {
    keys: Buffer<T>,
    /// One more than there are keys.
    len: usize,
}

macro_rules! fixed_keys {
    ($word:ty, $shape:ident) => {
        impl InternedKeys for FixedKeys<$word> {
            type Keys<'a> = &'a [$word];

            fn keys(keys: RowKeys<'_>) -> &[$word] {
                let RowKeys::View(KeyView::$shape(keys)) = keys else { wrong_shape() };
                keys
            }

            const KEY_BYTES: usize = size_of::<$word>();

            fn new() -> Self {
                Self { keys: Buffer::zeroed(1), len: 1 }
            }

            #[inline(always)]
            unsafe fn is(&self, number: u32, keys: &[$word], row: usize, _: u64) -> bool {
                debug_assert!((number as usize) < self.len && row < keys.len());
                // SAFETY: the caller's.
                unsafe { self.keys.get_unchecked(number as usize) == keys.get_unchecked(row) }
            }

            #[inline(always)]
            fn has_room(&self, _: &[$word], _: usize) -> bool {
                self.len < self.keys.len()
            }

            #[inline(always)]
            fn push(&mut self, keys: &[$word], row: usize, _: u64) {
                self.keys[self.len] = keys[row];
                self.len += 1;
            }

            fn grow(&mut self, keys: usize, _: (&[$word], usize)) {
                self.keys.grow(keys + 1);
            }

            fn truncate(&mut self, len: usize) {
                self.len = self.len.min(len + 1);
            }

            #[inline(always)]
            fn prefetch(&self, number: u32) {
                prefetch_read(&self.keys, number as usize);
            }

            fn bytes(&self) -> usize {
                self.keys.bytes()
            }

            fn to_keys(&self) -> Keys {
                Keys::$shape(self.keys[1..self.len].to_vec().into())
            }
        }
    };
}
fixed_keys!(u64, Words);
fixed_keys!(i128, Wide);

/// Byte strings.
#[derive(Debug)]
pub(super) struct ByteStrings {
    entries: ByteEntries,
}

impl InternedKeys for ByteStrings {
    type Keys<'a> = ByteSource<'a>;

    fn keys(keys: RowKeys<'_>) -> ByteSource<'_> {
        match keys {
            RowKeys::View(KeyView::Bytes(keys)) => ByteSource::Laid(keys),
            RowKeys::Apart(keys) => ByteSource::Apart(keys),
            RowKeys::View(_) => wrong_shape(),
        }
    }

    const KEY_BYTES: usize = size_of::<[u64; 4]>();

    fn new() -> Self {
        Self { entries: ByteEntries::with_room(0, 1) }
    }

    #[inline(always)]
    unsafe fn is(&self, number: u32, keys: ByteSource<'_>, row: usize, hash: u64) -> bool {
        let Some(at) = (number as usize).checked_sub(1) else { return false };
        // SAFETY: the caller's.
        unsafe {
            self.entries.may_match(at, keys, row, hash) && self.entries.same_bytes(at, keys, row)
        }
    }

    #[inline(always)]
    fn has_room(&self, keys: ByteSource<'_>, row: usize) -> bool {
        self.entries.has_room(keys, row)
    }

    #[inline(always)]
    fn push(&mut self, keys: ByteSource<'_>, row: usize, hash: u64) {
        self.entries.push(keys, row, hash);
    }

    fn grown_bytes(&self, keys: usize, row: (ByteSource<'_>, usize)) -> usize {
        (keys + 1).saturating_mul(Self::KEY_BYTES).saturating_add(self.grown_rest(row))
    }

    fn grow(&mut self, keys: usize, row: (ByteSource<'_>, usize)) {
        self.entries.grow(keys, self.grown_rest(row));
    }

    fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    #[inline(always)]
    fn prefetch(&self, number: u32) {
        self.entries.prefetch((number as usize).wrapping_sub(1));
    }

    fn bytes(&self) -> usize {
        self.entries.bytes()
    }

    fn to_keys(&self) -> Keys {
        let (mut offsets, mut values) = (Vec::with_capacity(self.entries.len() + 1), Vec::new());
        offsets.push(0);
        for at in 0..self.entries.len() {
            self.entries.append_to(at, &mut values);
            offsets.push(values.len() as i64);
        }
        Keys::Bytes(ByteKeys::laid_out(offsets.into(), values.into()))
    }
}

impl ByteStrings {
    /// Room for the bytes of keys beyond their first 16: half as much again as is
    /// needed, so that growing is rare.
    fn grown_rest(&self, (keys, row): (ByteSource<'_>, usize)) -> usize {
        let held = self.entries.rest_len();
        let needed = held + keys.key(row).len().saturating_sub(PREFIX);
        if needed == held { needed } else { needed + needed / 2 }
    }
}
