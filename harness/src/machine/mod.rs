//! The memory limits of this machine.
//!
//! A probe cannot be faster than the memory that it touches: the limit of a
//! workload is the sum, over the arrays that a probe must touch, of one random
//! touch at that array's size. This measures those touches on one core, on huge
//! and on 4 KB pages, and also sequential bandwidth and the latency of loads that
//! depend on each other.

mod clock;
mod meter;
mod pages;
mod report;
mod touch;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crate::record::{Caches, Machine};
use pages::Region;

pub(crate) use clock::core_hertz;
pub use meter::TouchMeter;
pub(crate) use pages::available_bytes;
use report::PageKind;
pub use report::{MachineReport, Pages, Repeated, SizeLimits};

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineOptions {
    /// Largest array; bounded by a quarter of the free memory.
    pub max_bytes: u64,
    /// Interleaved repetitions; medians are reported.
    pub repetitions: usize,
    /// Time of one measurement.
    pub slice: Duration,
}

impl Default for MachineOptions {
    fn default() -> Self {
        Self { max_bytes: 2 << 30, repetitions: 5, slice: Duration::from_millis(30) }
    }
}

/// Least size of the largest array.
const LEAST_BYTES: u64 = 1 << 20;
/// Places are drawn as 32-bit numbers.
const MOST_BYTES: u64 = 1 << 32;

/// Measures this machine; takes about `4 x slice x repetitions` per size and the
/// time to fill two arrays of `max_bytes`.
pub fn measure(options: &MachineOptions) -> MachineReport {
    let machine = Machine::detect();
    let largest = largest(options.max_bytes, available_bytes());
    let regions = [PageKind::Huge, PageKind::Small]
        .map(|kind| (kind, Region::filled(kind, largest as usize)));
    let sizes = sizes(machine.caches, largest);
    let [mut touches, mut latencies] =
        [(); 2].map(|()| vec![[Vec::new(), Vec::new()]; sizes.len()]);
    let mut sequential = [Vec::new(), Vec::new()];
    for _ in 0..options.repetitions.max(1) {
        for (at, (_, region)) in regions.iter().enumerate() {
            sequential[at].push(sequential_bytes(region.bytes(), options.slice));
        }
        for (size, (touches, latencies)) in
            sizes.iter().zip(touches.iter_mut().zip(latencies.iter_mut()))
        {
            for (at, (_, region)) in regions.iter().enumerate() {
                let bytes = &region.bytes()[..*size as usize];
                touches[at].push(touch::independent(bytes, options.slice));
                latencies[at].push(touch::dependent_ns(bytes, options.slice));
            }
        }
    }
    let measured = |samples: &[Vec<f64>; 2]| Pages {
        huge: Repeated::of(&samples[0]),
        small: Repeated::of(&samples[1]),
    };
    MachineReport {
        schema_version: report::SCHEMA_VERSION,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        repetitions: options.repetitions.max(1),
        array_bytes: largest,
        huge_page_bytes_granted: pages::granted_huge_bytes(regions[0].1.bytes()),
        sequential_bytes_per_second: measured(&sequential),
        sizes: sizes
            .iter()
            .zip(touches.iter().zip(&latencies))
            .map(|(bytes, (touches, latencies))| SizeLimits {
                bytes: *bytes,
                level: level(*bytes, machine.caches).to_owned(),
                touches_per_second: measured(touches),
                load_latency_ns: measured(latencies),
            })
            .collect(),
        machine,
    }
}

/// The largest power of two within `wanted` and a quarter of the free memory (two
/// arrays are held at a time).
fn largest(wanted: u64, available: Option<u64>) -> u64 {
    let bound = available.map_or(wanted, |free| wanted.min(free / 4));
    let bound = bound.clamp(LEAST_BYTES, MOST_BYTES);
    1 << bound.ilog2()
}

/// Powers of two: first-level cache, second-level cache, then 1 MB, 4 MB ...
fn sizes(caches: Caches, largest: u64) -> Vec<u64> {
    let fitting =
        |bytes: Option<u64>, usual: u64| 1_u64 << bytes.unwrap_or(usual).max(4096).ilog2();
    // Half a cache, so that the indices of the touches also fit.
    let mut sizes = vec![
        fitting(caches.l1d_bytes, 32 << 10) / 2,
        fitting(caches.l2_bytes, 1 << 20) / 2,
        1 << 20,
        4 << 20,
        16 << 20,
        32 << 20,
        64 << 20,
        256 << 20,
        1 << 30,
        2 << 30,
    ];
    sizes.push(largest);
    sizes.retain(|size| *size <= largest);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn level(bytes: u64, caches: Caches) -> &'static str {
    let fits = |cache: Option<u64>| cache.is_some_and(|cache| bytes <= cache);
    if fits(caches.l1d_bytes) {
        "L1"
    } else if fits(caches.l2_bytes) {
        "L2"
    } else if fits(caches.l3_bytes) {
        "L3"
    } else {
        "memory"
    }
}

/// Bytes read per second, front to back, repeatedly.
fn sequential_bytes(bytes: &[u8], slice: Duration) -> f64 {
    let start = Instant::now();
    let mut read = 0_u64;
    let mut sum = 0_u64;
    // In pieces, so that one pass over a large array does not take too long.
    'time: loop {
        for piece in bytes.chunks(4 << 20) {
            sum = sum.wrapping_add(touch::sum(piece));
            read += piece.len() as u64;
            if start.elapsed() >= slice {
                break 'time;
            }
        }
    }
    std::hint::black_box(sum);
    read as f64 / start.elapsed().as_secs_f64()
}
