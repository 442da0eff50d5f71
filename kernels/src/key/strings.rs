//! The values of string and binary columns.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::*;

/// The values of a column whose strings or binaries lie end to end: where each begins
/// and the last one ends, and the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Strings<'a> {
    Small(&'a [i32], &'a [u8]),
    Large(&'a [i64], &'a [u8]),
}

impl<'a> Strings<'a> {
    /// The values of a column; `None` if it is of another type.
    pub(crate) fn of(array: &'a ArrayRef) -> Option<Self> {
        macro_rules! parts {
            ($variant:ident, $type:ty) => {{
                let array = array.as_bytes::<$type>();
                Self::$variant(array.value_offsets(), array.value_data())
            }};
        }
        Some(match array.data_type() {
            DataType::Utf8 => parts!(Small, Utf8Type),
            DataType::Binary => parts!(Small, BinaryType),
            DataType::LargeUtf8 => parts!(Large, LargeUtf8Type),
            DataType::LargeBinary => parts!(Large, LargeBinaryType),
            _ => return None,
        })
    }

    /// The value of a row; a null may have any.
    #[inline]
    pub(crate) fn get(self, row: usize) -> &'a [u8] {
        match self {
            Self::Small(starts, bytes) => &bytes[starts[row] as usize..starts[row + 1] as usize],
            Self::Large(starts, bytes) => &bytes[starts[row] as usize..starts[row + 1] as usize],
        }
    }
}
