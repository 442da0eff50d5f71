//! Where a batch's time goes.

use std::time::{Duration, Instant};

use crate::record::DurationMs;

/// A part of a batch's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Reading, decoding and cutting the input, `select` and `where` of the stream.
    Read,
    /// Normalising and hashing keys.
    Keys,
    /// Reading and indexing tables.
    Build,
    /// Storing rows in state.
    Insert,
    /// Looking keys up.
    Probe,
    /// Gathering joined columns.
    Materialise,
    /// Dropping state that nothing can match.
    Evict,
    /// `select` and `where` of the output, and the sink.
    Sink,
    /// What is in none of the others.
    Other,
}

/// Time spent by one batch, phase by phase.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BatchClock {
    spent: [Duration; 9],
}

impl BatchClock {
    /// Adds time to a phase.
    pub(crate) fn add(&mut self, phase: Phase, time: Duration) {
        self.spent[phase as usize] += time;
    }

    /// Time of one phase.
    pub(crate) fn of(&self, phase: Phase) -> Duration {
        self.spent[phase as usize]
    }

    /// Time of all phases: the batch's service time.
    pub(crate) fn total(&self) -> Duration {
        self.spent.iter().sum()
    }

    /// Time of the join alone: keys, probe and gather, and insert and evict of
    /// a join with state.
    pub(crate) fn join(&self) -> Duration {
        [Phase::Keys, Phase::Insert, Phase::Probe, Phase::Materialise, Phase::Evict]
            .into_iter()
            .map(|phase| self.of(phase))
            .sum()
    }

    /// As progress records have it; a join without state evicts nothing.
    pub(crate) fn durations(&self, stateful: bool) -> DurationMs {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let phase = |phase| Some(millis(self.of(phase)));
        DurationMs {
            read: phase(Phase::Read),
            keys: phase(Phase::Keys),
            build: Some(millis(self.of(Phase::Build) + self.of(Phase::Insert))),
            probe: phase(Phase::Probe),
            materialise: phase(Phase::Materialise),
            evict: phase(Phase::Evict).filter(|_| stateful),
            sink: phase(Phase::Sink),
            trigger_execution: millis(self.total()),
        }
    }
}

/// Runs `work` and adds its time to `total`.
pub(crate) fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}
