//! A unit of work: some rows of a micro-batch against one partition of the
//! table, carried out in bounded steps.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;

use super::encode::encode;
use super::plan::{Emit, Plan, Slot};
use super::stats::JoinStats;
use super::stream_static::StreamStaticJoin;
use crate::dimension::{DimensionSnapshot, Part};
use crate::error::{JoinError, Result};
use crate::key::{EncodedKeys, Keys};
use crate::pairs::{NO_ROW, Pairs};
use crate::probe::{gather, row_bytes};
use crate::table::{FindCursor, Probe};

/// Rows of the stream with the keys that were encoded for them, if they were.
#[derive(Debug)]
pub(super) struct UnitRows {
    pub(super) source: RowSource,
    pub(super) keys: Option<(EncodedKeys, Vec<u64>)>,
}

#[derive(Debug)]
pub(super) enum RowSource {
    /// `start .. start + len` of the batch.
    Range(usize, usize),
    /// The batch's rows of these numbers.
    Selected(Vec<u32>),
}

#[derive(Debug)]
pub(super) struct Unit {
    part: usize,
    stage: Stage,
    /// The columns that the join reads, only the rows of this unit.
    columns: Vec<ArrayRef>,
    rows: usize,
    keys: Keys,
    hashes: Vec<u64>,
    matchable: Option<BooleanBuffer>,
    /// Rows with a match so far; used by joins that must know at the end.
    matched: Vec<bool>,
    pairs: Pairs,
    /// Pairs that were given out.
    emitted: usize,
    pub(super) stats: JoinStats,
}

#[derive(Debug)]
enum Stage {
    Start(UnitRows),
    Scan(FindCursor),
    Done,
}

impl Unit {
    pub(super) fn new(part: usize, rows: UnitRows) -> Self {
        Self {
            part,
            stage: Stage::Start(rows),
            columns: Vec::new(),
            rows: 0,
            keys: Keys::Words(Vec::new().into()),
            hashes: Vec::new(),
            matchable: None,
            matched: Vec::new(),
            pairs: Pairs::default(),
            emitted: 0,
            stats: JoinStats::default(),
        }
    }

    /// The next output batch, never an empty one; none when all is given out.
    pub(super) fn step(
        &mut self,
        join: &StreamStaticJoin,
        snapshot: &DimensionSnapshot,
        batch: &[ArrayRef],
    ) -> Result<Option<RecordBatch>> {
        let part = &snapshot.parts().partitions[self.part];
        loop {
            if self.emitted < self.pairs.len() {
                return self.emit(join, snapshot).map(Some);
            }
            self.pairs.clear();
            self.emitted = 0;
            match std::mem::replace(&mut self.stage, Stage::Done) {
                Stage::Done => return Ok(None),
                Stage::Start(rows) => {
                    self.start(join, batch, rows)?;
                    let started = Instant::now();
                    self.stage = if self.first_match_suffices(&join.plan, snapshot) {
                        self.probe_first_matches(join, snapshot, part)?;
                        Stage::Done
                    } else {
                        self.matched = vec![false; self.rows];
                        Stage::Scan(FindCursor::default())
                    };
                    self.stats.probe += started.elapsed();
                }
                Stage::Scan(cursor) => {
                    let started = Instant::now();
                    self.stage = self.scan(join, snapshot, part, cursor)?;
                    self.stats.probe += started.elapsed();
                }
            }
        }
    }

    /// Selects the rows, encodes and hashes their keys.
    fn start(&mut self, join: &StreamStaticJoin, batch: &[ArrayRef], rows: UnitRows) -> Result<()> {
        let started = Instant::now();
        (self.columns, self.rows) = match rows.source {
            RowSource::Range(start, len) => {
                (batch.iter().map(|column| column.slice(start, len)).collect(), len)
            }
            RowSource::Selected(rows) => {
                let columns = batch.iter().map(|column| gather(column, &rows));
                (columns.collect::<Result<_>>()?, rows.len())
            }
        };
        let encoded = match rows.keys {
            Some((encoded, hashes)) => {
                self.hashes = hashes;
                encoded
            }
            None => encode(join, &self.columns, self.rows, &mut self.hashes)?,
        };
        (self.keys, self.matchable) = (encoded.keys, encoded.matchable);
        self.stats.rows_in += self.rows as u64;
        self.stats.keys += started.elapsed();
        Ok(())
    }

