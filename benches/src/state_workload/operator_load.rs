//! The workload on the operator: record batches in, record batches out.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::Int64Type;
use rayon::{ThreadPool, ThreadPoolBuilder};
use streamjoin_kernels::arch::mix;
use streamjoin_kernels::state::StateSize;
use streamjoin_kernels::stream_stream::{self, BatchReport};
use streamjoin_kernels::time::{IntervalCondition, TimeDelta};
use streamjoin_kernels::{JoinError, JoinType, Side, StoreKind};

use super::interruption::Interruption;
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
    /// Rows of each side per batch.
    side_rows: usize,
    join: stream_stream::Join,
    /// None: one thread.
    pool: Option<Arc<ThreadPool>>,
    checks: bool,
    interruption: Interruption,
}

impl OperatorLoad {
    /// An operator that has seen nothing yet, and joins on this many threads.
    ///
    /// The interval is symmetrical, and the delay of both watermarks is the
    /// rest of the retention, or what late rows need.
    ///
    /// # Errors
    /// What is out of range in the setting; a shift is, as only one side would look
    /// back by it. Threads that cannot be started.
    pub fn empty(
        setting: &Setting,
        store: StoreKind,
        batch_rows: usize,
        threads: usize,
    ) -> Result<Self, String> {
        let source = Source::new(setting, 0)?;
        let shape = *source.shape();
        if shape.shift != 0 {
            return Err("the operator is measured without a shift".into());
        }
        let delay = (shape.retention - shape.width).max(shape.late);
        let schema = record_batch(Rows::default()).schema();
        let message = |error: JoinError| error.to_string();
        let input = stream_stream::Input::new(schema.clone());
        let input = input
            .with_event_time(1)
            .map_err(message)?
            .with_watermark_delay(TimeDelta::from_micros(delay));
        let join_type = if setting.left_outer { JoinType::LeftOuter } else { JoinType::Inner };
        let width = TimeDelta::from_micros(shape.width);
        let mut spec = stream_stream::Spec::on(
            input.clone(),
            input,
            join_type,
            [(0, 0)],
            IntervalCondition::between(-width, width),
        )
        .map_err(message)?;
        let columns = schema.fields().len();
        spec.output = vec![spec.output[NUMBER].clone(), spec.output[columns + NUMBER].clone()];
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.build().map_err(|error| error.to_string())?;
        let pool = (threads > 1).then(|| Arc::new(pool));
        let options = stream_stream::Options::default().with_store(store).with_pool(pool.clone());
        let join = stream_stream::Join::new(spec, options).map_err(message)?;
        Ok(Self {
            source,
            side_rows: batch_rows / 2,
            join,
            pool,
            checks: false,
            interruption: Interruption::new(),
        })
    }

    fn run_here(&mut self, batches: usize) -> Meter {
        let mut meter = Meter::default();
        // It may have been made in another thread.
        self.interruption = Interruption::new();
        for _ in 0..batches {
            self.batch(&mut meter);
        }
        meter
    }

    fn batch(&mut self, meter: &mut Meter) {
        let batch = self.source.batch(self.side_rows);
        let [left, right] = [batch.left, batch.right].map(record_batch);
        meter.rows += 2 * self.side_rows as u64;
        self.interruption.happened();
        let started = Instant::now();
        let pushed = self.join.push(&[left], &[right]).expect("input as planned");
        let pushed = drain(pushed, self.checks, meter);
        let advanced = self.join.advance().expect("the batch was read to its end");
        let advanced = drain(advanced, self.checks, meter);
        let elapsed = started.elapsed();
        // It is not known which phase the machine interrupted.
        let interrupted = self.interruption.happened();
        let phases = [pushed, advanced].into_iter().flatten();
        let phases = phases.map(|report| note(&report, interrupted, meter)).sum();
        meter.rest += elapsed.saturating_sub(phases);
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
        // The thread that pushes the batches is one of the pool, as in a program
        // that does nothing else.
        match self.pool.clone() {
            Some(pool) => pool.install(|| self.run_here(batches)),
            None => self.run_here(batches),
        }
    }

    fn side_rows(&self) -> usize {
        self.side_rows
    }
}

/// Reads a batch to its end.
fn drain(
    batch: Option<stream_stream::Batch<'_>>,
    checks: bool,
    meter: &mut Meter,
) -> Option<BatchReport> {
    let mut batch = batch?;
    while let Some(rows) = batch.next_batch().expect("nothing that can fail") {
        if checks {
            meter.checksum = meter.checksum.wrapping_add(checksum(&rows));
        }
        black_box(rows);
    }
    Some(batch.report().clone())
}

/// Adds a batch; returns the time of the phases that a meter has.
fn note(report: &BatchReport, interrupted: bool, meter: &mut Meter) -> Duration {
    let times = &report.times;
    meter.probe += times.probe;
    meter.insert += times.insert;
    meter.pairs += report.rows_out - report.rows_unmatched;
    meter.unmatched += report.rows_unmatched;
    meter.walked += report.left.rows_walked + report.right.rows_walked;
    let rows = report.left.removed + report.right.removed;
    meter.evicted(EvictCall { time: times.evict, rows }, interrupted);
    times.probe + times.insert + times.evict
}

/// The checksum of the stores: pairs, and left rows without one.
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
