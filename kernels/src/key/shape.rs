//! The form of keys.

/// The form of the normalised keys of a join; the same on both sides.
// Closed: whoever looks at keys, such as an index of the caller's own, must serve each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyShape {
    /// Up to 8 bytes.
    Word,
    /// 9 to 16 bytes.
    Wide,
    /// Any length.
    Bytes,
}
