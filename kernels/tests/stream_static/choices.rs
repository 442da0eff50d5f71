//! What is chosen when a table is built: its layout by size, its index by how
//! soon it is there.

use std::sync::Arc;

use streamjoin_kernels::arrow;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::stream_static::{self, Beyond, BroadcastLimit, Layout};
use streamjoin_kernels::table::auto::AutoIndex;
use streamjoin_kernels::{IndexChoice, IndexKind, JoinType, KeyPair, TableSnapshot};

/// 20,000 rows `d`, `name`, `number`; keys far apart, each `rows_per_key` times.
fn table(rows_per_key: i64) -> RecordBatch {
    let n = 20_000i64;
    let key = |i: i64| (i / rows_per_key).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64);
    let names = (0..n).map(|i| Some("n".repeat(i as usize % 20)));
    let columns: [(&str, ArrayRef); 3] = [
        ("d", Arc::new(Int64Array::from_iter_values((0..n).map(key)))),
        ("name", Arc::new(names.collect::<StringArray>())),
        ("number", Arc::new(Int32Array::from_iter_values(0..n as i32))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Every third key of the table, and some that it has not.
fn stream(table: &RecordBatch) -> RecordBatch {
    let keys = table.column(0).as_primitive::<arrow::datatypes::Int64Type>();
    let keys = keys.values().iter().step_by(3).map(|key| key ^ i64::from(key % 5 == 0));
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(keys));
    RecordBatch::try_from_iter([("k", keys)]).unwrap()
}

fn join(
    table: &RecordBatch,
    keys: Vec<KeyPair>,
    options: stream_static::Options,
) -> stream_static::Join {
    let (stream, dimension) = (stream(table).schema(), table.schema());
    let join_type = if keys.is_empty() { JoinType::Cross } else { JoinType::LeftOuter };
    let spec = stream_static::Spec::on(stream, dimension, join_type, keys).unwrap();
    stream_static::Join::new(spec, options).unwrap()
}

fn equal() -> Vec<KeyPair> {
    vec![KeyPair::equal(0, 0)]
}

/// The joined rows by a snapshot, sorted.
fn rows(
    join: &stream_static::Join,
    snapshot: Arc<TableSnapshot>,
    table: &RecordBatch,
) -> Vec<String> {
    join.swap(snapshot).unwrap();
    let mut cursor = join.push(&stream(table)).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = cursor.next_batch().unwrap() {
        let columns = batch.columns();
        rows.extend((0..batch.num_rows()).map(|row| {
            let value = |column: &ArrayRef| {
                arrow::util::display::array_value_to_string(column, row).unwrap()
            };
            columns.iter().map(value).collect::<Vec<_>>().join(" ")
        }));
    }
    rows.sort();
    rows
}

fn limited(index: IndexChoice, bytes: usize, beyond: Beyond) -> stream_static::Options {
    let broadcast_limit = Some(BroadcastLimit::new(bytes, beyond));
    stream_static::Options::default().with_index(index).with_broadcast_limit(broadcast_limit)
}

/// Every index, and the choice by cost.
fn choices() -> Vec<IndexChoice> {
    let auto = IndexChoice::Auto(AutoIndex::default());
    IndexKind::ALL.into_iter().map(IndexChoice::from).chain([auto]).collect()
}

#[test]
fn a_table_beyond_the_limit_is_partitioned_and_answers_the_same() {
    for rows_per_key in [1, 4] {
        let table = table(rows_per_key);
        for index in choices() {
            let build = |bytes| {
                let join = join(&table, equal(), limited(index.clone(), bytes, Beyond::Partition));
                let snapshot = join.build(std::slice::from_ref(&table), 0).unwrap();
                (join, snapshot)
            };
            let (join, whole) = build(usize::MAX);
            assert_eq!((whole.partitions(), whole.indexed_rows()), (1, 20_000));
            let expected = rows(&join, Arc::clone(&whole), &table);
            // What is estimated lies between half and twice of what comes out.
            let (_, still) = build(whole.bytes() * 2);
            assert_eq!(still.partitions(), 1, "{index:?}");
            for bytes in [whole.bytes() / 2, 1, 0] {
                let (join, cut) = build(bytes);
                assert!(cut.partitions() > 1, "{index:?}");
                assert_eq!(rows(&join, cut, &table), expected, "{index:?}");
            }
        }
    }
}

#[test]
fn a_broadcast_that_was_asked_for_is_noted_beyond_the_limit() {
    let table = table(1);
    let tables = std::slice::from_ref(&table);
    let build = |keys: Vec<KeyPair>, options| join(&table, keys, options).build(tables, 0).unwrap();
    let chained = || IndexChoice::from(IndexKind::Chained);
    let whole = build(equal(), limited(chained(), usize::MAX, Beyond::Note));
    assert!(whole.notes().is_empty(), "{:?}", whole.notes());
    let fits = build(equal(), limited(chained(), whole.bytes(), Beyond::Note));
    assert!(fits.notes().is_empty(), "{:?}", fits.notes());
    let beyond = build(equal(), limited(chained(), whole.bytes() - 1, Beyond::Note));
    assert_eq!((beyond.partitions(), beyond.notes().len()), (1, 1));
    let note = &beyond.notes()[0];
    for part in [whole.bytes(), whole.bytes() - 1] {
        assert!(note.contains(&format!(" {part}")), "{note}");
    }
    assert!(note.contains("asked for"), "{note}");
    for beyond in [Beyond::Note, Beyond::Partition] {
        let cross = build(Vec::new(), limited(chained(), 1000, beyond));
        assert_eq!(cross.partitions(), 1);
        assert!(cross.notes()[0].contains("without an equality"), "{:?}", cross.notes());
    }
    for layout in [Layout::Partitioned, Layout::SortMerge] {
        let options = limited(chained(), 0, Beyond::Note).with_layout(layout);
        assert!(build(equal(), options).notes().is_empty(), "{layout}");
    }
}

#[test]
fn the_first_index_answers_as_the_last_which_is_built_elsewhere_meanwhile() {
    let often = AutoIndex::default().with_probe_rows(1e9);
    let (mut same, mut other) = (0, 0);
    for rows_per_key in [1, 4] {
        let table = table(rows_per_key);
        let tables = std::slice::from_ref(&table);
        for layout in Layout::ALL {
            for index in choices().into_iter().chain([IndexChoice::Auto(often.clone())]) {
                let options =
                    stream_static::Options::default().with_layout(layout).with_index(index.clone());
                let serving = join(&table, equal(), options.clone());
                let (first, is_last) = serving.build_first(tables, 7).unwrap();
                let builder = join(&table, equal(), options);
                let (expected, last) = std::thread::scope(|scope| {
                    let last = scope.spawn(|| builder.build(tables, 7).unwrap());
                    let expected = rows(&serving, Arc::clone(&first), &table);
                    (expected, last.join().unwrap())
                });
                assert_eq!((first.version(), last.version()), (7, 7));
                assert_eq!(rows(&serving, Arc::clone(&last), &table), expected);
                if layout == Layout::Broadcast {
                    let equal = first.index_name() == last.index_name();
                    assert_eq!(is_last, equal, "{index:?}: {first:?}");
                }
                if layout == Layout::SortMerge {
                    assert!(is_last);
                }
                *if is_last { &mut same } else { &mut other } += 1;
            }
        }
    }
    assert!(same > 0 && other > 0, "{same} {other}");
}

#[test]
fn a_snapshot_may_have_any_index_of_any_join() {
    let table = table(4);
    let tables = std::slice::from_ref(&table);
    let join = join(&table, equal(), stream_static::Options::default());
    let first = join.build(tables, 0).unwrap();
    let expected = rows(&join, first, &table);
    assert!(expected.len() > 20_000 / 3);
    for index in choices() {
        let snapshot = join.build_with(tables, 1, &index).unwrap();
        if let IndexChoice::Kind(IndexKind::Hashbrown | IndexKind::Linear) = index {
            assert_eq!(snapshot.index_name(), index.builder().name());
        }
        assert_eq!(rows(&join, snapshot, &table), expected, "{index:?}");
    }
}
