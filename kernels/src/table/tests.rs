//! Each index against a nested loop, under good and bad hashes, at every limit.

use std::collections::{BTreeMap, BTreeSet};

use arrow::buffer::BooleanBuffer;
use proptest::prelude::*;

use super::{
    BuildInput, BuiltIndex, FindCursor, IndexBuilder, IndexKind, JoinIndex, NestedLoop, Probe,
};
use crate::arch::Isa;
use crate::hash::KeyHasher;
use crate::key::{ByteKeys, Keys};
use crate::pairs::{NO_ROW, Pairs};

/// The same small numbers as keys of each shape.
fn shapes(values: &[u8]) -> [Keys; 3] {
    let mut offsets = vec![0i64];
    let mut bytes = Vec::new();
    for &value in values {
        // Different lengths, among them the empty string.
        bytes.extend(std::iter::repeat_n(value, usize::from(value % 5)));
        if value % 5 != 0 {
            bytes.push(value);
        } else if value > 0 {
            bytes.extend_from_slice(&[value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        }
        offsets.push(bytes.len() as i64);
    }
    [
        Keys::Words(values.iter().map(|&v| u64::from(v)).collect()),
        Keys::Wide(values.iter().map(|&v| i128::from(v) << 70).collect()),
        Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into()).unwrap()),
    ]
}

fn all_pairs(index: &dyn JoinIndex, probe: Probe<'_>, limit: usize) -> Vec<(u32, u32)> {
    let mut cursor = FindCursor::default();
    let mut pairs = Pairs::default();
    let mut all = Vec::new();
    let mut calls = 0;
    while !cursor.is_done(probe.len()) {
        pairs.clear();
        index.find(probe, &mut cursor, &mut pairs, limit);
        assert!(pairs.len() <= limit, "{} over {limit}", pairs.len());
        all.extend(pairs.iter());
        calls += 1;
        assert!(calls < 1_000_000, "no progress");
    }
    all.sort_unstable();
    all
}

/// Builds over `keys` with the hashes given.
pub(super) fn build(kind: IndexKind, keys: &Keys, hashes: &[u64], isa: Isa) -> BuiltIndex {
    kind.build(BuildInput::new(keys, hashes, isa).unwrap()).unwrap()
}

/// As `all_pairs`, with build rows in place of positions.
pub(super) fn all_rows(built: &BuiltIndex, probe: Probe<'_>, limit: usize) -> Vec<(u32, u32)> {
    let mut all = all_pairs(&*built.index, probe, limit);
    if let Some(order) = &built.order {
        all.iter_mut().for_each(|(_, position)| *position = order[*position as usize]);
    }
    all.sort_unstable();
    all
}

