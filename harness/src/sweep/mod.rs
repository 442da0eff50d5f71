//! A grid of joins with a table: what a build row and a probe cost, by workload
//! and strategy, beside `row-at-a-time` and the limit of memory.
//!
//! Rows are generated ([`Workload`], [`Data`]) with their answer, so that every
//! strategy is checked against it ([`Found`]). [`Lookup`] measures an index by
//! itself, [`measure`] takes all strategies of a workload in turn. Benches use
//! the same rows and look-ups.

mod costs;
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
mod strategy;
#[cfg(test)]
mod tests;
mod timer;
mod workload;
mod zipf;

pub use costs::CostCell;
pub use data::{Data, ProbeBatch};
pub use found::Found;
pub use grid::Grid;
pub use index::SweepIndex;
pub use key_kind::KeyKind;
pub use line::{SCHEMA_VERSION, SweepLine};
pub use lookup::{Lookup, Scratch};
pub use measure::{Effort, measure};
pub use room::{free_bytes, needed_bytes};
pub use strategy::Strategy;
pub use workload::Workload;
