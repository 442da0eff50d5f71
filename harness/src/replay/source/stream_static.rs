//! The stream of a join with tables, cut into batches.

use std::collections::VecDeque;

use arrow::array::Int64Array;

use super::cut::ColumnCutter;
use super::cut_input::CuttablePiece;
use super::disorder::Disordered;
use super::piece::{Piece, Pieces};
use crate::error::Result;
use crate::plan::{StreamPlan, StreamStaticPlan};
use crate::scenario::Trigger;

/// Reads a stream; holds one piece of it as it was read, and rows that are held
/// back.
pub(crate) struct StreamBatches<'p> {
    plan: &'p StreamStaticPlan,
    /// None once the recording is at its end.
    reading: Option<CuttablePieces<'p>>,
    cutter: ColumnCutter,
    /// Rows that may still be read, and whether time says so.
    left: u64,
    left_by_time: bool,
    /// Rows that the open batch may still take.
    most: u64,
    /// Whether this reading of the recording has given a row.
    has_rows: bool,
    /// Whether the recording has begun again since the last rows.
    again: bool,
    /// Whether the rows of a reading began since somebody asked.
    opened: bool,
    ready: VecDeque<Result<Step>>,
}

type CuttablePieces<'p> = Box<dyn Iterator<Item = Result<CuttablePiece>> + 'p>;

/// What comes next.
pub(crate) enum Step {
    /// Rows of the open batch.
    Rows(Part),
    /// The open batch ends, if there is one.
    Border,
}

/// Some rows of a batch.
pub(crate) struct Part {
    pub(crate) piece: Piece,
    /// Event times, where something asks for them.
    pub(crate) times: Option<Int64Array>,
    /// Whether the recording begins again with these rows.
    pub(crate) again: bool,
}

impl Part {
    fn slice(&self, from: usize, to: usize) -> Self {
        Self {
            piece: self.piece.slice(from..to),
            times: self.times.as_ref().map(|times| times.slice(from, to - from)),
            again: self.again && from == 0,
        }
    }
}

impl<'p> StreamBatches<'p> {
    pub(crate) fn new(plan: &'p StreamStaticPlan) -> Result<Self> {
        let in_time = plan.timing.rows().unwrap_or(u64::MAX);
        // What is read again is as much of the recording as is asked for.
        let limit = plan.stream.limit.filter(|_| !plan.repeat).unwrap_or(u64::MAX);
        let left = limit.min(in_time);
        Ok(Self {
            reading: Some(read(plan, left)?),
            cutter: ColumnCutter::of(&plan.stream.trigger),
            left,
            left_by_time: in_time < limit,
            most: u64::MAX,
            has_rows: false,
            again: false,
            opened: false,
            ready: VecDeque::new(),
            plan,
        })
    }

    /// Ends the next batch after this many rows, if nothing ends it before.
    pub(crate) fn take_at_most(&mut self, rows: u64) {
        self.most = rows;
    }

    /// Whether nothing more comes; reads on to find out.
    pub(crate) fn at_end(&mut self) -> bool {
        while self.ready.is_empty() && self.left > 0 {
            match self.read_on() {
                Ok(true) => {}
                Ok(false) => return true,
                // It belongs to the batch whose rows were being read.
                Err(failure) => self.ready.push_back(Err(failure)),
            }
        }
        self.left == 0 && !matches!(self.ready.front(), Some(Ok(Step::Border) | Err(_)))
    }

    /// Whether a recording was opened since this was asked last.
    pub(crate) fn take_opened(&mut self) -> bool {
        std::mem::take(&mut self.opened)
    }

    /// Whether it was time that ended the stream.
    pub(crate) fn ended_by_time(&self) -> bool {
        self.left == 0 && self.left_by_time
    }

    /// Reads a piece of the recording; false at its end.
    fn read_on(&mut self) -> Result<bool> {
        let Some(pieces) = &mut self.reading else { return Ok(false) };
        self.opened |= !self.has_rows;
        match pieces.next() {
            Some(piece) => self.cut(piece?).map(|()| true),
            None => self.begin_again(),
        }
    }

    /// The recording is at its end: false if the stream is, too.
    fn begin_again(&mut self) -> Result<bool> {
        self.reading = None;
        if !self.plan.repeat || !self.has_rows {
            return Ok(false);
        }
        self.reading = Some(read(self.plan, self.left)?);
        (self.has_rows, self.again) = (false, true);
        if !matches!(self.plan.stream.trigger, Trigger::Rows(_) | Trigger::Every(_)) {
            // Times, values and files start over, and so do the batches.
            self.cutter = ColumnCutter::of(&self.plan.stream.trigger);
            self.ready.push_back(Ok(Step::Border));
        }
        Ok(true)
    }

