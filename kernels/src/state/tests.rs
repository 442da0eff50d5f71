use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{
    DataType, Field, Fields, Int32Type, Int64Type, IntervalMonthDayNano, UnionFields, UnionMode,
};

use super::*;
use crate::arch::Isa;
use crate::error::JoinError;
use crate::hash::KeyHasher;
use crate::key::KeyShape;
use crate::key::{ByteKeys, Keys};
use crate::pairs::NO_ROW;
use crate::side::Side;
use crate::table::Probe;
use crate::time::EventTimes;
use crate::time::IntervalCondition;
use crate::time::TimeDelta;

/// A store of `i64` payloads that are the numbers of the rows.
struct Fixture {
    store: Box<dyn StateStore>,
    hasher: KeyHasher,
    next: i64,
}

/// The ids of the rows with keys that are all different.
fn ids(store: &dyn StateStore, keys: Probe<'_>) -> Vec<u32> {
    let probe = StateProbe { keys, rows: None, interval: None };
    let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
    store.find(probe, &mut cursor, &mut pairs, 1000).unwrap();
    let mut found: Vec<_> = pairs.iter().collect();
    found.sort_unstable();
    found.into_iter().map(|pair| pair.1).collect()
}

fn plan(shape: KeyShape, payload: Vec<DataType>) -> StorePlan {
    StorePlan {
        shape,
        payload,
        evicts: true,
        tracks_matches: true,
        timed: true,
        hasher: KeyHasher::with_seed(Isa::detect(), 1),
        blocks: BlockOptions::default(),
    }
}

type Probed = Vec<(u32, i64)>;

impl Fixture {
    fn all() -> Vec<Self> {
        let plan = plan(KeyShape::Word, vec![DataType::Int64]);
        let store = |kind: StoreKind| Self {
            store: kind.build(&plan).unwrap(),
            hasher: KeyHasher::with_seed(Isa::detect(), 1),
            next: 0,
        };
        StoreKind::ALL.map(store).into()
    }

    fn keys(&self, keys: &[u64]) -> (Keys, Vec<u64>) {
        let keys = Keys::Words(keys.to_vec().into());
        let mut hashes = Vec::new();
        self.hasher.hash(&keys, &mut hashes);
        (keys, hashes)
    }

