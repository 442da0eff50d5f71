//! A join takes versions of its table that were built for it or for its equal,
//! and no others.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::stream_static::{self, Layout, Spec};
use streamjoin_kernels::{
    ColumnRef, Filter, IndexKind, Isa, JoinError, JoinType, KeyHasher, NullEquality, OutputColumn,
    Predicate, Result,
};

use crate::random::pool_of_two;
use crate::reference::push_all;

#[derive(Debug)]
struct IsSet;

impl Predicate for IsSet {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        Ok(columns[0]
            .as_primitive::<Int32Type>()
            .iter()
            .map(|value| Some(value.is_some()))
            .collect())
    }
}

fn is_set() -> Option<Filter> {
    Some(Filter { columns: vec![ColumnRef::Table(1)], predicate: Arc::new(IsSet) })
}

fn stream() -> RecordBatch {
    let keys: ArrayRef = Arc::new(Int32Array::from_iter_values(0..100));
    RecordBatch::try_from_iter([("k", keys)]).unwrap()
}

/// `a` and `b` are keys of equal types; `c` is never read.
fn table(c: &DataType) -> RecordBatch {
    let keys: ArrayRef = Arc::new(Int32Array::from_iter((0..50).map(Some)));
    let other: ArrayRef =
        Arc::new(Int32Array::from_iter((0..50).map(|i| (i % 3 > 0).then_some(i))));
    let columns = [("a", keys), ("b", other), ("c", new_null_array(c, 50))]
        .map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn base() -> (Spec, stream_static::Options) {
    let keys = [(0, 0)];
    let table = table(&DataType::Int64).schema();
    let mut spec = Spec::on(stream().schema(), table, JoinType::LeftOuter, keys).unwrap();
    spec.output.truncate(3);
    spec.table_filter = is_set();
    (spec, stream_static::Options::default())
}

fn snapshot_of(
    spec: Spec,
    options: stream_static::Options,
    c: &DataType,
) -> Arc<streamjoin_kernels::TableSnapshot> {
    let other = stream_static::Join::new(spec, options).unwrap();
    other.build(&[table(c)], 9).unwrap()
}

/// What is changed, and a word of the error.
type Change = (fn(&mut Spec, &mut stream_static::Options), &'static str);

#[test]
fn a_snapshot_of_another_join_is_refused_and_the_difference_named() {
    let changes: [Change; 11] = [
        (|_, options| options.hasher = KeyHasher::with_seed(Isa::detect(), 1), "seed"),
        (|_, options| options.hasher = KeyHasher::constant(), "seed"),
        (|_, options| options.layout = Layout::SortMerge, "sort-merge"),
        (|spec, _| spec.keys[0].second = 1, "key columns are (1) in the snapshot and (0)"),
        (
            |spec, _| {
                let long = Field::new("k", DataType::Int64, true);
                spec.stream_schema = Arc::new(Schema::new(vec![long]));
            },
            "compared as (Int64) in the snapshot and (Int32)",
        ),
        (|spec, _| spec.keys[0].null_equality = NullEquality::NullSafe, "null in key 1"),
        (|spec, _| spec.keys.clear(), "key columns"),
        (
            |spec, _| {
                let source = ColumnRef::Table(2);
                spec.output.push(OutputColumn { source, name: "c".to_owned() });
            },
            "retained columns are (0, 1, 2) in the snapshot and (0, 1)",
        ),
        (|spec, _| spec.cast_mode = CastMode::Try, "cast mode"),
        (|spec, _| spec.table_filter = None, "filters"),
        (|spec, _| spec.table_filter = is_set(), "filters"),
    ];
    let (spec, options) = base();
    let join = stream_static::Join::new(spec.clone(), options.clone()).unwrap();
    join.swap(join.build(&[table(&DataType::Int64)], 1).unwrap()).unwrap();
    let expected = push_all(&join, &stream());
    let check = |join: &stream_static::Join, foreign, word: &str| {
        let swapped = join.swap(Arc::clone(&foreign)).unwrap_err();
        let pushed = join.push_with(&stream(), foreign).unwrap_err();
        for error in [swapped, pushed] {
            assert!(matches!(error, JoinError::ForeignSnapshot { .. }), "{error}");
            assert!(error.to_string().contains(word), "{word} in: {error}");
        }
    };
    for (change, word) in changes {
        let (mut other, mut differently) = (spec.clone(), options.clone());
        change(&mut other, &mut differently);
        check(&join, snapshot_of(other, differently, &DataType::Int64), word);
        assert_eq!(join.snapshot().unwrap().version(), 1);
        assert_eq!(push_all(&join, &stream()), expected);
    }
    let mut other = spec.clone();
    other.table_schema = table(&DataType::Utf8).schema();
    check(
        &join,
        snapshot_of(other, options.clone(), &DataType::Utf8),
        "columns are (Int32, Int32, Utf8)",
    );

    let merging = options.clone().with_layout(Layout::SortMerge);
    let merging = stream_static::Join::new(spec.clone(), merging).unwrap();
    check(&merging, snapshot_of(spec, options, &DataType::Int64), "has an index");
}

#[test]
fn snapshots_of_equal_joins_are_exchanged() {
    let (spec, options) = base();
    let join = stream_static::Join::new(spec.clone(), options.clone()).unwrap();
    join.swap(join.build(&[table(&DataType::Int64)], 1).unwrap()).unwrap();
    let sorted = |batch: &RecordBatch| {
        let order =
            streamjoin_kernels::arrow::compute::sort_to_indices(batch.column(0), None, None)
                .unwrap();
        streamjoin_kernels::arrow::compute::take_record_batch(batch, &order).unwrap()
    };
    let expected = sorted(&push_all(&join, &stream()));
    for index in IndexKind::ALL {
        for layout in [Layout::Broadcast, Layout::Partitioned] {
            let other = options
                .clone()
                .with_index(index)
                .with_layout(layout)
                .with_hasher(KeyHasher::with_seed(Isa::Portable, 0x5eed))
                .with_probe_rows(7)
                .with_max_output_rows(5)
                .with_pool(pool_of_two());
            // Also where the stream has more columns, and the output other ones of it.
            let mut wider = spec.clone();
            let more = Field::new("more", DataType::Utf8, true);
            wider.stream_schema = Arc::new(
                Schema::try_merge([(*stream().schema()).clone(), Schema::new(vec![more])]).unwrap(),
            );
            for spec in [spec.clone(), wider] {
                let snapshot = snapshot_of(spec, other.clone(), &DataType::Int64);
                join.swap(snapshot).unwrap();
                assert_eq!(sorted(&push_all(&join, &stream())), expected, "{layout} {index}");
            }
        }
    }
}

/// Without an equality there are no hashes to differ in.
#[test]
fn a_join_without_keys_takes_any_seed_and_layout() {
    let (mut spec, options) = base();
    spec.keys.clear();
    let join = stream_static::Join::new(spec.clone(), options.clone()).unwrap();
    for layout in Layout::ALL {
        let hasher = KeyHasher::with_seed(Isa::detect(), 77);
        let other = options.clone().with_layout(layout).with_hasher(hasher);
        join.swap(snapshot_of(spec.clone(), other, &DataType::Int64)).unwrap();
    }
}

#[test]
fn an_empty_batch_of_a_wrong_schema_is_an_error() {
    let (spec, options) = base();
    let join = stream_static::Join::new(spec, options).unwrap();
    let good = table(&DataType::Int64);
    let empty = |columns: &[(&str, DataType)]| {
        let fields: Vec<_> =
            columns.iter().map(|(name, of)| Field::new(*name, of.clone(), true)).collect();
        RecordBatch::new_empty(Arc::new(Schema::new(fields)))
    };
    let int = || DataType::Int32;
    let wrong_tables = [
        empty(&[]),
        empty(&[("a", int()), ("b", int())]),
        empty(&[("a", int()), ("b", int()), ("c", DataType::Utf8)]),
        empty(&[("a", int()), ("b", int()), ("c", DataType::Int64), ("d", int())]),
    ];
    for wrong in wrong_tables {
        for batches in
            [vec![wrong.clone()], vec![good.clone(), wrong.clone()], vec![wrong, good.clone()]]
        {
            assert!(matches!(join.build(&batches, 0), Err(JoinError::Schema(_))));
        }
    }
    join.swap(join.build(&[good.slice(0, 0)], 0).unwrap()).unwrap();
    for wrong in
        [empty(&[]), empty(&[("k", DataType::Int64)]), empty(&[("k", int()), ("l", int())])]
    {
        assert!(matches!(join.push(&wrong), Err(JoinError::Schema(_))));
    }
    assert!(join.push(&stream().slice(0, 0)).unwrap().next().is_none());
}
