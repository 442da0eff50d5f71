//! One stream, row by row.

use arrow::row::RowConverter;

use super::chunk::Chunk;
use super::disorder::Disordered;
use super::piece::{Piece, Pieces};
use super::time_order::TimeOrder;
use crate::error::{Failure, Result};
use crate::plan::SidePlan;
use crate::scenario::{DisorderSpec, Merge};

/// Reads one stream; holds one batch of it at a time.
pub(crate) struct SideReader<'p> {
    plan: &'p SidePlan,
    pieces: Disordered<'p, Pieces>,
    converter: Option<RowConverter>,
    by_arrival: bool,
    order: TimeOrder,
    chunk: Option<Chunk>,
    /// The next row of the chunk.
    at: usize,
    /// Rows from here on are of the open batch.
    from: usize,
    /// Earlier rows of the open batch.
    taken_pieces: Vec<Piece>,
    taken: u64,
    total: u64,
    ended: bool,
}

impl<'p> SideReader<'p> {
    /// `total` is the number of rows, where the merge needs it.
    pub(crate) fn new(
        plan: &'p SidePlan,
        merge: Merge,
        disorder: Option<&DisorderSpec>,
        number: u64,
        total: u64,
    ) -> Result<Self> {
        let stream = &plan.stream;
        Ok(Self {
            plan,
            pieces: Disordered::new(stream, Pieces::read(stream, u64::MAX)?, disorder, number),
            converter: None,
            by_arrival: merge == Merge::Arrival,
            order: TimeOrder::default(),
            chunk: None,
            at: 0,
            from: 0,
            taken_pieces: Vec::new(),
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
            let Some(piece) = self.pieces.next().transpose()? else {
                self.ended = true;
                continue;
            };
            if piece.rows() == 0 {
                continue;
            }
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
        std::mem::take(&mut self.taken_pieces)
    }

    fn put_away(&mut self) {
        if let Some(chunk) = &self.chunk
            && self.from < self.at
        {
            self.taken_pieces.push(chunk.piece.slice(self.from..self.at));
            self.from = self.at;
        }
    }

    /// Rows whose arrival time is before that of an earlier row of the recording.
    pub(crate) fn arrivals_back(&self) -> u64 {
        self.pieces.arrivals_back().unwrap_or(self.order.arrivals_back)
    }
}
