//! Inputs made to hurt: the right rows, in bounded pieces, in time that grows
//! with input and output, under every layout and index.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{JoinType, KeyHasher};

use crate::random::pool_of_two;
use crate::traps::{join, keyed, strategies};

/// Far more than any of these takes, far less than what is quadratic would.
const IN_TIME: Duration = Duration::from_secs(60);

/// Pushes a batch and counts; no piece may be larger than allowed.
fn count(join: &stream_static::Join, batch: &RecordBatch, limit: usize) -> u64 {
    let mut cursor = join.push(batch).unwrap();
    let mut rows = 0;
    while let Some(batch) = cursor.next_batch().unwrap() {
        assert!(batch.num_rows() <= limit);
        rows += batch.num_rows() as u64;
    }
    assert_eq!(cursor.stats().rows_out, rows);
    rows
}

/// Rows of the four join types by the counts of keys alone.
fn expected(stream: &[i64], table: &[i64]) -> [(JoinType, u64); 4] {
    let mut found = BTreeMap::<i64, u64>::new();
    table.iter().for_each(|&key| *found.entry(key).or_default() += 1);
    let matches = stream.iter().map(|key| found.get(key).copied().unwrap_or(0));
    let (inner, semi) = matches.fold((0, 0), |(all, any), n| (all + n, any + u64::from(n > 0)));
    let anti = stream.len() as u64 - semi;
    [
        (JoinType::Inner, inner),
        (JoinType::LeftOuter, inner + anti),
        (JoinType::LeftSemi, semi),
        (JoinType::LeftAnti, anti),
    ]
}

fn check(stream: &[i64], table: &[i64], change: impl Fn(&mut stream_static::Options)) {
    let expected = expected(stream, table);
    let stream = keyed("k", stream.iter().copied());
    let table = keyed("d", table.iter().copied());
    for mut options in strategies() {
        change(&mut options);
        for (join_type, rows) in expected {
            let started = Instant::now();
            let limit = options.max_output_rows;
            let join = join(&stream, &table, join_type, options.clone());
            assert_eq!(count(&join, &stream, limit), rows, "{join_type} {options:?}");
            assert!(started.elapsed() < IN_TIME, "{join_type} {options:?}");
        }
    }
}

#[test]
fn all_keys_equal() {
    // One match a row and many, with the hot key on either side.
    check(&[5; 200_000], &[5], |_| {});
    check(&[5], &[5; 200_000], |_| {});
    check(&[5; 700], &[5; 700], |_| {});
    check(&[6; 50_000], &[5; 200_000], |_| {});
}

#[test]
fn keys_with_structure() {
    let shifted: Vec<i64> = (0..100_000).map(|id| id << 16 | 0xbeef).collect();
    check(&shifted[..50_000], &shifted, |_| {});
    let probes: Vec<i64> = (0..50_000).map(|id| id << 15 | 0xbeef).collect();
    check(&probes, &shifted, |_| {});
}

#[test]
fn both_ends_of_the_type_in_one_column() {
    let mut keys: Vec<i64> =
        (0..1000).flat_map(|i| [i64::MIN + i, i64::MAX - i, i - 500]).collect();
    check(&keys, &[i64::MIN, i64::MAX, 0, -1], |_| {});
    keys.reverse();
    check(&[i64::MAX, i64::MIN, 0, 1 << 62], &keys, |_| {});
}

#[test]
fn a_constant_hash() {
    let keys: Vec<i64> = (0..3000).map(|i| i % 1500).collect();
    check(&keys, &keys, |options| options.hasher = KeyHasher::constant());
}

