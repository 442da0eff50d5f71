//! A case's rows as batches: as recorded, encoded otherwise, or enlarged.

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::SchemaRef;

use super::case::{Columns, Dimension, Query, Row, StreamStaticQuery};
use super::encoding::{self, Owner};
use super::{padding, value};

/// Rows that match nothing, added to each table of an enlarged case.
const PADDING_ROWS: usize = 10_000;
/// How often each stream row comes in an enlarged case.
const REPEATS: usize = 1_000;

/// Rows of one schema in parts: the input batches of a stream, or the versions
/// of a table.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) schema: SchemaRef,
    pub(super) parts: Vec<RecordBatch>,
}

/// What a case reads.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// The stream, or the left and the right one.
    pub(super) streams: Vec<Parts>,
    /// The tables.
    pub(super) tables: Vec<Parts>,
    /// How often each row of the recorded answer is right.
    pub(super) repeats: usize,
    /// Whether the columns have other Arrow types than the recorded ones.
    pub(super) encoded: bool,
}

impl Input {
    /// The rows as they were recorded.
    ///
    /// # Errors
    /// What is wrong with the case.
    pub(super) fn recorded(query: &Query) -> Result<Self, String> {
        let (streams, tables) = match query {
            Query::StreamStatic(query) => {
                let batches = query.micro_batches.iter();
                let stream = parts(&query.stream.schema, batches)?;
                let tables = query.dims.iter().map(table).collect::<Result<_, _>>()?;
                (vec![stream], tables)
            }
            Query::StreamStream(query) => {
                let batches = query.micro_batches.iter();
                let left = parts(&query.left.schema, batches.clone().map(|batch| &batch.left))?;
                let right = parts(&query.right.schema, batches.map(|batch| &batch.right))?;
                (vec![left, right], Vec::new())
            }
        };
        Ok(Self { streams, tables, repeats: 1, encoded: false })
    }

    /// Rows of all streams in an input batch.
    pub(super) fn rows(&self, input_batch: usize) -> usize {
        self.streams.iter().map(|stream| stream.parts[input_batch].num_rows()).sum()
    }

    /// The input batches with a row, which are those that run.
    pub(super) fn executed(&self) -> Vec<usize> {
        let batches = 0..self.streams[0].parts.len();
        batches.filter(|batch| self.rows(*batch) > 0).collect()
    }

    /// The same rows enlarged so that vector paths are filled: each stream row
    /// 1,000 times, each table with 10,000 rows that match nothing. `None`
    /// where no join with a table has keys.
    ///
    /// # Errors
    /// What is wrong with the case.
    pub(super) fn enlarged(&self, query: &Query) -> Result<Option<Self>, String> {
        let Query::StreamStatic(query) = query else { return Ok(None) };
        let mut conditions = query.joins.iter().map(|join| &join.condition);
        if !conditions.any(|condition| !condition.keys.is_empty() || condition.using.is_some()) {
            return Ok(None);
        }
        let mut enlarged = Self { repeats: REPEATS, ..self.clone() };
        for (dimension, table) in query.dims.iter().zip(&mut enlarged.tables) {
            pad(query, dimension, table)
                .map_err(|error| format!("dimension {}: padding: {error}", dimension.name))?;
        }
        for part in enlarged.streams.iter_mut().flat_map(|stream| &mut stream.parts) {
            let rows = part.num_rows() as u32;
            let positions: UInt32Array = (0..REPEATS).flat_map(|_| 0..rows).collect();
            *part = take_record_batch(part, &positions).map_err(|error| error.to_string())?;
        }
        Ok(Some(enlarged))
    }

    /// The same rows in other encodings.
    ///
    /// # Errors
    /// Rows that cannot be encoded so.
    pub(super) fn encoded(&self) -> Result<Self, String> {
        let encode = |rows: &Parts, owner| {
            let parts = rows.parts.iter().map(|part| encoding::batch(part, owner));
            let schema = encoding::schema(&rows.schema, owner);
            Ok::<_, String>(Parts { schema, parts: parts.collect::<Result<_, _>>()? })
        };
        // The second stream is encoded as a table is.
        let owners = [Owner::Stream, Owner::Table];
        let streams = self.streams.iter().zip(owners).map(|(rows, owner)| encode(rows, owner));
        let tables = self.tables.iter().map(|rows| encode(rows, Owner::Table));
        Ok(Self {
            streams: streams.collect::<Result<_, _>>()?,
            tables: tables.collect::<Result<_, _>>()?,
            repeats: self.repeats,
            encoded: true,
        })
    }
}

fn parts<'q>(columns: &Columns, rows: impl Iterator<Item = &'q Vec<Row>>) -> Result<Parts, String> {
    let schema = value::schema(columns)?;
    let parts = rows.map(|rows| value::batch(&schema, rows)).collect::<Result<_, _>>()?;
    Ok(Parts { schema, parts })
}

fn table(dimension: &Dimension) -> Result<Parts, String> {
    parts(&dimension.schema, dimension.versions.iter())
        .map_err(|error| format!("dimension {}: {error}", dimension.name))
}

/// Adds rows that match nothing to each version of a table.
fn pad(query: &StreamStaticQuery, dimension: &Dimension, table: &mut Parts) -> Result<(), String> {
    let Some(rows) = padding::rows(query, dimension, PADDING_ROWS)? else { return Ok(()) };
    let more = value::batch(&table.schema, &rows)?;
    // Recorded rows in the middle, so that both ends are padding.
    let half = more.num_rows() / 2;
    let (before, after) = (more.slice(0, half), more.slice(half, more.num_rows() - half));
    for version in &mut table.parts {
        *version = concat_batches(&table.schema, [&before, &*version, &after])
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}
