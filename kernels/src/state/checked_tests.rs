//! Wrong input is an error that changes nothing; a store that failed stays failed;
//! whatever a cursor says, a look-up ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::DataType;

use super::checked::Checked;
use super::*;
use crate::arch::{Isa, mix};
use crate::error::JoinError;
use crate::hash::KeyHasher;
use crate::key::KeyShape;
use crate::key::Keys;
use crate::side::Side;
use crate::table::Probe;
use crate::time::EventTimes;
use crate::time::IntervalCondition;
use crate::time::TimeDelta;

fn plan() -> StorePlan {
    StorePlan {
        shape: KeyShape::Word,
        payload: vec![DataType::Int64, DataType::Utf8],
        evicts: true,
        tracks_matches: true,
        timed: true,
        hasher: KeyHasher::with_seed(Isa::detect(), 1),
        blocks: BlockOptions { rows: 16, first_row: 0 },
    }
}

/// Rows that come in or look for partners.
struct Rows {
    keys: Keys,
    hashes: Vec<u64>,
    times: EventTimes,
    payload: Vec<ArrayRef>,
    matched: Vec<bool>,
    rows: Vec<u32>,
}

impl Rows {
    fn new(count: usize) -> Self {
        let keys = Keys::Words((0..count as u64).map(|i| i % 5).collect::<Vec<_>>().into());
        let mut hashes = Vec::new();
        plan().hasher.hash(&keys, &mut hashes);
        let times = TimestampMicrosecondArray::from_iter_values(0..count as i64);
        Self {
            keys,
            hashes,
            times: EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap(),
            payload: vec![
                Arc::new(Int64Array::from_iter_values(0..count as i64)),
                Arc::new(StringArray::from_iter_values((0..count).map(|i| "x".repeat(i % 9)))),
            ],
            matched: vec![false; count],
            rows: (0..count as u32).collect(),
        }
    }

    fn new_rows(&self) -> NewRows<'_> {
        NewRows {
            keys: Probe::new(&self.keys, &self.hashes, None),
            times: &self.times,
            payload: &self.payload,
            matched: &self.matched,
            rows: &self.rows,
        }
    }

    fn probe(&self) -> StateProbe<'_> {
        let keys = Probe::new(&self.keys, &self.hashes, None);
        StateProbe { keys, rows: None, interval: None }
    }

    /// The pairs that these rows find, sorted.
    fn find(&self, store: &dyn StateStore) -> Vec<(u32, u32)> {
        let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
        store.find(self.probe(), &mut cursor, &mut pairs, usize::MAX).unwrap();
        let mut found: Vec<_> = pairs.iter().collect();
        found.sort_unstable();
        found
    }
}

fn stores() -> impl Iterator<Item = Box<dyn StateStore>> {
    StoreKind::ALL.into_iter().map(|kind| kind.build(&plan()).unwrap())
}

#[test]
fn wrong_rows_are_refused_before_any_is_stored() {
    let wrong: [fn(&mut Rows); 8] = [
        |rows| rows.keys = Keys::Wide(vec![0; 40].into()),
        |rows| rows.times = EventTimes::none(39),
        |rows| rows.matched.truncate(39),
        |rows| rows.payload.truncate(1),
        |rows| rows.payload[0] = Arc::new(Int32Array::from(vec![0; 40])),
        |rows| rows.payload[0] = Arc::new(Int64Array::from(vec![0; 39])),
        |rows| rows.payload[1] = Arc::new(StringArray::from(vec!["x"; 41])),
        |rows| rows.rows[20] = 40,
    ];
    for mut store in stores() {
        let good = Rows::new(40);
        store.insert(good.new_rows()).unwrap();
        let (found, size) = (good.find(&*store), store.size());
        for (i, wrong) in wrong.iter().enumerate() {
            let mut rows = Rows::new(40);
            wrong(&mut rows);
            let refused = catch_unwind(AssertUnwindSafe(|| store.insert(rows.new_rows())));
            let error = refused.expect("no panic").unwrap_err();
            assert!(
                matches!(error, JoinError::Schema(_) | JoinError::InvalidPlan(_)),
                "{i}: {error}"
            );
            assert!(store.growth(rows.new_rows()).is_err(), "{i}");
            assert_eq!((store.rows(), store.size()), (40, size), "{} {i}", store.name());
            assert_eq!(good.find(&*store), found, "{} {i}", store.name());
        }
        store.insert(good.new_rows()).unwrap();
        assert_eq!(good.find(&*store).len(), 2 * found.len());
    }
}

