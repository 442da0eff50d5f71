//! Types whose values are keys as they stand: numbers, pairs of numbers, text.

use std::borrow::Cow;
use std::sync::Arc;

use super::{KeyKind, KeyShape, KeyView, Widened};
use crate::memory::same_layout;

/// A type whose values can be keys, so that a slice of them can be built from and
/// looked up.
///
/// | keys | how they are held | copied |
/// | --- | --- | --- |
/// | `u64`, `i64`, `usize`, `isize` | as they are | no |
/// | `u8` to `u32`, `i8` to `i32` | widened to 8 bytes, with their sign | block by block |
/// | `u128`, `i128` | as they are | no |
/// | pairs of numbers of up to 8 bytes each | packed into 8 or 16 bytes | block by block |
/// | `&str`, `String`, `Box<str>`, `Arc<str>`, `Cow<str>` | laid end to end | block by block |
/// | `&[u8]`, `Vec<u8>`, `Box<[u8]>`, `[u8; N]` | laid end to end | block by block |
///
/// What else is `AsRef<[u8]>` is wrapped in a [`BytesOf`](super::BytesOf). Floats are
/// not keys as they stand, since NaN and -0.0 have several forms: encode them with a
/// [`KeyEncoder`](super::KeyEncoder). The trait is sealed.
pub trait KeyValue: Sized {
    /// What they are.
    #[must_use]
    fn kind() -> KeyKind;

    /// The values as keys, in `room` where they cannot stay as they are.
    #[doc(hidden)]
    fn view<'a>(values: &'a [Self], room: &'a mut Widened) -> KeyView<'a>;

    /// Bytes that `view` needs in its room.
    #[doc(hidden)]
    fn copied_bytes(values: &[Self]) -> usize;

    /// Appends the values to `slices`, where they lie, if `view` copies them as byte
    /// strings; whether it does.
    #[doc(hidden)]
    fn slices<'a>(_values: &'a [Self], _slices: &mut Vec<&'a [u8]>) -> bool {
        false
    }
}

/// A key that can be had back from what holds it.
pub trait OwnedKey: KeyValue {
    /// The key of a row; `None` if it is not a value of this type, such as a number
    /// out of its range.
    #[doc(hidden)]
    fn restore(keys: KeyView<'_>, row: usize) -> Option<Self>;
}

macro_rules! as_they_are {
    ($($number:ty, $signed:literal => $variant:ident;)*) => {$(
        impl KeyValue for $number {
            fn kind() -> KeyKind {
                KeyKind::number::<Self>($signed)
            }

            fn view<'a>(values: &'a [Self], _: &'a mut Widened) -> KeyView<'a> {
                KeyView::$variant(same_layout(values))
            }

            fn copied_bytes(_: &[Self]) -> usize {
                0
            }
        }

        impl OwnedKey for $number {
            fn restore(keys: KeyView<'_>, row: usize) -> Option<Self> {
                let KeyView::$variant(words) = keys else { return None };
                words.get(row).map(|&word| word as Self)
            }
        }
    )*};
}
as_they_are! {
    u64, false => Words;
    i64, true => Words;
    u128, false => Wide;
    i128, true => Wide;
}
#[cfg(target_pointer_width = "64")]
as_they_are! {
    usize, false => Words;
    isize, true => Words;
}

macro_rules! widened {
    ($($number:ty, $signed:literal, $widest:ty;)*) => {$(
        impl KeyValue for $number {
            fn kind() -> KeyKind {
                KeyKind::number::<Self>($signed)
            }

            fn view<'a>(values: &'a [Self], room: &'a mut Widened) -> KeyView<'a> {
                // With its sign, if it has one.
                room.words(values.iter().map(|&value| value as u64))
            }

            fn copied_bytes(values: &[Self]) -> usize {
                size_of::<u64>() * values.len()
            }
        }

        impl OwnedKey for $number {
            fn restore(keys: KeyView<'_>, row: usize) -> Option<Self> {
                let KeyView::Words(words) = keys else { return None };
                Self::try_from(*words.get(row)? as $widest).ok()
            }
        }
    )*};
}
widened! {
    u8, false, u64;
    u16, false, u64;
    u32, false, u64;
    i8, true, i64;
    i16, true, i64;
    i32, true, i64;
}

/// A number that can be part of a pair.
pub trait KeyPart: Copy + 'static {
    /// Its bits, without the sign continued.
    #[doc(hidden)]
    fn bits(self) -> u64;