/// Long keys that differ only at their end, all with one 64-bit hash.
#[test]
fn equal_hashes_of_long_keys() {
    let texts = |range: std::ops::Range<i32>| -> RecordBatch {
        let texts = range.map(|i| format!("{}{i:05}", "a long common beginning ".repeat(4)));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        RecordBatch::try_from_iter([("k", texts)]).unwrap()
    };
    let (stream, table) = (texts(500..2500), texts(0..2000));
    for mut options in strategies() {
        options.hasher = KeyHasher::constant();
        for (join_type, rows) in [
            (JoinType::Inner, 1500),
            (JoinType::LeftOuter, 2000),
            (JoinType::LeftSemi, 1500),
            (JoinType::LeftAnti, 500),
        ] {
            let join = join(&stream, &table, join_type, options.clone());
            assert_eq!(count(&join, &stream, 8192), rows, "{join_type} {options:?}");
        }
    }
}

/// Nine rows in ten have one key. Threads share them, and a table that
/// partitions do not spread is left whole, which it says.
#[test]
fn one_hot_partition() {
    let hot = |i: i64| if i % 10 > 0 { 7 } else { i };
    let stream: Vec<i64> = (0..60_000).map(hot).collect();
    let unique: Vec<i64> = (0..20_000).collect();
    let with_pool = |bits| {
        move |options: &mut stream_static::Options| {
            options.pool = Some(pool_of_two());
            options.partition_bits = bits;
        }
    };
    check(&stream, &unique, with_pool(Some(6)));
    check(&stream, &unique, with_pool(None));
    let skewed: Vec<i64> = (0..2000).map(hot).collect();
    check(&unique, &skewed, with_pool(Some(6)));

    let table = keyed("d", skewed);
    let stream = keyed("k", 0..10);
    for (bits, partitions) in [(None, 1), (Some(6), 64)] {
        let options = stream_static::Options::default()
            .with_layout(Layout::Partitioned)
            .with_partition_bits(bits);
        let join = join(&stream, &table, JoinType::Inner, options);
        let snapshot = join.snapshot().unwrap();
        assert_eq!(snapshot.partitions(), partitions);
        let notes = snapshot.notes().join(" ");
        assert!(notes.contains("no progress") && notes.contains("of 2000 rows"), "{notes}");
    }
}

/// Pairs of a hot key, and no column of them. A cursor of any layout gives them
/// piece by piece.
fn pairs(a_side: usize, options: stream_static::Options) -> u64 {
    let (stream, table) = (keyed("k", vec![7; a_side]), keyed("d", vec![7; a_side]));
    let mut spec =
        stream_static::Spec::on(stream.schema(), table.schema(), JoinType::Inner, [(0, 0)])
            .unwrap();
    spec.output.clear();
    let limit = options.max_output_rows;
    let join = stream_static::Join::new(spec, options).unwrap();
    join.swap(join.build(&[table], 0).unwrap()).unwrap();
    count(&join, &stream, limit)
}

#[test]
fn a_fan_out_of_1e8_pairs() {
    for options in strategies() {
        assert_eq!(pairs(10_000, options.clone()), 100_000_000, "{options:?}");
    }
}

#[test]
fn a_fan_out_of_1e9_pairs_by_a_merge() {
    let options = stream_static::Options::default().with_layout(Layout::SortMerge);
    assert_eq!(pairs(31_623, options), 31_623 * 31_623);
}

/// The order of the output is that of the options, whatever threads do.
#[test]
fn threads_do_not_change_the_order() {
    let keys = |i: i64| (i * 7919) % 5000;
    let (stream, table) = (keyed("k", (0..50_000).map(keys)), keyed("d", (0..9000).map(keys)));
    for mut options in strategies() {
        options.pool = Some(pool_of_two());
        let join = join(&stream, &table, JoinType::LeftOuter, options);
        let all = || {
            let mut cursor = join.push(&stream).unwrap();
            let mut ids = Vec::new();
            while let Some(batch) = cursor.next_batch().unwrap() {
                ids.extend_from_slice(batch.column(0).as_primitive::<Int64Type>().values());
            }
            ids
        };
        let first = all();
        assert_eq!(first.len(), 50_000 / 5000 * 9000);
        for _ in 0..4 {
            assert_eq!(all(), first);
        }
    }
}
