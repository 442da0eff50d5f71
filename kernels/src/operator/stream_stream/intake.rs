//! What comes in: filters, the watermark, the late filter, keys.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::concat;
use arrow::datatypes::DataType;

use super::partition::split;
use super::plan::SidePlan;
use super::planned::Planned;
use super::report::{EventTimeStats, SideReport};
use super::value_sizes::{check_keys, check_texts};
use crate::error::{JoinError, Result};
use crate::key::{EncodedKeys, Keys};
use crate::operator::columns::check_schema;
use crate::pairs::NO_ROW;
use crate::probe::{Partitions, gather};
use crate::side::Side;
use crate::state::{IntervalProbe, NewRows, StateProbe, by_value};
use crate::table::Probe;
use crate::time::{BatchWatermarks, EventTimes, IntervalCondition, Timestamp};

/// The accepted rows of one side of a batch.
#[derive(Debug)]
pub(super) struct Intake {
    pub(super) rows: usize,
    /// The columns that the store keeps.
    pub(super) payload: Vec<ArrayRef>,
    keys: Keys,
    hashes: Vec<u64>,
    matchable: Option<BooleanBuffer>,
    pub(super) times: EventTimes,
    /// No row has one before this.
    least_time: Option<Timestamp>,
    /// The rows of each partition; none where there is one.
    parts: Option<Partitions>,
    /// Kept columns of rows of a preserved side that can match nothing.
    pub(super) unmatchable: Vec<ArrayRef>,
    pub(super) unmatchable_rows: usize,
}

impl Intake {
    pub(super) fn new(
        join: &Planned,
        side: Side,
        batches: &[RecordBatch],
        watermarks: BatchWatermarks,
        partitions: usize,
    ) -> Result<(Self, SideReport)> {
        let plan = &join.plan.sides[side];
        let Reached { mut work, mut report, keys, seen } = Reached::new(join, side, batches)?;
        let least_time = report.event_time.map(|times| times.min);
        let before = work.rows;
        // The end of a window is never before its times.
        if plan.watermark && watermarks.is_late(least_time) {
            let times = join.plan.deciding_times(seen.clone());
            let is_late = |row| watermarks.is_late(times.get(row));
            let kept = BooleanBuffer::collect_bool(work.rows, |row| !is_late(row));
            report.late = work.retain(Some(kept))?;
        }
        if join.plan.window.is_some() {
            report.null_time += work.retain_timed(plan)?;
        }
        let (mut unmatchable, mut unmatchable_rows) = (Vec::new(), 0);
        if plan.preserved
            && let Some(passing) = work.passing(plan)?
        {
            let mut failing = work.clone();
            failing.retain(Some(!&passing))?;
            work.retain(Some(passing))?;
            (unmatchable, unmatchable_rows) = (failing.payload(plan), failing.rows);
            report.unmatchable = unmatchable_rows as u64;
        }
        let encoded = match keys {
            Some(keys) if work.rows == before => EncodedKeys { keys, matchable: None },
            _ => work.encode(join, side)?,
        };
        let times = if work.rows == before { seen } else { work.times(plan)? };
        check_keys(join, side, &encoded.keys)?;
        let payload = work.payload(plan);
        check_texts(join, side, &payload)?;
        let mut hashes = Vec::new();
        join.options.hasher.hash(&encoded.keys, &mut hashes);
        let intake = Self {
            rows: work.rows,
            payload,
            parts: split(&hashes, encoded.matchable.as_ref(), partitions),
            keys: encoded.keys,
            hashes,
            matchable: encoded.matchable,
            times: join.plan.deciding_times(times),
            least_time,
            unmatchable,
            unmatchable_rows,
        };
        Ok((intake, report))
    }

