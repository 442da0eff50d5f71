//! Two stores, the fast one and the plain one, that are given the same calls
//! and must say the same.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, StringArray, TimestampMicrosecondArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Int64Type};

use super::super::{MOST_HEAP, TimeBlocks};
use crate::arch::Isa;
use crate::hash::KeyHasher;
use crate::key::{ByteKeys, KeyShape, Keys};
use crate::pairs::{NO_ROW, Pairs};
use crate::side::Side;
use crate::state::block::{BytesEntry, EntryKey, WideEntry, WordEntry};
use crate::state::{
    BlockOptions, Departed, Eviction, IntervalProbe, NewRows, StateProbe, StateSize, StateStore,
    StoreKind, StorePlan,
};
use crate::table::{FindCursor, Probe};
use crate::time::{EventTimes, IntervalCondition, TimeDelta};

/// The keys of a shape, made of numbers: equal where these are.
pub(super) trait TestKey: EntryKey {
    const SHAPE: KeyShape;
    fn keys(numbers: &[u64]) -> Keys;
}

impl TestKey for WordEntry {
    const SHAPE: KeyShape = KeyShape::Word;
    fn keys(numbers: &[u64]) -> Keys {
        Keys::Words(numbers.to_vec().into())
    }
}

impl TestKey for WideEntry {
    const SHAPE: KeyShape = KeyShape::Wide;
    fn keys(numbers: &[u64]) -> Keys {
        // Halves that other keys have as well.
        let wide = |&key: &u64| i128::from(key % 5) << 64 | i128::from(key / 5);
        Keys::Wide(numbers.iter().map(wide).collect::<Vec<_>>().into())
    }
}

impl TestKey for BytesEntry {
    const SHAPE: KeyShape = KeyShape::Bytes;
    fn keys(numbers: &[u64]) -> Keys {
        let (mut offsets, mut bytes) = (vec![0i64], Vec::new());
        for &key in numbers {
            if key > 0 {
                bytes.extend_from_slice(key.to_string().as_bytes());
            }
            offsets.push(bytes.len() as i64);
        }
        Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into()).unwrap())
    }
}

/// A row that comes in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) key: u64,
    pub(super) time: Option<i64>,
    pub(super) matched: bool,
    pub(super) matchable: bool,
    pub(super) stored: bool,
}

pub(super) fn row(key: u64, time: i64) -> Row {
    Row { key, time: Some(time), matched: false, matchable: true, stored: true }
}

/// Rows that look for partners.
#[derive(Clone, Debug)]
pub(super) struct Looking {
    pub(super) rows: Vec<Row>,
    /// Which of them look, where not all.
    pub(super) selected: Option<Vec<u32>>,
    pub(super) interval: Option<(Side, IntervalCondition)>,
    pub(super) limit: usize,
}

impl Looking {
    /// Keys without a condition on times.
    pub(super) fn keys(keys: impl IntoIterator<Item = u64>) -> Self {
        let rows = keys.into_iter().map(|key| row(key, 0)).collect();
        Self { rows, selected: None, interval: None, limit: 1 << 20 }
    }

    /// Rows whose partners lie between two distances of them.
    pub(super) fn between(rows: Vec<Row>, from: i64, to: i64) -> Self {
        let interval = Some((
            Side::Left,
            IntervalCondition::between(TimeDelta::from_micros(from), TimeDelta::from_micros(to)),
        ));
        Self { rows, selected: None, interval, limit: 1 << 20 }
    }
}

/// A pair: a row that looked, and the number and ids of the stored row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) probe: u32,
    pub(super) number: i64,
    pub(super) fast: u32,
    pub(super) plain: u32,
}

/// The two stores.
#[derive(Debug)]
pub(super) struct Twin<E> {
    pub(super) fast: TimeBlocks<E>,
    plain: Box<dyn StateStore>,
    hasher: KeyHasher,
    /// The payload of the next row.
    next: i64,
    /// Rows that the last look-up of the fast store walked.
    pub(super) walked: u64,
    /// What the last eviction of the fast store did.
    pub(super) evicted: Eviction,
    fresh: StateSize,
}

