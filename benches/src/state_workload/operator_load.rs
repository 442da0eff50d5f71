//! The workload on the operator: record batches in, record batches out.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::Int64Type;
use streamjoin_kernels::arch::mix;
use streamjoin_kernels::state::StateSize;
use streamjoin_kernels::time::{IntervalCondition, TimeCondition};
use streamjoin_kernels::{
    BatchReport, JoinType, Side, StreamBatch, StreamInput, StreamKey, StreamOptions,
    StreamStreamJoin, StreamStreamSpec,
};

use super::load::Load;
use super::meter::{EvictCall, Meter};
use super::setting::Setting;
use super::source::{Rows, Source};

/// Position of a row's number among the columns of its side.
const NUMBER: usize = 2;

/// An operator and its source. The output is the number of the left and of the
/// right row; keys and event times are not among it, so that the state keeps
/// each once.
#[derive(Debug)]
pub struct OperatorLoad {
    source: Source,
    /// Rows of each side a batch.
    side_rows: usize,
    join: StreamStreamJoin,
    checks: bool,
}

impl OperatorLoad {
    /// An operator that has seen nothing yet.
    ///
    /// The interval is symmetrical, and the delay of both watermarks is the
    /// rest of the retention, or what late rows need.
    ///
    /// # Errors
    /// What of the setting is out of range, in words; a shift is: only one side
    /// would look back by it.
    pub fn empty(
        setting: &Setting,
        options: StreamOptions,
        batch_rows: usize,
        seed: u64,
    ) -> Result<Self, String> {
        let source = Source::new(setting, seed)?;
        let shape = *source.shape();
        if shape.shift != 0 {
            return Err("the operator is measured without a shift".into());
        }
        let delay = (shape.retention - shape.width).max(shape.late);
        let schema = record_batch(Rows::default()).schema();
        let input = || StreamInput::timed(schema.clone(), 1, Some(delay));
        let join_type = if setting.left_outer { JoinType::LeftOuter } else { JoinType::Inner };
        let interval = IntervalCondition::between(-shape.width, shape.width);
        let mut spec = StreamStreamSpec::on(
            input(),
            input(),
            join_type,
            vec![StreamKey::equal(0, 0)],
            TimeCondition { interval, key: None },
        );
        let columns = schema.fields().len();
        spec.output = vec![spec.output[NUMBER].clone(), spec.output[columns + NUMBER].clone()];
        let join = StreamStreamJoin::new(spec, options).map_err(|error| error.to_string())?;
        Ok(Self { source, side_rows: batch_rows / 2, join, checks: false })
    }

    fn batch(&mut self, meter: &mut Meter) {
        let batch = self.source.batch(self.side_rows);
        let [left, right] = [batch.left, batch.right].map(record_batch);
        meter.rows += 2 * self.side_rows as u64;
        let started = Instant::now();
        let join = &mut self.join;
        let mut phases = Duration::ZERO;
        let pushed = join.push(&[left], &[right]).expect("input as planned");
        phases += drain(pushed, self.checks, meter);
        let advanced = join.advance().expect("the batch was read to its end");
        phases += drain(advanced, self.checks, meter);
        meter.rest += started.elapsed().saturating_sub(phases);
    }
}

impl Load for OperatorLoad {
    fn check(&mut self) {
        self.checks = true;
    }

    fn size(&self) -> StateSize {
        self.join.state(Side::Left) + self.join.state(Side::Right)
    }

    fn run(&mut self, batches: usize) -> Meter {
        let mut meter = Meter::default();
        for _ in 0..batches {
            self.batch(&mut meter);
        }
        meter
    }

    fn side_rows(&self) -> usize {
        self.side_rows
    }
}

/// Reads a batch to its end; the time of the phases that have one of their own.
fn drain(batch: Option<StreamBatch<'_>>, checks: bool, meter: &mut Meter) -> Duration {
    let Some(mut batch) = batch else { return Duration::ZERO };
    while let Some(rows) = batch.next_batch().expect("nothing that can fail") {
        if checks {
            meter.checksum = meter.checksum.wrapping_add(checksum(&rows));
        }
        black_box(rows);
    }
    note(batch.report(), meter)
}

fn note(report: &BatchReport, meter: &mut Meter) -> Duration {
    let times = &report.times;
    meter.probe += times.probe;
    meter.insert += times.insert;
    meter.pairs += report.rows_out - report.rows_unmatched;
    meter.unmatched += report.rows_unmatched;
    meter.walked += report.left.rows_walked + report.right.rows_walked;
    let rows = report.left.removed + report.right.removed;
    meter.evicted(EvictCall { time: times.evict, rows }, false);
    times.probe + times.insert + times.evict
}

/// As of the stores: pairs, and left rows without one.
fn checksum(rows: &RecordBatch) -> u64 {
    let column = |at: usize| rows.column(at).as_primitive::<Int64Type>();
    let (left, right) = (column(0), column(1));
    let hash = |row| match right.is_valid(row) {
        true => mix(mix(left.value(row) as u64) ^ right.value(row) as u64),
        false => mix(!left.value(row) as u64),
    };
    (0..rows.num_rows()).map(hash).fold(0, u64::wrapping_add)
}

fn record_batch(rows: Rows) -> RecordBatch {
    let keys = rows.keys.into_iter().map(|key| key as i64).collect::<Vec<_>>();
    RecordBatch::try_from_iter([
        ("key", Arc::new(Int64Array::from(keys)) as ArrayRef),
        ("at", Arc::new(TimestampMicrosecondArray::from(rows.times))),
        ("number", Arc::new(Int64Array::from(rows.numbers))),
    ])
    .expect("columns of one length")
}
