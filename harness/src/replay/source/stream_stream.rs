//! Two streams as one, cut into batches.

use arrow::array::RecordBatch;
use streamjoin_kernels::{Side, Sides};

use super::cut::RowCutter;
use super::piece::{Piece, RowPlace};
use super::side::SideReader;
use crate::error::{Failure, Result};
use crate::plan::{FeedRows, SidePlan, StreamStreamPlan};
use crate::scenario::Merge;

/// One batch of both streams, each in its own order.
#[derive(Debug)]
pub(crate) struct MergedBatch {
    pub(crate) left: SideBatch,
    pub(crate) right: SideBatch,
    /// Arrival of the first row of all.
    pub(crate) began: Option<i64>,
    /// Event time of the first row of the batch that has one.
    pub(crate) opens_at: Option<i64>,
}

impl MergedBatch {
    pub(crate) fn side(&self, side: Side) -> &SideBatch {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    pub(crate) fn rows(&self) -> u64 {
        self.left.rows() + self.right.rows()
    }

    /// Whether nothing follows in either stream.
    pub(crate) fn is_last(&self) -> bool {
        self.left.ended && self.right.ended
    }

    /// Which rows these are, for messages.
    pub(crate) fn place(&self, plan: &StreamStreamPlan) -> String {
        let Sides { left, right } = Sides::new(|side| self.side(side).place(plan.side(side)));
        format!("{left}, {right}")
    }
}

/// One stream's part of a batch.
#[derive(Debug)]
pub(crate) struct SideBatch {
    pub(crate) pieces: Vec<Piece>,
    /// Whether nothing follows.
    pub(crate) ended: bool,
    /// Arrival of the last row so far.
    pub(crate) arrived: Option<i64>,
}

impl SideBatch {
    pub(crate) fn rows(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.rows() as u64).sum()
    }

    /// The rows as the join takes them, and how many `where` left out.
    pub(crate) fn prepare(&self, side: &SidePlan) -> Result<(Vec<RecordBatch>, u64)> {
        let mut left_out = 0;
        let rows = self.pieces.iter().map(|piece| {
            let failed = |error| piece.failed(&side.stream, Failure::run(error));
            let kept = side.stream.prepare.apply(piece.batch.clone()).map_err(failed)?;
            left_out += (piece.rows() - kept.num_rows()) as u64;
            side.input.apply(&kept).map_err(failed)
        });
        let rows = rows.collect::<Result<_>>()?;
        Ok((rows, left_out))
    }

    fn place(&self, side: &SidePlan) -> String {
        let feed = &side.stream.feed;
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else {
            return format!("{} no rows", feed.file_name(0));
        };
        let first = first.places.of(0);
        let last = last.places.of(last.rows().saturating_sub(1));
        match feed.file_name(last.file) {
            _ if first.file == last.file => {
                format!("{} rows {} to {}", feed.file_name(first.file), first.row, last.row)
            }
            file => format!(
                "{} from row {} to {file} row {}",
                feed.file_name(first.file),
                first.row,
                last.row
            ),
        }
    }

    /// Where the first row of this event time is from.
    pub(crate) fn place_of(&self, side: &SidePlan, time: i64) -> Option<RowPlace> {
        let event_time = side.stream.event_time.as_ref()?;
        self.pieces.iter().find_map(|piece| {
            let times = event_time.micros(&piece.batch).ok()?;
            let row = times.iter().position(|found| found == Some(time))?;
            Some(piece.places.of(row))
        })
    }
}

/// Reads two streams in merged order; holds the open batch and one batch as it
/// was read of each.
pub(crate) struct MergedBatches<'p> {
    left: SideReader<'p>,
    right: SideReader<'p>,
    merge: Merge,
    cutter: RowCutter,
    /// Rows that may still be read, and whether time says so.
    left_over: u64,
    left_over_by_time: bool,
    /// Rows of the next batch at most.
    most: u64,
    /// Whether the recordings were opened since somebody asked.
    opened: bool,
    arrived: Sides<Option<i64>>,
    began: Option<i64>,
    opens_at: Option<i64>,
}

