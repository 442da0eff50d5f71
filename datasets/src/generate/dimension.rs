//! The dimension table that a `keys` stream of the same seed hits.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use super::defaults::number;
use super::keys::MAX_PAYLOADS;
use super::permutation::Permutation;
use super::rows::{Generate, Rows, batch};
use crate::error::{DatasetError, Result};
use crate::random::{KeyOf, Random, payload};

/// Columns `key` (bigint, unique, in no order) and the payloads `d0`, `d1`, ...
/// (bigint, 0 to 2^20 - 1), which depend on the key and the seed only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dimension {
    /// Rows; as the stream's `dimension_rows`.
    pub rows: u64,
    /// Number of payload columns (default 2).
    #[serde(default = "number::<2, _>")]
    pub payload_columns: usize,
    /// Seed; as the stream's (default 0).
    #[serde(default)]
    pub seed: u64,
    /// Keys 0, 1, 2, ... instead of keys scattered over all of bigint.
    #[serde(default)]
    pub dense: bool,
}

impl Generate for Dimension {
    fn schema(&self) -> SchemaRef {
        let mut fields = vec![Field::new("key", DataType::Int64, false)];
        for number in 0..self.payload_columns.min(MAX_PAYLOADS) {
            fields.push(Field::new(format!("d{number}"), DataType::Int64, false));
        }
        Arc::new(Schema::new(fields))
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn check(&self) -> Result<()> {
        let wrong =
            |field, message: String| Err(DatasetError::generator("dimension", field, message));
        if self.rows > 1 << 62 {
            return wrong("rows", "must be at most 2^62".to_owned());
        }
        if self.payload_columns > MAX_PAYLOADS {
            return wrong("payload_columns", format!("must be at most {MAX_PAYLOADS}"));
        }
        Ok(())
    }

    fn prepare(&self) -> Box<dyn Rows> {
        Box::new(Made {
            schema: self.schema(),
            settings: self.clone(),
            order: Permutation::new(self.rows, Random::new(self.seed, 3).at(0)),
        })
    }
}

struct Made {
    schema: SchemaRef,
    settings: Dimension,
    order: Permutation,
}

impl Rows for Made {
    fn rows(&mut self, first: u64, rows: usize) -> Result<RecordBatch> {
        let key_of = KeyOf::new(self.settings.seed, self.settings.dense);
        let keys: Vec<i64> =
            (first..first + rows as u64).map(|row| key_of.key(self.order.at(row))).collect();
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.settings.payload_columns + 1);
        for number in 0..self.settings.payload_columns {
            let random = Random::new(self.settings.seed, 1 << 32 | number as u64);
            let values: Vec<i64> = keys.iter().map(|key| payload(random.at(*key as u64))).collect();
            columns.push(Arc::new(Int64Array::from(values)));
        }
        columns.insert(0, Arc::new(Int64Array::from(keys)));
        batch("dimension", &self.schema, columns)
    }
}
