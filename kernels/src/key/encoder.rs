//! Packs the key columns of a row into one normalised key.

use arrow::array::{Array, ArrayRef};
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::DataType;

use super::byte_keys::ByteKeys;
use super::columns::{self, ByteColumn, Width};
use super::encoded::EncodedKeys;
use super::keys::Keys;
use super::shape::KeyShape;
use crate::error::{JoinError, Result};
use crate::null_equality::NullEquality;

/// Encodes key columns. Both sides of a join encode with the same encoder, so
/// that equal keys have equal bits.
///
/// Column values stand side by side; a null-safe column carries a flag byte of
/// its own, so null is not 0, and byte strings in a composite key carry their
/// length, so ("a", "bc") is not ("ab", "c").
#[derive(Clone, Debug)]
pub struct KeyEncoder {
    columns: Vec<KeyColumn>,
    shape: KeyShape,
}

#[derive(Clone, Debug)]
struct KeyColumn {
    data_type: DataType,
    width: Width,
    null_safe: bool,
}

impl KeyColumn {
    fn bytes(&self) -> Option<usize> {
        let flag = usize::from(self.null_safe);
        match self.width {
            Width::Word(bytes) => Some(bytes + flag),
            Width::Wide => Some(16 + flag),
            Width::Bytes => None,
        }
    }
}

