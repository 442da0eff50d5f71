//! Rows put out of order, as a slow network would: some are held back until
//! time has moved on, the arrival time if the stream has one, else the event
//! time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use arrow::array::RecordBatch;
use arrow::compute::interleave_record_batch;

use super::piece::{Piece, Places};
use super::time_order::TimeOrder;
use crate::error::{Failure, Result};
use crate::plan::StreamPlan;
use crate::scenario::DisorderSpec;
use streamjoin_datasets::random::mix;

/// The pieces of a stream, put out of order where it is asked for.
pub(crate) struct Disordered<'p, I> {
    stream: &'p StreamPlan,
    pieces: I,
    disorder: Option<Disorder>,
}

impl<'p, I: Iterator<Item = Result<Piece>>> Disordered<'p, I> {
    /// `number` keeps the choices of two streams of one scenario apart.
    pub(crate) fn new(
        stream: &'p StreamPlan,
        pieces: I,
        spec: Option<&DisorderSpec>,
        number: u64,
    ) -> Self {
        Self { stream, pieces, disorder: spec.map(|spec| Disorder::new(spec, number)) }
    }

    /// Rows of the recording that arrived before an earlier row, where the
    /// disorder counts them.
    pub(crate) fn arrivals_back(&self) -> Option<u64> {
        self.disorder.as_ref().map(|disorder| disorder.order.arrivals_back)
    }
}

impl<I: Iterator<Item = Result<Piece>>> Iterator for Disordered<'_, I> {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let piece = self.pieces.next();
            let Some(disorder) = &mut self.disorder else { return piece };
            let moved = match piece {
                Some(Ok(piece)) => disorder.push(self.stream, piece),
                Some(Err(failure)) => Err(failure),
                // Asked once more at the end, it is empty.
                None => return disorder.finish().transpose(),
            };
            if let Some(moved) = moved.transpose() {
                return Some(moved);
            }
        }
    }
}

/// Holds back some rows of one stream. Memory: the batches that still hold such
/// a row, so as many as lie within the greatest delay.
#[derive(Debug)]
struct Disorder {
    /// Out of 2^64, how many rows are held back.
    share: u64,
    max: u64,
    seed: u64,
    /// Rows seen.
    rows: u64,
    order: TimeOrder,
    /// Batches that rows may still come from, the number of the first, and how
    /// many rows of each are held back.
    kept: VecDeque<(Piece, usize)>,
    first: usize,
    held: BinaryHeap<Reverse<Held>>,
}

/// A row that waits: until when, its number among all, where it is.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    due: i64,
    number: u64,
    batch: usize,
    row: usize,
}

impl Disorder {
    fn new(spec: &DisorderSpec, stream: u64) -> Self {
        Self {
            // 1 becomes 2^64 - 1: all but one row in 2^64.
            share: (spec.share.clamp(0.0, 1.0) * 18_446_744_073_709_551_616.0) as u64,
            max: spec.max.0.max(1).unsigned_abs(),
            seed: draw(spec.seed ^ draw(stream)),
            rows: 0,
            order: TimeOrder::default(),
            kept: VecDeque::new(),
            first: 0,
            held: BinaryHeap::new(),
        }
    }

    /// The rows that are due once those of `piece` have been read.
    fn push(&mut self, stream: &StreamPlan, piece: Piece) -> Result<Option<Piece>> {
        let Some(time) = stream.arrival.as_ref().or(stream.event_time.as_ref()) else {
            return Ok(Some(piece));
        };
        let times = time.micros(&piece.batch);
        let times = times.map_err(|error| piece.failed(stream, Failure::run(error)))?;
        let times = match stream.arrival {
            Some(_) => self.order.ascending(&times),
            None => self.order.filled(&times, &piece.places),
        };
        let batch = self.first + self.kept.len();
        self.kept.push_back((piece, 0));
        let mut out = Vec::with_capacity(times.len());
        for (row, time) in times.into_iter().enumerate() {
            self.release(time, &mut out);
            let number = self.rows;
            self.rows += 1;
            let coin = draw(self.seed.wrapping_add(number.wrapping_mul(GOLDEN)));
            if coin < self.share {
                let wait = (u128::from(draw(coin)) * u128::from(self.max)) >> 64;
                let due = time.saturating_add(wait as i64).saturating_add(1);
                self.held.push(Reverse(Held { due, number, batch, row }));
                self.kept[batch - self.first].1 += 1;
            } else {
                out.push((batch, row));
            }
        }
        self.gather(&out)
    }

    /// The rows that are still held back.
    fn finish(&mut self) -> Result<Option<Piece>> {
        let mut out = Vec::new();
        self.release(i64::MAX, &mut out);
        self.gather(&out)
    }

    /// Lets out the rows that are due at `time`.
    fn release(&mut self, time: i64, out: &mut Vec<(usize, usize)>) {
        while let Some(Reverse(held)) = self.held.peek()
            && held.due <= time
        {
            out.push((held.batch, held.row));
            self.kept[held.batch - self.first].1 -= 1;
            self.held.pop();
        }
    }

    fn gather(&mut self, out: &[(usize, usize)]) -> Result<Option<Piece>> {
        let indices: Vec<(usize, usize)> =
            out.iter().map(|(batch, row)| (batch - self.first, *row)).collect();
        let piece = if indices.is_empty() {
            None
        } else {
            let batches: Vec<&RecordBatch> =
                self.kept.iter().map(|(piece, _)| &piece.batch).collect();
            let batch = interleave_record_batch(&batches, &indices).map_err(Failure::run)?;
            let places =
                indices.iter().map(|(batch, row)| self.kept[*batch].0.places.of(*row)).collect();
            Some(Piece { batch, places: Places::Each(places) })
        };
        while self.kept.front().is_some_and(|(_, held)| *held == 0) {
            self.kept.pop_front();
            self.first += 1;
        }
        Ok(piece)
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A random number from another one.
fn draw(x: u64) -> u64 {
    mix(x.wrapping_add(GOLDEN))
}
