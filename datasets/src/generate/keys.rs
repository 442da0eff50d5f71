//! A stream of keys for benchmarks: a share of them hits a dimension table of the
//! same seed, uniformly or with a Zipf skew.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use super::clock::{check_clock, parse_start, time_of};
use super::defaults::{default_start, number};
use super::rows::{Generate, Rows, batch};
use crate::error::{DatasetError, Result};
use crate::random::{KeyOf, Random, Zipf, below, payload};
use crate::type_text::timestamp_utc;

/// Columns `key` (bigint), `event_time` (microseconds, UTC) and the payloads
/// `payload`, `payload_2`, ... (bigint, 0 to 2^20 - 1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// Rows in all.
    pub rows: u64,
    /// Rows of the dimension table, that is, keys that hit.
    #[serde(alias = "key_space")]
    pub dimension_rows: u64,
    /// Share of the rows whose key is in the dimension, 0 to 1 (default 1).
    #[serde(default = "number::<1, _>")]
    pub hit_rate: f64,
    /// Exponent of the skew among the keys that hit (default 0 = uniform).
    /// A skew takes 8 bytes of memory per dimension row.
    #[serde(default)]
    pub zipf: f64,
    /// Number of payload columns (default 1).
    #[serde(default = "number::<1, _>")]
    pub payload_columns: usize,
    /// Seed; the dimension must have the same (default 0).
    #[serde(default)]
    pub seed: u64,
    /// Keys 0, 1, 2, ... instead of keys scattered over all of bigint.
    #[serde(default)]
    pub dense: bool,
    /// Event time of the first row (default `2024-01-01T00:00:00Z`).
    #[serde(default = "default_start")]
    pub start: String,
    /// Rows in a second of event time (default 1,000,000).
    #[serde(default = "million")]
    pub rows_per_second: u64,
}

fn million() -> u64 {
    1_000_000
}

/// Largest number of keys: ordinals beyond the dimension are the misses.
const MAX_KEYS: u64 = 1 << 62;
/// Largest number of keys with a skew.
const MAX_ZIPF_KEYS: u64 = 1 << 30;
/// Payload columns are for benchmarks, not for tests of wide tables.
pub(super) const MAX_PAYLOADS: usize = 1024;

impl Generate for Keys {
    fn schema(&self) -> SchemaRef {
        let mut fields = vec![
            Field::new("key", DataType::Int64, false),
            Field::new("event_time", timestamp_utc(), false),
        ];
        for number in 1..=self.payload_columns.min(MAX_PAYLOADS) {
            let name = if number == 1 { "payload".to_owned() } else { format!("payload_{number}") };
            fields.push(Field::new(name, DataType::Int64, false));
        }
        Arc::new(Schema::new(fields))
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn check(&self) -> Result<()> {
        let wrong = |field, message: String| Err(DatasetError::generator("keys", field, message));
        let max = if self.zipf > 0.0 { MAX_ZIPF_KEYS } else { MAX_KEYS };
        if !(1..=max).contains(&self.dimension_rows) {
            return wrong("dimension_rows", format!("must be 1 to {max}"));
        }
        if !(0.0..=1.0).contains(&self.hit_rate) {
            return wrong("hit_rate", format!("is {}, but must be 0 to 1", self.hit_rate));
        }
        if !(0.0..=10.0).contains(&self.zipf) {
            return wrong("zipf", format!("is {}, but must be 0 to 10", self.zipf));
        }
        if self.payload_columns > MAX_PAYLOADS {
            return wrong("payload_columns", format!("must be at most {MAX_PAYLOADS}"));
        }
        check_clock("keys", &self.start, ("rows_per_second", self.rows_per_second), Some(self.rows))
    }

    fn prepare(&self) -> Box<dyn Rows> {
        let start = parse_start("keys", &self.start).unwrap_or_default();
        let zipf = (self.zipf > 0.0).then(|| Zipf::new(self.dimension_rows as usize, self.zipf));
        Box::new(Made {
            schema: self.schema(),
            settings: self.clone(),
            start,
            zipf,
            key_of: KeyOf::new(self.seed, self.dense),
        })
    }
}

struct Made {
    schema: SchemaRef,
    settings: Keys,
    start: i64,
    zipf: Option<Zipf>,
    key_of: KeyOf,
}

impl Made {
    /// Ordinals of the dimension, and beyond its end for the misses; one tight
    /// loop per case.
    fn keys(&self, first: u64, rows: usize) -> Vec<i64> {
        let dimension = self.settings.dimension_rows;
        let (key_of, rate) = (self.key_of, self.settings.hit_rate);
        let pick = Random::new(self.settings.seed, 1);
        let coin = Random::new(self.settings.seed, 2);
        // 2^64 times the rate, rounded down: exact at 0.
        let limit = (rate * 18_446_744_073_709_551_616.0) as u64;
        // A miss is an ordinal beyond the dimension; chosen by arithmetic, for a
        // branch would be mispredicted at every other row.
        let shift = |row: u64| dimension & u64::from(coin.at(row) >= limit).wrapping_neg();
        let uniform = |row: u64| below(pick.at(row), dimension);
        let numbers = first..first + rows as u64;
        match &self.zipf {
            None if rate >= 1.0 => numbers.map(|row| key_of.key(uniform(row))).collect(),
            None => numbers.map(|row| key_of.key(uniform(row) + shift(row))).collect(),
            Some(zipf) if rate >= 1.0 => {
                numbers.map(|row| key_of.key(zipf.pick(pick.at(row)))).collect()
            }
            Some(zipf) => {
                numbers.map(|row| key_of.key(zipf.pick(pick.at(row)) + shift(row))).collect()
            }
        }
    }
}

impl Rows for Made {
    fn rows(&mut self, first: u64, rows: usize) -> Result<RecordBatch> {
        let numbers = first..first + rows as u64;
        let rate = self.settings.rows_per_second;
        let times: Vec<i64> = if 1_000_000 % rate == 0 && first < 1 << 40 {
            // No division for a whole number of microseconds per row.
            let step = (1_000_000 / rate) as i64;
            numbers.clone().map(|row| self.start + row as i64 * step).collect()
        } else {
            numbers.clone().map(|row| time_of(self.start, row, rate)).collect()
        };
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(self.keys(first, rows))),
            Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC")),
        ];
        for number in 0..self.settings.payload_columns {
            let random = Random::new(self.settings.seed, 16 + number as u64);
            let values: Vec<i64> = numbers.clone().map(|row| payload(random.at(row))).collect();
            columns.push(Arc::new(Int64Array::from(values)));
        }
        batch("keys", &self.schema, columns)
    }
}