fn check(build_values: &[u8], probe: &[u8], matchable: &[bool], limit: usize) {
    let mut expected = Vec::new();
    for (p, key) in probe.iter().enumerate().filter(|&(p, _)| matchable[p]) {
        for (b, _) in build_values.iter().enumerate().filter(|(_, other)| *other == key) {
            expected.push((p as u32, b as u32));
        }
    }
    let mask = BooleanBuffer::from(matchable);
    for (build_keys, probe_keys) in shapes(build_values).iter().zip(&shapes(probe)) {
        for hasher in Isa::available()
            .into_iter()
            .map(|isa| KeyHasher::with_seed(isa, 3))
            .chain([KeyHasher::constant()])
        {
            let (mut build_hashes, mut probe_hashes) = (Vec::new(), Vec::new());
            hasher.hash(build_keys, &mut build_hashes);
            hasher.hash(probe_keys, &mut probe_hashes);
            let probe = Probe::new(probe_keys, &probe_hashes, Some(&mask));
            for kind in IndexKind::ALL {
                let built = build(kind, build_keys, &build_hashes, hasher.isa());
                let index = &*built.index;
                assert_eq!(index.rows(), build_values.len());
                let distinct: BTreeSet<_> = build_values.iter().collect();
                let unique = distinct.len() == build_values.len();
                assert!(index.unique().is_none_or(|told| told == unique), "{kind}");
                assert_eq!(all_rows(&built, probe, limit), expected, "{kind}");
                let mut found = vec![u64::MAX; probe.len().div_ceil(64)];
                index.exists(probe, &mut found);
                let mut matches = vec![7; probe.len()];
                index.first_match(probe, &mut matches);
                for bit in 0..found.len() * 64 {
                    let any = matches.get(bit).is_some_and(|&row| row != NO_ROW);
                    assert_eq!(found[bit / 64] >> (bit % 64) & 1 == 1, any, "{kind} bit {bit}");
                }
                built.rows_at(&mut matches).unwrap();
                let mut first_of_key = BTreeMap::new();
                for (p, &found) in matches.iter().enumerate() {
                    let any = expected.iter().any(|&(row, _)| row == p as u32);
                    assert_eq!(found != NO_ROW, any, "{kind} row {p}");
                    if any {
                        assert!(expected.contains(&(p as u32, found)), "{kind} row {p}");
                        // Equal keys find the same row.
                        let key = shapes_key(probe_keys, p);
                        assert_eq!(*first_of_key.entry(key).or_insert(found), found);
                    }
                }
            }
        }
    }
}

/// What `find` with this limit, and `first_match`, say that they looked at.
fn looked_at(index: &dyn JoinIndex, probe: Probe<'_>, limit: usize) -> [u64; 2] {
    let (mut cursor, mut pairs, mut all) = (FindCursor::default(), Pairs::default(), 0);
    while !cursor.is_done(probe.len()) {
        pairs.clear();
        all += index.find(probe, &mut cursor, &mut pairs, limit);
    }
    [all, index.first_match(probe, &mut vec![0; probe.len()])]
}

#[test]
fn what_is_looked_at_is_a_matter_of_keys_and_hashes_alone() {
    let values: Vec<u8> = (0..=255).flat_map(|i| [i, i / 3]).collect();
    let probes: Vec<u8> = (0..1000).map(|i| (i * 7 % 256) as u8).collect();
    for (build_keys, probe_keys) in shapes(&values).iter().zip(&shapes(&probes)) {
        for kind in IndexKind::ALL {
            let mut seen = BTreeSet::new();
            for isa in Isa::available() {
                let hasher = KeyHasher::with_seed(isa, 3);
                let (mut build_hashes, mut probe_hashes) = (Vec::new(), Vec::new());
                hasher.hash(build_keys, &mut build_hashes);
                hasher.hash(probe_keys, &mut probe_hashes);
                let built = build(kind, build_keys, &build_hashes, isa);
                let probe = Probe::new(probe_keys, &probe_hashes, None);
                for limit in [usize::MAX, 300, 1000] {
                    seen.insert(looked_at(&*built.index, probe, limit));
                }
            }
            assert_eq!(seen.len(), 1, "{kind}: {seen:?}");
            let [all, first] = seen.pop_first().unwrap_or_default();
            assert!(first >= 1000 && all >= first && all < 10_000, "{kind}: {all} {first}");
        }
    }
    // With bad hashes it is more.
    let keys = Keys::Words((0..200).collect());
    let zeros = vec![0; 200];
    let built = build(IndexKind::Chained, &keys, &zeros, Isa::Portable);
    let probe = Probe::new(&keys, &zeros, None);
    assert_eq!(looked_at(&*built.index, probe, 1 << 20), [200 * 200, 200 * 201 / 2]);
}

fn shapes_key(keys: &Keys, row: usize) -> Vec<u8> {
    match keys {
        Keys::Words(words) => words[row].to_le_bytes().to_vec(),
        Keys::Wide(words) => words[row].to_le_bytes().to_vec(),
        Keys::Bytes(keys) => keys.get(row).to_vec(),
    }
}