    fn insert(&mut self, rows: &[(u64, Option<i64>)]) {
        let (keys, hashes) = self.keys(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
        let times: TimestampMicrosecondArray = rows.iter().map(|row| row.1).collect();
        let numbers = Int64Array::from_iter_values(self.next..self.next + rows.len() as i64);
        self.next += rows.len() as i64;
        self.store
            .insert(NewRows {
                keys: Probe::new(&keys, &hashes, None),
                times: &EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap(),
                payload: &[Arc::new(numbers)],
                matched: &vec![false; rows.len()],
                rows: &(0..rows.len() as u32).collect::<Vec<_>>(),
            })
            .unwrap();
    }

    /// Ids of what probe rows at `time` find within 10 us, in steps of `limit`.
    fn find(&self, probe: &[u64], time: Option<i64>, limit: usize) -> Vec<(u32, u32)> {
        let (keys, hashes) = self.keys(probe);
        let times: TimestampMicrosecondArray = probe.iter().map(|_| time).collect();
        let times = EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap();
        let ten = TimeDelta::from_micros(10);
        let condition = IntervalCondition::between(-ten, ten);
        let interval = Some(IntervalProbe { times: &times, side: Side::Left, condition });
        let probe = StateProbe { keys: Probe::new(&keys, &hashes, None), rows: None, interval };
        let (mut cursor, mut pairs, mut all) = (FindCursor::default(), Pairs::default(), vec![]);
        while !cursor.is_done(keys.len()) {
            self.store.find(probe, &mut cursor, &mut pairs, limit).unwrap();
            assert!(pairs.len() <= limit);
            all.extend(pairs.iter());
            pairs.clear();
        }
        all.sort_unstable();
        all
    }

    fn numbers(&self, rows: &[u32]) -> Vec<Option<i64>> {
        let columns = self.store.gather(&[0], rows).unwrap();
        columns[0].as_primitive::<Int64Type>().iter().collect()
    }

    fn found(&self, probe: &[u64], time: i64, limit: usize) -> Probed {
        let pairs = self.find(probe, Some(time), limit);
        let numbers = self.numbers(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
        let mut found: Probed =
            pairs.iter().zip(numbers).map(|(pair, number)| (pair.0, number.unwrap())).collect();
        found.sort_unstable();
        found
    }
}

#[test]
fn rows_are_found_by_key_and_time() {
    for mut f in Fixture::all() {
        f.insert(&[(1, Some(90)), (1, Some(89)), (2, Some(100)), (1, None), (1, Some(110))]);
        f.insert(&[(1, Some(111)), (1, Some(100)), (1, Some(100))]);
        for limit in [1, 2, 100] {
            let expected = [(0, 0), (0, 4), (0, 6), (0, 7), (1, 2), (2, 0), (2, 4), (2, 6), (2, 7)];
            assert_eq!(f.found(&[1, 2, 1, 3], 100, limit), expected, "{}", f.store.name());
        }
        assert!(f.find(&[1], None, 10).is_empty());
        assert_eq!(f.store.rows(), 8);
    }
}

#[test]
fn without_an_interval_every_row_of_the_key_is_found() {
    for mut f in Fixture::all() {
        f.insert(&[(1, Some(5)), (1, None), (2, None), (1, Some(3))]);
        let (keys, hashes) = f.keys(&[1]);
        let probe =
            StateProbe { keys: Probe::new(&keys, &hashes, None), rows: None, interval: None };
        let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
        let walked = f.store.find(probe, &mut cursor, &mut pairs, 100).unwrap();
        assert_eq!((walked, pairs.len()), (3, 3), "{}", f.store.name());
    }
}

#[test]
fn eviction_takes_what_is_due_and_tells_what_never_matched() {
    for mut f in Fixture::all() {
        f.insert(&[(1, Some(10)), (2, Some(20)), (2, Some(20)), (3, None), (1, Some(21))]);
        let matched = f.find(&[2], Some(20), 10)[0].1;
        f.store.set_matched(&[matched]).unwrap();
        let mut departed = Departed::default();
        assert_eq!(f.store.evict(9, Some(&mut departed)).unwrap().rows, 0);
        assert_eq!(f.store.evict(20, Some(&mut departed)).unwrap().rows, 3, "{}", f.store.name());
        assert_eq!((departed.rows.len(), f.store.rows()), (2, 2));
        let mut times = departed.times.clone();
        times.sort_unstable();
        assert_eq!(times, [10, 20]);
        assert!(f.found(&[1, 2], 15, 10).iter().all(|pair| pair.1 == 4), "gone at once");
        let mut numbers = f.numbers(&departed.rows);
        numbers.sort_unstable();
        assert_eq!(numbers.first(), Some(&Some(0)), "but still to be gathered");
        f.store.reclaim().unwrap();
        assert_eq!(f.store.evict(i64::MAX, None).unwrap().rows, 1, "no time, no end");
        assert_eq!(f.store.drain(Some(&mut departed)).unwrap().rows, 1);
        f.store.reclaim().unwrap();
        let size = f.store.size();
        assert_eq!((size.rows, size.payload, size.index, size.bitmap), (0, 0, 0, 0));
    }
}

#[test]
fn removed_rows_are_not_found_and_count_once() {
    for mut f in Fixture::all() {
        f.insert(&[(1, Some(10)), (1, Some(11)), (1, Some(12))]);
        let rows: Vec<u32> = f.find(&[1], Some(10), 10).iter().map(|pair| pair.1).collect();
        assert_eq!(f.store.remove(&rows[..2]).unwrap(), 2);
        assert_eq!(f.store.remove(&rows[..2]).unwrap(), 0);
        assert_eq!((f.store.rows(), f.find(&[1], Some(10), 10).len()), (1, 1));
        f.store.reclaim().unwrap();
        // Ids are used again, whose old times must not evict them.
        f.insert(&[(9, Some(500)), (9, Some(501))]);
        assert_eq!(f.store.evict(11, None).unwrap().rows, 0, "{}", f.store.name());
        assert_eq!(f.store.evict(12, None).unwrap().rows, 1);
        f.store.reclaim().unwrap();
        assert_eq!(f.found(&[9], 500, 10), [(0, 3), (0, 4)]);
    }
}

#[test]
fn size_follows_the_rows_up_and_down() {
    for mut f in Fixture::all() {
        for round in 0..50i64 {
            let rows: Vec<_> =
                (0..200).map(|i| ((i * 7919 + round as u64) % 500, Some(round * 100))).collect();
            f.insert(&rows);
            // Half of the rows leave in the middle of the state.
            let some: Vec<u32> = f
                .find(&(0..250).collect::<Vec<_>>(), Some(round * 100), 1000)
                .iter()
                .map(|pair| pair.1)
                .collect();
            f.store.remove(&some).unwrap();
            f.store.evict(round * 100 - 500, None).unwrap();
            f.store.reclaim().unwrap();
            assert!(f.store.rows() <= 6 * 200);
            let size = f.store.size();
            assert_eq!(size.rows, f.store.rows());
            assert!(size.bytes() < 400_000, "{} {round} {size:?}", f.store.name());
        }
        f.store.evict(i64::MAX, None).unwrap();
        f.store.reclaim().unwrap();
        let size = f.store.size();
        assert_eq!(size.bytes() - size.slack, 0, "{} {size:?}", f.store.name());
        assert!(size.slack < 5_000, "{} {size:?}", f.store.name());
    }
}

#[test]
fn an_ordered_map_evicts_without_looking_at_what_lives() {
    let [_, ordered, scan] = &mut Fixture::all()[..] else { panic!("three stores") };
    for (f, visited) in [(ordered, 2), (scan, 1000)] {
        f.insert(&(0..1000).map(|i| (i, Some(i as i64))).collect::<Vec<_>>());
        assert_eq!(
            f.store.evict(1, None).unwrap(),
            Eviction { rows: 2, visited, blocks: 0 },
            "{}",
            f.store.name()
        );
    }
}

#[test]
fn a_hot_key_is_given_out_in_pieces() {
    for mut f in Fixture::all() {
        let rows: Vec<_> = (0..3000).map(|i| (1, Some(i % 21))).collect();
        f.insert(&rows);
        assert_eq!(f.find(&[1, 5, 1], Some(10), 7).len(), 6000, "{}", f.store.name());
    }
}

#[test]
fn keys_of_every_shape() {
    let wide = Keys::Wide(vec![1i128 << 100, 7, -1].into());
    let bytes = ByteKeys::new(vec![0, 0, 3, 6].into(), b"abcabd".to_vec().into()).unwrap();
    for keys in [wide, Keys::Bytes(bytes)] {
        for kind in StoreKind::ALL {
            let plan = plan(keys.shape(), vec![]);
            let mut store = kind.build(&plan).unwrap();
            let mut hashes = Vec::new();
            KeyHasher::constant().hash(&keys, &mut hashes);
            let probe = Probe::new(&keys, &hashes, None);
            let rows = NewRows {
                keys: probe,
                times: &EventTimes::none(3),
                payload: &[],
                matched: &[false; 3],
                rows: &[0, 2],
            };
            store.insert(rows).unwrap();
            let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
            let probe = StateProbe { keys: probe, rows: None, interval: None };
            store.find(probe, &mut cursor, &mut pairs, 10).unwrap();
            let mut found = pairs.probe_rows().to_vec();
            found.sort_unstable();
            assert_eq!(found, [0, 2], "{kind}");
            assert!(store.gather(&[], pairs.build_rows()).unwrap().is_empty());
        }
    }
}

/// One column of each kind that can be kept, three rows, the second null.
fn kinds() -> Vec<ArrayRef> {
    let ints = Int32Array::from(vec![Some(1), None, Some(3)]);
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("a"), None, Some("c")].into_iter().collect();
    let field = Arc::new(Field::new("i", DataType::Int32, true));
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
    ]);
    let nulls = Some(vec![true, false, true].into());
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(ints.clone()),
        Arc::new(Float64Array::from(vec![Some(-0.0), None, Some(f64::NAN)])),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(StringArray::from(vec![Some(""), None, Some("a\0")])),
        Arc::new(StringViewArray::from(vec![
            Some("a long value that is not inline"),
            None,
            Some("b"),
        ])),
        Arc::new(dictionary),
        Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                [Some([1, 2]), None, Some([3, 4])].into_iter(),
                2,
            )
            .unwrap(),
        ),
        Arc::new(
            Decimal128Array::from(vec![Some(-5), None, Some(7)])
                .with_precision_and_scale(10, 2)
                .unwrap(),
        ),
        Arc::new(
            TimestampNanosecondArray::from(vec![Some(1), None, Some(-1)]).with_timezone("UTC"),
        ),
        Arc::new(list),
        Arc::new(StructArray::new(vec![field].into(), vec![Arc::new(ints)], nulls)),
        Arc::new(NullArray::new(3)),
        Arc::new(IntervalMonthDayNanoArray::from(vec![
            Some(IntervalMonthDayNano::new(14, -3, 1)),
            None,
            Some(IntervalMonthDayNano::new(0, 0, -1)),
        ])),
    ];
    columns.extend(without_bytes());
    columns
}

