//! What is measured of some batches.

use std::time::Duration;

/// Times and counts of some batches; whole phases of a batch are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// Hashes and look-ups; for an outer join, the marks that follow from them.
    pub probe: Duration,
    /// Storing.
    pub insert: Duration,
    /// Eviction and reclaiming.
    pub evict: Duration,
    /// Of an operator: all the rest, such as keys, hashes and output columns.
    pub rest: Duration,
    /// Input rows, of both sides.
    pub rows: u64,
    /// Pairs that were found.
    pub pairs: u64,
    /// Stored rows that were visited for them.
    pub walked: u64,
    /// Rows that expired.
    pub evicted: u64,
    /// Those that were emitted because they never matched.
    pub unmatched: u64,
    /// The sum over the pairs and the unmatched rows of a hash of each, where
    /// that was asked for.
    pub checksum: u64,
    /// The longest eviction of one side, among those that the machine did not
    /// interrupt.
    pub longest: EvictCall,
    /// The longest of all.
    pub longest_of_all: EvictCall,
    /// Evictions that the machine interrupted.
    pub interrupted: u64,
}

/// An eviction of one side and the reclaiming after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvictCall {
    /// How long it took.
    pub time: Duration,
    /// Rows that expired.
    pub rows: u64,
}

impl EvictCall {
    fn longer(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }
}

impl Meter {
    /// All phases.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.probe + self.insert + self.evict + self.rest
    }

    /// What must be the same whatever the store.
    #[must_use]
    pub fn answers(&self) -> [u64; 5] {
        [self.rows, self.pairs, self.evicted, self.unmatched, self.checksum]
    }

    /// Adds an eviction.
    pub(super) fn evicted(&mut self, call: EvictCall, interrupted: bool) {
        self.evict += call.time;
        self.evicted += call.rows;
        self.longest_of_all = self.longest_of_all.longer(call);
        if interrupted {
            self.interrupted += 1;
        } else {
            self.longest = self.longest.longer(call);
        }
    }

    /// Adds the work of another thread at the same time: counts are summed, of
    /// times the longer ones are kept.
    pub fn beside(&mut self, other: &Self) {
        let slower = if other.total() > self.total() { *other } else { *self };
        self.with(other);
        (self.probe, self.insert) = (slower.probe, slower.insert);
        (self.evict, self.rest) = (slower.evict, slower.rest);
    }

    /// Adds other batches.
    pub fn with(&mut self, other: &Self) {
        self.probe += other.probe;
        self.insert += other.insert;
        self.evict += other.evict;
        self.rest += other.rest;
        self.rows += other.rows;
        self.pairs += other.pairs;
        self.walked += other.walked;
        self.evicted += other.evicted;
        self.unmatched += other.unmatched;
        self.checksum = self.checksum.wrapping_add(other.checksum);
        self.longest = self.longest.longer(other.longest);
        self.longest_of_all = self.longest_of_all.longer(other.longest_of_all);
        self.interrupted += other.interrupted;
    }
}
