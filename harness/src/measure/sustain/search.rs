//! The search for the highest rate at which a strategy keeps up.

use super::trial::{Trial, TrialOutcome};
use crate::error::Result;

/// The search ends when the lowest rate that fails is at most this many times the
/// highest that holds.
const FINE: f64 = 1.05;
/// From here on one trial does not decide: two of three do.
const NEAR: f64 = 1.3;
/// Where the search begins, as a share of the unthrottled rate.
const FIRST: f64 = 0.7;
/// How far below the unthrottled rate the search goes.
const LOWEST: f64 = 1.0 / 1024.0;
/// After this many steps without an end, the outcomes contradict each other.
const MOST_STEPS: usize = 40;
/// How far above it, should it have been measured at a bad moment.
const HIGHEST: f64 = 16.0;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// The highest rate that holds, in rows per second.
    pub rows_per_second: Option<f64>,
    /// The lowest rate above it that does not.
    pub fails_at: Option<f64>,
    /// What keeps the answer from being certain.
    pub inconclusive: Option<String>,
    /// A remark.
    pub note: Option<String>,
    /// The trials, in the order in which they were made.
    pub trials: Vec<Trial>,
}

/// Searches from `unthrottled` rows per second. `trial` replays at a rate; with
/// `steady` batches, a slower stream makes them less frequent and not smaller.
///
/// # Errors
/// Those of `trial`.
pub(super) fn search(
    unthrottled: f64,
    steady: bool,
    trial: impl FnMut(f64) -> Result<Trial>,
) -> Result<Found> {
    let mut search = Search { trial, low: None, high: None, floor: None, trials: Vec::new() };
    let mut found = Found::default();
    let mut rate = unthrottled * FIRST;
    let mut steps = 0;
    loop {
        steps += 1;
        if steps > MOST_STEPS {
            found.inconclusive = Some(
                "the probes contradict each other: give a longer --probe, or a quieter machine"
                    .to_owned(),
            );
            break;
        }
        let below = search.low.or(search.floor);
        let near = below.zip(search.high).is_some_and(|(below, high)| high / below <= NEAR);
        let outcome = search.decide(rate, if near { 2 } else { 1 })?;
        match outcome {
            TrialOutcome::Sustained => search.low = Some(rate),
            // Rates above it have more.
            TrialOutcome::TooFewBatches if search.low.is_none() => {
                search.floor = Some(search.floor.map_or(rate, |floor| floor.max(rate)));
            }
            _ => search.high = Some(rate),
        }
        if outcome == TrialOutcome::Late && steady && search.low.is_none() && search.unhurried(rate)
        {
            found.note = Some(
                "a batch takes longer than the bound though none waits for the one before it: smaller batches may hold it"
                    .to_owned(),
            );
            break;
        }
        rate = match (search.low.or(search.floor), search.high) {
            (Some(floor), Some(high)) if high / floor <= FINE && search.low.is_none() => {
                found.inconclusive = Some(too_few(floor));
                break;
            }
            (Some(low), Some(high)) if high / low <= FINE => {
                // Neither end may rest on one trial.
                match search.decide(high, 2)? {
                    TrialOutcome::Sustained => {
                        (search.low, search.high) = (Some(high), None);
                        high * FINE
                    }
                    _ => match search.decide(low, 2)? {
                        TrialOutcome::Sustained => break,
                        _ => {
                            (search.low, search.high) = (None, Some(low));
                            low / FINE
                        }
                    },
                }
            }
            (Some(low), Some(high)) => (low * high).sqrt(),
            (Some(low), None) if low > unthrottled * HIGHEST => {
                found.inconclusive = search.low.is_none().then(|| too_few(low));
                break;
            }
            (Some(low), None) => low * 1.4,
            (None, Some(high)) if high < unthrottled * LOWEST => break,
            (None, high) => high.unwrap_or(unthrottled) / 2.0,
        };
    }
    found.rows_per_second = search.low;
    found.fails_at = search.high;
    let too_short =
        |rate: f64| search.at(rate).any(|trial| trial.outcome == TrialOutcome::TooShort);
    if let Some(high) = search.high.filter(|high| too_short(*high)) {
        found.inconclusive = Some(format!(
            "at {high:.0} rows/s the recording is over too soon to tell, so the strategy may hold more: give a longer recording"
        ));
    }
    found.trials = search.trials;
    Ok(found)
}

fn too_few(rate: f64) -> String {
    format!(
        "at {rate:.0} rows/s and below a probe holds too few batches to tell: give a longer --probe, or make smaller batches"
    )
}

struct Search<P> {
    trial: P,
    /// The highest rate that holds.
    low: Option<f64>,
    /// The lowest above it that does not.
    high: Option<f64>,
    /// The highest at which there are too few batches to tell.
    floor: Option<f64>,
    trials: Vec<Trial>,
}

impl<P: FnMut(f64) -> Result<Trial>> Search<P> {
    /// Tries a rate until this many outcomes agree on whether it holds.
    fn decide(&mut self, rate: f64, votes: usize) -> Result<TrialOutcome> {
        loop {
            let (held, failed): (Vec<TrialOutcome>, Vec<TrialOutcome>) = self
                .at(rate)
                .map(|trial| trial.outcome)
                .partition(|outcome| *outcome == TrialOutcome::Sustained);
            for outcomes in [held, failed] {
                // An unclear outcome stays unclear when it is tried again.
                let unclear = |v: &&TrialOutcome| {
                    matches!(v, TrialOutcome::TooShort | TrialOutcome::TooFewBatches)
                };
                if let Some(outcome) = outcomes.iter().find(unclear) {
                    return Ok(*outcome);
                }
                if let Some(outcome) = outcomes.last().filter(|_| outcomes.len() >= votes) {
                    return Ok(*outcome);
                }
            }
            let trial = (self.trial)(rate)?;
            self.trials.push(trial);
        }
    }

    fn at(&self, rate: f64) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(move |trial| trial.rows_per_second.total_cmp(&rate).is_eq())
    }

    /// Whether batches at this rate hardly waited for each other.
    fn unhurried(&self, rate: f64) -> bool {
        self.at(rate).all(|trial| {
            trial.latency_ms.is_some_and(|latency| trial.most_behind_ms < latency.p50 / 10.0)
        })
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
