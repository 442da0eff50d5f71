//! The highest rate at which a strategy keeps up: what is looked for, and the
//! search. [`super::probe`] asks a strategy.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::record::Quantiles;

/// The search ends when the lowest rate that fails is at most so many times the
/// highest that holds.
const FINE: f64 = 1.05;
/// From here on one probe does not decide: two of three do.
const NEAR: f64 = 1.3;
/// Where the search begins, as a share of the unthrottled rate.
const FIRST: f64 = 0.7;
/// How far below the unthrottled rate the search goes.
const LOWEST: f64 = 1.0 / 1024.0;
/// With so many steps and no end, the verdicts contradict each other.
const MOST_STEPS: usize = 40;
/// How far above it, should it have been measured at a bad moment.
const HIGHEST: f64 = 16.0;

/// A stretch of replay at one rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// Rows a second at which rows came.
    pub rows_per_second: f64,
    /// How long they came.
    pub seconds: f64,
    /// Rows that were joined.
    pub rows_in: u64,
    /// Batches.
    pub batches: u64,
    /// From the time at which a batch was due to its end.
    pub latency_ms: Option<Quantiles>,
    /// How late a batch started at most, in milliseconds.
    pub most_behind_ms: f64,
    /// Seconds by which the starts of batches fell behind in each second.
    pub falling_behind: f64,
    /// What it comes to.
    pub verdict: Verdict,
}

/// Whether a rate is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The 99th percentile is within its bound, and the backlog does not grow.
    Sustained,
    /// The 99th percentile is above its bound.
    Late,
    /// The backlog grows.
    FallingBehind,
    /// The recording is over too soon at this rate.
    TooShort,
    /// A probe holds too few batches at this rate.
    TooFewBatches,
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// The highest rate that holds, in rows a second.
    pub rows_per_second: Option<f64>,
    /// The lowest rate above it that does not.
    pub fails_at: Option<f64>,
    /// What keeps the answer from being certain.
    pub inconclusive: Option<String>,
    /// What else there is to say.
    pub note: Option<String>,
    /// The probes, in the order in which they were made.
    pub probes: Vec<Probe>,
}

/// Searches from `unthrottled` rows a second. `probe` replays at a rate; with
/// `steady` batches, a slower stream makes them rarer and not smaller.
///
/// # Errors
/// Those of `probe`.
pub(super) fn search(
    unthrottled: f64,
    steady: bool,
    probe: impl FnMut(f64) -> Result<Probe>,
) -> Result<Found> {
    let mut search = Search { probe, low: None, high: None, floor: None, probes: Vec::new() };
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
        let verdict = search.decide(rate, if near { 2 } else { 1 })?;
        match verdict {
            Verdict::Sustained => search.low = Some(rate),
            // Rates above it have more.
            Verdict::TooFewBatches if search.low.is_none() => {
                search.floor = Some(search.floor.map_or(rate, |floor| floor.max(rate)));
            }
            _ => search.high = Some(rate),
        }
        if verdict == Verdict::Late && steady && search.low.is_none() && search.unhurried(rate) {
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
                // Neither end is to rest on one probe.
                match search.decide(high, 2)? {
                    Verdict::Sustained => {
                        (search.low, search.high) = (Some(high), None);
                        high * FINE
                    }
                    _ => match search.decide(low, 2)? {
                        Verdict::Sustained => break,
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
    let too_short = |rate: f64| search.at(rate).any(|probe| probe.verdict == Verdict::TooShort);
    if let Some(high) = search.high.filter(|high| too_short(*high)) {
        found.inconclusive = Some(format!(
            "at {high:.0} rows/s the recording is over too soon to tell, so the strategy may hold more: give a longer recording"
        ));
    }
    found.probes = search.probes;
    Ok(found)
}

fn too_few(rate: f64) -> String {
    format!(
        "at {rate:.0} rows/s and below a probe holds too few batches to tell: give a longer --probe, or make smaller batches"
    )
}

struct Search<P> {
    probe: P,
    /// The highest rate that holds.
    low: Option<f64>,
    /// The lowest above it that does not.
    high: Option<f64>,
    /// The highest at which batches are too rare to tell.
    floor: Option<f64>,
    probes: Vec<Probe>,
}

impl<P: FnMut(f64) -> Result<Probe>> Search<P> {
    /// Probes a rate until so many verdicts agree on whether it holds.
    fn decide(&mut self, rate: f64, votes: usize) -> Result<Verdict> {
        loop {
            let (held, failed): (Vec<Verdict>, Vec<Verdict>) = self
                .at(rate)
                .map(|probe| probe.verdict)
                .partition(|verdict| *verdict == Verdict::Sustained);
            for verdicts in [held, failed] {
                // What says nothing says no more when it is asked again.
                let unclear =
                    |v: &&Verdict| matches!(v, Verdict::TooShort | Verdict::TooFewBatches);
                if let Some(verdict) = verdicts.iter().find(unclear) {
                    return Ok(*verdict);
                }
                if let Some(verdict) = verdicts.last().filter(|_| verdicts.len() >= votes) {
                    return Ok(*verdict);
                }
            }
            let probe = (self.probe)(rate)?;
            self.probes.push(probe);
        }
    }

    fn at(&self, rate: f64) -> impl Iterator<Item = &Probe> {
        self.probes.iter().filter(move |probe| probe.rows_per_second.total_cmp(&rate).is_eq())
    }

    /// Whether batches at this rate had hardly to wait for each other.
    fn unhurried(&self, rate: f64) -> bool {
        self.at(rate).all(|probe| {
            probe.latency_ms.is_some_and(|latency| probe.most_behind_ms < latency.p50 / 10.0)
        })
    }
}

#[cfg(test)]
mod tests;
