//! Join keys: Arrow columns in, normalised keys out.
//!
//! Columns are brought to one comparable type ([`comparison_type`], [`cast`]),
//! then packed: up to 8 bytes into one word, up to 16 into a wide word, all
//! else into byte strings. Equal keys have equal bits from then on; floats are
//! canonical, and rows whose key can match nothing are told apart by a mask.

mod cast;
mod coercion;
mod columns;
mod encoder;
mod keys;
#[cfg(test)]
mod tests;
mod view;

pub use cast::{CastMode, calendar, can_cast, cast};
pub use coercion::{comparison_type, decimal_digits};
pub use encoder::{EncodedKeys, KeyEncoder, KeyShape};
pub use keys::{ByteKeys, Keys};
pub use view::{KeyRows, KeyView};