#[test]
fn wrong_probes_and_ids_are_errors() {
    for mut store in stores() {
        let good = Rows::new(40);
        store.insert(good.new_rows()).unwrap();
        let found = good.find(&*store);
        let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
        let mut find = |probe| store.find(probe, &mut cursor, &mut pairs, 10).is_err();
        let other = Rows { keys: Keys::Wide(vec![0; 40].into()), ..Rows::new(40) };
        assert!(find(other.probe()));
        assert!(find(StateProbe { rows: Some(&[0, 40]), ..good.probe() }));
        let times = EventTimes::none(41);
        let micro = TimeDelta::from_micros(1);
        let condition = IntervalCondition::between(-micro, micro);
        let interval = Some(IntervalProbe { times: &times, side: Side::Left, condition });
        assert!(find(StateProbe { interval, ..good.probe() }));
        for id in [40, 63, 64, 1 << 20, 1 << 29, 1 << 31, u32::MAX - 1] {
            assert!(store.gather(&[0], &[id]).is_err(), "{} {id}", store.name());
            assert!(store.rows_within(&[id], 100).is_err(), "{} {id}", store.name());
            assert_eq!(store.remove(&[id]).unwrap(), 0);
        }
        assert!(store.gather(&[2], &[found[0].1]).is_err());
        assert_eq!(good.find(&*store), found);
        // Ids of rows that were taken out and reclaimed name none.
        store.drain(None).unwrap();
        assert!(store.gather(&[0, 1], &[found[0].1]).is_ok());
        store.insert(Rows::new(1).new_rows()).unwrap();
        store.reclaim().unwrap();
        assert!(store.gather(&[0, 1], &[found[3].1]).is_err(), "{}", store.name());
    }
}

#[test]
fn a_store_that_failed_says_so_from_then_on() {
    for mut store in stores() {
        let good = Rows::new(40);
        store.insert(good.new_rows()).unwrap();
        let id = good.find(&*store)[0].1;
        store.set_matched(&[id]).unwrap();
        assert!(matches!(store.set_matched(&[id, 77]), Err(JoinError::InvalidPlan(_))));
        assert_failed(&mut *store, &good, id);
    }
    let mut store = Checked::new(&plan(), Panics);
    let rows = Rows::new(40);
    assert!(catch_unwind(AssertUnwindSafe(|| store.insert(rows.new_rows()))).is_err());
    assert_failed(&mut store, &rows, 0);
}

fn assert_failed(store: &mut dyn StateStore, rows: &Rows, id: u32) {
    let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
    let errors = [
        store.insert(rows.new_rows()).err(),
        store.growth(rows.new_rows()).err(),
        store.check_room(1).err(),
        store.rows_after(0).err(),
        store.find(rows.probe(), &mut cursor, &mut pairs, 10).err(),
        store.set_matched(&[id]).err(),
        store.remove(&[id]).err(),
        store.evict(5, None).err(),
        store.drain(None).err(),
        store.gather(&[0], &[id]).err(),
        store.rows_within(&[id], 10).err(),
        store.reclaim().err(),
    ];
    for error in errors {
        assert!(matches!(error, Some(JoinError::Unfinished)), "{} {error:?}", store.name());
    }
    assert!(pairs.is_empty());
}

/// A store that panics.
#[derive(Debug)]
struct Panics;

impl StateStore for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }
    fn rows(&self) -> u64 {
        0
    }
    fn rows_after(&self, _: i64) -> Result<u64> {
        unreachable!()
    }
    fn size(&self) -> StateSize {
        StateSize::default()
    }
    fn check_room(&self, _: usize) -> Result<()> {
        unreachable!()
    }
    fn growth(&self, _: NewRows<'_>) -> Result<usize> {
        unreachable!()
    }
    fn insert(&mut self, _: NewRows<'_>) -> Result<()> {
        std::panic::resume_unwind(Box::new("without a message on standard error"))
    }
    fn find(&self, _: StateProbe<'_>, _: &mut FindCursor, _: &mut Pairs, _: usize) -> Result<u64> {
        unreachable!()
    }
    fn set_matched(&mut self, _: &[u32]) -> Result<()> {
        unreachable!()
    }
    fn remove(&mut self, _: &[u32]) -> Result<u64> {
        unreachable!()
    }
    fn evict(&mut self, _: i64, _: Option<&mut Departed>) -> Result<Eviction> {
        unreachable!()
    }
    fn drain(&mut self, _: Option<&mut Departed>) -> Result<Eviction> {
        unreachable!()
    }
    fn gather(&self, _: &[usize], _: &[u32]) -> Result<Vec<ArrayRef>> {
        unreachable!()
    }
    fn rows_within(&self, _: &[u32], _: usize) -> Result<usize> {
        unreachable!()
    }
    fn reclaim(&mut self) -> Result<Upkeep> {
        unreachable!()
    }
}

