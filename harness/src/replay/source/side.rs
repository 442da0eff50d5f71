//! One stream, row by row.

use arrow::row::RowConverter;
use streamjoin_datasets::SourceBatch;

use super::chunk::Chunk;
use super::disorder::Disorder;
use super::piece::{Piece, Places, RowPlace};
use super::time_order::TimeOrder;
use crate::error::{Failure, Result};
use crate::plan::{FeedBatches, SidePlan};
use crate::scenario::{DisorderSpec, Merge};

/// Reads one stream; holds one batch of it at a time.
pub(crate) struct SideReader<'p> {
    plan: &'p SidePlan,
    batches: std::iter::Fuse<FeedBatches>,
    disorder: Option<Disorder>,
    converter: Option<RowConverter>,
    by_arrival: bool,
    order: TimeOrder,
    chunk: Option<Chunk>,
    /// The next row of the chunk.
    at: usize,
    /// Rows from here on are of the open batch.
    from: usize,
    /// Earlier rows of the open batch.
    pieces: Vec<Piece>,
    taken: u64,
    total: u64,
    ended: bool,
}

impl<'p> SideReader<'p> {
    /// `total` is the number of rows, where the merge needs it.
    pub(crate) fn new(
        plan: &'p SidePlan,
        merge: Merge,
        disorder: Option<(&DisorderSpec, u64)>,
        total: u64,
    ) -> Result<Self> {
        let stream = &plan.stream;
        Ok(Self {
            plan,
            batches: stream.feed.read(stream.prepare.read.as_slice())?.fuse(),
            disorder: disorder.map(|(spec, stream)| Disorder::new(spec, stream)),
            converter: None,
            by_arrival: merge == Merge::Arrival,
            order: TimeOrder::default(),
            chunk: None,
            at: 0,
            from: 0,
            pieces: Vec::new(),
            taken: 0,
            total,
            ended: false,
        })
    }

    /// Makes the next row ready; false at the end.
    pub(crate) fn ready(&mut self) -> Result<bool> {
        while self.chunk.as_ref().is_none_or(|chunk| self.at == chunk.rows()) {
            if self.ended {
                return Ok(false);
            }
            self.put_away();
            self.chunk = None;
            (self.at, self.from) = (0, 0);
            let Some(piece) = self.next_piece()? else {
                self.ended = true;
                continue;
            };
            if let (Some(item), None) = (&self.plan.stream.trigger_column, &self.converter) {
                let column = item.evaluate(&piece.batch);
                let column =
                    column.map_err(|e| piece.failed(&self.plan.stream, Failure::run(e)))?;
                self.converter = Some(super::chunk::converter(&column)?);
            }
            let chunk = Chunk::look(
                self.plan,
                piece,
                self.by_arrival,
                self.converter.as_ref(),
                &mut self.order,
            )?;
            self.chunk = Some(chunk);
        }
        Ok(true)
    }

    fn next_piece(&mut self) -> Result<Option<Piece>> {
        loop {
            let Some(read) = self.batches.next() else {
                // Asked once more at the end, it is empty.
                return self.disorder.as_mut().map_or(Ok(None), Disorder::finish);
            };
            let SourceBatch { batch, file, first_row } = read.map_err(Failure::run)?;
            let places = Places::From(RowPlace { file, row: first_row });
            let piece = Piece { batch, places };
            let piece = match &mut self.disorder {
                Some(disorder) => disorder.push(&self.plan.stream, piece)?,
                None => Some(piece),
            };
            if let Some(piece) = piece.filter(|piece| piece.batch.num_rows() > 0) {
                return Ok(Some(piece));
            }
        }
    }

    /// The next row, once it is ready: its chunk and place in it.
    pub(crate) fn head(&self) -> Option<(&Chunk, usize)> {
        self.chunk.as_ref().filter(|chunk| self.at < chunk.rows()).map(|chunk| (chunk, self.at))
    }

    /// Takes the next row into the open batch.
    pub(crate) fn take(&mut self) {
        self.at += 1;
        self.taken += 1;
    }

    /// The part of the rows that was taken, as a fraction.
    pub(crate) fn taken_of(&self) -> (u128, u128) {
        (self.taken.into(), self.total.max(1).into())
    }

    /// The rows of the open batch, which ends.
    pub(crate) fn end_batch(&mut self) -> Vec<Piece> {
        self.put_away();
        std::mem::take(&mut self.pieces)
    }

    fn put_away(&mut self) {
        if let Some(chunk) = &self.chunk
            && self.from < self.at
        {
            self.pieces.push(chunk.slice(self.from, self.at));
            self.from = self.at;
        }
    }

    /// Rows whose arrival time is before that of an earlier row of the recording.
    pub(crate) fn arrivals_back(&self) -> u64 {
        self.disorder.as_ref().map_or(self.order.arrivals_back, Disorder::arrivals_back)
    }
}
