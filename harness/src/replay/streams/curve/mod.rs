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
//! [`Chain`] keeps them: it moves the watermarks of all delays in lock step with
//! the kernels' own [`Watermarks`](streamjoin_kernels::time::Watermarks), finds
//! a row's first delay by binary search, and adds to the counts of a range of
//! delays at once. An eviction looks at the rows that some delay's line has just
//! passed, in the order of time ([`shelf`]), at each once; never at all rows.
//!
//! Inner joins need no more: what they hold does not depend on matches. Outer,
//! semi and anti joins need the pairs, found once by one operator
//! ([`Matcher`]), an inner join of the same condition at the greatest of the
//! delays: every pair that any delay sees is among its pairs. A pair is seen
//! from the first delay on at which both rows are accepted and the one that came
//! first is still in state when the other comes.
//!
//! [`Sieve`] repeats what the operator's intake does before the watermark sees a
//! row. That all of this gives what the operator reports, count by count, is
//! tested on random streams.
//!
//! Delays of the two sides that are neither both smaller nor both greater than
//! others are kept in a chain of their own, over the same batches and pairs.

mod chain;
mod delays;
mod lateness;
mod ledger;
mod matcher;
mod run;
mod shelf;
mod sieve;
mod tally;
#[cfg(test)]
mod tests;

pub use delays::Delays;
pub use lateness::{Lateness, Vary};
pub use ledger::{CurvePoint, SideRows};
pub use run::{lateness, watermark_curve};

use arrow::array::RecordBatch;
use streamjoin_kernels::{Result, Side, StreamStreamSpec};

use chain::{Chain, Rules};
use matcher::Matcher;
use sieve::{Seen, Sieve};

/// Follows a recording, batch by batch.
pub(super) trait Follower {
    /// A batch: the rows that a join would be given, the event time that opens
    /// it, whether a stream is at its end.
    fn data(
        &mut self,
        sides: [&[RecordBatch]; 2],
        opens_at: Option<i64>,
        ended: bool,
    ) -> Result<()>;

    /// A side leaves the global watermark, or comes back.
    fn set_taking_part(&mut self, side: Side, takes_part: bool);

    /// The batch without input runs where it is due.
    fn no_data(&mut self) -> Result<()>;
}

/// Both sides, left first.
pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// The place of a side in a pair of things.
pub(super) fn at(side: Side) -> usize {
    match side {
        Side::Left => 0,
        Side::Right => 1,
    }
}

/// Many settings of the delays over the same batches.
#[derive(Debug)]
pub(super) struct Curve {
    sieves: [Sieve; 2],
    matcher: Option<Matcher>,
    chains: Vec<Chain>,
    /// For each chain, which of the settings its delays are.
    places: Vec<Vec<usize>>,
    /// Rows that came in, of each side.
    rows_in: [u64; 2],
    /// Rows numbered so far.
    numbered: u64,
    /// Greatest event time of both streams so far.
    max_time: Option<i64>,
}

impl Curve {
    /// `settings` declare watermarks where `spec` does.
    pub(super) fn new(spec: &StreamStreamSpec, settings: &[Delays]) -> Result<Self> {
        let places = delays::chains(settings);
        let rules = Rules::new(spec);
        let chain = |places: &Vec<usize>| {
            let delays: Vec<Delays> = places.iter().map(|&place| settings[place]).collect();
            Chain::new(rules.clone(), &delays)
        };
        let greatest = settings.iter().copied().reduce(Delays::max);
        let matcher = match greatest {
            Some(greatest) if rules.need_pairs() => {
                Some(Matcher::new(spec, greatest, places.len())?)
            }
            _ => None,
        };
        Ok(Self {
            sieves: [Sieve::new(spec, Side::Left)?, Sieve::new(spec, Side::Right)?],
            matcher,
            chains: places.iter().map(chain).collect(),
            places,
            rows_in: [0; 2],
            numbered: 0,
            max_time: None,
        })
    }

    /// Rows that came in, of the left and the right side.
    pub(super) fn rows_in(&self) -> [u64; 2] {
        self.rows_in
    }

    /// What each setting came to, in the order in which they were given.
    pub(super) fn finish(self) -> Vec<CurvePoint> {
        let of_chain =
            |(chain, places): (Chain, Vec<usize>)| places.into_iter().zip(chain.finish());
        let mut points: Vec<(usize, CurvePoint)> =
            self.chains.into_iter().zip(self.places).flat_map(of_chain).collect();
        points.sort_by_key(|(place, _)| *place);
        points.into_iter().map(|(_, point)| point).collect()
    }
}

impl Follower for Curve {
    fn data(
        &mut self,
        sides: [&[RecordBatch]; 2],
        opens_at: Option<i64>,
        ended: bool,
    ) -> Result<()> {
        self.max_time = self.max_time.max(opens_at);
        if sides.iter().all(|batches| batches.iter().all(|batch| batch.num_rows() == 0)) {
            return Ok(());
        }
        let [left, right] = &self.sieves;
        let seen: [Seen; 2] = [left.look(sides[0])?, right.look(sides[1])?];
        for (rows_in, batches) in self.rows_in.iter_mut().zip(sides) {
            *rows_in += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        }
        let first = [self.numbered, self.numbered + seen[0].passing()];
        self.numbered = first[1] + seen[1].passing();
        for chain in &mut self.chains {
            chain.begin(&seen, first);
        }
        if let Some(matcher) = &mut self.matcher {
            matcher.push(sides, &seen, first, &mut self.chains)?;
        }
        self.max_time = seen.iter().map(|seen| seen.max_time).max().flatten().max(self.max_time);
        for chain in &mut self.chains {
            chain.end(&seen, self.max_time, ended);
        }
        Ok(())
    }

    fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        if let Some(matcher) = &mut self.matcher {
            matcher.set_taking_part(side, takes_part);
        }
        for chain in &mut self.chains {
            chain.set_taking_part(side, takes_part);
        }
    }

    fn no_data(&mut self) -> Result<()> {
        if let Some(matcher) = &mut self.matcher {
            matcher.advance()?;
        }
        for chain in &mut self.chains {
            chain.advance(self.max_time);
        }
        Ok(())
    }
}
