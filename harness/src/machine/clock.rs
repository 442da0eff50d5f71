//! How fast the core's clock runs, without a counter that virtual machines hide.

use std::hint::black_box;
use std::time::Instant;

/// Links of the chain that is timed.
const LINKS: u32 = 200_000;
/// A 64-bit multiplication takes three cycles and an exclusive or takes one on
/// every x86-64 core of the last fifteen years (Fog, "Instruction tables").
const CYCLES_PER_LINK: f64 = 4.0;

/// Cycles per second of the core that this thread runs on now, from a chain of
/// instructions that each wait for the one before. None on processors whose
/// latencies are not known here, and in builds that are not optimised.
pub(crate) fn core_hertz() -> Option<f64> {
    if !cfg!(target_arch = "x86_64") || cfg!(debug_assertions) {
        return None;
    }
    let factor = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let mask = black_box(0x5555_5555_5555_5555_u64);
    // The fastest of a few: an interruption only makes one longer.
    let times = (0..5).map(|_| {
        let mut word = black_box(1_u64);
        let start = Instant::now();
        for _ in 0..LINKS {
            // The two alternate, so that no compiler can fold them.
            word = word.wrapping_mul(factor) ^ mask;
        }
        black_box(word);
        start.elapsed().as_secs_f64()
    });
    let fastest = times.fold(f64::INFINITY, f64::min);
    Some(f64::from(LINKS) * CYCLES_PER_LINK / fastest)
}
