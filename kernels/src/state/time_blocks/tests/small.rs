//! Small states are small: blocks, and what is kept of each, are sized by the rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, TimestampMicrosecondArray};
use arrow::datatypes::DataType;

use super::super::{MAIN, TimeBlocks};
use super::draw::Draw;
use crate::key::{KeyShape, Keys};
use crate::state::block::WordEntry;
use crate::state::{BlockOptions, NewRows, StateStore, StorePlan};
use crate::table::Probe;
use crate::time::EventTimes;

/// A store of 64-bit keys and three kept columns of eight bytes.
struct Small {
    store: TimeBlocks<WordEntry>,
    plan: StorePlan,
    draw: Draw,
    clock: i64,
}

const SECOND: i64 = 1_000_000;

impl Small {
    fn new() -> Self {
        let mut plan = super::twin::plan(KeyShape::Word, BlockOptions::default().rows, 0);
        plan.payload = vec![DataType::Int64; 3];
        let store = TimeBlocks::new(&plan).unwrap();
        Self { store, plan, draw: Draw::new(7), clock: 0 }
    }

    /// Rows a tenth of a second apart, in some disorder.
    fn insert(&mut self, count: usize) {
        let keys = (0..count).map(|_| self.draw.below(1000)).collect::<Vec<_>>();
        let times: TimestampMicrosecondArray = (0..count)
            .map(|_| {
                self.clock += SECOND / 10;
                Some(self.clock - self.draw.upto(2 * SECOND))
            })
            .collect();
        let keys = Keys::Words(keys.into());
        let mut hashes = Vec::new();
        self.plan.hasher.hash(&keys, &mut hashes);
        let values = Arc::new(Int64Array::from(vec![1; count])) as ArrayRef;
        let new = NewRows {
            keys: Probe::new(&keys, &hashes, None),
            times: &EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap(),
            payload: &[Arc::clone(&values), Arc::clone(&values), values],
            matched: &vec![false; count],
            rows: &(0..count as u32).collect::<Vec<_>>(),
        };
        let (before, most) = (self.store.size().bytes(), self.store.growth(new).unwrap());
        self.store.insert(new).unwrap();
        let after = self.store.size().bytes();
        assert!(after <= before + most, "{before} bytes and {most} more, not {after}");
    }

    /// Evicts all but about the newest `rows`.
    fn keep(&mut self, rows: i64) {
        self.store.evict(self.clock - rows * SECOND / 10, None).unwrap();
        self.store.reclaim().unwrap();
    }

    /// Bytes, and what they are for.
    fn bytes(&self) -> (usize, String) {
        let main = &self.store.rings[MAIN];
        let text = format!(
            "{:?}: blocks of {} rows, directory {:?}, heads {}, late {:?}, hot {}, due {}",
            self.store.size(),
            main.plan.shape.rows,
            main.directory.bytes(),
            main.heads.bytes(),
            main.late.bytes(),
            main.hot_keys.bytes(),
            main.due.capacity() * 16,
        );
        (self.store.size().bytes(), text)
    }
}

#[test]
fn bytes_of_no_rows_one_row_few_and_many() {
    let mut small = Small::new();
    let (none, what) = small.bytes();
    assert!(none < 4_000, "{none} bytes for nothing: {what}");
    small.insert(1);
    let (one, what) = small.bytes();
    assert!(one < 9_000, "{one} bytes for one row: {what}");

    // A side of a join with 240 rows that live for a while.
    let mut small = Small::new();
    let mut most = (0, String::new());
    for _ in 0..100 {
        small.insert(10);
        small.keep(120);
        most = most.max(small.bytes());
    }
    assert!((100..200).contains(&small.store.rows()));
    assert!(most.0 < 30_000, "{} bytes for 120 rows: {}", most.0, most.1);

    let mut large = Small::new();
    for _ in 0..100 {
        large.insert(1000);
        large.store.reclaim().unwrap();
    }
    let (many, what) = large.bytes();
    assert_eq!(large.store.rows(), 100_000);
    assert!(many < 7_500_000, "{many} bytes for 100,000 rows: {what}");
}

#[test]
fn a_state_that_shrinks_gives_its_memory_back() {
    let mut small = Small::new();
    for _ in 0..20 {
        small.insert(1000);
        small.store.reclaim().unwrap();
    }
    for _ in 0..60 {
        small.insert(10);
        small.keep(120);
    }
    let (bytes, what) = small.bytes();
    assert!(bytes < 30_000, "{bytes} bytes for 120 rows: {what}");
}
