//! Measuring: one strategy over several passes ([`measure`]), in a process of
//! its own ([`Worker`], [`serve`]), against other strategies ([`verify`]), and
//! for the highest rate at which it keeps up ([`sustainable_rate`]).

mod blind;
mod encode;
mod isolate;
mod measured;
mod memory;
mod message;
mod passes;
mod summary;
mod sustain;
mod verify;

pub use isolate::{Worker, serve};
pub use measured::Measured;
pub use memory::{MemoryPeaks, MemorySampler, anonymous_bytes};
pub use passes::{Outputs, UnmatchedTo, measure, measure_with};
pub use sustain::{Sustainable, SustainableRate, Trial, TrialOutcome, sustainable_rate};
pub use verify::{comparable, verify};
