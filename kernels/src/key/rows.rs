//! Rows by their keys: what a table of keys takes, from plain slices to encoded columns.

use std::ops::Range;

use arrow::buffer::BooleanBuffer;

use super::{ByteKeys, EncodedKeys, KeyKind, KeyValue, KeyView, Keys, Widened};
use crate::error::{JoinError, Result};

/// Rows by their keys, and which of them can match at all.
///
/// It is implemented for
/// * slices, arrays and vectors of any [`KeyValue`]: `&[u32]`, `&[i64; 3]`, `&vec_of_strings`;
/// * [`BytesOf`] a slice of anything that is `AsRef<[u8]>`;
/// * a pair of any of these with a mask: `(&keys, &[true, false])`. Rows that are
///   unset match nothing. The mask is of `bool`s or a [`BooleanBuffer`];
/// * [`EncodedKeys`], whose nulls match nothing, [`Keys`], [`ByteKeys`] and [`KeyView`].
///
/// Nothing is copied as a whole to be looked up: what has to be widened or laid end to
/// end is, some thousands of rows at a time. The trait is sealed.
///
/// ```
/// use streamjoin_kernels::key::BytesOf;
/// use streamjoin_kernels::table::KeyTable;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let mut bits = Vec::new();
/// let table = KeyTable::new(&[-1_i32, 7])?;
/// table.exists(&[7_u64, u64::MAX], &mut bits)?; // by value, whatever the type
/// assert_eq!(bits, [0b01]);
///
/// let table = KeyTable::new(&["Bonn", "Ulm"])?;
/// table.exists(&vec!["Ulm".to_string(), "Jena".to_string()], &mut bits)?;
/// assert_eq!(bits, [0b01]);
/// table.exists((&["Ulm", "Bonn"], &[false, true]), &mut bits)?;
/// assert_eq!(bits, [0b10]);
///
/// struct Name(&'static str);
/// impl AsRef<[u8]> for Name {
///     fn as_ref(&self) -> &[u8] {
///         self.0.as_bytes()
///     }
/// }
/// table.exists(BytesOf(&[Name("Bonn")]), &mut bits)?;
/// assert_eq!(bits, [0b1]);
///
/// assert!(table.exists(&[7], &mut bits).unwrap_err().to_string().contains("i32"));
/// # Ok(())
/// # }
/// ```
pub trait KeyRows {
    /// What the keys are.
    fn kind(&self) -> KeyKind;

    /// Number of rows.
    fn rows(&self) -> usize;

    /// The keys of some of the rows, in `room` where they cannot stay as they are.
    #[doc(hidden)]
    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a>;

    /// Bytes that `view` needs in its room.
    #[doc(hidden)]
    fn copied_bytes(&self, rows: Range<usize>) -> usize;

    /// Appends the keys of some of the rows to `slices`, where they lie, if `view` would
    /// copy them as byte strings; whether it would.
    #[doc(hidden)]
    fn slices<'a>(&'a self, _rows: Range<usize>, _slices: &mut Vec<&'a [u8]>) -> bool {
        false
    }

    /// Which of these rows may match; `None` if all may.
    #[doc(hidden)]
    fn may_match(&self, _rows: Range<usize>) -> Option<BooleanBuffer> {
        None
    }

    /// # Errors
    /// [`JoinError::Schema`] for a mask of another length than the keys.
    #[doc(hidden)]
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Keys of any type that is `AsRef<[u8]>`: its bytes.
#[derive(Clone, Copy, Debug)]
pub struct BytesOf<'a, T>(pub &'a [T]);

/// A mask over rows: a slice, array or vector of `bool`s, or a [`BooleanBuffer`].
pub trait RowMask {
    /// Number of rows.
    #[doc(hidden)]
    fn rows(&self) -> usize;

    /// One bit for each of some of the rows.
    #[doc(hidden)]
    fn bits(&self, rows: Range<usize>) -> BooleanBuffer;
}

impl<K: KeyRows + ?Sized> KeyRows for &K {
    fn kind(&self) -> KeyKind {
        (**self).kind()
    }

    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        (**self).view(rows, room)
    }

    fn copied_bytes(&self, rows: Range<usize>) -> usize {
        (**self).copied_bytes(rows)
    }

    fn slices<'a>(&'a self, rows: Range<usize>, slices: &mut Vec<&'a [u8]>) -> bool {
        (**self).slices(rows, slices)
    }

    fn may_match(&self, rows: Range<usize>) -> Option<BooleanBuffer> {
        (**self).may_match(rows)
    }

    fn check(&self) -> Result<()> {
        (**self).check()
    }
}

