//! The loops that touch memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use streamjoin_kernels::arch::{mix, prefetch_read};

use super::report::Repeated;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Touches whose places are drawn together: the draw is not timed, and the
/// places stay in the first-level cache.
const BATCH: usize = 2048;
/// Batches per rate.
const TOGETHER: u64 = 16;
/// Touches between a prefetch and its use.
const AHEAD: usize = 32;

/// Makes each line of `bytes` name another one, so that following them visits
/// all lines in a scattered order.
pub(super) fn link(bytes: &mut [u8]) {
    let mask = (bytes.len() / LINE) as u64 - 1;
    for (line, place) in bytes.chunks_exact_mut(LINE).enumerate() {
        // A full-period linear congruence: each line is named once.
        let next =
            (line as u64).wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9) & mask;
        place[..8].copy_from_slice(&next.to_le_bytes());
    }
}

/// Random touches per second that do not depend on each other, with prefetch.
/// `bytes.len()` is a power of two.
pub(super) fn independent(bytes: &[u8], slice: Duration) -> f64 {
    warm(bytes);
    let mut rates = Vec::new();
    let mut touches = 0_u64;
    let start = Instant::now();
    // Drawing takes time too, which the slice includes and the rate does not.
    while rates.is_empty() || start.elapsed() < slice {
        let timed =
            (0..TOGETHER).map(|i| some(bytes, touches + i * BATCH as u64)).sum::<Duration>();
        touches += TOGETHER * BATCH as u64;
        rates.push((TOGETHER * BATCH as u64) as f64 / timed.as_secs_f64().max(f64::MIN_POSITIVE));
    }
    // Other work of the machine affects few of them.
    Repeated::of(&rates).median
}

/// The time of `touches` such touches, or a few more.
pub(super) fn time_of(bytes: &[u8], touches: u64) -> Duration {
    (0..touches).step_by(BATCH).map(|seed| some(bytes, seed)).sum()
}

/// The time of one batch of touches; the draw is not timed.
fn some(bytes: &[u8], seed: u64) -> Duration {
    let mask = bytes.len() as u64 - 1;
    let mut places = [0_u32; BATCH];
    for (i, place) in (1..).zip(&mut places) {
        *place = (mix(seed + i) & mask) as u32;
    }
    let begin = Instant::now();
    black_box(batch(bytes, &places));
    begin.elapsed()
}

#[inline(never)]
fn batch(bytes: &[u8], places: &[u32; BATCH]) -> u64 {
    if bytes.is_empty() {
        return 0;
    }
    // Known to be inside: no bounds check is left in the loop.
    let mask = bytes.len() - 1;
    let touch = |place: u32| u64::from(bytes[place as usize & mask]);
    for place in &places[..AHEAD] {
        prefetch_read(bytes, *place as usize);
    }
    let mut sum = 0_u64;
    for (now, ahead) in places.iter().zip(&places[AHEAD..]) {
        prefetch_read(bytes, *ahead as usize);
        sum = sum.wrapping_add(touch(*now));
    }
    places[BATCH - AHEAD..].iter().fold(sum, |sum, place| sum.wrapping_add(touch(*place)))
}

/// Nanoseconds per load whose address the load before yields.
pub(super) fn dependent_ns(bytes: &[u8], slice: Duration) -> f64 {
    const STEPS: u64 = 1024;
    warm(bytes);
    let mask = bytes.len() / LINE - 1;
    let mut line = 0_usize;
    let mut loads = 0_u64;
    let start = Instant::now();
    loop {
        for _ in 0..STEPS {
            let at = (line & mask) * LINE;
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            line = u64::from_le_bytes(word) as usize & mask;
        }
        loads += STEPS;
        let elapsed = start.elapsed();
        if elapsed >= slice {
            black_box(line);
            return elapsed.as_nanos() as f64 / loads as f64;
        }
    }
}

/// Sum of all bytes, eight at a time.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    rest.iter().fold(words, |sum, byte| sum.wrapping_add(u64::from(*byte)))
}

/// Fills the caches.
fn warm(bytes: &[u8]) {
    black_box(sum(&bytes[..bytes.len().min(64 << 20)]));
}
