//! The rules of stream-stream joins, row by row, with no regard to speed: every
//! look-up is a loop over all rows, all arithmetic is in 128 bits.

use streamjoin_kernels::JoinType;
use streamjoin_kernels::time::WatermarkPolicy;

use crate::query::{LEFT, Query, RIGHT, Row};

/// An output row: ids of the left and of the right row.
pub(crate) type OutRow = (Option<i64>, Option<i64>);

/// One executed batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executed {
    pub(crate) no_data: bool,
    pub(crate) rows: Vec<OutRow>,
    pub(crate) watermark: Option<i64>,
    pub(crate) late_watermark: Option<i64>,
    pub(crate) sides: [Counts; 2],
}

/// What happened to the rows of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) rows_in: u64,
    pub(crate) late: u64,
    /// By conditions below the watermark, a null key included.
    pub(crate) filtered: u64,
    pub(crate) null_time: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    pub(crate) state: u64,
}

#[derive(Clone, Debug)]
struct Stored {
    row: Row,
    matched: bool,
}

/// The engine between batches.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    pub(crate) query: Query,
    state: [Vec<Stored>; 2],
    /// Per side, in milliseconds.
    values: [i128; 2],
    global: i128,
    last: i128,
    /// Rows that got past all filters, for the property of the whole run.
    pub(crate) accepted: [Vec<Row>; 2],
}

impl Oracle {
    pub(crate) fn new(query: Query) -> Self {
        Self {
            query,
            state: [vec![], vec![]],
            values: [0, 0],
            global: 0,
            last: 0,
            accepted: [vec![], vec![]],
        }
    }

    /// Rule 7.
    pub(crate) fn advance(&mut self) -> Option<Executed> {
        let evicts = (0..2).any(|i| self.query.line(i, 0).is_some());
        let due = self.query.no_data_batches && evicts && self.global > self.last;
        due.then(|| self.execute([&[], &[]], true))
    }

    /// Rule 6.
    pub(crate) fn push(&mut self, left: &[Row], right: &[Row]) -> Option<Executed> {
        (left.len() + right.len() > 0).then(|| self.execute([left, right], false))
    }

    fn execute(&mut self, input: [&[Row]; 2], no_data: bool) -> Executed {
        let (watermark, late) = (self.global, self.last);
        self.last = self.global;
        let declared = self.query.delays.iter().any(Option::is_some);
        let mut done = Executed {
            no_data,
            watermark: declared.then_some(watermark as i64),
            late_watermark: declared.then_some(late as i64),
            ..Executed::default()
        };
        let mut seen: [Vec<i64>; 2] = [vec![], vec![]];
        let mut new: [Vec<Stored>; 2] = [vec![], vec![]];
        for i in 0..2 {
            for row in input[i] {
                self.take_in(i, row, late, &mut done, &mut seen[i], &mut new[i]);
            }
        }
        let lines = [self.query.line(LEFT, watermark), self.query.line(RIGHT, watermark)];
        let under = |query: &Query, i: usize, row: &Row| {
            lines[i].is_some_and(|line| query.stand_in(row).is_some_and(|t| t <= line))
        };
        let [left, right] = new;
        match self.query.join_type {
            JoinType::LeftSemi => self.semi(left, right, &mut done),
            JoinType::LeftAnti => {
                self.left_rows(left, &mut done, true);
                for r in right {
                    let query = self.query.clone();
                    let before = self.state[LEFT].len();
                    self.state[LEFT].retain(|l| !query.pair(&l.row, &r.row));
                    done.sides[LEFT].removed += (before - self.state[LEFT].len()) as u64;
                    if !under(&query, RIGHT, &r.row) {
                        self.store(RIGHT, r, &mut done);
                    }
                }
            }
            _ => {
                self.left_rows(left, &mut done, false);
                for mut r in right {
                    for l in &mut self.state[LEFT] {
                        if self.query.pair(&l.row, &r.row) {
                            (l.matched, r.matched) = (true, true);
                            done.rows.push((Some(l.row.id), Some(r.row.id)));
                        }
                    }
                    let comes_out = self.query.preserved(RIGHT) && !r.matched;
                    if !under(&self.query, RIGHT, &r.row) || comes_out {
                        self.store(RIGHT, r, &mut done);
                    }
                }
            }
        }
        for i in 0..2 {
            let state = std::mem::take(&mut self.state[i]);
            for stored in state {
                if !under(&self.query, i, &stored.row) {
                    self.state[i].push(stored);
                    continue;
                }
                done.sides[i].removed += 1;
                if self.query.preserved(i) && !stored.matched {
                    done.rows.push(alone(i, stored.row.id));
                }
            }
        }
        for (i, seen) in seen.into_iter().enumerate() {
            done.sides[i].state = self.state[i].len() as u64;
            let Some(delay) = self.query.delays[i] else { continue };
            for time in seen {
                let value = i128::from(time.div_euclid(1000)) - i128::from(delay / 1000);
                self.values[i] = self.values[i].max(value);
            }
        }
        let values = (0..2).filter(|&i| self.query.delays[i].is_some()).map(|i| self.values[i]);
        let global = match self.query.policy {
            WatermarkPolicy::Min => values.min(),
            WatermarkPolicy::Max => values.max(),
        };
        self.global = self.global.max(global.unwrap_or(0));
        done.rows.sort_unstable();
        done
    }

