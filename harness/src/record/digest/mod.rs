//! A 64-bit digest of each value of a column, in a canonical form.
//!
//! Integers count as `i64`, times as microseconds, decimals without trailing
//! zeros, floats as `f64` with one NaN and one zero, strings and binaries by
//! their bytes, dictionaries and run-length codes by value, nulls by a tag of
//! their own. Seeds are fixed and no platform hash is used: a checksum that was
//! recorded once holds for ever.

mod array;
mod value;

pub(crate) use array::values;
pub(super) use value::{ROW_SEED, combine, finish};