pub(super) fn plan(shape: KeyShape, rows: usize, first_row: u32) -> StorePlan {
    StorePlan {
        shape,
        payload: vec![DataType::Int64, DataType::Utf8],
        evicts: true,
        tracks_matches: true,
        timed: true,
        hasher: KeyHasher::with_seed(Isa::detect(), 1),
        blocks: BlockOptions { rows, first_row },
    }
}

/// The text that goes with a number; none with some.
fn text(number: i64) -> Option<String> {
    (number % 5 != 0).then(|| format!("{number}{}", "x".repeat((number % 7) as usize)))
}

fn times(rows: &[Row]) -> EventTimes {
    let times: TimestampMicrosecondArray = rows.iter().map(|row| row.time).collect();
    EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap()
}

/// The numbers of stored rows, whose other columns must agree with them.
fn numbers(store: &dyn StateStore, ids: &[u32]) -> Vec<i64> {
    let ids: Vec<u32> = ids.iter().copied().chain([NO_ROW]).collect();
    let columns = store.gather(&[1, 0], &ids).unwrap();
    let numbers = columns[1].as_primitive::<Int64Type>();
    let texts = columns[0].as_string::<i32>();
    for (number, found) in numbers.iter().zip(texts) {
        assert_eq!(number.and_then(text).as_deref(), found, "{}", store.name());
    }
    let numbers: Vec<Option<i64>> = numbers.iter().collect();
    assert_eq!(numbers.last(), Some(&None));
    numbers.into_iter().flatten().collect()
}

impl<E: TestKey> Twin<E> {
    pub(super) fn new(rows: usize) -> Self {
        Self::with(&plan(E::SHAPE, rows, 0), 31, 29)
    }

    /// Stores of a plan; the row numbers of the fast one have so few bits.
    pub(super) fn with(plan: &StorePlan, main: u32, others: u32) -> Self {
        let fast = TimeBlocks::with_limits(plan, main, others, MOST_HEAP).unwrap();
        let fresh = fast.size();
        Self {
            fast,
            plain: StoreKind::OrderedMap.build(plan).unwrap(),
            hasher: plan.hasher.clone(),
            next: 0,
            walked: 0,
            evicted: Eviction::default(),
            fresh,
        }
    }

    fn keys(&self, rows: &[Row]) -> (Keys, Vec<u64>, Option<BooleanBuffer>) {
        let keys = <E as TestKey>::keys(&rows.iter().map(|row| row.key).collect::<Vec<_>>());
        let mut hashes = Vec::new();
        self.hasher.hash(&keys, &mut hashes);
        let all = rows.iter().all(|row| row.matchable);
        let matchable =
            (!all).then(|| BooleanBuffer::collect_bool(rows.len(), |i| rows[i].matchable));
        (keys, hashes, matchable)
    }

    pub(super) fn rows(&self) -> u64 {
        assert_eq!(self.fast.rows(), self.plain.rows());
        self.fast.rows()
    }

    pub(super) fn insert(&mut self, rows: &[Row]) {
        let (keys, hashes, matchable) = self.keys(rows);
        let count = rows.len() as i64;
        let numbers = Int64Array::from_iter_values(self.next..self.next + count);
        let texts: StringArray = (self.next..self.next + count).map(text).collect();
        self.next += count;
        let stored: Vec<u32> =
            (0..rows.len() as u32).filter(|&i| rows[i as usize].stored).collect();
        let new = NewRows {
            keys: Probe::new(&keys, &hashes, matchable.as_ref()),
            times: &times(rows),
            payload: &[Arc::new(numbers), Arc::new(texts)],
            matched: &rows.iter().map(|row| row.matched).collect::<Vec<_>>(),
            rows: &stored,
        };
        let before = self.rows();
        self.fast.insert(new).unwrap();
        self.plain.insert(new).unwrap();
        assert_eq!(self.rows(), before + stored.len() as u64);
    }

