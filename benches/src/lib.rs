//! What the benches have in common: workloads, and what is measured of them.
//!
//! METHODOLOGY.md says how measurements are taken, BIAS.md what they favour.

pub mod state_workload;