    /// Whether one match a row is all there is to know or all that there is.
    fn first_match_suffices(&self, plan: &Plan, snapshot: &DimensionSnapshot) -> bool {
        snapshot.parts().unique
            || matches!(plan.emit, Emit::Existence { .. }) && plan.residual.is_none()
    }

    fn probe_first_matches(
        &mut self,
        join: &StreamStaticJoin,
        snapshot: &DimensionSnapshot,
        part: &Part,
    ) -> Result<()> {
        let mut found = std::mem::take(&mut self.pairs.build_rows);
        found.resize(self.rows, NO_ROW);
        // An empty table needs no probe: nothing is found.
        if part.index.rows() == 0 {
            found.fill(NO_ROW);
        } else {
            let probe = Probe::new(&self.keys, &self.hashes, self.matchable.as_ref());
            part.index.first_match(probe, &mut found);
        }
        if part.first_row > 0 {
            for row in found.iter_mut().filter(|row| **row != NO_ROW) {
                *row += part.first_row;
            }
        }
        if join.plan.residual.is_some() {
            self.pairs.build_rows = found;
            self.pairs.probe_rows = (0..self.rows as u32).collect();
            let all = std::mem::take(&mut self.pairs);
            let candidates = (0..self.rows).filter(|&i| all.build_rows[i] != NO_ROW);
            for i in candidates {
                self.pairs.push(all.probe_rows[i], all.build_rows[i]);
            }
            self.apply_residual(join, snapshot)?;
            found = all.build_rows;
            found.fill(NO_ROW);
            for (&row, &build) in self.pairs.probe_rows.iter().zip(&self.pairs.build_rows) {
                found[row as usize] = build;
            }
            self.pairs.clear();
        }
        let matched = found.iter().filter(|&&row| row != NO_ROW).count();
        self.count(matched);
        let keep_rows = |pairs: &mut Pairs, keep: &dyn Fn(u32) -> bool| {
            pairs.probe_rows.extend((0..found.len() as u32).filter(|&i| keep(found[i as usize])));
        };
        match join.plan.emit {
            Emit::Pairs { preserved: true } => self.pairs.probe_rows.extend(0..self.rows as u32),
            Emit::Pairs { preserved: false } if matched == self.rows => {
                self.pairs.probe_rows.extend(0..self.rows as u32);
            }
            Emit::Pairs { preserved: false } => {
                keep_rows(&mut self.pairs, &|row| row != NO_ROW);
                found.retain(|&row| row != NO_ROW);
            }
            Emit::Existence { matched } => {
                keep_rows(&mut self.pairs, &|row| (row != NO_ROW) == matched);
                found.truncate(self.pairs.probe_rows.len());
            }
        }
        self.pairs.build_rows = found;
        Ok(())
    }

    /// Fills `pairs` with the next matches; at the end of the scan with the
    /// rows that come out without one.
    fn scan(
        &mut self,
        join: &StreamStaticJoin,
        snapshot: &DimensionSnapshot,
        part: &Part,
        mut cursor: FindCursor,
    ) -> Result<Stage> {
        let emits_pairs = matches!(join.plan.emit, Emit::Pairs { .. });
        let limit = join.options.max_output_rows;
        if part.index.rows() > 0 && !cursor.is_done(self.rows) {
            let probe = Probe::new(&self.keys, &self.hashes, self.matchable.as_ref());
            part.index.find(probe, &mut cursor, &mut self.pairs, limit);
            if part.first_row > 0 {
                for row in &mut self.pairs.build_rows {
                    *row += part.first_row;
                }
            }
            if join.plan.residual.is_some() {
                self.apply_residual(join, snapshot)?;
            }
            for &row in &self.pairs.probe_rows {
                self.matched[row as usize] = true;
            }
            if !emits_pairs {
                self.pairs.clear();
                // A row that has matched needs no further candidates.
                cursor.retain(|row| !self.matched[row as usize]);
            }
            return Ok(Stage::Scan(cursor));
        }
        let matched = self.matched.iter().filter(|&&matched| matched).count();
        self.count(matched);
        let wanted = match join.plan.emit {
            Emit::Pairs { preserved: false } => None,
            Emit::Pairs { preserved: true } => Some(false),
            Emit::Existence { matched } => Some(matched),
        };
        if let Some(wanted) = wanted {
            let rows = (0..self.rows as u32).filter(|&row| self.matched[row as usize] == wanted);
            self.pairs.probe_rows.extend(rows);
            self.pairs.build_rows.resize(self.pairs.probe_rows.len(), NO_ROW);
        }
        Ok(Stage::Done)
    }

