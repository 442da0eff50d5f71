//! A grid of joins with a table: the cost of a build row and of a probe, by
//! workload and contender, compared with `row-at-a-time` and the memory limit.
//!
//! Rows are generated ([`Workload`], [`Data`]) with their answer, so that every
//! contender is checked against it ([`Found`]). [`Lookup`] measures an index by
//! itself, [`measure`] takes all contenders of a workload in turn. Benches use
//! the same rows and look-ups.

mod contender;
mod cost_cell;
mod data;
mod found;
mod grid;
mod index;
mod key_kind;
mod line;
mod lookup;
mod measure;
mod operator;
mod room;
#[cfg(test)]
mod tests;
mod timer;
mod workload;

pub use contender::Contender;
pub use cost_cell::CostCell;
pub use data::{Data, ProbeBatch};
pub use found::Found;
pub use grid::Grid;
pub use index::SweepIndex;
pub use key_kind::KeyKind;
pub use line::{SCHEMA_VERSION, SweepLine};
pub use lookup::{Lookup, Scratch};
pub use measure::{Effort, measure};
pub use room::{free_bytes, needed_bytes};
pub use workload::Workload;
