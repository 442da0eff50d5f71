//! What keys of each shape bring to an interner, in addition to lying in slots.

use crate::hash::KeyHasher;
use crate::key::{ByteKeys, Keys};
use crate::table::byte_entries::PREFIX;
use crate::table::inline_keys::{InlineBytes, InlineKeys, InlineWide, InlineWords};

/// Keys in slots of which there may be ever more.
pub(super) trait InternedKeys: InlineKeys {
    /// The upper half of the hash of a slot's key.
    fn upper_hash(slot: &Self::Slot, hasher: &KeyHasher) -> u32;

    /// Whether the key of a row fits what was reserved outside the slots.
    fn has_room(&self, keys: Self::Keys<'_>, row: usize) -> bool;

    /// Bytes outside the slots with room for `keys` keys, that of a row included.
    fn grown_bytes(&self, keys: usize, row: (Self::Keys<'_>, usize)) -> usize;

    /// Makes that room.
    fn grow(&mut self, keys: usize, row: (Self::Keys<'_>, usize));

    /// Removes all keys but the first `len`.
    fn truncate(&mut self, len: usize);

    /// The keys by number.
    fn collect(&self, slots: &[Self::Slot], len: usize) -> Keys;
}

macro_rules! fixed_interned {
    ($form:ident, $word:ty, $keys:ident, $hash:ident, |$slot:ident| $key:expr) => {
        impl InternedKeys for $form {
            #[inline(always)]
            fn upper_hash($slot: &Self::Slot, hasher: &KeyHasher) -> u32 {
                (hasher.$hash($key) >> 32) as u32
            }

            #[inline(always)]
            fn has_room(&self, _: &[$word], _: usize) -> bool {
                true
            }

            fn grown_bytes(&self, _: usize, _: (&[$word], usize)) -> usize {
                0
            }

            fn grow(&mut self, _: usize, _: (&[$word], usize)) {}

            fn truncate(&mut self, _: usize) {}

            fn collect(&self, slots: &[Self::Slot], len: usize) -> Keys {
                let mut keys = vec![0; len];
                for $slot in slots {
                    if let Some(number) = Self::number($slot).checked_sub(1) {
                        keys[number as usize] = $key;
                    }
                }
                Keys::$keys(keys.into())
            }
        }
    };
}
fixed_interned!(InlineWords, u64, Words, hash_word, |slot| slot[0]);
fixed_interned!(InlineWide, i128, Wide, hash_wide, |slot| {
    i128::from(slot[0]) | i128::from(slot[1]) << 64
});

impl InternedKeys for InlineBytes {
    #[inline(always)]
    fn upper_hash(slot: &Self::Slot, _: &KeyHasher) -> u32 {
        (slot[0] >> 32) as u32
    }

    #[inline(always)]
    fn has_room(&self, keys: &ByteKeys, row: usize) -> bool {
        self.entries.has_room(keys, row)
    }

    fn grown_bytes(&self, keys: usize, row: (&ByteKeys, usize)) -> usize {
        let entry = size_of::<[u64; 4]>();
        entry.saturating_mul(keys + 2).saturating_add(self.grown_rest(row))
    }

    fn grow(&mut self, keys: usize, row: (&ByteKeys, usize)) {
        self.entries.grow(keys, self.grown_rest(row));
    }

    fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    fn collect(&self, _: &[Self::Slot], len: usize) -> Keys {
        let (mut offsets, mut values) = (Vec::with_capacity(len + 1), Vec::new());
        offsets.push(0);
        for at in 0..len {
            self.entries.append_to(at, &mut values);
            offsets.push(values.len() as i64);
        }
        Keys::Bytes(ByteKeys::laid_out(offsets.into(), values.into()))
    }
}

impl InlineBytes {
    /// Room for the bytes of keys beyond their first 16: half as much again as is
    /// needed, so that growing is rare.
    fn grown_rest(&self, (keys, row): (&ByteKeys, usize)) -> usize {
        let needed = self.entries.rest_len() + keys.get(row).len().saturating_sub(PREFIX);
        if needed == self.entries.rest_len() { needed } else { needed + needed / 2 }
    }
}
