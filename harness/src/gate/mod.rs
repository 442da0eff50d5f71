//! The gate of a team's CI: one pass over each recording per strategy, compared
//! with an earlier one.
//!
//! It measures no time. It compares answers, rows and bytes of state, bytes of
//! tables and counts of work, which are the same in every run of the same
//! program on the same data, whatever the machine: what could make them differ
//! is forced (`forced`, [`Footing`](crate::plan::Footing)). So there is no noise,
//! and nothing has to be repeated.
//!
//! [`baseline`] is the file, [`input`] says whether the query and its data are
//! still the same, [`measure`] runs a pass, [`compare`] judges its figures, and
//! [`report`] and [`junit`] are the output for people and build servers.

pub mod baseline;
pub mod compare;
mod figures;
mod forced;
pub mod input;
pub mod junit;
pub mod measure;
pub mod report;

pub use baseline::{Baseline, BaselineFile, Case, Change, Entry};
pub use compare::{Difference, Verdict};
pub use figures::{Figure, Figures, PassFigures};
pub use report::{CaseReport, GateReport, gate_schema};
