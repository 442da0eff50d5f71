//! Where a batch's time goes.

use std::time::Duration;

use crate::record::DurationMs;

/// A part of a batch's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reading, decoding and cutting the input, `select` and `where` of the stream.
    Read,
    /// Normalising and hashing keys.
    Keys,
    /// Reading and indexing tables.
    Build,
    /// Looking keys up.
    Probe,
    /// Gathering joined columns.
    Materialise,
    /// `select` and `where` of the output, and the sink.
    Sink,
    /// What is in none of the others.
    Other,
}

/// Time spent by one batch, phase by phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchClock {
    spent: [Duration; 7],
}

impl BatchClock {
    /// Adds time to a phase.
    pub fn add(&mut self, phase: Phase, time: Duration) {
        self.spent[phase as usize] += time;
    }

    /// Time of one phase.
    #[must_use]
    pub fn of(&self, phase: Phase) -> Duration {
        self.spent[phase as usize]
    }

    /// Time of all phases: the batch's service time.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.spent.iter().sum()
    }

    /// Time of the join alone: keys, probe and gather.
    #[must_use]
    pub fn join(&self) -> Duration {
        self.of(Phase::Keys) + self.of(Phase::Probe) + self.of(Phase::Materialise)
    }

    /// As progress records have it; a stream-static join evicts nothing.
    #[must_use]
    pub fn durations(&self) -> DurationMs {
        let millis = |phase| Some(self.of(phase).as_secs_f64() * 1e3);
        DurationMs {
            read: millis(Phase::Read),
            keys: millis(Phase::Keys),
            build: millis(Phase::Build),
            probe: millis(Phase::Probe),
            materialise: millis(Phase::Materialise),
            evict: None,
            sink: millis(Phase::Sink),
            trigger_execution: self.total().as_secs_f64() * 1e3,
        }
    }
}
