//! Where join engines went wrong, at the operator: hot keys, empty tables,
//! bounded output, swapped versions.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{
    ColumnRef, Filter, IndexKind, Isa, JoinError, JoinType, KeyHasher, Predicate, Result,
};

use crate::reference::push_all;

pub(crate) fn keyed(name: &str, keys: impl IntoIterator<Item = i64>) -> RecordBatch {
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(keys));
    RecordBatch::try_from_iter([(name, keys)]).unwrap()
}

/// Rows of no columns, which cost nothing.
fn bare_rows(rows: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap()
}

pub(crate) fn join(
    stream: &RecordBatch,
    table: &RecordBatch,
    join_type: JoinType,
    options: stream_static::Options,
) -> stream_static::Join {
    let spec =
        stream_static::Spec::on(stream.schema(), table.schema(), join_type, [(0, 0)]).unwrap();
    let join = stream_static::Join::new(spec, options).unwrap();
    join.swap(join.build(std::slice::from_ref(table), 1).unwrap()).unwrap();
    join
}

/// Every layout with every index; with one where an index is of no meaning.
pub(crate) fn strategies() -> impl Iterator<Item = stream_static::Options> {
    let all = IndexKind::ALL
        .into_iter()
        .flat_map(|index| Layout::ALL.into_iter().map(move |layout| (index, layout)));
    let distinct = all.filter(|(index, layout)| layout.has_index() || *index == IndexKind::ALL[0]);
    distinct.map(|(index, layout)| {
        stream_static::Options::default().with_index(index).with_layout(layout)
    })
}

/// Four million pairs of one key come out in bounded
/// batches, also where partitioning makes no progress; dropping the cursor
/// early costs nothing.
#[test]
fn one_hot_key_never_holds_the_whole_result() {
    let (stream, table) = (keyed("k", [7; 2000]), keyed("k", [7; 2000]));
    for options in strategies() {
        let join = join(&stream, &table, JoinType::Inner, options);
        let mut cursor = join.push(&stream).unwrap();
        let mut rows = 0;
        while let Some(batch) = cursor.next_batch().unwrap() {
            assert!(batch.num_rows() <= 8192);
            rows += batch.num_rows();
        }
        assert_eq!(rows, 4_000_000);
        assert!(join.push(&stream).unwrap().next_batch().unwrap().is_some());
    }
}

/// An existence probe of a hot key does not visit all pairs: 4e8 of
/// them would take a minute.
#[test]
fn existence_with_a_residual_stops_at_the_first_match() {
    #[derive(Debug)]
    struct Always;
    impl Predicate for Always {
        fn evaluate(&self, _: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
            Ok(BooleanArray::from(vec![true; rows]))
        }
    }
    let (stream, table) = (keyed("k", [7; 20_000]), keyed("k", [7; 20_000]));
    let mut spec =
        stream_static::Spec::on(stream.schema(), table.schema(), JoinType::LeftSemi, [(0, 0)])
            .unwrap();
    spec.residual = Some(Filter {
        columns: vec![ColumnRef::Stream(0), ColumnRef::Table(0)],
        predicate: Arc::new(Always),
    });
    let join = stream_static::Join::new(spec, stream_static::Options::default()).unwrap();
    join.swap(join.build(&[table], 0).unwrap()).unwrap();
    assert_eq!(push_all(&join, &stream).num_rows(), 20_000);
}

/// Empty tables and empty batches, with zero batches and
/// with batches of zero rows alike, for every join type.
#[test]
fn empty_sides() {
    let (stream, table) = (keyed("k", 0..100), keyed("d", 0..0));
    for (join_type, expected) in [
        (JoinType::Inner, 0),
        (JoinType::LeftSemi, 0),
        (JoinType::LeftOuter, 100),
        (JoinType::LeftAnti, 100),
    ] {
        for options in strategies() {
            let join = join(&stream, &table, join_type, options);
            assert_eq!(push_all(&join, &stream).num_rows(), expected);
            assert_eq!(push_all(&join, &stream.slice(3, 0)).num_rows(), 0);
            join.swap(join.build(&[], 2).unwrap()).unwrap();
            let snapshot = join.snapshot().unwrap();
            assert_eq!((snapshot.rows(), snapshot.version()), (0, 2));
            assert_eq!(push_all(&join, &stream).num_rows(), expected);
        }
    }
}

