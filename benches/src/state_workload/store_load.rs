//! The workload on two stores, without an operator around them: row pairs out.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, AsArray, Int64Array, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Int64Type};
use streamjoin_kernels::arch::mix;
use streamjoin_kernels::key::{KeyShape, Keys};
use streamjoin_kernels::state::{
    Departed, IntervalProbe, NewRows, StateProbe, StateSize, StateStore, StorePlan,
};
use streamjoin_kernels::table::{FindCursor, Probe};
use streamjoin_kernels::time::{EventTimes, IntervalCondition, TimeDelta};
use streamjoin_kernels::{Isa, KeyHasher, Pairs, Side, StoreKind};

use super::interruption::Interruption;
use super::load::Load;
use super::meter::{EvictCall, Meter};
use super::setting::Setting;
use super::source::{Rows, Source};

/// Pairs that a look-up emits at a time, as in the operator.
const PAIRS: usize = 8192;

/// Two stores, their source and buffers that are reused from batch to batch.
#[derive(Debug)]
pub struct StoreLoad {
    source: Source,
    /// Rows of each side per batch.
    side_rows: usize,
    hasher: KeyHasher,
    stores: [Box<dyn StateStore>; 2],
    conditions: [IntervalCondition; 2],
    left_outer: bool,
    checks: bool,
    hashes: [Vec<u64>; 2],
    matched: [Vec<bool>; 2],
    all_rows: Vec<u32>,
    pairs: Pairs,
    cursor: FindCursor,
    departed: Departed,
    interruption: Interruption,
}

/// New rows of a side as the stores take them.
struct Arrivals {
    keys: Keys,
    times: EventTimes,
    payload: [ArrayRef; 1],
}

impl Arrivals {
    fn new(rows: Rows) -> Self {
        let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from(rows.times));
        Self {
            keys: Keys::Words(rows.keys.into()),
            times: EventTimes::new(&times).expect("a timestamp"),
            payload: [Arc::new(Int64Array::from(rows.numbers))],
        }
    }
}

impl StoreLoad {
    /// Empty stores, for batches of this many input rows.
    ///
    /// # Errors
    /// What is out of range in the setting.
    pub fn empty(
        setting: &Setting,
        kind: StoreKind,
        batch_rows: usize,
        seed: u64,
    ) -> Result<Self, String> {
        let source = Source::new(setting, seed)?;
        let hasher = KeyHasher::with_seed(Isa::detect(), 1);
        let plan = StorePlan::new(KeyShape::Word, hasher.clone())
            .with_payload(vec![DataType::Int64])
            .with_evicts(true)
            .with_tracks_matches(setting.left_outer)
            .with_timed(true);
        let left = kind.build(&plan).map_err(|error| error.to_string())?;
        let plan = plan.with_tracks_matches(false);
        let right = kind.build(&plan).map_err(|error| error.to_string())?;
        let (width, shift) = (source.shape().width, source.shape().shift);
        let micros = TimeDelta::from_micros;
        let between = |lower, upper| IntervalCondition::between(micros(lower), micros(upper));
        let conditions = match shift {
            0 => [between(-width, width); 2],
            _ => [between(-shift - width, -shift), between(shift, shift + width)],
        };
        let side_rows = batch_rows / 2;
        Ok(Self {
            source,
            side_rows,
            hasher,
            stores: [left, right],
            conditions,
            left_outer: setting.left_outer,
            checks: false,
            hashes: Default::default(),
            matched: [vec![false; side_rows], vec![false; side_rows]],
            all_rows: (0..side_rows as u32).collect(),
            pairs: Pairs::default(),
            cursor: FindCursor::default(),
            departed: Departed::default(),
            interruption: Interruption::new(),
        })
    }

    fn batch(&mut self, meter: &mut Meter) {
        let batch = self.source.batch(self.side_rows);
        let (left, right) = (Arrivals::new(batch.left), Arrivals::new(batch.right));
        meter.rows += 2 * self.side_rows as u64;
        let started = Instant::now();
        self.probe(Side::Left, &left, meter);
        let probed_left = Instant::now();
        self.insert(Side::Left, &left);
        let inserted_left = Instant::now();
        self.probe(Side::Right, &right, meter);
        let probed_right = Instant::now();
        self.insert(Side::Right, &right);
        meter.insert += (inserted_left - probed_left) + probed_right.elapsed();
        meter.probe += (probed_left - started) + (probed_right - inserted_left);
        drop((left, right));
        for side in [Side::Left, Side::Right] {
            self.evict(side, batch.line, meter);
        }
    }

