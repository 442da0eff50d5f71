//! Streams and tables made by a formula: the same seed gives the same rows, in
//! batches of any size. A new generator is a file here, and a variant and an arm
//! of [`Generator`].

mod ad_events;
mod clock;
mod defaults;
mod dimension;
mod generator;
mod held_back;
mod keys;
mod nexmark;
mod permutation;
mod rate;
mod rows;
#[cfg(test)]
mod tests;

pub use ad_events::{AdEvents, AdStream};
pub use dimension::Dimension;
pub use generator::{GeneratedBatches, Generator};
pub use keys::Keys;
pub use nexmark::{Nexmark, NexmarkStream};
pub use rate::Rate;