impl KeyEncoder {
    /// Plans the packing of columns of these types.
    ///
    /// # Errors
    /// [`JoinError::UnsupportedKey`] for nested types, dictionaries (cast them
    /// to their value type first) and the like.
    pub fn new(columns: &[(DataType, NullEquality)]) -> Result<Self> {
        let columns = columns
            .iter()
            .map(|(data_type, null_equality)| {
                Ok(KeyColumn {
                    data_type: data_type.clone(),
                    width: columns::width(data_type)?,
                    null_safe: *null_equality == NullEquality::NullSafe,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let total = columns.iter().try_fold(0, |sum, column| Some(sum + column.bytes()?));
        let shape = match total {
            Some(0..=8) => KeyShape::Word,
            Some(9..=16) => KeyShape::Wide,
            _ => KeyShape::Bytes,
        };
        Ok(Self { columns, shape })
    }

    /// The form of the keys that come out.
    #[must_use]
    pub fn shape(&self) -> KeyShape {
        self.shape
    }

    /// Encodes the key columns of a batch, `rows` long each.
    ///
    /// # Errors
    /// [`JoinError::Schema`] if number, types or lengths are not as planned.
    pub fn encode(&self, arrays: &[ArrayRef], rows: usize) -> Result<EncodedKeys> {
        if arrays.len() != self.columns.len() {
            return Err(JoinError::Schema(format!(
                "{} key columns were planned, {} came",
                self.columns.len(),
                arrays.len()
            )));
        }
        for (column, array) in self.columns.iter().zip(arrays) {
            if *array.data_type() != column.data_type || array.len() != rows {
                return Err(JoinError::Schema(format!(
                    "a key column of {rows} rows of {} was planned, {} rows of {} came",
                    column.data_type,
                    array.len(),
                    array.data_type()
                )));
            }
        }
        let keys = match self.shape {
            KeyShape::Word => Keys::Words(self.encode_words(arrays, rows)),
            KeyShape::Wide => Keys::Wide(self.encode_wide(arrays, rows)),
            KeyShape::Bytes => Keys::Bytes(self.encode_bytes(arrays, rows)),
        };
        Ok(EncodedKeys { keys, matchable: self.matchable(arrays) })
    }

    fn matchable(&self, arrays: &[ArrayRef]) -> Option<BooleanBuffer> {
        self.columns
            .iter()
            .zip(arrays)
            .filter(|(column, _)| !column.null_safe)
            .filter_map(|(_, array)| columns::validity(array))
            .reduce(|a, b| NullBuffer::union(Some(&a), Some(&b)).unwrap_or(a))
            .map(NullBuffer::into_inner)
    }

    fn encode_words(&self, arrays: &[ArrayRef], rows: usize) -> ScalarBuffer<u64> {
        match &self.columns[..] {
            [KeyColumn { null_safe: false, .. }] => columns::words(&arrays[0]),
            _ => self.pack::<u64>(arrays, rows).into(),
        }
    }

    fn encode_wide(&self, arrays: &[ArrayRef], rows: usize) -> ScalarBuffer<i128> {
        match &self.columns[..] {
            [KeyColumn { width: Width::Wide, .. }] => columns::wide(&arrays[0]),
            _ => self.pack::<u128>(arrays, rows).into_iter().map(|key| key as i128).collect(),
        }
    }

    /// Lays columns of at most 8 bytes side by side, the first one lowest.
    fn pack<P: Packed>(&self, arrays: &[ArrayRef], rows: usize) -> Vec<P> {
        let mut packed = vec![P::default(); rows];
        let mut shift = 0;
        for (column, array) in self.columns.iter().zip(arrays) {
            let Width::Word(bytes) = column.width else {
                unreachable!("a 16-byte column fills a wide key alone")
            };
            let flag_shift = shift + 8 * bytes as u32;
            let words = columns::words(array);
            let nulls = if column.null_safe { columns::validity(array) } else { None };
            match nulls {
                None => {
                    packed.iter_mut().zip(&words[..]).for_each(|(key, &word)| key.or(word, shift));
                }
                Some(nulls) => {
                    for ((key, &word), valid) in packed.iter_mut().zip(&words[..]).zip(nulls.iter())
                    {
                        if valid { key.or(word, shift) } else { key.or(1, flag_shift) }
                    }
                }
            }
            shift = flag_shift + if column.null_safe { 8 } else { 0 };
        }
        packed
    }

    fn encode_bytes(&self, arrays: &[ArrayRef], rows: usize) -> ByteKeys {
        if let [KeyColumn { null_safe: false, width: Width::Bytes, .. }] = &self.columns[..] {
            return ByteColumn::new(&arrays[0]).into_keys();
        }
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0i64);
        let mut values = Vec::new();
        let parts: Vec<Part<'_>> = self
            .columns
            .iter()
            .zip(arrays)
            .map(|(column, array)| Part {
                values: match column.width {
                    Width::Word(bytes) => PartValues::Words(columns::words(array), bytes),
                    Width::Wide => PartValues::Wide(columns::wide(array)),
                    Width::Bytes => PartValues::Bytes(ByteColumn::new(array)),
                },
                null_safe: column.null_safe,
                validity: columns::validity(array),
            })
            .collect();
        for row in 0..rows {
            for part in &parts {
                part.append(row, &mut values);
            }
            offsets.push(values.len() as i64);
        }
        ByteKeys::laid_out(offsets.into(), values.into())
    }
}

/// A fixed-width key that columns are packed into.
trait Packed: Copy + Default {
    /// Sets the bits of `word`, moved up by `shift`, which leaves them inside.
    fn or(&mut self, word: u64, shift: u32);
}

impl Packed for u64 {
    #[inline(always)]
    fn or(&mut self, word: u64, shift: u32) {
        *self |= word << shift;
    }
}

impl Packed for u128 {
    #[inline(always)]
    fn or(&mut self, word: u64, shift: u32) {
        *self |= u128::from(word) << shift;
    }
}

/// One column of a composite byte key.
struct Part<'a> {
    values: PartValues<'a>,
    null_safe: bool,
    validity: Option<NullBuffer>,
}

enum PartValues<'a> {
    Words(ScalarBuffer<u64>, usize),
    Wide(ScalarBuffer<i128>),
    Bytes(ByteColumn<'a>),
}

impl Part<'_> {
    fn append(&self, row: usize, key: &mut Vec<u8>) {
        let valid = self.validity.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        if self.null_safe {
            key.push(u8::from(!valid));
        }
        if !valid {
            // Null-safe: the flag says all. Otherwise the row matches nothing.
            return;
        }
        match &self.values {
            PartValues::Words(words, bytes) => {
                key.extend_from_slice(&words[row].to_le_bytes()[..*bytes]);
            }
            PartValues::Wide(words) => key.extend_from_slice(&words[row].to_le_bytes()),
            PartValues::Bytes(column) => {
                let value = column.get(row);
                key.extend_from_slice(&(value.len() as u64).to_le_bytes());
                key.extend_from_slice(value);
            }
        }
    }
}