    fn probe(&mut self, side: Side, arrivals: &Arrivals, meter: &mut Meter) {
        let (own, other) = ends(side);
        self.hasher.hash(&arrivals.keys, &mut self.hashes[own]);
        let keys = Probe::new(&arrivals.keys, &self.hashes[own], None);
        let interval = IntervalProbe::new(&arrivals.times, side, self.conditions[own]);
        let probe = StateProbe::new(keys).with_interval(interval);
        self.cursor = FindCursor::default();
        if self.left_outer {
            self.matched[own].fill(false);
        }
        while !self.cursor.is_done(probe.len()) {
            self.pairs.clear();
            let walked = self.stores[other].find(probe, &mut self.cursor, &mut self.pairs, PAIRS);
            meter.walked += walked.expect("keys and times as planned");
            meter.pairs += black_box(&self.pairs).len() as u64;
            match side {
                _ if !self.left_outer => {}
                Side::Left => {
                    for &row in self.pairs.probe_rows() {
                        self.matched[own][row as usize] = true;
                    }
                }
                Side::Right => {
                    let noted = self.stores[other].set_matched(self.pairs.build_rows());
                    noted.expect("rows that were found");
                }
            }
            if self.checks {
                let new = arrivals.payload[0].as_primitive::<Int64Type>();
                let stored = numbers(self.stores[other].as_ref(), self.pairs.build_rows());
                for (&row, &stored) in self.pairs.probe_rows().iter().zip(stored.values()) {
                    let ends = [new.value(row as usize), stored];
                    let hash = mix(mix(ends[own] as u64) ^ ends[other] as u64);
                    meter.checksum = meter.checksum.wrapping_add(hash);
                }
            }
        }
    }

    fn insert(&mut self, side: Side, arrivals: &Arrivals) {
        let (own, _) = ends(side);
        let keys = Probe::new(&arrivals.keys, &self.hashes[own], None);
        let (times, payload) = (&arrivals.times, &arrivals.payload);
        let rows = NewRows::new(keys, times, payload, &self.matched[own], &self.all_rows);
        self.stores[own].insert(rows).expect("ids do not run out");
    }

    fn evict(&mut self, side: Side, line: i64, meter: &mut Meter) {
        let preserved = self.left_outer && side == Side::Left;
        self.departed.rows.clear();
        self.departed.times.clear();
        let store = &mut self.stores[ends(side).0];
        self.interruption.happened();
        let started = Instant::now();
        let eviction = store.evict(line, preserved.then_some(&mut self.departed));
        let eviction = eviction.expect("a store that never failed");
        meter.unmatched += black_box(&self.departed).rows.len() as u64;
        if self.checks {
            let numbers = numbers(store.as_ref(), &self.departed.rows);
            let sum = numbers.values().iter().map(|&number| mix(!number as u64));
            meter.checksum = sum.fold(meter.checksum, u64::wrapping_add);
        }
        store.reclaim().expect("a store that never failed");
        let call = EvictCall { time: started.elapsed(), rows: eviction.rows };
        meter.evicted(call, self.interruption.happened());
    }
}

impl Load for StoreLoad {
    fn check(&mut self) {
        self.checks = true;
    }

    fn size(&self) -> StateSize {
        self.stores[0].size() + self.stores[1].size()
    }

    fn run(&mut self, batches: usize) -> Meter {
        let mut meter = Meter::default();
        // It may have been made in another thread.
        self.interruption = Interruption::new();
        for _ in 0..batches {
            self.batch(&mut meter);
        }
        meter
    }

    fn side_rows(&self) -> usize {
        self.side_rows
    }
}

/// Positions of a side and of the other one.
fn ends(side: Side) -> (usize, usize) {
    match side {
        Side::Left => (0, 1),
        Side::Right => (1, 0),
    }
}

/// The payload of stored rows.
fn numbers(store: &dyn StateStore, rows: &[u32]) -> Int64Array {
    let columns = store.gather(&[0], rows).expect("a column of fixed width");
    let numbers = columns[0].as_primitive::<Int64Type>().clone();
    assert_eq!(numbers.len(), rows.len());
    numbers
}