    fn count(&mut self, matched: usize) {
        self.stats.rows_matched += matched as u64;
        self.stats.rows_unmatched += (self.rows - matched) as u64;
    }

    /// Drops the pairs that fail the residual condition; their build rows are
    /// rows, none is [`NO_ROW`].
    fn apply_residual(
        &mut self,
        join: &StreamStaticJoin,
        snapshot: &DimensionSnapshot,
    ) -> Result<()> {
        let Some(residual) = &join.plan.residual else { return Ok(()) };
        if self.pairs.is_empty() {
            return Ok(());
        }
        let columns = self.gather(snapshot, &residual.slots, 0..self.pairs.len())?;
        let keep = residual.filter.evaluate(&columns, self.pairs.len())?;
        self.pairs.retain_from(0, &keep);
        Ok(())
    }

    /// The columns of `slots` for a range of the pairs.
    fn gather(
        &self,
        snapshot: &DimensionSnapshot,
        slots: &[Slot],
        range: Range<usize>,
    ) -> Result<Vec<ArrayRef>> {
        let probe_rows = &self.pairs.probe_rows[range.clone()];
        let build_rows = &self.pairs.build_rows[range];
        // Rows that come out in a row, each once, are a slice of the input.
        let run = probe_rows.first().copied().filter(|&first| {
            probe_rows.iter().zip(first..).all(|(&row, expected)| row == expected)
        });
        let wanted: Vec<usize> = slots
            .iter()
            .filter_map(|&slot| match slot {
                Slot::Stream(_) => None,
                Slot::Payload(i) => Some(i),
            })
            .collect();
        let mut payload = snapshot.parts().payload.gather(&wanted, build_rows)?.into_iter();
        slots
            .iter()
            .map(|&slot| match (slot, run) {
                (Slot::Stream(i), Some(first)) => {
                    Ok(self.columns[i].slice(first as usize, probe_rows.len()))
                }
                (Slot::Stream(i), None) => gather(&self.columns[i], probe_rows),
                (Slot::Payload(_), _) => Ok(payload.next().expect("one array a payload slot")),
            })
            .collect()
    }

    /// Materialises the next pairs, as many as the limits allow.
    fn emit(
        &mut self,
        join: &StreamStaticJoin,
        snapshot: &DimensionSnapshot,
    ) -> Result<RecordBatch> {
        let started = Instant::now();
        let payload = &snapshot.parts().payload;
        let row_bytes: usize = join
            .plan
            .output
            .iter()
            .map(|&slot| match slot {
                Slot::Stream(i) => row_bytes(&self.columns[i]),
                Slot::Payload(i) => payload.row_bytes(i),
            })
            .sum();
        let rows = (join.options.max_output_bytes / row_bytes.max(1))
            .clamp(1, join.options.max_output_rows)
            .min(self.pairs.len() - self.emitted);
        let range = self.emitted..self.emitted + rows;
        let columns = self
            .gather(snapshot, &join.plan.output, range.clone())
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

/// Says what an overflow of 32-bit offsets means here: one row alone is too
/// large, for the limit in bytes had cut the batch down to it.
pub(super) fn too_large(error: JoinError, schema: &Schema) -> JoinError {
    match error {
        JoinError::Arrow(ArrowError::OffsetOverflowError(_)) => {
            let names: Vec<&str> = schema
                .fields()
                .iter()
                .filter(|field| matches!(field.data_type(), DataType::Utf8 | DataType::Binary))
                .map(|field| field.name().as_str())
                .collect();
            JoinError::OutputTooLarge { column: names.join("` or `") }
        }
        other => other,
    }
}
