//! One key column's values as words, wide words or byte strings.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::byte_keys::ByteKeys;
use super::strings::Strings;
use crate::error::{JoinError, Result};

/// How the values of a key column are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// At most 8 bytes; the number says how many of them carry the value.
    Word(usize),
    /// 16 bytes.
    Wide,
    /// Any number of bytes.
    Bytes,
}

/// The width of a key column, or why it cannot be one.
pub(super) fn width(data_type: &DataType) -> Result<Width> {
    use DataType as T;
    Ok(match data_type {
        T::Boolean | T::Int8 | T::UInt8 | T::Null => Width::Word(1),
        T::Int16 | T::UInt16 | T::Float16 => Width::Word(2),
        T::Int32 | T::UInt32 | T::Float32 | T::Date32 | T::Time32(_) | T::Decimal32(..) => {
            Width::Word(4)
        }
        T::Int64
        | T::UInt64
        | T::Float64
        | T::Date64
        | T::Time64(_)
        | T::Timestamp(..)
        | T::Duration(_)
        | T::Decimal64(..) => Width::Word(8),
        T::Decimal128(..) => Width::Wide,
        T::Utf8
        | T::LargeUtf8
        | T::Utf8View
        | T::Binary
        | T::LargeBinary
        | T::BinaryView
        | T::FixedSizeBinary(_)
        | T::Decimal256(..) => Width::Bytes,
        other => {
            return Err(JoinError::UnsupportedKey {
                data_type: other.clone(),
                remedy: "join on its fields one by one, or cast it to a string".to_owned(),
            });
        }
    })
}

/// The values of a column of at most 8 bytes, as words in which equal values
/// have equal bits and only the low `Width::Word(n)` bytes are used, unless
/// n = 8. Null rows hold anything. 8-byte integers are not copied.
pub(super) fn words(array: &ArrayRef) -> ScalarBuffer<u64> {
    macro_rules! widen {
        ($t:ty, $bits:ty) => {
            array.as_primitive::<$t>().values().iter().map(|&v| u64::from(v as $bits)).collect()
        };
    }
    macro_rules! reinterpret {
        ($t:ty) => {{
            let values = array.as_primitive::<$t>().values();
            ScalarBuffer::new(values.inner().clone(), 0, values.len())
        }};
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().map(u64::from).collect(),
        DataType::Int8 => widen!(Int8Type, u8),
        DataType::Int16 => widen!(Int16Type, u16),
        DataType::Int32 => widen!(Int32Type, u32),
        DataType::UInt8 => widen!(UInt8Type, u8),
        DataType::UInt16 => widen!(UInt16Type, u16),
        DataType::UInt32 => widen!(UInt32Type, u32),
        DataType::Date32 => widen!(Date32Type, u32),
        DataType::Decimal32(..) => widen!(Decimal32Type, u32),
        DataType::Time32(TimeUnit::Second) => widen!(Time32SecondType, u32),
        DataType::Time32(_) => widen!(Time32MillisecondType, u32),
        DataType::Int64 => reinterpret!(Int64Type),
        DataType::UInt64 => reinterpret!(UInt64Type),
        DataType::Date64 => reinterpret!(Date64Type),
        DataType::Decimal64(..) => reinterpret!(Decimal64Type),
        DataType::Time64(TimeUnit::Microsecond) => reinterpret!(Time64MicrosecondType),
        DataType::Time64(_) => reinterpret!(Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => reinterpret!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => reinterpret!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => reinterpret!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => reinterpret!(TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => reinterpret!(DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => reinterpret!(DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => reinterpret!(DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => reinterpret!(DurationNanosecondType),
        DataType::Float16 => array
            .as_primitive::<Float16Type>()
            .values()
            .iter()
            .map(|v| {
                u64::from(if v.is_nan() {
                    0x7e00
                } else if v.to_f32() == 0.0 {
                    0
                } else {
                    v.to_bits()
                })
            })
            .collect(),
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().values().iter().map(|&v| canonical_f32(v)).collect()
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().values().iter().map(|&v| canonical_f64(v)).collect()
        }
        DataType::Null => vec![0; array.len()].into(),
        other => unreachable!("`width` lets no {other} through as a word"),
    }
}

/// One NaN, and no minus zero: what is equal has equal bits (rule 30).
#[inline]
fn canonical_f64(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() }
}

#[inline]
fn canonical_f32(value: f32) -> u64 {
    u64::from(if value.is_nan() { f32::NAN.to_bits() } else { (value + 0.0).to_bits() })
}

/// The values of a 16-byte column.
pub(super) fn wide(array: &ArrayRef) -> ScalarBuffer<i128> {
    array.as_primitive::<Decimal128Type>().values().clone()
}

/// The values of a variable-width column, row by row; a null is empty.
#[derive(Debug)]
pub(super) struct ByteColumn<'a> {
    array: &'a ArrayRef,
    kind: ByteKind<'a>,
}

#[derive(Debug)]
enum ByteKind<'a> {
    Strings(Strings<'a>),
    View,
    Fixed(usize, &'a [u8]),
}

impl<'a> ByteColumn<'a> {
    pub(super) fn new(array: &'a ArrayRef) -> Self {
        if let Some(strings) = Strings::of(array) {
            return Self { array, kind: ByteKind::Strings(strings) };
        }
        let kind = match array.data_type() {
            DataType::Utf8View | DataType::BinaryView => ByteKind::View,
            DataType::FixedSizeBinary(size) => {
                ByteKind::Fixed(*size as usize, array.as_fixed_size_binary().value_data())
            }
            DataType::Decimal256(..) => {
                ByteKind::Fixed(32, array.as_primitive::<Decimal256Type>().values().inner())
            }
            other => unreachable!("`width` lets no {other} through as bytes"),
        };
        Self { array, kind }
    }

    /// The column as byte keys; where Arrow's layout allows, not copied.
    pub(super) fn into_keys(self) -> ByteKeys {
        let values = |data: &'a [u8]| {
            let buffers = self.array.to_data();
            buffers.buffers().last().filter(|b| b.as_ptr() == data.as_ptr()).cloned()
        };
        match self.kind {
            ByteKind::Strings(Strings::Small(offsets, data)) => {
                if let Some(values) = values(data) {
                    let offsets = offsets.iter().map(|&offset| i64::from(offset)).collect();
                    return ByteKeys::laid_out(offsets, values);
                }
            }
            ByteKind::Strings(Strings::Large(offsets, data)) => {
                if let Some(values) = values(data) {
                    return ByteKeys::laid_out(offsets.to_vec().into(), values);
                }
            }
            ByteKind::View | ByteKind::Fixed(..) => {}
        }
        ByteKeys::collect((0..self.array.len()).map(|row| self.get(row)))
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> &'a [u8] {
        if self.array.is_null(row) {
            return &[];
        }
        match self.kind {
            ByteKind::Strings(strings) => strings.get(row),
            ByteKind::Fixed(size, values) => &values[row * size..(row + 1) * size],
            ByteKind::View if *self.array.data_type() == DataType::Utf8View => {
                self.array.as_string_view().value(row).as_bytes()
            }
            ByteKind::View => self.array.as_binary_view().value(row),
        }
    }
}

/// The validity of a column, none if no row is null.
pub(super) fn validity(array: &ArrayRef) -> Option<NullBuffer> {
    array.logical_nulls().filter(|nulls| nulls.null_count() > 0)
}