    /// Cuts rows at the borders of batches.
    fn cut(&mut self, rows: CuttablePiece) -> Result<()> {
        let end = rows.piece.rows();
        if end == 0 {
            return Ok(());
        }
        self.has_rows = true;
        let borders = rows.borders(&mut self.cutter);
        let borders = borders.map_err(|failure| rows.piece.failed(&self.plan.stream, failure))?;
        let again = std::mem::take(&mut self.again);
        let whole = Part { piece: rows.piece, times: rows.times, again };
        let mut from = 0;
        for border in borders {
            if border > from {
                self.ready.push_back(Ok(Step::Rows(whole.slice(from, border))));
                from = border;
            }
            self.ready.push_back(Ok(Step::Border));
        }
        if end > from {
            self.ready.push_back(Ok(Step::Rows(whole.slice(from, end))));
        }
        Ok(())
    }
}

impl Iterator for StreamBatches<'_> {
    type Item = Result<Step>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.at_end() {
            match self.ready.pop_front() {
                Some(Ok(Step::Rows(part))) if self.most == 0 => {
                    self.ready.push_front(Ok(Step::Rows(part)));
                    return Some(Ok(Step::Border));
                }
                Some(Ok(Step::Rows(part))) => {
                    let most = usize::try_from(self.left.min(self.most)).unwrap_or(usize::MAX);
                    let rows = part.piece.rows();
                    let taken = most.min(rows);
                    if taken < rows {
                        self.ready.push_front(Ok(Step::Rows(part.slice(taken, rows))));
                    }
                    self.left -= taken as u64;
                    self.most = self.most.saturating_sub(taken as u64);
                    return Some(Ok(Step::Rows(part.slice(0, taken))));
                }
                Some(step) => return Some(step),
                None => {}
            }
        }
        None
    }
}

/// Reads the recording once, `left` rows of it at most.
fn read(plan: &StreamStaticPlan, left: u64) -> Result<CuttablePieces<'_>> {
    let stream = &plan.stream;
    let limit = stream.limit.filter(|_| plan.repeat).unwrap_or(u64::MAX);
    let Some(disorder) = &plan.disorder else {
        // Rows beyond what is asked for are not even checked.
        return Ok(Box::new(before_broken(stream, Pieces::read(stream, limit.min(left))?)));
    };
    let pieces = before_broken(stream, Pieces::read(stream, limit)?);
    let pieces = pieces.map(|rows| rows.map(|rows| rows.piece));
    Ok(Box::new(by_file(stream, Disordered::new(stream, pieces, Some(disorder), 0))))
}

/// Pieces up to the first broken row, then its failure.
fn before_broken(
    stream: &StreamPlan,
    pieces: Pieces,
) -> impl Iterator<Item = Result<CuttablePiece>> {
    pieces.flat_map(|piece| {
        match piece.and_then(|piece| CuttablePiece::before_broken(stream, &piece)) {
            Ok((whole, broken)) => [Some(Ok(whole)), broken.map(Err)],
            Err(failure) => [Some(Err(failure)), None],
        }
        .into_iter()
        .flatten()
    })
}

/// Pieces whose rows count to one file each: rows that were held back count to
/// the greatest file so far.
fn by_file<'p>(
    stream: &'p StreamPlan,
    pieces: impl Iterator<Item = Result<Piece>> + 'p,
) -> impl Iterator<Item = Result<CuttablePiece>> + 'p {
    let mut file = 0;
    let mut cut = move |piece: &Piece| {
        let (rows, mut from) = (piece.rows(), 0);
        let mut parts = Vec::new();
        while from < rows {
            let file_of = |row: usize| piece.places.of(row).file;
            file = file.max(file_of(from));
            let to = (from..rows).find(|row| file_of(*row) > file).unwrap_or(rows);
            let part = piece.slice(from..to);
            let cuttable = CuttablePiece::new(stream, part.clone(), file);
            parts.push(cuttable.map_err(|failure| part.failed(stream, failure)));
            from = to;
        }
        parts
    };
    pieces.flat_map(move |piece| match piece {
        Ok(piece) => cut(&piece),
        Err(failure) => vec![Err(failure)],
    })
}