    fn keys(&self) -> Probe<'_> {
        Probe::new(&self.keys, &self.hashes, self.matchable.as_ref())
    }

    /// Whether some row may be at or before the line, in microseconds.
    pub(super) fn reaches(&self, line: i64) -> bool {
        self.least_time.is_some_and(|least| least.as_micros() <= line)
    }

    /// The rows of a partition, where these are not all.
    pub(super) fn of_part(&self, part: usize) -> Option<&[u32]> {
        self.parts.as_ref().map(|parts| parts.get(part))
    }

    /// How many rows a partition gets.
    pub(super) fn len_of_part(&self, part: usize) -> usize {
        self.of_part(part).map_or(self.rows, <[u32]>::len)
    }

    /// The rows of a partition, by number.
    pub(super) fn rows_of_part(&self, part: usize) -> Cow<'_, [u32]> {
        match self.of_part(part) {
            Some(rows) => Cow::Borrowed(rows),
            None => Cow::Owned((0..self.rows as u32).collect()),
        }
    }

    /// Rows whose time is after `line`, and those without a time.
    pub(super) fn rows_after(&self, line: i64) -> u64 {
        let after = |&row: &usize| self.times.micros_at(row).is_none_or(|time| time > line);
        (0..self.rows).filter(after).count() as u64
    }

    /// The rows of a partition as ones that look for partners.
    pub(super) fn probe(
        &self,
        part: usize,
        side: Side,
        condition: Option<IntervalCondition>,
    ) -> StateProbe<'_> {
        let interval = |condition| IntervalProbe { times: &self.times, side, condition };
        let (keys, interval) = (self.keys(), condition.map(interval));
        StateProbe { keys, rows: self.of_part(part), interval }
    }

    /// Some of the rows as ones to store.
    pub(super) fn new_rows<'a>(&'a self, rows: &'a [u32], matched: &'a [bool]) -> NewRows<'a> {
        NewRows { keys: self.keys(), times: &self.times, payload: &self.payload, matched, rows }
    }
}

/// Checks the types of what comes on one side.
///
/// # Errors
/// [`JoinError::Schema`].
pub(super) fn check_batches(join: &Planned, side: Side, batches: &[RecordBatch]) -> Result<()> {
    let (what, schema) = (format!("the {side} batch"), &join.spec.input(side).schema);
    batches.iter().try_for_each(|batch| check_schema(&what, schema, batch))
}

/// The rows of one side of a batch that its watermark sees: on a side that is not
/// preserved, rows that can match nothing are gone before.
struct Reached {
    work: Work,
    report: SideReport,
    /// The keys of these rows, if they are known.
    keys: Option<Keys>,
    seen: EventTimes,
}

impl Reached {
    fn new(join: &Planned, side: Side, batches: &[RecordBatch]) -> Result<Self> {
        let plan = &join.plan.sides[side];
        let mut work = Work::new(join, side, batches)?;
        let mut report = SideReport { rows_in: work.rows as u64, ..SideReport::default() };
        let mut keys = None;
        if !plan.preserved {
            let kept = work.passing(plan)?;
            report.filtered = work.retain(kept)?;
            if plan.needs_time {
                report.null_time = work.retain_timed(plan)?;
            }
            let encoded = work.encode(join, side)?;
            match encoded.matchable {
                // Keys once more, of the rows that stay: nulls are rare.
                Some(matchable) => report.null_key = work.retain(Some(matchable))?,
                None => keys = Some(encoded.keys),
            }
        }
        let seen = work.times(plan)?;
        let origin = |row| work.origin.as_ref().map_or(row as u64, |rows| u64::from(rows[row]));
        report.event_time = EventTimeStats::of(&seen, origin);
        Ok(Self { work, report, keys, seen })
    }
}

/// The rows of one side of a batch that its watermark sees, before any is
/// dropped as late.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Arrivals {
    /// Which rows of the batch these are, counted across its record batches;
    /// none where they are all of them.
    pub rows: Option<Vec<u32>>,
    /// The times by which they are late and leave the state.
    pub times: EventTimes,
    /// The greatest event time.
    pub max_time: Option<Timestamp>,
    /// Which of them may enter the state unless they are late; none where all may.
    pub accepted: Option<BooleanBuffer>,
}