    /// Rules 2, 5, 10 to 14, 19, 20, 26.
    fn take_in(
        &mut self,
        i: usize,
        row: &Row,
        late: i128,
        done: &mut Executed,
        seen: &mut Vec<i64>,
        new: &mut Vec<Stored>,
    ) {
        let query = &self.query;
        let counts = &mut done.sides[i];
        counts.rows_in += 1;
        if !query.preserved(i) {
            let null_key =
                row.keys.iter().zip(&query.null_safe).any(|(key, safe)| key.is_none() && !safe);
            let null_residual = query.residual && row.value.is_none();
            let no_time = query.uses_time() && row.time.is_none();
            if !query.passes(i, row) || null_residual || null_key && !no_time {
                counts.filtered += 1;
                return;
            }
            if no_time {
                counts.null_time += 1;
                return;
            }
        }
        seen.extend(row.time);
        let is_late = query.stand_in(row).is_some_and(|time| time <= late * 1000);
        if query.delays[i].is_some() && is_late {
            counts.late += 1;
            return;
        }
        if query.is_window() && row.time.is_none() {
            counts.null_time += 1;
            return;
        }
        self.accepted[i].push(row.clone());
        if !self.query.passes(i, row) {
            done.rows.push(alone(i, row.id));
            return;
        }
        new.push(Stored { row: row.clone(), matched: false });
    }

    fn store(&mut self, i: usize, row: Stored, done: &mut Executed) {
        done.sides[i].added += 1;
        self.state[i].push(row);
    }

    /// Step (a) of rule 15.
    fn left_rows(&mut self, left: Vec<Stored>, done: &mut Executed, anti: bool) {
        for mut l in left {
            for r in &mut self.state[RIGHT] {
                if self.query.pair(&l.row, &r.row) {
                    (l.matched, r.matched) = (true, true);
                    if !anti {
                        done.rows.push((Some(l.row.id), Some(r.row.id)));
                    }
                }
            }
            if !(anti && l.matched) {
                self.store(LEFT, l, done);
            }
        }
    }

    /// Rule 17, with D2 put right.
    fn semi(&mut self, left: Vec<Stored>, right: Vec<Stored>, done: &mut Executed) {
        for r in right {
            let state = std::mem::take(&mut self.state[LEFT]);
            for l in state {
                if self.query.pair(&l.row, &r.row) {
                    done.rows.push((Some(l.row.id), None));
                    done.sides[LEFT].removed += 1;
                } else {
                    self.state[LEFT].push(l);
                }
            }
            self.store(RIGHT, r, done);
        }
        for l in left {
            if self.state[RIGHT].iter().any(|r| self.query.pair(&l.row, &r.row)) {
                done.rows.push((Some(l.row.id), None));
            } else {
                self.store(LEFT, l, done);
            }
        }
    }

    /// The end: every unmatched row of a preserved side comes out.
    pub(crate) fn flush(&mut self) -> Vec<OutRow> {
        let mut rows = Vec::new();
        for i in 0..2 {
            for stored in std::mem::take(&mut self.state[i]) {
                if self.query.preserved(i) && !stored.matched {
                    rows.push(alone(i, stored.row.id));
                }
            }
        }
        rows.sort_unstable();
        rows
    }

    /// The plain join of the accepted rows.
    pub(crate) fn whole_run(&self) -> Vec<OutRow> {
        let [left, right] = &self.accepted;
        let query = &self.query;
        let pair =
            |l: &Row, r: &Row| query.passes(LEFT, l) && query.passes(RIGHT, r) && query.pair(l, r);
        let mut rows = Vec::new();
        for l in left {
            let found: Vec<i64> = right.iter().filter(|r| pair(l, r)).map(|r| r.id).collect();
            match query.join_type {
                JoinType::LeftSemi => {
                    rows.extend((!found.is_empty()).then_some((Some(l.id), None)));
                }
                JoinType::LeftAnti => rows.extend(found.is_empty().then_some((Some(l.id), None))),
                _ => {
                    rows.extend(found.iter().map(|&r| (Some(l.id), Some(r))));
                    if found.is_empty() && query.preserved(LEFT) {
                        rows.push(alone(LEFT, l.id));
                    }
                }
            }
        }
        if query.preserved(RIGHT) {
            let lonely = right.iter().filter(|r| !left.iter().any(|l| pair(l, r)));
            rows.extend(lonely.map(|r| alone(RIGHT, r.id)));
        }
        rows.sort_unstable();
        rows
    }

    /// The one case in which the whole run is not the plain join: a side
    /// without a watermark under an event-time key loses partners.
    pub(crate) fn loses_partners(&self) -> bool {
        self.query.time_key.is_some() && self.query.delays.iter().any(Option::is_none)
    }
}

fn alone(i: usize, id: i64) -> OutRow {
    if i == LEFT { (Some(id), None) } else { (None, Some(id)) }
}
