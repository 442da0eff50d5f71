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
//! [`AscendingDelays`] keeps them: it moves the watermarks of all delays in lock step with
//! the kernels' own [`Watermarks`](streamjoin_kernels::time::Watermarks), finds
//! a row's first delay by binary search, and adds to the counts of a range of
//! delays at once. An eviction looks at the rows that some delay's line has just
//! passed, in the order of time ([`held_rows`]), at each once; never at all rows.
//!
//! Inner joins need no more: what they hold does not depend on matches. Outer,
//! semi and anti joins need the pairs, found once by one operator
//! ([`PairFinder`]), an inner join of the same condition at the greatest of the
//! delays: every pair that any delay sees is among its pairs. A pair is seen
//! from the first delay on at which both rows are accepted and the one that came
//! first is still in state when the other comes.
//!
//! [`Intake`] asks the operator's own intake which rows the watermark sees. That
//! all of this gives what the operator reports, count by count, is
//! tested on random streams.
//!
//! Delays of the two sides that are neither both smaller nor both greater than
//! others are kept in a group of their own, over the same batches and pairs.

mod ascending;
mod delay_counts;
mod delays;
mod follow;
mod held_rows;
mod intake;
mod lateness;
mod pair_finder;
mod range_counts;
#[cfg(test)]
mod tests;

pub use delays::Delays;
pub use lateness::Vary;

pub(super) use delay_counts::{DelayOutcome, SideRows};
pub(super) use follow::{lateness, simulate};
pub(super) use lateness::Lateness;

use arrow::array::RecordBatch;
use streamjoin_kernels::{Result, Side, Sides, stream_stream};

use ascending::{AscendingDelays, Rules};
use intake::{Intake, Seen};
use pair_finder::PairFinder;

/// Follows a recording, batch by batch.
pub(crate) trait Follower {
    /// A batch: the rows that a join would be given, the event time that opens
    /// it, whether a stream is at its end.
    fn data(
        &mut self,
        sides: Sides<&[RecordBatch]>,
        opens_at: Option<i64>,
        ended: bool,
    ) -> Result<()>;

    /// A side leaves the global watermark, or comes back.
    fn set_taking_part(&mut self, side: Side, takes_part: bool);

    /// The batch without input runs where it is due.
    fn no_data(&mut self) -> Result<()>;
}

/// Many settings of the delays over the same batches.
#[derive(Debug)]
pub(crate) struct Simulation {
    intake: Intake,
    pair_finder: Option<PairFinder>,
    groups: Vec<AscendingDelays>,
    /// For each group, which of the settings its delays are.
    places: Vec<Vec<usize>>,
    /// Rows that came in, of each side.
    rows_in: Sides<u64>,
    /// Rows numbered so far.
    numbered: u64,
    /// Greatest event time of both streams so far.
    max_time: Option<i64>,
}

impl Simulation {
    /// `settings` declare watermarks where `spec` does.
    pub(crate) fn new(spec: &stream_stream::Spec, settings: &[Delays]) -> Result<Self> {
        let places = delays::groups(settings);
        let rules = Rules::new(spec);
        let group = |places: &Vec<usize>| {
            let delays: Vec<Delays> = places.iter().map(|&place| settings[place]).collect();
            AscendingDelays::new(rules.clone(), &delays)
        };
        let greatest = settings.iter().copied().reduce(Delays::max);
        let pair_finder = match greatest {
            Some(greatest) if rules.need_pairs() => {
                Some(PairFinder::new(spec, greatest, places.len())?)
            }
            _ => None,
        };
        Ok(Self {
            intake: Intake::new(spec)?,
            pair_finder,
            groups: places.iter().map(group).collect(),
            places,
            rows_in: Sides::default(),
            numbered: 0,
            max_time: None,
        })
    }

    /// Rows that came in, of the left and the right side.
    pub(crate) fn rows_in(&self) -> Sides<u64> {
        self.rows_in
    }

    /// What a run with each setting reports, in the order in which they were given.
    pub(crate) fn finish(self) -> Vec<DelayOutcome> {
        let of_chain =
            |(group, places): (AscendingDelays, Vec<usize>)| places.into_iter().zip(group.finish());
        let mut points: Vec<(usize, DelayOutcome)> =
            self.groups.into_iter().zip(self.places).flat_map(of_chain).collect();
        points.sort_by_key(|(place, _)| *place);
        points.into_iter().map(|(_, point)| point).collect()
    }
}

impl Follower for Simulation {
    fn data(
        &mut self,
        sides: Sides<&[RecordBatch]>,
        opens_at: Option<i64>,
        ended: bool,
    ) -> Result<()> {
        self.max_time = self.max_time.max(opens_at);
        if sides.iter().all(|(_, batches)| batches.iter().all(|batch| batch.num_rows() == 0)) {
            return Ok(());
        }
        let seen: Sides<Seen> = Sides::try_new(|side| self.intake.look(side, sides[side]))?;
        for (side, batches) in sides {
            self.rows_in[side] += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        }
        let first = Sides { left: self.numbered, right: self.numbered + seen.left.passing() };
        self.numbered = first.right + seen.right.passing();
        for group in &mut self.groups {
            group.begin(&seen, first);
        }
        if let Some(pair_finder) = &mut self.pair_finder {
            pair_finder.push(sides, &seen, first, &mut self.groups)?;
        }
        self.max_time = self.max_time.max(seen.left.max_time).max(seen.right.max_time);
        for group in &mut self.groups {
            group.end(&seen, self.max_time, ended);
        }
        Ok(())
    }

    fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        if let Some(pair_finder) = &mut self.pair_finder {
            pair_finder.set_taking_part(side, takes_part);
        }
        for group in &mut self.groups {
            group.set_taking_part(side, takes_part);
        }
    }

    fn no_data(&mut self) -> Result<()> {
        if let Some(pair_finder) = &mut self.pair_finder {
            pair_finder.advance()?;
        }
        for group in &mut self.groups {
            group.advance(self.max_time);
        }
        Ok(())
    }
}
