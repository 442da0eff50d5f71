//! Byte-string keys by number, laid out so that a key of up to 16 bytes is
//! compared inside one half of a cache line.

use std::cmp::Ordering;

use crate::arch::prefetch_read;
use crate::key::ByteKeys;
use crate::memory::Buffer;

/// Bytes of a key that lie in its entry.
pub(super) const PREFIX: usize = 16;

/// An entry holds half of the hash and the length, which tell most different
/// keys apart, then the first 16 bytes, padded with zeros, then where the
/// other bytes begin.
#[derive(Debug)]
pub(super) struct ByteEntries {
    entries: Buffer<[u64; 4]>,
    /// Entries in use; a last one says where the rest of the last key ends.
    len: usize,
    rest: Vec<u8>,
}

/// The first word of an entry. A length beyond 32 bits counts as the largest:
/// comparing the other bytes decides.
#[inline(always)]
pub(super) fn head(hash: u64, len: usize) -> u64 {
    hash & 0xffff_ffff_0000_0000 | len.min(u32::MAX as usize) as u64
}

/// Byte strings by row.
pub(super) trait ByteRows<'a>: Copy {
    /// The key of `row`.
    fn key(self, row: usize) -> &'a [u8];

    /// The first 16 bytes of the key of `row`, padded with zeros, and the key.
    #[inline(always)]
    fn prefix(self, row: usize) -> (u128, &'a [u8]) {
        let key = self.key(row);
        (padded(key), key)
    }
}

impl<'a> ByteRows<'a> for &'a ByteKeys {
    #[inline(always)]
    fn key(self, row: usize) -> &'a [u8] {
        self.get(row)
    }

    #[inline(always)]
    fn prefix(self, row: usize) -> (u128, &'a [u8]) {
        let from = self.offsets()[row] as usize;
        let key = self.get(row);
        let padded = match self.values().get(from..from + PREFIX) {
            Some(bytes) => {
                let bytes = u128::from_le_bytes(bytes.try_into().expect("16 bytes"));
                if key.len() >= PREFIX { bytes } else { bytes & ((1 << (8 * key.len())) - 1) }
            }
            None => padded(key),
        };
        (padded, key)
    }
}

impl<'a> ByteRows<'a> for &'a [&'a [u8]] {
    #[inline(always)]
    fn key(self, row: usize) -> &'a [u8] {
        self[row]
    }
}

/// The first 16 bytes of a key, padded with zeros: of shorter ones two parts that overlap.
#[inline(always)]
fn padded(key: &[u8]) -> u128 {
    if let Some(bytes) = key.first_chunk() {
        return u128::from_le_bytes(*bytes);
    }
    if let (Some(low), Some(high)) = (key.first_chunk(), key.last_chunk()) {
        let (low, high) = (u64::from_le_bytes(*low), u64::from_le_bytes(*high));
        return u128::from(low) | u128::from(high) << (8 * (key.len() - 8));
    }
    if let (Some(low), Some(high)) = (key.first_chunk(), key.last_chunk()) {
        let (low, high) = (u32::from_le_bytes(*low), u32::from_le_bytes(*high));
        return u128::from(u64::from(low) | u64::from(high) << (8 * (key.len() - 4)));
    }
    key.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u128::from(byte))
}

impl ByteEntries {
    /// Room for `keys` keys and for `padding` entries after them, which may be
    /// read and match nothing but empty keys.
    pub(super) fn with_room(keys: usize, padding: usize) -> Self {
        Self { entries: Buffer::zeroed(keys + padding.max(1)), len: 0, rest: Vec::new() }
    }

