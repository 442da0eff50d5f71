//! Spark's rules: the types that values are compared as ([`comparison_type`]),
//! its [`cast`]s, its calendar, and which joins it [supports](supported).

pub mod calendar;
mod cast;
mod coercion;
pub mod supported;

pub use cast::{CastMode, can_cast, cast};
pub use coercion::{comparison_type, decimal_digits};
