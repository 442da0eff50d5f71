//! Which rows of a unit a semi or anti join puts out.

use arrow::array::{ArrayRef, BooleanBufferBuilder};
use arrow::buffer::{BooleanBuffer, Buffer};

use super::{Stage, Unit};
use crate::error::Result;
use crate::operator::stream_static::exchange::UnitRows;
use crate::operator::stream_static::plan::Emit;
use crate::operator::stream_static::planned::Planned;
use crate::snapshot::TableSnapshot;

impl Unit {
    /// One bit per row of the unit, in its own order:
    /// [`row_of_batch`](Self::row_of_batch) says which rows they are. The unit has
    /// no output any more.
    pub(in crate::operator::stream_static) fn select(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<BooleanBuffer> {
        if join.plan.asks_existence()
            && let Stage::Start(rows) = std::mem::replace(&mut self.stage, Stage::Done)
        {
            return self.existing(join, snapshot, batch, rows);
        }
        let mut selected = BooleanBufferBuilder::new(self.rows);
        while !matches!(self.stage, Stage::Done) {
            self.look_up(join, snapshot, batch)?;
            if selected.is_empty() {
                selected.append_n(self.rows, false);
            }
            self.pairs.probe_rows().iter().for_each(|&row| selected.set_bit(row as usize, true));
        }
        Ok(selected.finish())
    }

    /// Asks the index for bits: there are no pairs.
    fn existing(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
        rows: UnitRows,
    ) -> Result<BooleanBuffer> {
        self.start(join, snapshot, batch, rows)?;
        let mut found = BooleanBufferBuilder::new(self.rows);
        let mut words = Vec::new();
        for stretch in &self.stretches {
            words.clear();
            words.resize(stretch.len.div_ceil(64), 0u64);
            self.probe(snapshot, stretch, |part, probe| {
                part.index.exists(probe, &mut words);
                Ok(0)
            })?;
            let bits = BooleanBuffer::new(Buffer::from_slice_ref(&words), 0, stretch.len);
            found.append_buffer(&bits);
        }
        let found = found.finish();
        let wants_found = join.plan.emit == Emit::Existence { matched: true };
        Ok(if wants_found { found } else { !&found })
    }

    /// The number in the batch of a row of a unit that has begun.
    pub(in crate::operator::stream_static) fn row_of_batch(&self, row: usize) -> usize {
        self.input.row_of_batch(row) as usize
    }
}
