//! The gate of a team's CI: one pass over each recording for each strategy,
//! compared with what it came to before.
//!
//! There is no clock in it. What is compared are answers, rows and bytes of
//! state, bytes of tables and counts of work, which are the same in every run
//! of the same program on the same data, whatever the machine: what could make
//! them differ is forced ([`Footing`](crate::plan::Footing)). So there is no
//! noise, and nothing has to be repeated.
//!
//! [`baseline`] is the file, [`input`] says whether the question is still the
//! same, [`measure`] answers it, [`compare`] tells the answers apart, and
//! [`report`] and [`junit`] are what people and build servers see of it.

pub mod baseline;
pub mod compare;
mod figures;
pub mod input;
pub mod junit;
pub mod measure;
pub mod report;

pub use baseline::{Baseline, BaselineFile, Case, Change, Entry};
pub use compare::{Difference, Verdict};
pub use figures::{Figure, Figures, Measured};
pub use report::{CaseReport, GateReport, gate_schema};
