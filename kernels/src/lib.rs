//! Join kernels for streams.

pub mod arch;
pub mod dimension;
mod error;
pub mod hash;
mod join_type;
pub mod key;
pub mod memory;
mod null_equality;
pub mod operator;
pub mod pairs;
pub mod probe;
mod side;
pub mod support;
pub mod table;

pub use arch::Isa;
pub use dimension::DimensionSnapshot;
pub use error::{JoinError, Result};
pub use hash::KeyHasher;
pub use join_type::JoinType;
pub use null_equality::NullEquality;
pub use operator::{
    JoinCursor, JoinOptions, JoinStats, KeyPair, Layout, OutputColumn, StreamStaticJoin,
    StreamStaticSpec, output_on, output_using, using_keys,
};
pub use probe::{ColumnRef, Filter, Predicate};
pub use side::Side;
pub use table::IndexKind;
