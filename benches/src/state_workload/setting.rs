//! The settings of a workload.

use std::fmt;

/// Event time between two rows of a side, in microseconds.
pub const STEP: i64 = 1000;

/// Where no look-up has a match: as many keys as with this many matches.
const MATCHES_OF_MISSES: f64 = 1.5;

/// A workload. Shares are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Rows of each side in state.
    pub live: usize,
    /// How far back in event time partners are looked for, as a share of the
    /// retention; rows that are late look as far ahead.
    pub interval: f64,
    /// How far the interval is away from a row's own time, as a share of the
    /// retention. Each side looks back by it: two conditions of which a join
    /// has one, so that every look-up meets the shift.
    pub shift: f64,
    /// The share of rows that are late.
    pub disorder: f64,
    /// How late these are at most, as a share of the retention; any delay up to
    /// it is equally likely.
    pub late: f64,
    /// Which keys exist.
    pub keys: KeyChoice,
    /// Whether the left side is preserved: left outer, not inner.
    pub left_outer: bool,
}

/// Which keys exist. Both sides draw from the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyChoice {
    /// Equally likely ones, as many as give each look-up this many matches; with
    /// 0, no key is on both sides.
    Matches(f64),
    /// Equally likely ones, with this many live rows each; the interval determines
    /// how many of them match.
    RowsPerKey(f64),
    /// As many as live rows, by a Zipf law. The interval is narrowed until a
    /// look-up has this many matches on average.
    Zipf {
        /// The law's exponent.
        exponent: f64,
        /// Matches per look-up at most, on average.
        matches: f64,
    },
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            live: 100_000,
            interval: 1.0,
            shift: 0.0,
            disorder: 0.0,
            late: 0.1,
            keys: KeyChoice::Matches(1.5),
            left_outer: false,
        }
    }
}

/// What follows from a setting; times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// A row whose time is this far behind the newest one leaves.
    pub retention: i64,
    /// Width of the interval.
    pub width: i64,
    /// Its distance from a row's own time.
    pub shift: i64,
    /// How late a row is at most; 0 if none is.
    pub late: i64,
    /// Distinct keys of a side.
    pub distinct: u64,
    /// Whether the sides have no key in common.
    pub disjoint: bool,
}

impl Setting {
    /// What follows from it.
    ///
    /// # Errors
    /// What is out of range.
    pub fn shape(&self) -> Result<Shape, String> {
        let shares = [self.interval, self.shift, self.disorder, self.late];
        if !shares.iter().all(|share| (0.0..=1.0).contains(share)) {
            return Err("shares are between 0 and 1".into());
        }
        if self.interval + self.shift > 1.0 {
            return Err("interval and shift together exceed the retention".into());
        }
        let rows = self.rows_of_retention();
        let mut interval = self.interval;
        let distinct = match self.keys {
            KeyChoice::Matches(0.0) => rows * interval / MATCHES_OF_MISSES,
            KeyChoice::Matches(matches) => rows * interval / matches,
            KeyChoice::RowsPerKey(each) => self.live as f64 / each,
            KeyChoice::Zipf { exponent, matches } => {
                interval = interval.min(matches / (rows * coincidence(self.live, exponent)));
                self.live as f64
            }
        };
        if distinct < 1.0 {
            return Err("more matches than rows in the interval".into());
        }
        let of_retention = |share: f64| (rows * share * STEP as f64) as i64;
        Ok(Shape {
            retention: of_retention(1.0),
            width: of_retention(interval),
            shift: of_retention(self.shift),
            late: if self.disorder > 0.0 { of_retention(self.late) } else { 0 },
            distinct: distinct as u64,
            disjoint: self.keys == KeyChoice::Matches(0.0),
        })
    }

    /// Rows of a side that enter during a retention. Late rows stay for a shorter
    /// time, so it takes more rows to keep as many live.
    #[must_use]
    pub fn rows_of_retention(&self) -> f64 {
        self.live as f64 / (1.0 - self.disorder * self.late / 2.0)
    }

    /// The part of one of `parts` threads that divide the keys among them.
    #[must_use]
    pub fn part(self, parts: usize) -> Self {
        Self { live: self.live / parts, ..self }
    }
}

/// The weights of a Zipf law, the heaviest first.
pub(super) fn zipf_weights(keys: usize, exponent: f64) -> impl Iterator<Item = f64> {
    (1..=keys).map(move |rank| (rank as f64).powf(-exponent))
}

/// How likely two draws are the same.
fn coincidence(keys: usize, exponent: f64) -> f64 {
    let (sum, squares) = zipf_weights(keys, exponent)
        .fold((0.0, 0.0), |(sum, squares), weight| (sum + weight, squares + weight * weight));
    squares / (sum * sum)
}

impl fmt::Display for Setting {
    /// A path for names of benches, such as
    /// `live-1e6/interval-5%/disorder-0%/matches-1.5/inner`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{}%", (share * 1e6).round() / 1e4);
        write!(f, "live-{:e}", self.live)?;
        match self.keys {
            KeyChoice::Zipf { .. } => f.write_str("/interval-narrow")?,
            _ => write!(f, "/interval-{}", percent(self.interval))?,
        }
        if self.shift > 0.0 {
            write!(f, "-shifted-{}", percent(self.shift))?;
        }
        write!(f, "/disorder-{}", percent(self.disorder))?;
        match self.keys {
            KeyChoice::Matches(matches) => write!(f, "/matches-{matches}")?,
            KeyChoice::RowsPerKey(rows) => write!(f, "/rows-a-key-{rows:e}")?,
            KeyChoice::Zipf { exponent, matches } => {
                write!(f, "/matches-{matches}-zipf-{exponent}")?;
            }
        }
        f.write_str(if self.left_outer { "/left-outer" } else { "/inner" })
    }
}
