//! Which index to build: the one whose build and probes together cost least,
//! by a model fitted from measurements, not by sizes set once and for all.
//!
//! ```
//! use streamjoin_kernels::Result;
//! use streamjoin_kernels::table::KeyTable;
//! use streamjoin_kernels::table::auto::AutoIndex;
//!
//! # fn main() -> Result<()> {
//! let keys: Vec<u64> = (0..100_000).map(|i| i * i).collect();
//! let index_for = |probe_rows| -> Result<&'static str> {
//!     let auto = AutoIndex::default().with_probe_rows(probe_rows);
//!     Ok(KeyTable::builder().with_index(auto).build(&keys)?.index_name())
//! };
//! // A table that is hardly used is one that is cheap to build.
//! assert_ne!(index_for(1e9)?, index_for(1e3)?);
//! # Ok(())
//! # }
//! ```

mod candidate;
mod expected;
mod first;
mod index;
mod model;
mod point;
mod sample;
mod shipped;
#[cfg(test)]
mod tests;

pub use candidate::Candidate;
pub use expected::{Expected, KeysAtHand};
pub(crate) use first::QuickestFirst;
pub use index::AutoIndex;
pub use model::{CostModel, Estimate};
pub use point::CostPoint;
