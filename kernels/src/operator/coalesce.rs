//! Joins small output batches into larger ones.
//!
//! Partitions cut a micro-batch into pieces; fed to the next join of a chain
//! and cut again, the pieces would soon hold a few rows each.

use arrow::array::{Array, RecordBatch};
use arrow::compute::concat_batches;

use crate::error::Result;

#[derive(Debug)]
pub(super) struct Coalescer {
    max_rows: usize,
    max_bytes: usize,
    held: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl Coalescer {
    /// Batches of at most `max_rows` rows and `max_bytes` bytes come out, as
    /// far as those that go in allow.
    pub(super) fn new(max_rows: usize, max_bytes: usize) -> Self {
        Self { max_rows, max_bytes, held: Vec::new(), rows: 0, bytes: 0 }
    }

    /// Takes a batch; gives those before it if it does not fit with them.
    ///
    /// # Errors
    /// Arrow's.
    pub(super) fn push(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let rows = batch.num_rows();
        let bytes = batch
            .columns()
            .iter()
            .map(|column| column.to_data().get_slice_memory_size())
            .sum::<std::result::Result<usize, _>>()?;
        let fits = self.rows + rows <= self.max_rows && self.bytes + bytes <= self.max_bytes;
        let full = if fits { None } else { self.finish()? };
        self.held.push(batch);
        self.rows += rows;
        self.bytes += bytes;
        Ok(full)
    }

    /// What is held, as one batch; none if nothing is.
    ///
    /// # Errors
    /// Arrow's.
    pub(super) fn finish(&mut self) -> Result<Option<RecordBatch>> {
        (self.rows, self.bytes) = (0, 0);
        let mut held = std::mem::take(&mut self.held);
        Ok(match held.len() {
            0 | 1 => held.pop(),
            _ => Some(concat_batches(held[0].schema_ref(), &held)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    #[test]
    fn small_batches_are_joined_up_to_the_limits_in_order() {
        let batch = |first: i64, rows: i64| {
            let ids = first..first + rows;
            let texts = StringArray::from_iter_values(ids.clone().map(|i| i.to_string()));
            let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(ids));
            RecordBatch::try_from_iter([("id", ids), ("text", Arc::new(texts) as ArrayRef)])
                .unwrap()
        };
        let input: Vec<RecordBatch> = (0..40).map(|i| batch(i * 3, 3)).collect();
        let all = concat_batches(input[0].schema_ref(), &input).unwrap();
        for (max_rows, max_bytes, at_least) in
            [(10, usize::MAX, 9), (7, usize::MAX, 6), (1, 1, 3), (1000, 200, 6)]
        {
            let mut coalescer = Coalescer::new(max_rows, max_bytes);
            let mut output = Vec::new();
            for batch in input.clone() {
                output.extend(coalescer.push(batch).unwrap());
            }
            output.extend(coalescer.finish().unwrap());
            assert_eq!(concat_batches(all.schema_ref(), &output).unwrap(), all);
            for batch in &output[..output.len() - 1] {
                assert!(batch.num_rows() <= max_rows.max(3) && batch.num_rows() >= at_least);
            }
        }
        assert!(Coalescer::new(1, 1).finish().unwrap().is_none());
    }
}