    /// Looks rows up in both stores; `between` is given the ids found by each
    /// call, and may take stored rows out.
    fn look_up<S: StateStore + ?Sized>(
        &self,
        store: &S,
        looking: &Looking,
        mut between: impl FnMut(&mut Pairs, &mut FindCursor),
    ) -> u64 {
        let (keys, hashes, matchable) = self.keys(&looking.rows);
        let times = times(&looking.rows);
        let interval = looking.interval.map(|(side, condition)| IntervalProbe {
            times: &times,
            side,
            condition,
        });
        let keys = Probe::new(&keys, &hashes, matchable.as_ref());
        let probe = StateProbe { keys, rows: looking.selected.as_deref(), interval };
        let (mut cursor, mut pairs, mut walked) = (FindCursor::default(), Pairs::default(), 0);
        let mut idle = 0;
        while !cursor.is_done(probe.len()) {
            walked += store.find(probe, &mut cursor, &mut pairs, looking.limit).unwrap();
            assert!(pairs.len() <= looking.limit, "{} pairs", pairs.len());
            idle = if pairs.is_empty() { idle + 1 } else { 0 };
            assert!(idle < 3, "a call does not get on: {cursor:?}");
            between(&mut pairs, &mut cursor);
            pairs.clear();
        }
        walked
    }

    /// All pairs, which both stores agree on.
    pub(super) fn find(&mut self, looking: &Looking) -> Vec<Found> {
        let (mut fast, mut plain) = (Vec::new(), Vec::new());
        let mut walked = 0;
        for (found, fast) in [(&mut fast, true), (&mut plain, false)] {
            let store: &dyn StateStore = if fast { &self.fast } else { &*self.plain };
            let all = self.look_up(store, looking, |pairs, _| {
                let numbers = numbers(store, pairs.build_rows());
                let rows = pairs.iter().zip(numbers);
                found.extend(rows.map(|((row, id), number)| (row, number, id)));
            });
            found.sort_unstable();
            walked = if fast { all } else { walked };
        }
        self.walked = walked;
        let numbers = |found: &[(u32, i64, u32)]| -> Vec<(u32, i64)> {
            found.iter().map(|&(row, number, _)| (row, number)).collect()
        };
        assert_eq!(numbers(&fast), numbers(&plain), "{looking:?}");
        let both = fast.iter().zip(&plain);
        both.map(|(&(probe, number, fast), &(_, _, plain))| Found { probe, number, fast, plain })
            .collect()
    }

    /// Looks rows up and takes the partners out between the calls, as a semi
    /// join does; how many left.
    pub(super) fn find_and_remove(&mut self, looking: &Looking) -> usize {
        let expected = self.find(looking);
        let mut numbers: Vec<i64> = expected.iter().map(|found| found.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut plain: Vec<u32> = expected.iter().map(|found| found.plain).collect();
        plain.sort_unstable();
        plain.dedup();
        let mut removed = 0;
        // The store is looked up and changed in turns.
        let (keys, hashes, matchable) = self.keys(&looking.rows);
        let times = times(&looking.rows);
        let interval = looking.interval.map(|(side, condition)| IntervalProbe {
            times: &times,
            side,
            condition,
        });
        let keys = Probe::new(&keys, &hashes, matchable.as_ref());
        let probe = StateProbe { keys, rows: looking.selected.as_deref(), interval };
        let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
        let mut seen: Vec<i64> = Vec::new();
        while !cursor.is_done(probe.len()) {
            self.fast.find(probe, &mut cursor, &mut pairs, looking.limit).unwrap();
            let (_, mut rows) = std::mem::take(&mut pairs).into_columns();
            rows.sort_unstable();
            rows.dedup();
            removed += self.fast.remove(&rows).unwrap();
            seen.extend(self::numbers(&self.fast, &rows));
        }
        seen.sort_unstable();
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "a row that left is found");
        assert_eq!(seen, numbers, "{looking:?}");
        assert_eq!(removed, self.plain.remove(&plain).unwrap());
        assert_eq!(removed, numbers.len() as u64);
        self.rows();
        numbers.len()
    }

