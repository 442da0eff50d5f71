//! How great a delay each row needs not to be late.

use arrow::array::RecordBatch;
use hdrhistogram::Histogram;
use streamjoin_kernels::time::{DeclaredWatermarks, WatermarkPolicy};
use streamjoin_kernels::{Result, Side, Sides, stream_stream};

use super::delays::Delays;
use super::follower::Follower;
use super::intake::Intake;
use crate::watermark::MICROS;

/// Which delays vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vary {
    /// That of every side that declares a watermark: all have the same.
    Both,
    /// That of one side; the other keeps its own.
    One(Side),
}

impl Vary {
    /// Delays of which those that vary are `delay`.
    pub fn delays(self, declared: Delays, delay: i64) -> Delays {
        match self {
            Self::Both => declared.with(Side::Left, delay).with(Side::Right, delay),
            Self::One(side) => declared.with(side, delay),
        }
    }
}

/// The delays, in milliseconds, that rows need not to be late: for each row the
/// least one.
#[derive(Clone, Debug)]
pub(crate) struct Lateness {
    /// Rows that the watermark saw, of sides that declare one.
    pub(crate) rows: u64,
    /// Rows that are late whatever the delay: at or before 1970, or behind a
    /// watermark that the delay does not move.
    pub(crate) always: u64,
    /// Rows that are late without a delay, and in time with some.
    pub(crate) curable: u64,
    /// The least delay with which none of these is late.
    pub(crate) greatest: i64,
    /// Delays that the curable rows need.
    needed: Histogram<u64>,
}

impl Default for Lateness {
    fn default() -> Self {
        // Three digits are always accepted by the histogram.
        let needed = Histogram::new(3).unwrap_or_else(|_| unreachable!("3 is a valid precision"));
        Self { rows: 0, always: 0, curable: 0, greatest: 0, needed }
    }
}

impl Lateness {
    /// A delay, within a thousandth, with which that share of the curable rows
    /// is in time; none without such a row.
    pub(crate) fn delay_for(&self, share: f64) -> Option<i64> {
        let delay = i64::try_from(self.needed.value_at_quantile(share)).unwrap_or(i64::MAX);
        (self.curable > 0).then(|| delay.min(self.greatest))
    }

    fn add(&mut self, needed: Option<i64>) {
        self.rows += 1;
        match needed {
            None => self.always += 1,
            Some(..=0) => {}
            Some(needed) => {
                self.curable += 1;
                self.greatest = self.greatest.max(needed);
                // A histogram of its own size grows as it must.
                let _ = self.needed.record(needed.unsigned_abs());
            }
        }
    }
}

/// What the watermark can be at most, as a function of the delay: the greatest
/// of these, which only ever grow. In milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// The lesser of the two sides' values, of their greatest event times.
    lesser: Option<Sides<i64>>,
    /// A side's value alone.
    alone: Sides<Option<i64>>,
}

/// Finds the lateness of rows, without a delay to begin with.
#[derive(Debug)]
pub(crate) struct LatenessSurvey {
    intake: Intake,
    vary: Vary,
    policy: WatermarkPolicy,
    declared: Delays,
    /// Whether a moved watermark takes effect before the next batch.
    at_once: bool,
    /// Greatest event time of each side.
    greatest: Sides<Option<i64>>,
    takes_part: Sides<bool>,
    /// Of the next batch, and of the last one.
    reach: Reach,
    last: Reach,
    lateness: Lateness,
}

impl LatenessSurvey {
    pub(crate) fn new(spec: &stream_stream::Spec, vary: Vary) -> Result<Self> {
        let declared = Delays::declared(spec);
        let sides =
            DeclaredWatermarks { left: declared.left.is_some(), right: declared.right.is_some() };
        let evicts = Side::BOTH.into_iter().any(|side| spec.time.expiry(side, sides).is_bounded());
        Ok(Self {
            intake: Intake::new(spec)?,
            vary,
            policy: spec.policy,
            declared,
            at_once: spec.no_data_batches && evicts,
            greatest: Sides::default(),
            takes_part: Sides { left: true, right: true },
            reach: Reach::default(),
            last: Reach::default(),
            lateness: Lateness::default(),
        })
    }

