//! Pairs to output columns.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};

use super::{Input, Unit};
use crate::error::Result;
use crate::operator::columns::too_large;
use crate::operator::stream_static::plan::Slot;
use crate::operator::stream_static::planned::Planned;
use crate::probe::gather;
use crate::snapshot::TableSnapshot;

impl Unit {
    /// The columns of `slots` for a range of the pairs.
    pub(super) fn gather(
        &mut self,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
        slots: &[Slot],
        range: Range<usize>,
    ) -> Result<Vec<ArrayRef>> {
        let probe_rows = &self.pairs.probe_rows()[range.clone()];
        let build_rows = &self.pairs.build_rows()[range];
        let exchanged: Vec<u32>;
        let (columns, probe_rows, run) = match &self.input {
            Input::Sliced { columns, .. } => {
                // Consecutive rows, each once, are a slice of the input.
                let run = probe_rows.first().copied().filter(|&first| {
                    probe_rows.iter().zip(first..).all(|(&row, expected)| row == expected)
                });
                (&columns[..], probe_rows, run)
            }
            Input::None => return Ok(Vec::new()),
            Input::Exchanged { rows, .. } => {
                exchanged = probe_rows.iter().map(|&row| rows[row as usize]).collect();
                (batch, &exchanged[..], None)
            }
        };
        let wanted: Vec<usize> = slots
            .iter()
            .filter_map(|&slot| match slot {
                Slot::Stream(_) => None,
                Slot::Payload(i) => Some(i),
            })
            .collect();
        let sliced = if run.is_some() { slots.len() - wanted.len() } else { 0 };
        self.stats.values_gathered += ((slots.len() - sliced) * probe_rows.len()) as u64;
        let mut payload = snapshot.parts().payload.gather(&wanted, build_rows)?.into_iter();
        slots
            .iter()
            .map(|&slot| match (slot, run) {
                (Slot::Stream(i), Some(first)) => {
                    Ok(columns[i].slice(first as usize, probe_rows.len()))
                }
                (Slot::Stream(i), None) => gather(&columns[i], probe_rows),
                (Slot::Payload(_), _) => Ok(payload.next().expect("one array a payload slot")),
            })
            .collect()
    }

    /// Materialises the next pairs, as many as the limits allow.
    pub(super) fn emit(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<RecordBatch> {
        let started = Instant::now();
        let rows = (join.options.max_output_bytes / self.row_bytes.max(1))
            .clamp(1, join.options.max_output_rows)
            .min(self.pairs.len() - self.emitted);
        let range = self.emitted..self.emitted + rows;
        let columns = self
            .gather(snapshot, batch, &join.plan.output, range.clone())
            .map_err(|error| too_large(error, &join.plan.output_schema))?;
        self.emitted = range.end;
        self.stats.rows_out += rows as u64;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&join.plan.output_schema);
        let output = RecordBatch::try_new_with_options(schema, columns, &options)?;
        self.stats.materialise += started.elapsed();
        Ok(output)
    }
}