/// A million null keys are not stored and make no partition hot.
#[test]
fn null_keys_stay_out_of_the_table() {
    let nulls: ArrayRef = Arc::new(Int64Array::new_null(100_000));
    let table = RecordBatch::try_from_iter_with_nullable([("d", nulls, true)]).unwrap();
    let stream = keyed("k", 0..10);
    for options in strategies() {
        let join = join(&stream, &table, JoinType::LeftOuter, options);
        let snapshot = join.snapshot().unwrap();
        assert_eq!((snapshot.rows(), snapshot.indexed_rows()), (100_000, 0));
        assert!(snapshot.bytes() < 100_000, "{}", snapshot.bytes());
        assert_eq!(push_all(&join, &stream).column(1).null_count(), 10);
    }
}

/// Wide rows make smaller batches.
#[test]
fn output_batches_are_bounded_in_bytes() {
    let wide: ArrayRef = Arc::new(StringArray::from(vec!["w".repeat(10_000); 10]));
    let table = RecordBatch::try_from_iter([
        ("d", Arc::new(Int64Array::from_iter_values(0..10)) as ArrayRef),
        ("wide", wide),
    ])
    .unwrap();
    let stream = keyed("k", (0..1000).map(|i| i % 10));
    let options = stream_static::Options::default().with_max_output_bytes(1 << 20);
    let join = join(&stream, &table, JoinType::Inner, options);
    let mut cursor = join.push(&stream).unwrap();
    let mut rows = 0;
    while let Some(batch) = cursor.next_batch().unwrap() {
        assert!(batch.column(2).as_string::<i32>().value_data().len() <= 1 << 20);
        rows += batch.num_rows();
    }
    assert_eq!(rows, 1000);
}

/// A swapped version is seen by later batches, never by one that was begun;
/// both can be in use at once.
#[test]
fn versions_are_swapped_whole_between_batches() {
    let (stream, old, new) = (keyed("k", 0..20_000), keyed("d", 0..10), keyed("d", 5..20_000));
    let join = join(&stream, &old, JoinType::Inner, stream_static::Options::default());
    let snapshot = join.build(&[new], 2).unwrap();
    assert_eq!(push_all(&join, &stream).num_rows(), 10);
    let before = join.swap(snapshot).unwrap().unwrap();
    assert_eq!((before.version(), join.snapshot().unwrap().version()), (1, 2));
    assert_eq!(push_all(&join, &stream).num_rows(), 19_995);
    join.swap(before).unwrap();
    assert_eq!(push_all(&join, &stream).num_rows(), 10);
}

/// The bits of keys must not cluster, and a constant hash is
/// slow and right. Sequential, shifted and reversed keys.
#[test]
fn structured_keys_join_right_under_good_and_constant_hashes() {
    for keys in [
        (0..3000).collect::<Vec<i64>>(),
        (0..3000).map(|i| i << 16 | 0xbeef).collect(),
        (0..3000).rev().map(|i| i64::MAX - i).collect(),
        (0..3000).map(|i| f64::from(i).to_bits() as i64).collect(),
    ] {
        let table = keyed("d", keys.iter().copied());
        for mut options in strategies() {
            for hasher in [KeyHasher::with_seed(Isa::detect(), 1), KeyHasher::constant()] {
                options.hasher = hasher;
                let join = join(&table, &table, JoinType::Inner, options.clone());
                assert!(join.snapshot().unwrap().unique_keys());
                let out = push_all(&join, &table);
                assert_eq!(out.num_rows(), 3000);
                assert_eq!(out.column(0), out.column(1));
            }
        }
    }
}

/// The whole range of a type in one key column.
#[test]
fn the_extremes_of_a_type_are_ordinary_keys() {
    let keys = [i64::MIN, i64::MAX, 0, -1, i64::MIN + 1];
    let (stream, table) = (keyed("k", keys), keyed("d", keys));
    for options in strategies() {
        let join = join(&stream, &table, JoinType::LeftSemi, options);
        assert_eq!(push_all(&join, &stream).num_rows(), 5);
    }
}

/// Validity of sliced dictionaries and of batches one after another.
#[test]
fn validity_is_that_of_the_batch_at_hand() {
    let batch = |keys: Vec<Option<i64>>| {
        let keys: ArrayRef = Arc::new(Int64Array::from(keys));
        RecordBatch::try_from_iter_with_nullable([("k", keys, true)]).unwrap()
    };
    let nulls = batch(vec![None; 20]);
    let values = batch((0..20).map(Some).collect());
    let table = keyed("d", 0..20);
    let join = join(&nulls, &table, JoinType::LeftAnti, stream_static::Options::default());
    assert_eq!(push_all(&join, &nulls).num_rows(), 20);
    assert_eq!(push_all(&join, &values).num_rows(), 0);
    assert_eq!(push_all(&join, &nulls).num_rows(), 20);
}

