//! The merge against a nested loop, sorted and unsorted, at every limit.

use arrow::buffer::BooleanBuffer;
use proptest::prelude::*;

use super::*;
use crate::arch::{Isa, mix};
use crate::key::{ByteKeys, Keys};

/// The same numbers as keys of each shape; as strings some share their first
/// eight bytes, some are a prefix of another.
fn shapes(values: &[u64]) -> [Keys; 3] {
    let mut offsets = vec![0i64];
    let mut bytes = Vec::new();
    for &value in values {
        match value % 4 {
            0 => bytes.extend_from_slice(b"shared prefix "),
            1 => bytes.extend_from_slice(&[0; 9][..value as usize % 10]),
            _ => {}
        }
        bytes.extend_from_slice(&value.to_be_bytes()[value.leading_zeros() as usize / 8..]);
        offsets.push(bytes.len() as i64);
    }
    [
        Keys::Words(values.to_vec().into()),
        Keys::Wide(values.iter().map(|&v| i128::from(v) << 62 | i128::from(v % 3)).collect()),
        Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into()).unwrap()),
    ]
}

fn build(keys: &Keys) -> BuiltIndex {
    let hashes = vec![0; keys.len()];
    SortMerge.build(BuildInput::new(keys, &hashes, Isa::Portable).unwrap()).unwrap()
}

/// All pairs of build rows, in calls of at most `limit`.
fn pairs(built: &BuiltIndex, probe: Probe<'_>, limit: usize) -> Vec<(u32, u32)> {
    let (mut cursor, mut pairs, mut all) = (FindCursor::default(), Pairs::default(), Vec::new());
    while !cursor.is_done(probe.len()) {
        pairs.clear();
        built.index.find(probe, &mut cursor, &mut pairs, limit);
        assert!(pairs.len() <= limit, "{} of {limit}", pairs.len());
        assert!(cursor.is_done(probe.len()) || !pairs.is_empty(), "no progress");
        built.rows_at(pairs.build_rows_mut()).unwrap();
        all.extend(pairs.iter());
    }
    all.sort_unstable();
    all
}

fn check(build_values: &[u64], probe_values: &[(u64, bool)], limit: usize) {
    let (probe, matchable): (Vec<u64>, Vec<bool>) = probe_values.iter().copied().unzip();
    let mut expected = Vec::new();
    for (p, key) in probe.iter().enumerate().filter(|&(p, _)| matchable[p]) {
        let equal = build_values.iter().enumerate().filter(|(_, other)| *other == key);
        expected.extend(equal.map(|(b, _)| (p as u32, b as u32)));
    }
    let mask = BooleanBuffer::from(&matchable[..]);
    let hashes = vec![0; probe.len()];
    let distinct: std::collections::BTreeSet<_> = build_values.iter().collect();
    for (build_keys, probe_keys) in shapes(build_values).iter().zip(&shapes(&probe)) {
        let built = build(build_keys);
        assert_eq!(built.index.unique(), Some(distinct.len() == build_values.len()));
        assert_eq!(built.index.rows(), build_values.len());
        let probe = Probe::new(probe_keys, &hashes, Some(&mask));
        assert_eq!(pairs(&built, probe, limit), expected);
        let mut first = vec![7; probe.len()];
        built.index.first_match(probe, &mut first);
        built.rows_at(&mut first).unwrap();
        for (p, &found) in first.iter().enumerate() {
            // The first row of the key, as rows were given.
            let expected = expected.iter().find(|&&(row, _)| row == p as u32);
            assert_eq!(found, expected.map_or(NO_ROW, |&(_, row)| row));
        }
        if matchable.iter().all(|&may| may) {
            let all = Probe::new(probe_keys, &hashes, None);
            assert_eq!(pairs(&built, all, limit), expected);
        }
    }
}

/// Numbers that collide, lie far apart, or differ in one bit only.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..12, (0u64..6).prop_map(|v| v << 40), Just(u64::MAX), Just(1 << 63)]
}

proptest! {
    #[test]
    fn a_merge_finds_what_a_nested_loop_finds(
        mut build in proptest::collection::vec(value(), 0..80),
        mut probe in proptest::collection::vec((value(), prop::bool::weighted(0.8)), 0..80),
        sorted in any::<(bool, bool)>(),
        limit in prop_oneof![1usize..8, Just(8192), Just(usize::MAX)],
    ) {
        if sorted.0 {
            build.sort_unstable();
        }
        if sorted.1 {
            probe.sort_unstable();
        }
        check(&build, &probe, limit);
    }
}

#[test]
fn sizes_that_differ_much_gallop_over_what_lies_between() {
    let table: Vec<u64> = (0..30_000).map(|i| mix(i) % 50_000).collect();
    let few: Vec<(u64, bool)> = (0..40).map(|i| (mix(i + 7) % 60_000, true)).collect();
    check(&table, &few, 8192);
    let many: Vec<(u64, bool)> = (0..3000).map(|i| (mix(i) % 200, i % 5 > 0)).collect();
    check(&[3, 100, 100, 199, 250], &many, 100);
}

#[test]
fn a_table_in_order_keeps_its_rows_where_they_are() {
    for keys in shapes(&(1000..3000).map(|i| i * 4).collect::<Vec<_>>()) {
        assert!(build(&keys).order.is_none());
    }
    let [words, ..] = shapes(&[3, 1, 2, 1]);
    assert_eq!(build(&words).order, Some(vec![1, 3, 2, 0]));
}

#[test]
fn hot_keys_come_out_in_bounded_pieces_and_in_turn() {
    let keys = Keys::Words(vec![9; 3000].into());
    let built = build(&keys);
    let hashes = vec![0; 3000];
    let probe = Probe::new(&keys, &hashes, None);
    let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
    built.index.find(probe, &mut cursor, &mut pairs, 1024);
    // 128 rows with the first eight of their 3000 matches each.
    assert_eq!(pairs.len(), 1024);
    assert!(pairs.build_rows().iter().all(|&row| row < 8));
    let mut all = pairs.len() as u64;
    while !cursor.is_done(3000) {
        pairs.clear();
        built.index.find(probe, &mut cursor, &mut pairs, 1024);
        assert!(pairs.len() <= 1024);
        all += pairs.len() as u64;
    }
    assert_eq!(all, 9_000_000);
}