    /// The rows that have a partner, found as an existence probe does it: rows
    /// drop out with their first.
    pub(super) fn find_first(&mut self, looking: &Looking) -> Vec<u32> {
        let mut expected: Vec<u32> = self.find(looking).iter().map(|found| found.probe).collect();
        expected.dedup();
        let mut found = Vec::new();
        self.look_up(&self.fast, looking, |pairs, cursor| {
            found.extend_from_slice(pairs.probe_rows());
            cursor.retain(|row| !found.contains(&row));
        });
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{looking:?}");
        found
    }

    pub(super) fn set_matched(&mut self, found: &[Found]) {
        self.fast.set_matched(&found.iter().map(|found| found.fast).collect::<Vec<_>>()).unwrap();
        self.plain.set_matched(&found.iter().map(|found| found.plain).collect::<Vec<_>>()).unwrap();
    }

    /// Takes rows out, twice: once they are gone.
    pub(super) fn remove(&mut self, found: &[Found]) -> u64 {
        let fast: Vec<u32> = found.iter().map(|found| found.fast).collect();
        let plain: Vec<u32> = found.iter().map(|found| found.plain).collect();
        let removed = self.fast.remove(&fast).unwrap();
        assert_eq!(removed, self.plain.remove(&plain).unwrap());
        assert_eq!(self.fast.remove(&fast).unwrap(), 0);
        let left: Vec<i64> = found.iter().map(|found| found.number).collect();
        assert_eq!(numbers(&self.fast, &fast), left, "rows that left can be gathered");
        self.rows();
        removed
    }

    fn compare(&self, found: [(Eviction, Departed); 2], unmatched: bool) -> Vec<i64> {
        let [(fast, mut fast_left), (plain, mut plain_left)] = found;
        assert_eq!(fast.rows, plain.rows);
        fast_left.times.sort_unstable();
        plain_left.times.sort_unstable();
        assert_eq!(fast_left.times, plain_left.times);
        let mut found = numbers(&self.fast, &fast_left.rows);
        let mut expected = numbers(&*self.plain, &plain_left.rows);
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert!(unmatched || found.is_empty());
        self.rows();
        found
    }

    /// Evicts; the numbers of those that left unmatched, if asked for.
    pub(super) fn evict(&mut self, line: i64, unmatched: bool) -> Vec<i64> {
        let evict = |store: &mut dyn StateStore| {
            let mut departed = Departed::default();
            let eviction = store.evict(line, unmatched.then_some(&mut departed)).unwrap();
            (eviction, departed)
        };
        let fast = evict(&mut self.fast);
        self.evicted = fast.0;
        let plain = evict(&mut *self.plain);
        self.compare([fast, plain], unmatched)
    }

    /// Takes out every row; the numbers of those that never matched.
    pub(super) fn drain(&mut self) -> Vec<i64> {
        let drain = |store: &mut dyn StateStore| {
            let mut departed = Departed::default();
            let eviction = store.drain(Some(&mut departed)).unwrap();
            (eviction, departed)
        };
        let fast = drain(&mut self.fast);
        let plain = drain(&mut *self.plain);
        let left = self.compare([fast, plain], true);
        assert_eq!(self.rows(), 0);
        left
    }

    pub(super) fn reclaim(&mut self) {
        self.fast.reclaim().unwrap();
        self.plain.reclaim().unwrap();
        self.check_size();
    }

    pub(super) fn check_size(&self) {
        let size = self.fast.size();
        assert_eq!(size.rows, self.rows());
        for bytes in [size.payload, size.index, size.bitmap, size.slack, size.pool] {
            assert!(bytes < 1 << 33, "{size:?}");
        }
        if size.rows == 0 {
            assert_eq!(
                (size.payload, size.index, size.bitmap, size.pool),
                (0, 0, 0, 0),
                "{size:?}"
            );
            // Beside the lists of what the last call did.
            assert!(
                size.slack < self.fresh.bytes() + (64 << 10),
                "{size:?}, {:?} at first",
                self.fresh
            );
        } else {
            assert!(size.payload >= 8 * size.rows as usize, "{size:?}");
        }
    }

    /// All of the state, key by key.
    pub(super) fn check_all(&mut self, keys: impl IntoIterator<Item = u64>) -> Vec<Found> {
        self.find(&Looking::keys(keys))
    }
}