impl Arrivals {
    /// # Errors
    /// Those of [`Join::arrivals`](super::Join::arrivals).
    pub(super) fn new(join: &Planned, side: Side, batches: &[RecordBatch]) -> Result<Self> {
        let plan = &join.plan.sides[side];
        let Reached { work, report, seen, .. } = Reached::new(join, side, batches)?;
        let accepted = if plan.preserved { work.passing(plan)? } else { None };
        let mut accepted = accepted.map(NullBuffer::new);
        if join.plan.window.is_some() {
            // A row without a time is in no window.
            accepted = NullBuffer::union(accepted.as_ref(), seen.nulls());
        }
        Ok(Self {
            max_time: report.event_time.map(|times| times.max),
            times: join.plan.deciding_times(seen),
            accepted: accepted.map(NullBuffer::into_inner),
            rows: work.origin,
        })
    }
}

/// Rows on their way in: the columns that the side reads.
#[derive(Clone, Debug)]
pub(super) struct Work {
    columns: Vec<ArrayRef>,
    rows: usize,
    /// Which rows of the batch these are; none while they are all of them.
    origin: Option<Vec<u32>>,
}

impl Work {
    fn new(join: &Planned, side: Side, batches: &[RecordBatch]) -> Result<Self> {
        let plan = &join.plan.sides[side];
        check_batches(join, side, batches)?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if rows as u64 >= u64::from(NO_ROW) {
            return Err(JoinError::InvalidPlan(format!(
                "a batch of {rows} rows: at most 2^32 - 2 come at once, push them in parts"
            )));
        }
        // By value: dictionaries of several batches may not fit into one.
        let column = |(&i, by): (&usize, &DataType)| -> Result<ArrayRef> {
            let parts = batches.iter().map(|batch| by_value(batch.column(i), by));
            let parts = parts.collect::<Result<Vec<_>>>()?;
            Ok(match &parts[..] {
                [] => new_empty_array(by),
                [one] => Arc::clone(one),
                several => concat(&several.iter().map(AsRef::as_ref).collect::<Vec<_>>())?,
            })
        };
        let columns = plan.read.iter().zip(&plan.read_types).map(column);
        Ok(Self { columns: columns.collect::<Result<_>>()?, rows, origin: None })
    }

    /// Keeps the rows that are set; returns how many are not.
    fn retain(&mut self, keep: Option<BooleanBuffer>) -> Result<u64> {
        let Some(keep) = keep else { return Ok(0) };
        let kept = keep.count_set_bits();
        let dropped = self.rows - kept;
        if dropped > 0 {
            let rows: Vec<u32> = keep.set_indices().map(|row| row as u32).collect();
            for column in &mut self.columns {
                *column = gather(column, &rows)?;
            }
            self.origin = Some(match self.origin.take() {
                None => rows,
                Some(origin) => rows.iter().map(|&row| origin[row as usize]).collect(),
            });
            self.rows = kept;
        }
        Ok(dropped as u64)
    }

    fn retain_timed(&mut self, plan: &SidePlan) -> Result<u64> {
        let nulls = self.times(plan)?.nulls().map(|nulls| nulls.inner().clone());
        self.retain(nulls)
    }

    /// The rows that pass the side's own conditions; none if all do. On a
    /// preserved side only the filter counts: a null elsewhere is the business
    /// of the pair.
    fn passing(&self, plan: &SidePlan) -> Result<Option<BooleanBuffer>> {
        let mut passing = None;
        if let Some(filter) = &plan.filter {
            passing = Some(NullBuffer::new(filter.passing(&self.columns, self.rows)?));
        }
        if !plan.preserved {
            for &slot in &plan.not_null {
                let nulls = self.columns[slot].logical_nulls();
                passing = NullBuffer::union(passing.as_ref(), nulls.as_ref());
            }
        }
        Ok(passing.filter(|p| p.null_count() > 0).map(NullBuffer::into_inner))
    }

    fn times(&self, plan: &SidePlan) -> Result<EventTimes> {
        match plan.event_time {
            Some(slot) => EventTimes::new(&self.columns[slot]),
            None => Ok(EventTimes::none(self.rows)),
        }
    }

    fn encode(&self, join: &Planned, side: Side) -> Result<EncodedKeys> {
        let keys = &join.plan.sides[side].keys;
        join.plan.keys.encode(keys, &self.columns, self.rows, join.spec.cast_mode)
    }

    fn payload(&self, plan: &SidePlan) -> Vec<ArrayRef> {
        plan.payload.iter().map(|&slot| Arc::clone(&self.columns[slot])).collect()
    }
}