    /// The number with the lowest of these bits.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
}

macro_rules! part {
    ($($number:ty as $unsigned:ty),*) => {$(
        impl KeyPart for $number {
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }

            fn from_bits(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}
part!(u8 as u8, u16 as u16, u32 as u32, u64 as u64);
part!(i8 as u8, i16 as u16, i32 as u32, i64 as u64);

/// The bits of the first part of a pair that fits one word.
const fn shift<A>() -> u32 {
    8 * size_of::<A>() as u32
}

impl<A: KeyPart, B: KeyPart> KeyValue for (A, B) {
    fn kind() -> KeyKind {
        let small = size_of::<A>() + size_of::<B>() <= size_of::<u64>();
        KeyKind::pair::<Self>(if small { KeyShape::Word } else { KeyShape::Wide })
    }

    fn view<'a>(values: &'a [Self], room: &'a mut Widened) -> KeyView<'a> {
        if Self::kind().shape() == KeyShape::Word {
            room.words(values.iter().map(|(a, b)| a.bits() | b.bits() << shift::<A>()))
        } else {
            room.wide(values.iter().map(|(a, b)| i128::from(a.bits()) | i128::from(b.bits()) << 64))
        }
    }

    fn copied_bytes(values: &[Self]) -> usize {
        let key = if Self::kind().shape() == KeyShape::Word { 8 } else { 16 };
        key * values.len()
    }
}

impl<A: KeyPart, B: KeyPart> OwnedKey for (A, B) {
    fn restore(keys: KeyView<'_>, row: usize) -> Option<Self> {
        let (a, b) = match keys {
            KeyView::Words(words) => words.get(row).map(|&word| (word, word >> shift::<A>())),
            KeyView::Wide(words) => words.get(row).map(|&word| (word as u64, (word >> 64) as u64)),
            KeyView::Bytes(_) => None,
        }?;
        Some((A::from_bits(a), B::from_bits(b)))
    }
}

macro_rules! laid_end_to_end {
    (|$value:ident| $bytes:expr; $([$($parameter:tt)*] $text:ty),*) => {$(
        impl<$($parameter)*> KeyValue for $text {
            fn kind() -> KeyKind {
                KeyKind::bytes::<Self>()
            }

            fn view<'room>(values: &'room [Self], room: &'room mut Widened) -> KeyView<'room> {
                room.bytes(values.iter().map(|$value| $bytes))
            }

            fn copied_bytes(values: &[Self]) -> usize {
                Widened::room_for_bytes(values.iter().map(|$value| ($bytes).len()))
            }

            fn slices<'slices>(
                values: &'slices [Self],
                slices: &mut Vec<&'slices [u8]>,
            ) -> bool {
                slices.extend(values.iter().map(|$value| $bytes));
                true
            }
        }
    )*};
}
laid_end_to_end! {
    |text| text.as_bytes();
    [] &str, [] String, [] Box<str>, [] Arc<str>, [] Cow<'_, str>
}
laid_end_to_end! {
    |bytes| &bytes[..];
    [] &[u8], [] Vec<u8>, [] Box<[u8]>, [const N: usize] [u8; N]
}

impl OwnedKey for Vec<u8> {
    fn restore(keys: KeyView<'_>, row: usize) -> Option<Self> {
        let KeyView::Bytes(keys) = keys else { return None };
        (row < keys.len()).then(|| keys.get(row).to_vec())
    }
}

impl OwnedKey for String {
    fn restore(keys: KeyView<'_>, row: usize) -> Option<Self> {
        Self::from_utf8(Vec::restore(keys, row)?).ok()
    }
}
