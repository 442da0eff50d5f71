//! Join kernels for streams.

mod error;
mod join_type;
pub mod key;
mod null_equality;
mod side;
pub mod support;

pub use error::{JoinError, Result};
pub use join_type::JoinType;
pub use null_equality::NullEquality;
pub use side::Side;
