//! The rows of a workload, and the answer that every contender must find.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use streamjoin_kernels::KeyPair;
use streamjoin_kernels::NullEquality;
use streamjoin_kernels::key::{EncodedKeys, KeyEncoder, Keys};
use streamjoin_kernels::table::Probe;

use super::found::Found;
use super::workload::Workload;
use crate::error::{Failure, Result};

/// Rows of a batch of the table.
const TABLE_BATCH: usize = 1 << 20;
/// Roughly the pairs that contenders are verified on.
const VERIFIED_PAIRS: u64 = 1 << 22;

/// The generated rows of a workload.
#[derive(Debug)]
pub struct Data {
    /// What they were generated for.
    pub workload: Workload,
    /// The columns of the table: the key columns `k0`, `k1` ..., then the
    /// payload `d0`, `d1` ...; `d0` is the row's number.
    pub table_schema: SchemaRef,
    /// The table.
    pub table: Vec<RecordBatch>,
    /// The normalised keys of the table.
    pub keys: Keys,
    /// The columns of the stream: the key columns, then `row`, the row's number
    /// over all batches.
    pub stream_schema: SchemaRef,
    /// The micro-batches.
    pub stream: Vec<RecordBatch>,
    /// The normalised keys of the micro-batches.
    pub batches: Vec<ProbeBatch>,
    /// Of all probes.
    ordinals: Vec<u64>,
}

/// The keys of a micro-batch.
#[derive(Clone, Debug)]
pub struct ProbeBatch {
    /// One key per row.
    pub keys: Keys,
    /// Unset for nulls; none without nulls.
    pub matchable: Option<BooleanBuffer>,
}

impl ProbeBatch {
    /// The batch as an index takes it, with hashes of its keys.
    pub fn probe<'a>(&'a self, hashes: &'a [u64]) -> Probe<'a> {
        Probe::new(&self.keys, hashes, self.matchable.as_ref())
    }
}

impl Data {
    /// Generates the rows, the same ones every time.
    ///
    /// # Errors
    /// A run failure if keys cannot be encoded, which Arrow's limits decide.
    pub fn generate(workload: &Workload) -> Result<Self> {
        Self::with_batches(workload, workload.batches())
    }

    /// Generates the table and `count` micro-batches, at least one.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn with_batches(workload: &Workload, count: usize) -> Result<Self> {
        let types = workload.key.types();
        let nulls_match_nothing =
            |data_type: &DataType| (data_type.clone(), NullEquality::NullMatchesNothing);
        let encoder = KeyEncoder::new(&types.iter().map(nulls_match_nothing).collect::<Vec<_>>())
            .map_err(Failure::run)?;
        let encode = |batch: &RecordBatch| -> Result<EncodedKeys> {
            let columns = &batch.columns()[..types.len()];
            encoder.encode(columns, batch.num_rows()).map_err(Failure::run)
        };
        let key_fields = |nullable| {
            let field = move |(i, data_type): (usize, &DataType)| {
                Field::new(format!("k{i}"), data_type.clone(), nullable)
            };
            types.iter().enumerate().map(field).collect::<Vec<_>>()
        };

        let payload = (0..workload.payload)
            .map(|column| Field::new(format!("d{column}"), DataType::Int64, false));
        let table_schema = Arc::new(Schema::new([key_fields(false), payload.collect()].concat()));
        let mut table = Vec::new();
        let mut keys = Vec::new();
        for from in (0..workload.build_rows).step_by(TABLE_BATCH) {
            let rows = from..(from + TABLE_BATCH).min(workload.build_rows);
            let batch = table_batch(workload, &table_schema, rows)?;
            keys.push(encode(&batch)?.keys);
            table.push(batch);
        }

        let row = Field::new("row", DataType::Int64, false);
        let stream_schema = Arc::new(Schema::new([key_fields(true), vec![row]].concat()));
        let (rows, count) = (workload.batch_rows, count.max(1));
        let ordinals = workload.probe_ordinals(rows * count);
        let mut stream = Vec::with_capacity(count);
        let mut batches = Vec::with_capacity(count);
        for (batch, ordinals) in ordinals.chunks(rows).enumerate() {
            let mut columns = workload.key.columns(ordinals);
            let numbers = (batch * rows) as i64..((batch + 1) * rows) as i64;
            columns.push(Arc::new(Int64Array::from_iter_values(numbers)));
            let batch =
                RecordBatch::try_new(Arc::clone(&stream_schema), columns).map_err(Failure::run)?;
            let EncodedKeys { keys, matchable, .. } = encode(&batch)?;
            stream.push(batch);
            batches.push(ProbeBatch { keys, matchable });
        }
        Ok(Self {
            workload: *workload,
            table_schema,
            table,
            keys: Keys::concat(&keys),
            stream_schema,
            stream,
            batches,
            ordinals,
        })
    }

    /// The equality condition.
    pub fn key_pairs(&self) -> Vec<KeyPair> {
        (0..self.workload.key.types().len()).map(|i| KeyPair::equal(i, i)).collect()
    }

    /// The batches that contenders are verified on: all, or fewer where each row
    /// has many matches.
    pub fn verified_batches(&self) -> usize {
        let pairs = (self.workload.batch_rows * self.workload.duplicates) as u64;
        let enough = VERIFIED_PAIRS / pairs.max(1);
        self.batches.len().min(enough.max(1) as usize)
    }

    /// All pairs of the first `batches` batches.
    pub fn expected_pairs(&self, batches: usize) -> Found {
        let mut found = Found::default();
        self.each_hit(batches, |row, builds| {
            builds.for_each(|build| found.pair(row, build as u64));
        });
        found
    }

    /// All rows of the first `batches` batches that have a match.
    pub fn expected_rows(&self, batches: usize) -> Found {
        let mut found = Found::default();
        self.each_hit(batches, |row, _| found.row(row));
        found
    }

    fn each_hit(&self, batches: usize, mut hit: impl FnMut(u64, std::iter::StepBy<Range<usize>>)) {
        let distinct = self.workload.distinct();
        let rows = batches * self.workload.batch_rows;
        for (row, &ordinal) in self.ordinals[..rows].iter().enumerate() {
            if ordinal < distinct as u64 {
                hit(row as u64, (ordinal as usize..self.workload.build_rows).step_by(distinct));
            }
        }
    }
}

fn table_batch(workload: &Workload, schema: &SchemaRef, rows: Range<usize>) -> Result<RecordBatch> {
    let ordinals: Vec<u64> = rows.clone().map(|row| workload.build_ordinal(row)).collect();
    let mut columns = workload.key.columns(&ordinals);
    for column in 0..workload.payload as i64 {
        // The first one is the row's number.
        let values = rows.clone().map(|row| row as i64 * (column + 1));
        columns.push(Arc::new(Int64Array::from_iter_values(values)) as ArrayRef);
    }
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(Failure::run)
}
