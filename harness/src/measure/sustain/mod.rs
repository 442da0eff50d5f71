//! The highest rate at which a strategy keeps up: [`rate`] asks a strategy in
//! trials, [`search`] chooses the rate of each.

mod rate;
mod search;
mod trial;

pub use rate::{Sustainable, SustainableRate, sustainable_rate};
pub use trial::{Trial, TrialOutcome};