proptest! {
    #[test]
    fn every_index_finds_what_a_nested_loop_finds(
        build in proptest::collection::vec(0u8..12, 0..40),
        probe in proptest::collection::vec((0u8..14, any::<bool>()), 0..60),
        limit in prop_oneof![1usize..8, Just(8192)],
    ) {
        let (probe, matchable): (Vec<u8>, Vec<bool>) = probe.into_iter().unzip();
        check(&build, &probe, &matchable, limit);
    }

    #[test]
    fn a_nested_loop_pairs_every_row_once(build in 0usize..50, probe in 0usize..20, limit in 1usize..60) {
        let keys = Keys::Words(vec![0; probe].into());
        let hashes = vec![0; probe];
        let probe_rows = Probe::new(&keys, &hashes, None);
        let index = NestedLoop::new(build).unwrap();
        let expected: Vec<_> =
            (0..probe as u32).flat_map(|p| (0..build as u32).map(move |b| (p, b))).collect();
        prop_assert_eq!(all_pairs(&index, probe_rows, limit), expected);
    }
}

#[test]
fn blocks_larger_than_one_and_prefetched_tables_agree_with_the_baseline() {
    // 300,000 rows exceed half of any second-level cache, so prefetch is on.
    let words = |n: u64, stride: u64| -> Keys {
        Keys::Words((0..n).map(|i| i.wrapping_mul(stride) % 150_000).collect())
    };
    let (build, probe) = (words(300_000, 7), words(5_000, 61));
    let hasher = KeyHasher::with_seed(Isa::detect(), 9);
    let (mut build_hashes, mut probe_hashes) = (Vec::new(), Vec::new());
    hasher.hash(&build, &mut build_hashes);
    hasher.hash(&probe, &mut probe_hashes);
    let probe = Probe::new(&probe, &probe_hashes, None);
    let mut expected = None;
    for kind in IndexKind::ALL {
        let built = super::tests::build(kind, &build, &build_hashes, Isa::detect());
        let all = all_rows(&built, probe, 4096);
        assert_eq!(all, all_rows(&built, probe, 1 << 20), "{kind}");
        assert_eq!(all.len(), 10_000);
        assert_eq!(*expected.get_or_insert_with(|| all.clone()), all, "{kind}");
    }
}

#[test]
fn a_cursor_of_another_probe_is_refused() {
    let keys = Keys::Words((0..10).collect());
    let hashes = vec![0; 10];
    let index = build(IndexKind::Chained, &keys, &hashes, Isa::Portable).index;
    let mut cursor = FindCursor { rows: vec![10], candidates: vec![1], ..FindCursor::default() };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        index.find(Probe::new(&keys, &hashes, None), &mut cursor, &mut Pairs::default(), 10);
    }));
    assert!(outcome.is_err());
}

/// Hashes that are not those of the keys, on either side, find wrong rows or
/// none: debug assertions watch that no look-up leaves the memory.
#[test]
fn hashes_of_other_keys_stay_inside() {
    let values: Vec<u8> = (0..200).collect();
    let mut hashes: Vec<u64> = (0..200).map(crate::arch::mix).collect();
    hashes[..4].copy_from_slice(&[0, u64::MAX, 1 << 63, u64::MAX >> 32]);
    let others: Vec<u64> = hashes.iter().rev().map(|hash| hash.rotate_left(7)).collect();
    for keys in shapes(&values) {
        for isa in Isa::available() {
            for kind in IndexKind::ALL {
                let built = build(kind, &keys, &hashes, isa);
                let probe = Probe::new(&keys, &others, None);
                for (_, row) in all_rows(&built, probe, 50) {
                    assert!(row == NO_ROW || (row as usize) < values.len());
                }
                let (mut matches, mut found) = (vec![0; 200], vec![0; 4]);
                built.index.first_match(probe, &mut matches);
                built.index.exists(probe, &mut found);
                let inside = |&row: &u32| row == NO_ROW || (row as usize) < built.index.positions();
                assert!(matches.iter().all(inside));
            }
        }
    }
}
