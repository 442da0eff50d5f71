//! Spark's rules: the types that values are compared as ([`comparison_type`]),
//! its [`cast`]s, its calendar, its spellings of join types, the columns of `ON` and
//! `USING`, and which joins it [supports](supported).

pub mod calendar;
mod cast;
mod coercion;
mod output;
mod spelling;
pub mod supported;
mod types;

pub use cast::{CastMode, can_cast, cast};
pub use coercion::{comparison_type, decimal_digits};
pub(crate) use output::using_keys;
pub use output::{output_on, output_using};