    pub(crate) fn finish(self) -> Lateness {
        self.lateness
    }

    /// The least delay with which a row is in time; none if it never is.
    fn needed(&self, time: i64, reach: &Reach) -> Option<i64> {
        // Whole milliseconds: late at or before the watermark.
        let due = i128::from(time).div_euclid(i128::from(MICROS))
            + i128::from(time.rem_euclid(MICROS) > 0);
        let due = i64::try_from(due).unwrap_or(i64::MAX);
        if due <= 0 {
            return None;
        }
        let beyond = |greatest: i64| greatest.saturating_sub(due).saturating_add(1).max(0);
        // The fixed value of a side whose delay does not vary.
        let fixed = |side: Side, greatest: i64| {
            let delay = self.declared.on(side).unwrap_or(0).div_euclid(MICROS);
            greatest.saturating_sub(delay)
        };
        let mut needed = 0;
        for side in Side::BOTH {
            let Some(greatest) = reach.alone[side] else { continue };
            match self.vary {
                Vary::One(varying) if varying != side => {
                    if fixed(side, greatest) >= due {
                        return None;
                    }
                }
                _ => needed = needed.max(beyond(greatest)),
            }
        }
        if let Some(greatest) = reach.lesser {
            let Sides { left, right } = greatest;
            needed = needed.max(match self.vary {
                Vary::Both => beyond(left.min(right)),
                Vary::One(side) => {
                    let other = side.opposite();
                    match fixed(other, greatest[other]) >= due {
                        true => beyond(greatest[side]),
                        false => 0,
                    }
                }
            });
        }
        Some(needed)
    }

    /// Moves the watermark, as the end of a batch does.
    fn advance(&mut self) {
        let value = |side: Side| {
            let declared = self.declared.on(side).is_some();
            let greatest = self.greatest[side];
            (declared && self.takes_part[side]).then_some(greatest)
        };
        match (Sides::new(value), self.policy) {
            (Sides { left: Some(left), right: Some(right) }, WatermarkPolicy::Min) => {
                // A side that has seen nothing counts as 1970.
                let lesser = left.zip(right).map(|(left, right)| Sides { left, right });
                self.reach.lesser = lesser.or(self.reach.lesser);
            }
            (values, _) => {
                for (side, value) in values {
                    let alone = &mut self.reach.alone[side];
                    *alone = value.flatten().or(*alone);
                }
            }
        }
    }
}

impl Follower for LatenessSurvey {
    fn data(
        &mut self,
        sides: Sides<&[RecordBatch]>,
        _opens_at: Option<i64>,
        _ended: bool,
    ) -> Result<()> {
        if sides.iter().all(|(_, batches)| batches.iter().all(|batch| batch.num_rows() == 0)) {
            return Ok(());
        }
        let reach = if self.at_once { self.reach } else { self.last };
        self.last = self.reach;
        for side in Side::BOTH {
            let seen = self.intake.look(side, sides[side])?;
            if self.declared.on(side).is_some() {
                for time in &seen.times {
                    // Without a time no row is late.
                    let needed = time.map_or(Some(0), |time| self.needed(time, &reach));
                    self.lateness.add(needed);
                }
            }
            let greatest = seen.max_time.map(|time| time.div_euclid(MICROS));
            self.greatest[side] = self.greatest[side].max(greatest);
        }
        self.advance();
        Ok(())
    }

    fn set_taking_part(&mut self, side: Side, takes_part: bool) {
        self.takes_part[side] = takes_part;
        self.advance();
    }

    fn no_data(&mut self) -> Result<()> {
        Ok(())
    }
}