impl<'p> MergedBatches<'p> {
    pub(crate) fn new(plan: &'p StreamStreamPlan) -> Result<Self> {
        let reader = |side: &'p SidePlan, number| {
            let total = if plan.merge == Merge::FileOrder { rows_of(side, plan.limit)? } else { 0 };
            SideReader::new(side, plan.merge, plan.disorder.as_ref(), number, total)
        };
        let limit = plan.limit.unwrap_or(u64::MAX);
        let in_time = plan.timing.rows().unwrap_or(u64::MAX);
        Ok(Self {
            left: reader(&plan.left, 0)?,
            right: reader(&plan.right, 1)?,
            merge: plan.merge,
            cutter: RowCutter::new(&plan.trigger),
            left_over: limit.min(in_time),
            left_over_by_time: in_time < limit,
            most: u64::MAX,
            opened: true,
            arrived: Sides::default(),
            began: None,
            opens_at: None,
        })
    }

    /// Ends the next batch after this many rows, if nothing ends it before.
    pub(crate) fn take_at_most(&mut self, rows: u64) {
        self.most = rows;
    }

    /// The next batch; `None` at the end of both streams.
    fn next_batch(&mut self) -> Result<Option<MergedBatch>> {
        let mut rows = 0_u64;
        while self.left_over > 0
            && rows < self.most
            && let Some(side) = self.next_side()?
        {
            let reader = match side {
                Side::Left => &mut self.left,
                Side::Right => &mut self.right,
            };
            let Some((chunk, at)) = reader.head() else { break };
            let row = chunk.view(at);
            if self.cutter.opens(&row) && rows > 0 {
                return self.end_batch().map(Some);
            }
            let arrived = &mut self.arrived[side];
            *arrived = row.arrival.or(*arrived);
            self.began = self.began.or(row.arrival);
            self.opens_at = self.opens_at.or(row.time);
            reader.take();
            rows += 1;
            self.left_over -= 1;
        }
        // A batch without rows is a tick at which none had come.
        if rows == 0 && (self.most > 0 || self.at_end()?) {
            return Ok(None);
        }
        self.end_batch().map(Some)
    }

    /// Whether nothing more comes.
    fn at_end(&mut self) -> Result<bool> {
        Ok(self.left_over == 0 || self.next_side()?.is_none())
    }

    /// Whether the recordings were opened since this was asked last.
    pub(crate) fn take_opened(&mut self) -> bool {
        std::mem::take(&mut self.opened)
    }

    /// Whether it was time that ended the streams.
    pub(crate) fn ended_by_time(&self) -> bool {
        self.left_over == 0 && self.left_over_by_time
    }

    fn end_batch(&mut self) -> Result<MergedBatch> {
        let over = self.left_over == 0;
        let side = |reader: &mut SideReader<'p>, arrived| -> Result<SideBatch> {
            let pieces = reader.end_batch();
            Ok(SideBatch { pieces, ended: over || !reader.ready()?, arrived })
        };
        let Sides { left, right } = self.arrived;
        let (left, right) = (side(&mut self.left, left)?, side(&mut self.right, right)?);
        Ok(MergedBatch { left, right, began: self.began, opens_at: self.opens_at.take() })
    }

    /// Whose row comes next: the left one's on ties.
    fn next_side(&mut self) -> Result<Option<Side>> {
        Ok(match (self.left.ready()?, self.right.ready()?) {
            (false, false) => None,
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            (true, true) => Some(self.earlier()),
        })
    }

    fn earlier(&self) -> Side {
        let order = |reader: &SideReader<'p>| {
            reader.head().and_then(|(chunk, at)| chunk.order.get(at).copied())
        };
        let left_first = match self.merge {
            Merge::EventTime | Merge::Arrival => order(&self.left) <= order(&self.right),
            Merge::FileOrder => {
                // The one that is not as far, row by row.
                let ((left, of_left), (right, of_right)) =
                    (self.left.taken_of(), self.right.taken_of());
                left * of_right <= right * of_left
            }
        };
        if left_first { Side::Left } else { Side::Right }
    }

    /// Rows whose arrival time is before that of an earlier row of their stream.
    pub(crate) fn arrivals_back(&self) -> u64 {
        self.left.arrivals_back() + self.right.arrivals_back()
    }
}

impl Iterator for MergedBatches<'_> {
    type Item = Result<MergedBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

/// Rows of a stream; they are counted where the files do not say.
fn rows_of(side: &SidePlan, limit: Option<u64>) -> Result<u64> {
    match side.stream.feed.rows() {
        Some(rows) => Ok(rows),
        None if matches!(side.stream.feed.from, FeedRows::Generated(_)) => {
            Ok(limit.unwrap_or(u64::MAX))
        }
        None => {
            let mut rows = 0;
            for batch in side.stream.feed.read(&[0])? {
                rows += batch.map_err(Failure::run)?.batch.num_rows() as u64;
            }
            Ok(rows)
        }
    }
}
