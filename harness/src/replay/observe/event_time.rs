//! The watermark of one stream, and the event times of a batch.
//!
//! A stream-static join drops and evicts nothing by it; it is reported as
//! Spark reports it.

use arrow::array::{Array, Int64Array};

use crate::record::EventTime;
use crate::text::duration::Micros;
use crate::text::instant::iso_millis;

/// A stream's watermark: whole milliseconds, from 0 on, never falling, moved
/// between batches.
#[derive(Clone, Debug)]
pub(crate) struct Watermark {
    delay: i64,
    /// Greatest event time so far, in milliseconds.
    max: Option<i64>,
    /// In force in this batch.
    current: i64,
    /// In force in the batch before.
    late: i64,
    batch: Seen,
}

/// Event times of one batch.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    min: Option<i64>,
    max: Option<i64>,
    sum: i128,
    rows: u64,
}

impl Watermark {
    pub(crate) fn new(delay: Micros) -> Self {
        Self { delay: delay.0 / 1000, max: None, current: 0, late: 0, batch: Seen::default() }
    }

    /// Looks at event times of the open batch, in microseconds.
    pub(crate) fn see(&mut self, times: &Int64Array) {
        for time in times.iter().flatten() {
            let seen = &mut self.batch;
            seen.min = Some(seen.min.map_or(time, |min| min.min(time)));
            seen.max = Some(seen.max.map_or(time, |max| max.max(time)));
            seen.sum += i128::from(time);
        }
        self.batch.rows += (times.len() - times.null_count()) as u64;
    }

    /// Ends the batch: what it reports, and the next batch's watermark.
    pub(crate) fn end_batch(&mut self) -> EventTime {
        let seen = std::mem::take(&mut self.batch);
        let mean = seen.sum.checked_div(i128::from(seen.rows));
        let report = EventTime {
            watermark: Some(iso_millis(self.current.saturating_mul(1000))),
            late_watermark: Some(iso_millis(self.late.saturating_mul(1000))),
            min: seen.min.map(iso_millis),
            max: seen.max.map(iso_millis),
            avg: mean.and_then(|mean| i64::try_from(mean).ok()).map(iso_millis),
        };
        let max = seen.max.map(|micros| micros.div_euclid(1000));
        self.max = self.max.max(max);
        self.late = self.current;
        if let Some(max) = self.max {
            self.current = self.current.max(max.saturating_sub(self.delay));
        }
        report
    }
}
