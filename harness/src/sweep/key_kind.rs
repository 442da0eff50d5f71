//! Types of key columns, and keys made from ordinals.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, StringArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::DataType;
use streamjoin_kernels::arch::mix;

/// The ordinal of a null key.
pub(super) const NULL: u64 = u64::MAX;

/// The key columns of a workload. A key is made from an ordinal, distinct keys
/// from distinct ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// One 64-bit integer, sparse: any value may occur, in no order.
    I64,
    /// One 64-bit integer; the table has 0, 1, 2 ... in order.
    I64Dense,
    /// One 32-bit integer, sparse.
    I32,
    /// One 32-bit integer; the table has 0, 1, 2 ... in order.
    I32Dense,
    /// Two sparse 64-bit integers.
    I64Pair,
    /// A string of this many bytes; the first eight differ.
    Utf8(u16),
}

impl KeyKind {
    /// The kinds by name; strings may have any length from 8 to 1024.
    pub const NAMES: &str = "i64, i64-dense, i32, i32-dense, i64-pair, utf8-8, utf8-16, utf8-32 \
                             (any utf8-N from 8 to 1024)";

    /// Bytes of a key.
    pub fn bytes(self) -> usize {
        match self {
            Self::I64 | Self::I64Dense => 8,
            Self::I32 | Self::I32Dense => 4,
            Self::I64Pair => 16,
            Self::Utf8(bytes) => usize::from(bytes),
        }
    }

    /// The most distinct keys.
    pub fn most(self) -> u64 {
        match self {
            Self::I32 => 1 << 32,
            Self::I32Dense => 1 << 31,
            _ => 1 << 48,
        }
    }

    /// The types of the columns.
    pub fn types(self) -> Vec<DataType> {
        match self {
            Self::I64 | Self::I64Dense => vec![DataType::Int64],
            Self::I32 | Self::I32Dense => vec![DataType::Int32],
            Self::I64Pair => vec![DataType::Int64; 2],
            Self::Utf8(_) => vec![DataType::Utf8],
        }
    }

    /// The key columns of rows with these ordinals; [`NULL`] is null.
    pub(super) fn columns(self, ordinals: &[u64]) -> Vec<ArrayRef> {
        let nulls = ordinals
            .contains(&NULL)
            .then(|| NullBuffer::from_iter(ordinals.iter().map(|&ordinal| ordinal != NULL)));
        let longs = |value: fn(u64) -> u64| -> ArrayRef {
            let values: ScalarBuffer<i64> =
                ordinals.iter().map(|&ordinal| value(ordinal) as i64).collect();
            Arc::new(Int64Array::new(values, nulls.clone()))
        };
        let ints = |value: fn(u64) -> u64| -> ArrayRef {
            let values: ScalarBuffer<i32> =
                ordinals.iter().map(|&ordinal| value(ordinal) as i32).collect();
            Arc::new(Int32Array::new(values, nulls.clone()))
        };
        match self {
            Self::I64 => vec![longs(|ordinal| mix(ordinal ^ 0xabcd))],
            Self::I64Dense => vec![longs(|ordinal| ordinal)],
            Self::I32 => vec![ints(|ordinal| scramble(ordinal, 32))],
            Self::I32Dense => vec![ints(|ordinal| ordinal)],
            Self::I64Pair => {
                vec![longs(|ordinal| mix(ordinal ^ 0xabcd)), longs(|ordinal| mix(!ordinal))]
            }
            Self::Utf8(bytes) => vec![strings(ordinals, usize::from(bytes), nulls)],
        }
    }
}

/// Strings of 64 different characters, all equally likely.
fn strings(ordinals: &[u64], bytes: usize, nulls: Option<NullBuffer>) -> ArrayRef {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut values = Vec::with_capacity(ordinals.len() * bytes);
    for &ordinal in ordinals {
        let end = values.len() + bytes;
        for block in 0..bytes.div_ceil(8) as u64 {
            // The first block tells keys apart.
            let word = if block == 0 { scramble(ordinal, 48) } else { mix(ordinal ^ block << 50) };
            let characters = (0..8).map(|i| ALPHABET[(word >> (6 * i)) as usize % 64]);
            values.extend(characters.take(end - values.len()));
        }
    }
    let offsets = OffsetBuffer::from_lengths(ordinals.iter().map(|_| bytes));
    Arc::new(StringArray::new(offsets, Buffer::from_vec(values), nulls))
}

/// A bijection of the numbers of `bits` bits, from 2 to 63.
pub(super) fn scramble(word: u64, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let half = bits.div_ceil(2);
    let mut word = word & mask;
    for factor in [0x9e37_79b9_7f4a_7c15_u64, 0xff51_afd7_ed55_8ccd] {
        word ^= word >> half;
        word = word.wrapping_mul(factor) & mask;
    }
    word ^ word >> half
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::I64 => f.write_str("i64"),
            Self::I64Dense => f.write_str("i64-dense"),
            Self::I32 => f.write_str("i32"),
            Self::I32Dense => f.write_str("i32-dense"),
            Self::I64Pair => f.write_str("i64-pair"),
            Self::Utf8(bytes) => write!(f, "utf8-{bytes}"),
        }
    }
}

impl FromStr for KeyKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fixed = [Self::I64, Self::I64Dense, Self::I32, Self::I32Dense, Self::I64Pair];
        if let Some(kind) = fixed.into_iter().find(|kind| kind.to_string() == text) {
            return Ok(kind);
        }
        text.strip_prefix("utf8-")
            .and_then(|bytes| bytes.parse().ok())
            .filter(|bytes| (8..=1024).contains(bytes))
            .map(Self::Utf8)
            .ok_or_else(|| format!("unknown key `{text}`; known: {}", Self::NAMES))
    }
}
