//! A unit of work: some rows of a micro-batch against the table or against a
//! few partitions of it, carried out in bounded steps.

mod materialise;
mod select;
mod sorted;

use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, RecordBatch};

use super::encode::encode;
use super::exchange::{Exchange, Stretch, UnitRows};
use super::plan::{Emit, Plan};
use super::planned::Planned;
use super::report::Stats;
use crate::error::Result;
use crate::key::EncodedKeys;
use crate::pairs::{NO_ROW, Pairs};
use crate::snapshot::{Part, TableSnapshot};
use crate::table::{Probe, Scan};

#[derive(Debug)]
pub(super) struct Unit {
    stage: Stage,
    input: Input,
    /// What each stretch of the unit's rows is looked up in, in their order.
    stretches: Vec<Stretch>,
    rows: usize,
    /// The most bytes that an output row takes.
    row_bytes: usize,
    /// Rows with a match so far; used by joins that must know at the end.
    matched: Vec<bool>,
    pairs: Pairs,
    /// Pairs that have been output.
    emitted: usize,
    /// The batch's row numbers of rows without a match, if they are asked for.
    pub(super) unmatched: Option<Vec<u32>>,
    pub(super) stats: Stats,
}

/// Where a unit has its rows.
#[derive(Debug)]
enum Input {
    /// Before the start.
    None,
    /// The columns that the join reads, only the rows of this unit.
    Sliced { first_row: u32, columns: Vec<ArrayRef>, keys: EncodedKeys, hashes: Vec<u64> },
    /// Keys by partition, and the number in the batch of each row.
    Exchanged { exchange: Arc<Exchange>, rows: Vec<u32> },
}

impl Input {
    /// The number in the batch of a row of the unit.
    fn row_of_batch(&self, row: usize) -> u32 {
        match self {
            Self::None => 0,
            Self::Sliced { first_row, .. } => first_row + row as u32,
            Self::Exchanged { rows, .. } => rows[row],
        }
    }
}

#[derive(Debug)]
enum Stage {
    Start(UnitRows),
    /// A scan of the stretch of that number, whose first row is `offset`.
    Scan {
        stretch: usize,
        offset: usize,
        scan: Scan,
    },
    Done,
}

impl Unit {
    pub(super) fn new(rows: UnitRows) -> Self {
        Self {
            stage: Stage::Start(rows),
            input: Input::None,
            stretches: Vec::new(),
            rows: 0,
            row_bytes: 0,
            matched: Vec::new(),
            pairs: Pairs::default(),
            emitted: 0,
            unmatched: None,
            stats: Stats::default(),
        }
    }

