//! What a run would lose and hold at each of many watermark delays, found in
//! one pass over the recording.
//!
//! # How one pass is enough
//! The delays are put in ascending order. A greater delay keeps the watermark
//! back in every batch, so everything that a delay decides, it decides
//! monotonously: a row that is accepted at one delay is accepted at all greater
//! ones, and a row that is in state at one delay is so at all greater ones. What
//! becomes of a row is therefore three numbers, whatever the number of delays:
//! the first delay at which it is accepted, the first at which it has met a
//! match, and (as the lines move) the first at which it is still in state.
//! [`AscendingDelays`](ascending::AscendingDelays) keeps them: it moves the watermarks of all delays in lock step with
//! the kernels' own [`Watermarks`](streamjoin_kernels::time::Watermarks), finds
//! a row's first delay by binary search, and adds to the counts of a range of
//! delays at once. An eviction looks at the rows that some delay's line has just
//! passed, in the order of time ([`held_rows`]), at each once; never at all rows.
//!
//! Inner joins need no more: what they hold does not depend on matches. Outer,
//! semi and anti joins need the pairs, found once by one operator
//! ([`PairFinder`](pair_finder::PairFinder)), an inner join of the same condition at the greatest of the
//! delays: every pair that any delay sees is among its pairs. A pair is seen
//! from the first delay on at which both rows are accepted and the one that came
//! first is still in state when the other comes.
//!
//! [`Intake`](intake::Intake) asks the operator's own intake which rows the watermark sees. That
//! all of this gives what the operator reports, count by count, is
//! tested on random streams.
//!
//! Delays of the two sides that are neither both smaller nor both greater than
//! others are kept in a group of their own, over the same batches and pairs.

mod ascending;
mod delay_counts;
mod delays;
mod follow;
mod follower;
mod held_rows;
mod intake;
mod lateness;
mod many_delays;
mod pair_finder;
mod range_counts;
#[cfg(test)]
mod tests;

pub use delays::Delays;
pub use lateness::Vary;

pub(super) use delay_counts::{DelayOutcome, SideRows};
pub(super) use follow::{lateness, simulate};
pub(super) use lateness::Lateness;
