//! Random touches by the size of the array, measured in turn with other things.

use std::collections::BTreeMap;
use std::time::Duration;

use super::pages::Region;
use super::report::{PageKind, Repeated, between};
use super::{LEAST_BYTES, MOST_BYTES, touch};

/// Measures independent random touches of arrays on huge pages, a sample of
/// each size at a time, so that they can take turns with what is compared.
#[derive(Debug)]
pub struct TouchMeter {
    region: Region,
    bytes: u64,
    /// The samples of each size: touches per second.
    samples: BTreeMap<u64, Vec<f64>>,
}

impl TouchMeter {
    /// For arrays of up to `largest` bytes, at most 4 GB; holds the next power
    /// of two.
    pub fn new(largest: u64) -> Self {
        let bytes = Self::bytes_for(largest);
        let region = Region::filled(PageKind::Huge, bytes as usize);
        Self { region, bytes, samples: BTreeMap::new() }
    }

    /// Bytes that a meter for arrays of up to `largest` bytes holds.
    pub fn bytes_for(largest: u64) -> u64 {
        largest.clamp(LEAST_BYTES, MOST_BYTES).next_power_of_two()
    }

    /// Asks for rates of arrays of `bytes`: the powers of two around it will be
    /// measured.
    pub fn want(&mut self, bytes: u64) {
        let above = bytes.clamp(4096, self.bytes).next_power_of_two();
        for size in [above / 2, above] {
            self.samples.entry(size).or_default();
        }
    }

    /// Takes one sample, of about `slice`, of each size that is wanted.
    pub fn sample(&mut self, slice: Duration) {
        for (size, samples) in &mut self.samples {
            samples.push(touch::independent(&self.region.bytes()[..*size as usize], slice));
        }
    }

    /// Nanoseconds of one touch in an array of `bytes`, from the medians of the
    /// samples; none before there are any.
    pub fn touch_ns(&self, bytes: u64) -> Option<f64> {
        let sampled = self.samples.iter().filter(|(_, samples)| !samples.is_empty());
        let rates: Vec<(u64, f64)> =
            sampled.map(|(size, samples)| (*size, Repeated::of(samples).median)).collect();
        between(&rates, bytes).filter(|rate| *rate > 0.0).map(|rate| 1e9 / rate)
    }

    /// The time of `touches` touches of an array of `bytes`, rounded up to the
    /// next power of two, or of a few more.
    ///
    /// # Panics
    /// If the array is larger than the largest one.
    pub fn time(&self, bytes: u64, touches: u64) -> Duration {
        let bytes = bytes.max(4096).next_power_of_two() as usize;
        touch::time_of(&self.region.bytes()[..bytes], touches)
    }
}
