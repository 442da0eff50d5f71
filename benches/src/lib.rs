//! What the benches share: workloads and what is measured on them. Joins with a
//! table take theirs from [`streamjoin::sweep`].
//!
//! METHODOLOGY.md says how measurements are taken, BIAS.md what they favour.

mod arguments;
mod effort;
pub mod state_workload;

pub use arguments::{count, number};
pub use effort::{full_grid, short, table_rows};