    /// Appends the key of `row`.
    ///
    /// # Panics
    /// If there is no room.
    #[inline]
    pub(super) fn push<'a>(&mut self, keys: impl ByteRows<'a>, row: usize, hash: u64) {
        let (prefix, key) = keys.prefix(row);
        let from = self.rest.len() as u64;
        self.entries[self.len] =
            [head(hash, key.len()), prefix as u64, (prefix >> 64) as u64, from];
        self.rest.extend_from_slice(key.get(PREFIX..).unwrap_or_default());
        self.len += 1;
        self.entries[self.len][3] = self.rest.len() as u64;
    }

    /// Releases what was reserved and not used.
    pub(super) fn shrink(&mut self, padding: usize) {
        let used = self.len + padding.max(1);
        if used < self.entries.len() {
            self.entries = Buffer::copied_from(&self.entries[..used]);
        }
        self.rest.shrink_to_fit();
    }

    /// Makes room for `keys` keys, padding not included, and `rest` bytes of those
    /// beyond their first 16.
    pub(super) fn grow(&mut self, keys: usize, rest: usize) {
        self.entries.grow(keys + 1);
        self.rest.reserve_exact(rest.saturating_sub(self.rest.len()));
    }

    /// Whether the key of `row` fits what was reserved.
    #[inline]
    pub(super) fn has_room<'a>(&self, keys: impl ByteRows<'a>, row: usize) -> bool {
        let rest = keys.key(row).len().saturating_sub(PREFIX);
        self.len + 1 < self.entries.len() && rest <= self.rest.capacity() - self.rest.len()
    }

    /// Removes all keys but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.len {
            let rest = if len == 0 { 0 } else { self.entries[len][3] };
            self.rest.truncate(rest as usize);
            self.entries[len..=self.len].fill([0; 4]);
            self.entries[len][3] = rest;
            self.len = len;
        }
    }

    /// Appends the bytes of key `at` to `bytes`.
    pub(super) fn append_to(&self, at: usize, bytes: &mut Vec<u8>) {
        let [head, low, high, from] = self.entries[at];
        let mut prefix = [0; PREFIX];
        prefix[..8].copy_from_slice(&low.to_le_bytes());
        prefix[8..].copy_from_slice(&high.to_le_bytes());
        bytes.extend_from_slice(&prefix[..(head as u32 as usize).min(PREFIX)]);
        bytes.extend_from_slice(self.rest_of(at, from));
    }

    /// Bytes of the keys beyond their first 16.
    pub(super) fn rest_len(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether half of the hash and the length are those of the probe row.
    ///
    /// # Safety
    /// `at` is below the number of entries, padding included.
    #[inline(always)]
    pub(super) unsafe fn may_match<'a>(
        &self,
        at: usize,
        keys: impl ByteRows<'a>,
        row: usize,
        hash: u64,
    ) -> bool {
        debug_assert!(at < self.entries.len());
        let len = keys.key(row).len();
        // SAFETY: the caller's.
        unsafe { self.entries.get_unchecked(at)[0] == head(hash, len) }
    }

    /// Whether key `at` is that of the probe row, whose hash and length are the
    /// same.
    #[inline(always)]
    pub(super) fn same_bytes<'a>(&self, at: usize, keys: impl ByteRows<'a>, row: usize) -> bool {
        let (prefix, key) = keys.prefix(row);
        let [_, low, high, from] = self.entries[at];
        let same = (low == prefix as u64) & (high == (prefix >> 64) as u64);
        same && (key.len() <= PREFIX || self.rest_of(at, from) == &key[PREFIX..])
    }

    fn rest_of(&self, at: usize, from: u64) -> &[u8] {
        &self.rest[from as usize..self.entries[at + 1][3] as usize]
    }

    /// Key `at` against the key of `row`: by half of the hash, then by bytes.
    pub(super) fn compare(&self, at: usize, keys: &ByteKeys, row: usize, hash: u64) -> Ordering {
        let [head, low, high, from] = self.entries[at];
        let key = keys.get(row);
        let mut prefix = [0; PREFIX];
        prefix[..8].copy_from_slice(&low.to_le_bytes());
        prefix[8..].copy_from_slice(&high.to_le_bytes());
        let len = (head as u32 as usize).min(PREFIX);
        (head >> 32).cmp(&(hash >> 32)).then_with(|| {
            prefix[..len]
                .cmp(&key[..key.len().min(PREFIX)])
                .then_with(|| self.rest_of(at, from).cmp(key.get(PREFIX..).unwrap_or_default()))
        })
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, at: usize) {
        prefetch_read(&self.entries, at);
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.bytes() + self.rest.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_the_same_wherever_a_key_lies() {
        let bytes: Vec<u8> = (1..=40).collect();
        for len in 0..=24 {
            let key = &bytes[..len];
            let mut expected = [0; PREFIX];
            expected[..len.min(PREFIX)].copy_from_slice(&key[..len.min(PREFIX)]);
            let expected = (u128::from_le_bytes(expected), key);
            assert_eq!((&[key][..]).prefix(0), expected, "apart");
            for after in [0, 16] {
                let offsets = vec![0, len as i64];
                let laid = ByteKeys::new(offsets.into(), bytes[..len + after].to_vec().into());
                assert_eq!((&laid.unwrap()).prefix(0), expected, "{after} bytes after it");
            }
        }
    }
}
