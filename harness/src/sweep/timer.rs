//! Running batches for a slice of time.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::lookup::Scratch;
use crate::error::Result;

/// Rows between looks at the clock, about, so that looking does not count.
const ROWS_A_LOOK: usize = 8192;

/// Batches in turn, one measurement going on where the last one ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) batches: usize,
    pub(super) batch_rows: usize,
    pub(super) next: usize,
}

impl Turn {
    /// Nanoseconds a row of `work`, which takes the number of a batch: each
    /// thread takes its own part of the batches and as many as it can within
    /// the slice. Rates add up over threads, so that of two threads that do not
    /// hinder each other a row costs half.
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
                let join = |thread: std::thread::ScopedJoinHandle<'_, Result<(usize, f64)>>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                spawned.into_iter().map(join).collect()
            })
        };
        let (mut rows_a_second, mut most) = (0.0, 0);
        for run in runs {
            let (batches, seconds) = run?;
            rows_a_second += (batches * self.batch_rows) as f64 / seconds;
            most = most.max(batches);
        }
        self.next = (start + most) % self.batches;
        Ok(1e9 / rows_a_second)
    }

    /// Batches that were run, and the seconds that they took.
    fn run(
        &self,
        mut at: usize,
        slice: Duration,
        work: impl Fn(usize, &mut Scratch) -> Result<u64>,
    ) -> Result<(usize, f64)> {
        let at_once = ROWS_A_LOOK.div_ceil(self.batch_rows);
        let mut scratch = Scratch::default();
        // The scratch's memory, and what the last strategy has evicted.
        for warm in 0..at_once {
            std::hint::black_box(work((at + warm) % self.batches, &mut scratch)?);
        }
        at += at_once;
        let mut done = 0;
        let start = Instant::now();
        loop {
            for _ in 0..at_once {
                std::hint::black_box(work(at % self.batches, &mut scratch)?);
                at += 1;
            }
            done += at_once;
            let elapsed = start.elapsed();
            if elapsed >= slice {
                return Ok((done, elapsed.as_secs_f64()));
            }
        }
    }
}
