//! Running batches for a slice of time.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::lookup::Scratch;
use crate::error::Result;
use crate::machine::Repeated;

/// Rows between readings of the clock, roughly, so that reading it does not count.
const ROWS_PER_READING: usize = 8192;

/// Batches in turn; each measurement continues where the last one ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) batches: usize,
    pub(super) batch_rows: usize,
    pub(super) next: usize,
}

impl Turn {
    /// Nanoseconds per row of `work`, which takes the number of a batch.
    ///
    /// With one thread, the median of many short measurements: other work of the
    /// machine affects few of them. Several threads each take their own part of
    /// the batches, and all of their time counts: their waiting for each other
    /// or for a core is to be measured. Their rates add up, so that with two that
    /// do not hinder each other a row costs half.
    pub(super) fn time(
        &mut self,
        threads: NonZeroUsize,
        slice: Duration,
        work: impl Fn(usize, &mut Scratch) -> Result<u64> + Sync,
    ) -> Result<f64> {
        let start = self.next;
        let part = self.batches / threads.get();
        let run = |thread: usize| self.run(start + thread * part, slice, &work);
        let runs = if threads.get() == 1 {
            vec![run(0)]
        } else {
            std::thread::scope(|scope| {
                let spawned: Vec<_> =
                    (0..threads.get()).map(|thread| scope.spawn(move || run(thread))).collect();
                let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Looks>>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                spawned.into_iter().map(join).collect()
            })
        };
        let (mut rows_per_second, mut most) = (0.0, 0);
        for run in runs {
            let Looks { batches, seconds, median } = run?;
            most = most.max(batches);
            rows_per_second += match threads.get() {
                1 => self.batch_rows as f64 / median,
                _ => (batches * self.batch_rows) as f64 / seconds,
            };
        }
        self.next = (start + most) % self.batches;
        Ok(1e9 / rows_per_second)
    }

    fn run(
        &self,
        mut at: usize,
        slice: Duration,
        work: impl Fn(usize, &mut Scratch) -> Result<u64>,
    ) -> Result<Looks> {
        let at_once = ROWS_PER_READING.div_ceil(self.batch_rows);
        let mut scratch = Scratch::default();
        // Allocates the scratch, and refills caches after the last contender.
        for warm in 0..at_once {
            black_box(work((at + warm) % self.batches, &mut scratch)?);
        }
        at += at_once;
        let mut looks = Vec::new();
        let start = Instant::now();
        let mut last = start;
        loop {
            for _ in 0..at_once {
                black_box(work(at % self.batches, &mut scratch)?);
                at += 1;
            }
            let now = Instant::now();
            looks.push((now - last).as_secs_f64() / at_once as f64);
            last = now;
            if now - start >= slice {
                return Ok(Looks {
                    batches: looks.len() * at_once,
                    seconds: (now - start).as_secs_f64(),
                    median: Repeated::of(&looks).median,
                });
            }
        }
    }
}

/// What a thread did in a slice.
struct Looks {
    batches: usize,
    seconds: f64,
    /// Median of the seconds of a batch.
    median: f64,
}