    /// Whether all of its output has been returned.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done) && self.emitted == self.pairs.len()
    }

    /// The next output batch, never an empty one; none when there is no more.
    pub(super) fn step(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<Option<RecordBatch>> {
        loop {
            if self.emitted < self.pairs.len() {
                return self.emit(join, snapshot, batch).map(Some);
            }
            if matches!(self.stage, Stage::Done) {
                return Ok(None);
            }
            self.look_up(join, snapshot, batch)?;
        }
    }

    /// Goes on with the look-ups; `pairs` are then those to output next.
    fn look_up(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<()> {
        self.pairs.clear();
        self.emitted = 0;
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Done => {}
            Stage::Start(rows) => {
                self.start(join, snapshot, batch, rows)?;
                let started = Instant::now();
                self.stage = if self.first_match_suffices(&join.plan, snapshot) {
                    self.probe_first_matches(join, snapshot, batch)?;
                    Stage::Done
                } else {
                    self.matched = vec![false; self.rows];
                    Stage::Scan { stretch: 0, offset: 0, scan: Scan::default() }
                };
                self.stats.probe += started.elapsed();
            }
            Stage::Scan { stretch, offset, scan } => {
                let started = Instant::now();
                self.stage = self.scan(join, snapshot, batch, stretch, offset, scan)?;
                self.stats.probe += started.elapsed();
            }
        }
        Ok(())
    }

    /// Selects the rows; encodes and hashes their keys if that was not done.
    fn start(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
        rows: UnitRows,
    ) -> Result<()> {
        let started = Instant::now();
        match rows {
            UnitRows::Range(start, len) => {
                let columns: Vec<ArrayRef> =
                    batch.iter().map(|column| column.slice(start, len)).collect();
                let mut hashes = Vec::new();
                let keys = encode(join, &columns, len, &mut hashes)
                    .map_err(|error| error.after_rows(start))?;
                self.row_bytes = join.plan.output_row_bytes(&columns, &snapshot.parts().payload);
                self.input = Input::Sliced { first_row: start as u32, columns, keys, hashes };
                self.stretches = vec![Stretch { piece: 0, part: Some(0), from: 0, len }];
            }
            UnitRows::Exchanged(exchange, stretches) => {
                let rows = stretches.iter().flat_map(|stretch| {
                    exchange.pieces[stretch.piece].rows(stretch.from..stretch.from + stretch.len)
                });
                let rows = rows.copied().collect();
                self.row_bytes = exchange.row_bytes;
                self.input = Input::Exchanged { exchange, rows };
                self.stretches = stretches;
            }
        }
        self.rows = self.stretches.iter().map(|stretch| stretch.len).sum();
        self.stats.rows_in += self.rows as u64;
        self.stats.keys += started.elapsed();
        Ok(())
    }

    /// Calls `look_up` with the table's part that a stretch meets and its keys,
    /// unless nothing can be found there; returns what it returns.
    fn probe(
        &self,
        snapshot: &TableSnapshot,
        stretch: &Stretch,
        look_up: impl FnOnce(&Part, Probe<'_>) -> Result<u64>,
    ) -> Result<u64> {
        let Some(part) = stretch.part.map(|part| &snapshot.parts().partitions[part]) else {
            return Ok(0);
        };
        if part.index.rows() == 0 {
            return Ok(0);
        }
        match &self.input {
            Input::None => Ok(0),
            Input::Sliced { keys, hashes, .. } => {
                look_up(part, Probe::new(&keys.keys, hashes, keys.matchable.as_ref()))
            }
            Input::Exchanged { exchange, .. } => {
                let range = stretch.from..stretch.from + stretch.len;
                exchange.pieces[stretch.piece]
                    .with(range, |keys, hashes| look_up(part, Probe::new(keys, hashes, None)))
            }
        }
    }

    /// Whether one match per row is all that can exist or all that is asked for.
    fn first_match_suffices(&self, plan: &Plan, snapshot: &TableSnapshot) -> bool {
        snapshot.parts().unique || plan.asks_existence()
    }

    fn probe_first_matches(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<()> {
        let (mut rows, mut found) = std::mem::take(&mut self.pairs).into_columns();
        rows.clear();
        found.clear();
        found.resize(self.rows, NO_ROW);
        let (mut offset, mut compared) = (0, 0);
        for stretch in &self.stretches {
            let found = &mut found[offset..offset + stretch.len];
            offset += stretch.len;
            let of_stretch = self.probe(snapshot, stretch, |part, probe| {
                let compared = part.index.first_match(probe, found)?;
                if part.first_row > 0 {
                    for row in found.iter_mut().filter(|row| **row != NO_ROW) {
                        *row += part.first_row;
                    }
                }
                Ok(compared)
            })?;
            // An index of the caller's may say anything.
            compared = of_stretch.saturating_add(compared);
        }
        self.stats.keys_compared = self.stats.keys_compared.saturating_add(compared);
        if join.plan.residual.is_some() {
            for (row, &build) in (0..).zip(&found).filter(|&(_, &build)| build != NO_ROW) {
                self.pairs.push(row, build);
            }
            self.apply_residual(join, snapshot, batch)?;
            found.fill(NO_ROW);
            for (row, build) in self.pairs.iter() {
                found[row as usize] = build;
            }
        }
        let matched = found.iter().filter(|&&row| row != NO_ROW).count();
        self.count(matched);
        self.note_unmatched(|row| found[row] == NO_ROW);
        let all = 0..self.rows as u32;
        match join.plan.emit {
            Emit::Pairs { preserved } if preserved || matched == self.rows => rows.extend(all),
            Emit::Pairs { .. } => {
                rows.extend(all.filter(|&row| found[row as usize] != NO_ROW));
                found.retain(|&build| build != NO_ROW);
            }
            Emit::Existence { matched } => {
                rows.extend(all.filter(|&row| (found[row as usize] != NO_ROW) == matched));
                // The output has no column of the table.
                found.truncate(rows.len());
            }
        }
        self.pairs = Pairs::from_columns(rows, found)?;
        Ok(())
    }

    /// Fills `pairs` with the next matches; at the end of the scan with the
    /// rows that are output without one.
    fn scan(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
        mut stretch: usize,
        mut offset: usize,
        mut scan: Scan,
    ) -> Result<Stage> {
        let limit = join.options.max_output_rows;
        let mut pairs = std::mem::take(&mut self.pairs);
        while let Some(rows) = self.stretches.get(stretch)
            && pairs.len() < limit
        {
            let (held, mut done) = (pairs.len(), true);
            let compared = self.probe(snapshot, rows, |part, probe| {
                let compared = part.index.find(probe, &mut scan, &mut pairs, limit)?;
                done = scan.is_done(rows.len);
                if part.first_row > 0 {
                    pairs.build_rows_mut()[held..]
                        .iter_mut()
                        .for_each(|row| *row += part.first_row);
                }
                Ok(compared)
            })?;
            self.stats.keys_compared = self.stats.keys_compared.saturating_add(compared);
            if offset > 0 {
                pairs.probe_rows_mut()[held..].iter_mut().for_each(|row| *row += offset as u32);
            }
            if !done {
                break;
            }
            (stretch, offset) = (stretch + 1, offset + rows.len);
            scan = Scan::default();
        }
        self.pairs = pairs;
        if stretch < self.stretches.len() || !self.pairs.is_empty() {
            self.apply_residual(join, snapshot, batch)?;
            for &row in self.pairs.probe_rows() {
                self.matched[row as usize] = true;
            }
            if matches!(join.plan.emit, Emit::Existence { .. }) {
                self.pairs.clear();
                // A row that has matched needs no further candidates.
                scan.retain(|row| !self.matched[offset + row as usize]);
            }
            return Ok(Stage::Scan { stretch, offset, scan });
        }
        let matched = self.matched.iter().filter(|&&matched| matched).count();
        self.count(matched);
        let flags = std::mem::take(&mut self.matched);
        self.note_unmatched(|row| !flags[row]);
        self.matched = flags;
        let wanted = match join.plan.emit {
            Emit::Pairs { preserved: false } => None,
            Emit::Pairs { preserved: true } => Some(false),
            Emit::Existence { matched } => Some(matched),
        };
        if let Some(wanted) = wanted {
            let rows = (0..self.rows as u32).filter(|&row| self.matched[row as usize] == wanted);
            rows.for_each(|row| self.pairs.push(row, NO_ROW));
        }
        Ok(Stage::Done)
    }

    /// Notes the rows that found nothing, if somebody asks.
    fn note_unmatched(&mut self, is_unmatched: impl Fn(usize) -> bool) {
        let Some(unmatched) = &mut self.unmatched else { return };
        let rows = (0..self.rows).filter(|&row| is_unmatched(row));
        unmatched.extend(rows.map(|row| self.input.row_of_batch(row)));
    }

    fn count(&mut self, matched: usize) {
        self.stats.rows_matched += matched as u64;
        self.stats.rows_unmatched += (self.rows - matched) as u64;
    }

    /// Drops the pairs that fail the residual condition; their build rows are
    /// rows, none is [`NO_ROW`].
    fn apply_residual(
        &mut self,
        join: &Planned,
        snapshot: &TableSnapshot,
        batch: &[ArrayRef],
    ) -> Result<()> {
        let Some(residual) = &join.plan.residual else { return Ok(()) };
        if self.pairs.is_empty() {
            return Ok(());
        }
        self.stats.residual_pairs += self.pairs.len() as u64;
        let columns = self.gather(snapshot, batch, &residual.slots, 0..self.pairs.len())?;
        let keep = residual.filter.evaluate(&columns, self.pairs.len())?;
        self.pairs.retain_from(0, &keep);
        Ok(())
    }
}
