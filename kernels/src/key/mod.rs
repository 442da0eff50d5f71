//! Join keys: Arrow columns in, normalised keys out.
//!
//! Columns are brought to one comparable type ([`comparison_type`](crate::spark::comparison_type),
//! [`cast`](crate::spark::cast)),
//! then packed: up to 8 bytes into one word, up to 16 into a wide word, all
//! else into byte strings. Equal keys have equal bits from then on; floats are
//! canonical, and rows whose key can match nothing are told apart by a mask.
//!
//! Plain slices are keys as they stand: [`KeyRows`] lists what a table of keys takes.
//!
//! ```
//! use std::sync::Arc;
//! use streamjoin_kernels::arrow::array::{ArrayRef, Int32Array, Int64Array};
//! use streamjoin_kernels::arrow::datatypes::DataType;
//! use streamjoin_kernels::NullEquality;
//! use streamjoin_kernels::key::{KeyEncoder, KeyShape};
//! use streamjoin_kernels::spark::{self, CastMode};
//!
//! # fn main() -> streamjoin_kernels::Result<()> {
//! let left = Arc::new(Int32Array::from(vec![Some(-1), None])) as ArrayRef;
//! let right = Arc::new(Int64Array::from(vec![7, -1])) as ArrayRef;
//! let common = spark::comparison_type(left.data_type(), right.data_type())?;
//! assert_eq!(common, DataType::Int64);
//!
//! let encoder = KeyEncoder::new(&[(common.clone(), NullEquality::NullMatchesNothing)])?;
//! assert_eq!(encoder.shape(), KeyShape::Word);
//! let left = encoder.encode(&[spark::cast(&left, &common, CastMode::Ansi)?], 2)?;
//! assert!(!left.matchable.expect("there is a null").value(1));
//! assert_eq!(left.keys.take(&[0]).len(), 1);
//! # Ok(())
//! # }
//! ```

mod byte_keys;
mod columns;
mod encoded;
mod encoder;
mod keys;
mod kind;
mod rows;
mod shape;
mod shaped;
mod strings;
#[cfg(test)]
mod tests;
mod value;
mod view;
mod widened;

pub use byte_keys::ByteKeys;
pub use encoded::EncodedKeys;
pub use encoder::KeyEncoder;
pub use keys::Keys;
pub(crate) use kind::Comparison;
pub use kind::KeyKind;
pub use rows::{BytesOf, KeyRows, RowMask};
pub use shape::KeyShape;
pub(crate) use shaped::{Shaped, shaped, wrong_shape};
pub(crate) use strings::Strings;
pub use value::{KeyPart, KeyValue, OwnedKey};
pub use view::KeyView;
pub(crate) use widened::Widened;