/// A table keeps nothing of its input alive.
#[test]
fn a_snapshot_retains_no_input_buffer() {
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
    let texts: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..100_000).map(|i| format!("text {i}"))));
    let large = RecordBatch::try_from_iter([("d", keys), ("t", texts)]).unwrap();
    let few = large.slice(50_000, 10);
    let weak_values = large.column(1).as_string::<i32>().values().clone();
    let join =
        join(&keyed("k", 0..10), &few, JoinType::LeftOuter, stream_static::Options::default());
    assert!(join.snapshot().unwrap().bytes() < 10_000, "{}", join.snapshot().unwrap().bytes());
    drop((large, few));
    // Ours is the last reference: the snapshot holds none.
    assert!(weak_values.into_mutable().is_ok());
}

/// Rows of no columns cost nothing, so that the limit on build rows
/// and on the rows of a batch can be met for real.
#[test]
fn more_rows_than_a_row_id_can_name_are_refused_before_anything_is_built() {
    let empty = bare_rows(0).schema();
    let spec = stream_static::Spec::without_keys(Arc::clone(&empty), empty, JoinType::Cross);
    let join = stream_static::Join::new(spec, stream_static::Options::default()).unwrap();
    let half = bare_rows(1 << 31);
    assert!(matches!(
        join.build(&[half.clone(), half], 0),
        Err(JoinError::TooManyBuildRows { rows: 4_294_967_296, .. })
    ));
    join.swap(join.build(&[bare_rows(3)], 0).unwrap()).unwrap();
    let error = join.push(&bare_rows(u32::MAX as usize)).unwrap_err().to_string();
    assert!(error.contains("slices"), "{error}");
}

/// 4.4 billion output rows of no columns, counted in 64 bits.
#[test]
fn more_than_2_to_the_32_output_rows_are_counted() {
    let empty = bare_rows(0).schema();
    let spec = stream_static::Spec::without_keys(Arc::clone(&empty), empty, JoinType::Cross);
    let options = stream_static::Options::default().with_max_output_rows(1 << 14);
    let join = stream_static::Join::new(spec, options).unwrap();
    join.swap(join.build(&[bare_rows(2_200_000_000)], 0).unwrap()).unwrap();
    let mut cursor = join.push(&bare_rows(2)).unwrap();
    let mut counted = 0u64;
    while let Some(batch) = cursor.next_batch().unwrap() {
        counted += batch.num_rows() as u64;
    }
    assert_eq!((counted, cursor.stats().rows_out), (4_400_000_000, 4_400_000_000));
}

/// Types of a dictionary against plain strings, planned, not at run time.
#[test]
fn nested_keys_are_refused_when_the_join_is_planned() {
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Int32, true)));
    let schema = Arc::new(Schema::new(vec![Field::new("k", list, true)]));
    let spec =
        stream_static::Spec::on(Arc::clone(&schema), schema, JoinType::Inner, [(0, 0)]).unwrap();
    assert!(stream_static::Join::new(spec, stream_static::Options::default()).is_err());
}

/// Some indexes leave positions without a row: each row's columns lie where the
/// row is found all the same, and nothing is at the holes.
#[test]
fn keys_with_gaps_keep_their_payload() {
    let ids: Vec<i64> = (0..500).map(|i| i * 2).chain([1001, 1002]).collect();
    let prices = ids.iter().map(|id| (id % 7 != 3).then_some(id * 10 + 1)).collect::<Int64Array>();
    let names = StringArray::from_iter_values(ids.iter().map(|id| format!("n{id}")));
    let table = RecordBatch::try_from_iter([
        ("k", Arc::new(Int64Array::from(ids.clone())) as ArrayRef),
        ("price", Arc::new(prices)),
        ("name", Arc::new(names)),
    ])
    .unwrap();
    let stream = keyed("k", 0..1600);
    for options in strategies() {
        let index = options.index.builder().name();
        let join = join(&stream, &table, JoinType::Inner, options);
        let mut cursor = join.push(&stream).unwrap();
        let mut found = Vec::new();
        while let Some(batch) = cursor.next_batch().unwrap() {
            let (keys, prices) = (batch.column(0).as_primitive::<Int64Type>(), batch.column(2));
            let (prices, names) = (prices.as_primitive::<Int64Type>(), batch.column(3));
            for row in 0..batch.num_rows() {
                let key = keys.value(row);
                let price = prices.is_valid(row).then(|| prices.value(row));
                assert_eq!(price, (key % 7 != 3).then_some(key * 10 + 1), "{index}: {key}");
                assert_eq!(names.as_string::<i32>().value(row), format!("n{key}"), "{index}");
                found.push(key);
            }
        }
        found.sort_unstable();
        assert_eq!(found, ids, "{index}");
    }
}