/// Columns whose values take no bytes, alone and inside others.
fn without_bytes() -> Vec<ArrayRef> {
    let nulls = || Some(vec![true, false, true].into());
    let item = |of: &ArrayRef| Arc::new(Field::new("item", of.data_type().clone(), true));
    let bytes: ArrayRef = Arc::new(FixedSizeBinaryArray::new(0, Vec::<u8>::new().into(), nulls()));
    let numbers: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    let no_items: ArrayRef = Arc::new(FixedSizeListArray::new(item(&numbers), 0, numbers, nulls()));
    let no_fields: ArrayRef = Arc::new(StructArray::new_empty_fields(3, nulls()));
    let mut columns = vec![bytes, no_items, no_fields];
    for inner in columns.clone() {
        let offsets = arrow::buffer::OffsetBuffer::<i32>::from_lengths([2, 0, 1]);
        let list = ListArray::new(item(&inner), offsets, Arc::clone(&inner), nulls());
        let fields = Fields::from(vec![item(&inner)]);
        let structure = StructArray::new(fields, vec![inner], nulls());
        columns.extend([Arc::new(list) as ArrayRef, Arc::new(structure)]);
    }
    columns
}

#[test]
fn columns_of_every_kind_come_back_by_value() {
    let columns = kinds();
    let payload: Vec<DataType> = columns.iter().map(|c| c.data_type().clone()).collect();
    let wanted: Vec<usize> = (0..columns.len()).collect();
    for kind in StoreKind::ALL {
        let plan = plan(KeyShape::Word, payload.clone());
        let mut store = kind.build(&plan).unwrap();
        let keys = Keys::Words(vec![1u64, 2, 3].into());
        let keys = Probe::new(&keys, &[1, 1, 1], None);
        let rows = NewRows {
            keys,
            times: &EventTimes::none(3),
            payload: &columns,
            matched: &[false; 3],
            rows: &[0, 1, 2],
        };
        store.insert(rows).unwrap();
        let ids = ids(&*store, keys);
        let gathered = store.gather(&wanted, &[ids[2], NO_ROW, ids[0], ids[1]]).unwrap();
        let indices = UInt32Array::from(vec![Some(2), None, Some(0), Some(1)]);
        for (column, gathered) in columns.iter().zip(&gathered) {
            let kept = by_value(column, &kept_type(column.data_type())).unwrap();
            let expected = arrow::compute::take(&kept, &indices, None).unwrap();
            // As text: NaN is not equal to itself.
            assert_eq!(format!("{expected:?}"), format!("{gathered:?}"), "{}", kept.data_type());
        }
    }
}

