//! Many settings of the delays over the same batches.

use arrow::array::RecordBatch;
use streamjoin_kernels::stream_stream::Spec;
use streamjoin_kernels::{Result, Side, Sides};

use super::ascending::{AscendingDelays, Rules};
use super::delay_counts::DelayOutcome;
use super::delays::{self, Delays};
use super::follower::Follower;
use super::intake::{Intake, Seen};
use super::pair_finder::PairFinder;

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
    pub(crate) fn new(spec: &Spec, settings: &[Delays]) -> Result<Self> {
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
