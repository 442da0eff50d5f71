//! Endless rows, the same ones for the same setting.

use streamjoin_kernels::Side;
use streamjoin_kernels::arch::mix;

use super::setting::{KeyChoice, STEP, Setting, Shape, zipf_weights};

/// Keys that are slow to draw are drawn once, at most this many, and repeat.
const DRAWN: usize = 1 << 22;

/// Event time of the first row: later than 1970, where watermarks begin.
const FIRST: i64 = 1_600_000_000_000_000;

/// New rows of one side.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Keys: a bijection of an ordinal, sparse.
    pub keys: Vec<u64>,
    /// Event times, in microseconds.
    pub times: Vec<i64>,
    /// The number of each row, from 0.
    pub numbers: Vec<i64>,
}

/// New rows of both sides.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The left side's.
    pub left: Rows,
    /// The right side's.
    pub right: Rows,
    /// Rows of this time and older ones leave after the batch.
    pub line: i64,
}

/// Makes batches. Each row is a function of its number, so that no two laps of
/// a recording meet in the state.
#[derive(Debug)]
pub struct Source {
    shape: Shape,
    /// Of 2^64.
    late_below: u64,
    /// Ordinals by the draw, of the left and the right side.
    drawn: Option<[Vec<u32>; 2]>,
    seed: u64,
    next: u64,
}

impl Source {
    /// The source of a setting.
    ///
    /// # Errors
    /// What is out of range.
    pub fn new(setting: &Setting, seed: u64) -> Result<Self, String> {
        let shape = setting.shape()?;
        let seed = mix(seed ^ 0x5eed);
        let drawn = match setting.keys {
            KeyChoice::Zipf { exponent, .. } => {
                let draws = (2 * setting.live).next_power_of_two().min(DRAWN);
                let mut sums: Vec<f64> = zipf_weights(setting.live, exponent).collect();
                for i in 1..sums.len() {
                    sums[i] += sums[i - 1];
                }
                Some([1, 2].map(|side| draw(&sums, draws, seed + side)))
            }
            _ => None,
        };
        // Saturates: with 1, all but one of 2^64.
        let late_below = (setting.disorder * 2f64.powi(64)) as u64;
        Ok(Self { shape, late_below, drawn, seed, next: 0 })
    }

    /// What follows from its setting.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The next batch, with this many rows of each side.
    pub fn batch(&mut self, rows: usize) -> Batch {
        let numbers = self.next..self.next + rows as u64;
        self.next = numbers.end;
        let newest = time(self.next - 1);
        Batch {
            left: self.rows(Side::Left, numbers.clone()),
            right: self.rows(Side::Right, numbers),
            line: newest - self.shape.retention,
        }
    }

    fn rows(&self, side: Side, numbers: std::ops::Range<u64>) -> Rows {
        let (at, lane) = match side {
            Side::Left => (0, self.seed),
            Side::Right => (1, !self.seed),
        };
        let missing = if self.shape.disjoint { (at as u64) << 40 } else { 0 };
        let random = |number: u64| mix(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ lane);
        let keys = match &self.drawn {
            None => numbers
                .clone()
                .map(|number| key(below(random(number), self.shape.distinct) + missing))
                .collect(),
            Some(drawn) => {
                let drawn = &drawn[at];
                let draw = |number| drawn[number as usize & (drawn.len() - 1)];
                numbers.clone().map(|number| key(u64::from(draw(number)))).collect()
            }
        };
        let times = numbers.clone().map(|number| {
            let time = time(number);
            if self.late_below == 0 {
                return time;
            }
            let random = mix(random(number) ^ 0x1a7e);
            match random < self.late_below {
                true => time - below(mix(random), self.shape.late as u64 + 1) as i64,
                false => time,
            }
        });
        Rows { keys, times: times.collect(), numbers: numbers.map(|n| n as i64).collect() }
    }
}

/// Draws ordinals from summed weights.
fn draw(sums: &[f64], draws: usize, seed: u64) -> Vec<u32> {
    let all = sums.last().copied().unwrap_or_default();
    let draw = |i: u64| {
        let at = (mix(i ^ mix(seed)) >> 11) as f64 / 2f64.powi(53) * all;
        sums.partition_point(|&sum| sum <= at).min(sums.len() - 1) as u32
    };
    (0..draws as u64).map(draw).collect()
}

/// A number below `end`, from a random word.
fn below(random: u64, end: u64) -> u64 {
    ((u128::from(random) * u128::from(end)) >> 64) as u64
}

/// The event time of a row that is not late.
fn time(number: u64) -> i64 {
    FIRST + number as i64 * STEP
}

/// Sparse keys: a bijection of the ordinal.
fn key(ordinal: u64) -> u64 {
    mix(ordinal ^ 0xabcd)
}