#[test]
fn what_cannot_be_kept_is_refused_with_a_remedy() {
    let fields = UnionFields::from_fields([Field::new("v", DataType::Int8, true)]);
    let plan = plan(KeyShape::Word, vec![DataType::Union(fields, UnionMode::Dense)]);
    for kind in StoreKind::ALL {
        let error = kind.build(&plan).map(|_| ()).unwrap_err();
        assert!(matches!(error, JoinError::UnsupportedState { .. }), "{error}");
        assert!(error.to_string().contains("leave it out"), "{error}");
        assert_eq!(kind.name().parse::<StoreKind>().unwrap(), kind);
    }
    assert!("ordered".parse::<StoreKind>().unwrap_err().to_string().contains("ordered-map"));
}

#[test]
fn a_stored_slice_keeps_nothing_else_alive() {
    let large: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..1000).map(|i| format!("{i:01000}"))));
    let weak = Arc::downgrade(&large);
    for kind in StoreKind::ALL {
        let plan = plan(KeyShape::Word, vec![DataType::Utf8]);
        let mut store = kind.build(&plan).unwrap();
        let keys = Keys::Words(vec![1u64, 2].into());
        let keys = Probe::new(&keys, &[1, 1], None);
        let rows = NewRows {
            keys,
            times: &EventTimes::none(2),
            payload: &[large.slice(7, 2)],
            matched: &[false; 2],
            rows: &[0, 1],
        };
        store.insert(rows).unwrap();
        assert!(store.size().bytes() < 100_000, "{:?}", store.size());
        let ids = ids(&*store, keys);
        assert_eq!(store.rows_within(&ids, 1).unwrap(), 1);
        assert_eq!(store.rows_within(&ids, 1 << 20).unwrap(), 2);
        assert_eq!(store.rows_within(&[], 1 << 20).unwrap(), 0);
    }
    drop(large);
    assert!(weak.upgrade().is_none());
}
