//! Key columns: which type two sides are compared as, and the casts to it.

mod cast;
mod coercion;

pub use cast::{CastMode, calendar, can_cast, cast};
pub use coercion::comparison_type;
