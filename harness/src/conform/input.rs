//! A case's rows as batches: as recorded, or enlarged.

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};

use super::case::StreamStaticQuery;
use super::encoding::{self, Owner};
use super::{padding, plan, value};

/// Rows that match nothing, added to each table of an enlarged case.
const PADDING_ROWS: usize = 10_000;
/// How often each stream row comes in an enlarged case.
const REPEATS: usize = 1_000;

/// Batches of the stream and versions of the tables.
pub(super) struct Input {
    /// Each input batch; `None` where it holds no row and nothing runs.
    pub(super) batches: Vec<Option<RecordBatch>>,
    /// For each table, each version.
    pub(super) dimensions: Vec<Vec<RecordBatch>>,
    /// How often each row of the recorded answer is right.
    pub(super) repeats: usize,
}

impl Input {
    /// The rows as they were recorded.
    pub(super) fn recorded(query: &StreamStaticQuery) -> Result<Self, String> {
        let (stream, schemas) = plan::schemas(query)?;
        let batches = query
            .micro_batches
            .iter()
            .map(|rows| match rows.is_empty() {
                true => Ok(None),
                false => value::batch(&stream, rows).map(Some),
            })
            .collect::<Result<_, String>>()?;
        let dimensions = query
            .dims
            .iter()
            .zip(&schemas)
            .map(|(dimension, schema)| {
                let versions = dimension.versions.iter();
                versions
                    .map(|rows| value::batch(schema, rows))
                    .collect::<Result<_, String>>()
                    .map_err(|error| format!("dimension {}: {error}", dimension.name))
            })
            .collect::<Result<_, String>>()?;
        Ok(Self { batches, dimensions, repeats: 1 })
    }

    /// The same rows enlarged so that vector paths are filled: each stream row
    /// 1,000 times, each table with 10,000 rows that match nothing. `None`
    /// where no join has keys.
    pub(super) fn enlarged(&self, query: &StreamStaticQuery) -> Result<Option<Self>, String> {
        let has_keys = |join: &super::case::Join| !join.keys.is_empty() || join.using.is_some();
        if !query.joins.iter().any(has_keys) {
            return Ok(None);
        }
        let mut dimensions = self.dimensions.clone();
        for (dimension, versions) in query.dims.iter().zip(&mut dimensions) {
            let Some(rows) = padding::rows(query, dimension, PADDING_ROWS)? else { continue };
            for version in versions {
                let schema = version.schema();
                let more = value::batch(&schema, &rows)
                    .map_err(|error| format!("dimension {}: padding: {error}", dimension.name))?;
                // Recorded rows in the middle, so that both ends are padding.
                let half = more.num_rows() / 2;
                let parts =
                    [&more.slice(0, half), &*version, &more.slice(half, more.num_rows() - half)];
                *version = concat_batches(&schema, parts).map_err(|error| error.to_string())?;
            }
        }
        let batches = self
            .batches
            .iter()
            .map(|batch| batch.as_ref().map(repeated).transpose())
            .collect::<Result<_, String>>()?;
        Ok(Some(Self { batches, dimensions, repeats: REPEATS }))
    }

    /// The same rows in other encodings.
    pub(super) fn encoded(&self) -> Result<Self, String> {
        let stream = |batch: &RecordBatch| encoding::batch(batch, Owner::Stream);
        let table = |batch: &RecordBatch| encoding::batch(batch, Owner::Table);
        Ok(Self {
            batches: self
                .batches
                .iter()
                .map(|batch| batch.as_ref().map(stream).transpose())
                .collect::<Result<_, _>>()?,
            dimensions: self
                .dimensions
                .iter()
                .map(|versions| versions.iter().map(table).collect())
                .collect::<Result<_, _>>()?,
            repeats: self.repeats,
        })
    }
}

fn repeated(batch: &RecordBatch) -> Result<RecordBatch, String> {
    let rows = batch.num_rows() as u32;
    let positions: UInt32Array = (0..REPEATS).flat_map(|_| 0..rows).collect();
    take_record_batch(batch, &positions).map_err(|error| error.to_string())
}
