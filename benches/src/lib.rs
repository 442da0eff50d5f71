//! What the benches have in common: workloads, and what is measured of them.
//! Joins with a table take theirs from [`streamjoin::sweep`].
//!
//! METHODOLOGY.md says how measurements are taken, BIAS.md what they favour.

mod effort;
pub mod state_workload;

pub use effort::{full_grid, short, table_rows};
