//! What the keys of two sides are, and whether they can be compared.

use std::any::{TypeId, type_name};
use std::fmt;

use super::KeyShape;

/// What the keys of some rows are: which others they can be compared with.
///
/// Whole numbers of up to 8 bytes are compared by value, whatever their types:
/// `7_i32`, `7_u64` and `7_u8` are equal, `-1_i64` and `u64::MAX` are not. So are
/// `i128` and `u128`. Text and bytes are compared with each other, byte by byte,
/// pairs with pairs of the same types, and encoded keys with those of the same
/// [`KeyShape`], which should come from the same encoder.
#[derive(Clone, Copy, Debug)]
pub struct KeyKind {
    class: Class,
    /// Of the type that the keys have.
    name: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Number { signed: bool, shape: KeyShape },
    Bytes,
    Pair { types: TypeId, shape: KeyShape },
    Encoded(KeyShape),
}

/// How keys of two kinds compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Equal keys have equal bits.
    Bits,
    /// So they do, unless their highest bit is set: then they differ.
    UnlikeSigns,
}

impl KeyKind {
    pub(super) fn number<T>(signed: bool) -> Self {
        let shape = if size_of::<T>() <= 8 { KeyShape::Word } else { KeyShape::Wide };
        Self { class: Class::Number { signed, shape }, name: type_name::<T>() }
    }

    pub(super) fn bytes<T: ?Sized>() -> Self {
        Self { class: Class::Bytes, name: type_name::<T>() }
    }

    pub(super) fn pair<T: 'static>(shape: KeyShape) -> Self {
        Self { class: Class::Pair { types: TypeId::of::<T>(), shape }, name: type_name::<T>() }
    }

    pub(super) fn encoded(shape: KeyShape) -> Self {
        let name = match shape {
            KeyShape::Word => "encoded keys of up to 8 bytes",
            KeyShape::Wide => "encoded keys of 9 to 16 bytes",
            KeyShape::Bytes => "encoded keys of any length",
        };
        Self { class: Class::Encoded(shape), name }
    }

    /// The form in which they are looked up.
    #[must_use]
    pub fn shape(self) -> KeyShape {
        match self.class {
            Class::Number { shape, .. } | Class::Pair { shape, .. } | Class::Encoded(shape) => {
                shape
            }
            Class::Bytes => KeyShape::Bytes,
        }
    }

    /// How these keys compare with others; `None` if they do not.
    pub(crate) fn comparison(self, other: Self) -> Option<Comparison> {
        match (self.class, other.class) {
            (a, b) if a == b => Some(Comparison::Bits),
            (Class::Number { shape: a, .. }, Class::Number { shape: b, .. }) if a == b => {
                Some(Comparison::UnlikeSigns)
            }
            _ => None,
        }
    }
}

/// The name of the type, such as `u32`.
impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
