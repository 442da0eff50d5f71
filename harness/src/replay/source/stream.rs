//! One stream, read and cut into batches.

use std::collections::VecDeque;

use arrow::array::Int64Array;
use streamjoin_datasets::SourceBatch;

use super::cut::Cutter;
use super::disorder::Disorder;
use super::piece::{Piece, Places, RowPlace};
use super::rows::{SourceRows, failed};
use crate::error::{Failure, Result};
use crate::plan::{FeedBatches, StreamPlan, StreamStaticPlan};
use crate::scenario::Trigger;

/// Reads a stream; holds one batch of it as it was read, and rows that are
/// held back.
pub(crate) struct Reader<'p> {
    plan: &'p StreamStaticPlan,
    /// None once the recording is at its end.
    batches: Option<FeedBatches>,
    cutter: Cutter,
    disorder: Option<Disorder>,
    /// The greatest number of a file so far: rows that were held back count to it.
    file: usize,
    /// Rows that may still be read, and whether time says so.
    left: u64,
    left_by_time: bool,
    /// Rows that the open batch may still take.
    most: u64,
    /// Rows of one reading of the recording at most, and of this one so far.
    of_reading: u64,
    rows: u64,
    /// Whether the recording has begun again since the last rows.
    again: bool,
    /// Whether the rows of a reading began since somebody asked.
    opened: bool,
    ready: VecDeque<Result<Step>>,
}

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
    pub(crate) fn rows(&self) -> usize {
        self.piece.batch.num_rows()
    }

    fn slice(&self, from: usize, to: usize) -> Self {
        Self {
            piece: self.piece.slice(from, to),
            times: self.times.as_ref().map(|times| times.slice(from, to - from)),
            again: self.again && from == 0,
        }
    }
}

impl<'p> Reader<'p> {
    pub(crate) fn new(plan: &'p StreamStaticPlan) -> Result<Self> {
        let in_time = plan.timing.rows().unwrap_or(u64::MAX);
        let all = plan.stream.limit.unwrap_or(u64::MAX);
        // What is read again is as much of the recording as is asked for.
        let (limit, of_reading) = if plan.repeat { (u64::MAX, all) } else { (all, u64::MAX) };
        Ok(Self {
            batches: Some(read(&plan.stream)?),
            cutter: Cutter::of(&plan.stream.trigger),
            disorder: disorder(plan),
            file: 0,
            left: limit.min(in_time),
            left_by_time: in_time < limit,
            most: u64::MAX,
            of_reading,
            rows: 0,
            again: false,
            opened: false,
            ready: VecDeque::new(),
            plan,
        })
    }

    /// Ends the next batch after so many rows, if nothing ends it before.
    pub(crate) fn take_at_most(&mut self, rows: u64) {
        self.most = rows;
    }

    /// What comes next; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> Result<Option<Step>> {
        while !self.at_end() {
            match self.ready.pop_front() {
                Some(Ok(Step::Rows(part))) if self.most == 0 => {
                    self.ready.push_front(Ok(Step::Rows(part)));
                    return Ok(Some(Step::Border));
                }
                Some(Ok(Step::Rows(part))) => {
                    let most = usize::try_from(self.left.min(self.most)).unwrap_or(usize::MAX);
                    let taken = most.min(part.rows());
                    if taken < part.rows() {
                        self.ready.push_front(Ok(Step::Rows(part.slice(taken, part.rows()))));
                    }
                    self.left -= taken as u64;
                    self.most = self.most.saturating_sub(taken as u64);
                    return Ok(Some(Step::Rows(part.slice(0, taken))));
                }
                Some(step) => return step.map(Some),
                None => {}
            }
        }
        Ok(None)
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

    /// Reads a batch of the recording; false at its end.
    fn read_on(&mut self) -> Result<bool> {
        let stream = &self.plan.stream;
        let Some(batches) = &mut self.batches else { return Ok(false) };
        self.opened |= self.rows == 0;
        let mut most = self.of_reading - self.rows;
        let read = if most > 0 { batches.next() } else { None };
        let Some(read) = read else { return self.end_reading() };
        let SourceBatch { mut batch, file, first_row } = read.map_err(Failure::run)?;
        if self.disorder.is_none() {
            // Nothing is said of rows that nobody asked for.
            most = most.min(self.left);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        batch = batch.slice(0, batch.num_rows().min(most));
        self.rows += batch.num_rows() as u64;
        let piece = Piece { batch, places: Places::From(RowPlace { file, row: first_row }) };
        let (source, broken) = SourceRows::look_far(stream, &piece, file)?;
        match &mut self.disorder {
            None => self.cut(source)?,
            Some(disorder) => {
                let piece = disorder.push(stream, source.piece)?;
                self.cut_by_file(piece)?;
            }
        }
        self.ready.extend(broken.map(Err));
        Ok(true)
    }

    /// The recording is at its end: false if the stream is, too.
    fn end_reading(&mut self) -> Result<bool> {
        if let Some(disorder) = &mut self.disorder
            && let Some(piece) = disorder.finish()?
        {
            self.cut_by_file(Some(piece))?;
            return Ok(true);
        }
        self.batches = None;
        if !self.plan.repeat || self.rows == 0 {
            return Ok(false);
        }
        self.batches = Some(read(&self.plan.stream)?);
        self.disorder = disorder(self.plan);
        (self.file, self.rows, self.again) = (0, 0, true);
        if !matches!(self.plan.stream.trigger, Trigger::Rows(_) | Trigger::Every(_)) {
            // Times, values and files begin anew, and so do the batches.
            self.cutter = Cutter::of(&self.plan.stream.trigger);
            self.ready.push_back(Ok(Step::Border));
        }
        Ok(true)
    }

    /// Cuts rows in another order into those that count to one file.
    fn cut_by_file(&mut self, piece: Option<Piece>) -> Result<()> {
        let Some(piece) = piece else { return Ok(()) };
        let rows = piece.batch.num_rows();
        let file_of = |row: usize| piece.places.of(row).file;
        let mut from = 0;
        while from < rows {
            let file = self.file.max(file_of(from));
            let to = (from..rows).find(|row| file_of(*row) > file).unwrap_or(rows);
            let part = piece.slice(from, to);
            let at = |failure| failed(&self.plan.stream, &part.places, failure, 0..to - from);
            let source = SourceRows::look(&self.plan.stream, part.clone(), file).map_err(at)?;
            self.cut(source)?;
            (self.file, from) = (file, to);
        }
        Ok(())
    }

    /// Cuts rows at the borders of batches.
    fn cut(&mut self, source: SourceRows) -> Result<()> {
        let rows = source.piece.batch.num_rows();
        if rows == 0 {
            return Ok(());
        }
        let borders = source
            .borders(&mut self.cutter)
            .map_err(|failure| failed(&self.plan.stream, &source.piece.places, failure, 0..rows))?;
        let again = std::mem::take(&mut self.again);
        let whole = Part { piece: source.piece, times: source.times, again };
        let mut from = 0;
        for border in borders {
            if border > from {
                self.ready.push_back(Ok(Step::Rows(whole.slice(from, border))));
                from = border;
            }
            self.ready.push_back(Ok(Step::Border));
        }
        if rows > from {
            self.ready.push_back(Ok(Step::Rows(whole.slice(from, rows))));
        }
        Ok(())
    }
}

fn read(stream: &StreamPlan) -> Result<FeedBatches> {
    stream.feed.read(stream.prepare.read.as_slice())
}

fn disorder(plan: &StreamStaticPlan) -> Option<Disorder> {
    plan.disorder.as_ref().map(|spec| Disorder::new(spec, 0))
}
