//! Spark's rate source: a counter and the time at which each value falls due.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use super::clock::{check_clock, parse_start, time_of};
use super::defaults::{default_start, number};
use super::rows::{Generate, Rows, batch};
use crate::error::Result;
use crate::type_text::timestamp_utc;

/// Columns `timestamp` (microseconds, UTC) and `value` (bigint, from 0).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Rows in a second of event time (default 1, as in Spark).
    #[serde(default = "number::<1, _>")]
    pub rows_per_second: u64,
    /// Time of row 0 (default `2024-01-01T00:00:00Z`).
    #[serde(default = "default_start")]
    pub start: String,
    /// Rows in all; without it the stream does not end.
    #[serde(default)]
    pub limit: Option<u64>,
}

impl Generate for Rate {
    fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("timestamp", timestamp_utc(), false),
            Field::new("value", DataType::Int64, false),
        ]))
    }

    fn rows(&self) -> Option<u64> {
        self.limit
    }

    fn check(&self) -> Result<()> {
        check_clock("rate", &self.start, ("rows_per_second", self.rows_per_second), self.limit)
    }

    fn prepare(&self) -> Box<dyn Rows> {
        let start = parse_start("rate", &self.start).unwrap_or_default();
        Box::new(Made { schema: self.schema(), start, rate: self.rows_per_second })
    }
}

struct Made {
    schema: SchemaRef,
    start: i64,
    rate: u64,
}

impl Rows for Made {
    fn rows(&mut self, first: u64, rows: usize) -> Result<RecordBatch> {
        let numbers = first..first + rows as u64;
        let times: Vec<i64> =
            numbers.clone().map(|row| time_of(self.start, row, self.rate)).collect();
        let values: Vec<i64> = numbers.map(|row| row as i64).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC")),
            Arc::new(Int64Array::from(values)),
        ];
        batch("rate", &self.schema, columns)
    }
}