macro_rules! slice_of_keys {
    ($([$($parameter:tt)*] $slice:ty),*) => {$(
        impl<T: KeyValue, $($parameter)*> KeyRows for $slice {
            fn kind(&self) -> KeyKind {
                T::kind()
            }

            fn rows(&self) -> usize {
                self.len()
            }

            fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
                T::view(&self[rows], room)
            }

            fn copied_bytes(&self, rows: Range<usize>) -> usize {
                T::copied_bytes(&self[rows])
            }

            fn slices<'a>(&'a self, rows: Range<usize>, slices: &mut Vec<&'a [u8]>) -> bool {
                T::slices(&self[rows], slices)
            }
        }
    )*};
}
slice_of_keys!([] [T], [const N: usize] [T; N], [] Vec<T>);

impl<T: AsRef<[u8]>> KeyRows for BytesOf<'_, T> {
    fn kind(&self) -> KeyKind {
        KeyKind::bytes::<T>()
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        room.bytes(self.0[rows].iter().map(AsRef::as_ref))
    }

    fn copied_bytes(&self, rows: Range<usize>) -> usize {
        Widened::room_for_bytes(self.0[rows].iter().map(|value| value.as_ref().len()))
    }

    fn slices<'a>(&'a self, rows: Range<usize>, slices: &mut Vec<&'a [u8]>) -> bool {
        slices.extend(self.0[rows].iter().map(AsRef::as_ref));
        true
    }
}

impl KeyRows for KeyView<'_> {
    fn kind(&self) -> KeyKind {
        KeyKind::encoded(self.shape())
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        self.part(rows, room)
    }

    fn copied_bytes(&self, _: Range<usize>) -> usize {
        0
    }
}

impl KeyRows for ByteKeys {
    fn kind(&self) -> KeyKind {
        KeyKind::bytes::<Self>()
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        KeyView::from(self).part(rows, room)
    }

    fn copied_bytes(&self, _: Range<usize>) -> usize {
        0
    }
}

impl KeyRows for Keys {
    fn kind(&self) -> KeyKind {
        KeyKind::encoded(self.shape())
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        KeyView::from(self).part(rows, room)
    }

    fn copied_bytes(&self, _: Range<usize>) -> usize {
        0
    }
}

impl KeyRows for EncodedKeys {
    fn kind(&self) -> KeyKind {
        self.keys.kind()
    }

    fn rows(&self) -> usize {
        self.keys.len()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        self.keys.view(rows, room)
    }

    fn copied_bytes(&self, _: Range<usize>) -> usize {
        0
    }

    fn may_match(&self, rows: Range<usize>) -> Option<BooleanBuffer> {
        self.matchable.as_ref().map(|mask| mask.bits(rows))
    }

    fn check(&self) -> Result<()> {
        self.matchable.as_ref().map_or(Ok(()), |mask| check_mask(self.keys.len(), mask))
    }
}

impl<K: KeyRows, M: RowMask> KeyRows for (K, M) {
    fn kind(&self) -> KeyKind {
        self.0.kind()
    }

    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn view<'a>(&'a self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a> {
        self.0.view(rows, room)
    }

    fn copied_bytes(&self, rows: Range<usize>) -> usize {
        self.0.copied_bytes(rows)
    }

    fn slices<'a>(&'a self, rows: Range<usize>, slices: &mut Vec<&'a [u8]>) -> bool {
        self.0.slices(rows, slices)
    }

    fn may_match(&self, rows: Range<usize>) -> Option<BooleanBuffer> {
        let bits = self.1.bits(rows.clone());
        Some(match self.0.may_match(rows) {
            Some(others) => &bits & &others,
            None => bits,
        })
    }

    fn check(&self) -> Result<()> {
        self.0.check()?;
        check_mask(self.0.rows(), &self.1)
    }
}

fn check_mask(keys: usize, mask: &impl RowMask) -> Result<()> {
    if mask.rows() == keys {
        return Ok(());
    }
    Err(JoinError::Schema(format!(
        "{} bits say which of {keys} keys may match: there must be one per key",
        mask.rows()
    )))
}

impl<M: RowMask + ?Sized> RowMask for &M {
    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn bits(&self, rows: Range<usize>) -> BooleanBuffer {
        (**self).bits(rows)
    }
}

impl RowMask for BooleanBuffer {
    fn rows(&self) -> usize {
        self.len()
    }

    fn bits(&self, rows: Range<usize>) -> BooleanBuffer {
        self.slice(rows.start, rows.len())
    }
}

macro_rules! slice_of_bools {
    ($([$($parameter:tt)*] $slice:ty),*) => {$(
        impl<$($parameter)*> RowMask for $slice {
            fn rows(&self) -> usize {
                self.len()
            }

            fn bits(&self, rows: Range<usize>) -> BooleanBuffer {
                BooleanBuffer::from(&self[rows])
            }
        }
    )*};
}
slice_of_bools!([] [bool], [const N: usize] [bool; N], [] Vec<bool>);