#[test]
fn a_look_up_with_any_cursor_ends() {
    let mut seed = 0u64;
    let mut draw = move |below: u64| {
        seed += 1;
        mix(seed) % below
    };
    for mut store in stores() {
        for _ in 0..5 {
            store.insert(Rows::new(40).new_rows()).unwrap();
        }
        // Some are gone, some have no time.
        store.evict(12, None).unwrap();
        let untimed = Rows { times: EventTimes::none(40), ..Rows::new(40) };
        store.insert(untimed.new_rows()).unwrap();
        let rows = Rows::new(40);
        let ids: Vec<u32> = rows.find(&*store).iter().map(|pair| pair.1).collect();
        store.remove(&ids[..20]).unwrap();
        for _ in 0..2000 {
            let some = |draw: &mut dyn FnMut(u64) -> u64, below: u64| -> Vec<u32> {
                let count = [0, 1, 1, 2, 300][draw(5) as usize];
                (0..count).map(|_| draw(below) as u32).collect()
            };
            let below = [40, 60, 1 << 32][draw(3) as usize];
            let mut cursor = FindCursor {
                part: [0, 1, 3, 4, u32::MAX][draw(5) as usize],
                more_parts: draw(2) == 0,
                next_row: [0, 1, 39, 40, 41, usize::MAX][draw(6) as usize],
                rows: some(&mut draw, 42),
                candidates: some(&mut draw, below),
            };
            if draw(2) == 0 {
                cursor.candidates.resize(cursor.rows.len(), draw(below) as u32);
            }
            let mut pairs = Pairs::default();
            for call in 0.. {
                assert!(call < 1000, "{} does not end", store.name());
                if cursor.is_done(40)
                    || store.find(rows.probe(), &mut cursor, &mut pairs, 7).is_err()
                {
                    break;
                }
                assert!(
                    pairs.iter().all(|(row, id)| row < 40 && store.gather(&[0], &[id]).is_ok())
                );
                pairs.clear();
            }
        }
    }
}

#[test]
fn growth_is_never_more_than_was_said_and_not_absurdly_less() {
    for payload in [vec![], vec![DataType::Int64], vec![DataType::Int64, DataType::Utf8]] {
        for block in [16usize, 1024] {
            for kind in StoreKind::ALL {
                let blocks = BlockOptions { rows: block, first_row: 0 };
                let plan = StorePlan { payload: payload.clone(), blocks, ..plan() };
                let mut store = kind.build(&plan).unwrap();
                let (mut said, mut grew, mut clock) = (0, 0, 0i64);
                for batch in 0..200u64 {
                    let count = [1, 5, 40, 40, 300, 3000][(mix(batch) % 6) as usize];
                    let mut rows = Rows::new(count);
                    rows.payload.truncate(payload.len());
                    // Some disorder, some keys that are new, at times one far ahead.
                    let times: TimestampMicrosecondArray = (0..count as u64)
                        .map(|i| {
                            clock += 1;
                            let draw = mix(batch << 32 | i);
                            let late = if draw.is_multiple_of(10) {
                                (draw >> 32) as i64 % 2000
                            } else {
                                0
                            };
                            let ahead = if draw % 5000 == 7 { 1 << 40 } else { 0 };
                            (!draw.is_multiple_of(97)).then_some(clock - late + ahead)
                        })
                        .collect();
                    rows.times = EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap();
                    let keys = (0..count as u64).map(|i| mix(batch << 20 | i) % 4000);
                    rows.keys = Keys::Words(keys.collect::<Vec<_>>().into());
                    plan.hasher.hash(&rows.keys, &mut rows.hashes);
                    let (before, most) =
                        (store.size().bytes(), store.growth(rows.new_rows()).unwrap());
                    store.insert(rows.new_rows()).unwrap();
                    let grown = store.size().bytes().saturating_sub(before);
                    assert!(grown <= most, "{kind} {batch}: {grown} bytes, {most} were said");
                    (said, grew) = (said + most, grew + grown);
                    let whole = store.size().bytes();
                    assert!(
                        most <= whole + (1 << 17) + 400 * count,
                        "{kind} {batch}: {most} bytes said for {count} rows, {whole} held"
                    );
                    store.evict(clock - 8000, None).unwrap();
                    store.reclaim().unwrap();
                }
                assert!(said < 40 * grew, "{kind} {block}: {said} bytes said, {grew} grown");
            }
        }
    }
}
