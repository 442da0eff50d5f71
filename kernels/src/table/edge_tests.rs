//! Every index over the keys that break indexes: hot keys, patterns, the ends
//! of the domain, equal hashes, tables that exceed the cache.

use std::collections::HashMap;

use arrow::buffer::BooleanBuffer;

use super::tests::{all_rows, build};
use super::{BuildInput, BuiltIndex, FilteredBuilder, FindCursor, IndexBuilder, IndexKind, Probe};
use crate::arch::Isa;
use crate::hash::KeyHasher;
use crate::key::{ByteKeys, Keys};
use crate::pairs::{NO_ROW, Pairs};

/// The same numbers as keys of each shape: equal where these are.
fn shapes(values: &[u64]) -> [Keys; 4] {
    let bytes = |tail: &[u8]| {
        let (mut offsets, mut bytes) = (vec![0i64], Vec::new());
        for value in values {
            bytes.extend_from_slice(&value.to_be_bytes());
            bytes.extend_from_slice(tail);
            offsets.push(bytes.len() as i64);
        }
        Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into()).unwrap())
    };
    [
        Keys::Words(values.to_vec().into()),
        Keys::Wide(values.iter().map(|&v| i128::from(v) << 60 | 5).collect()),
        bytes(b""),
        bytes(b"some text that is longer than an entry"),
    ]
}

/// Checks all that an index answers, for probe rows of which each seventh may
/// not match.
fn check_built(
    built: &BuiltIndex,
    build: &[u64],
    probe_values: &[u64],
    keys: &Keys,
    hashes: &[u64],
) {
    let mut rows_of: HashMap<u64, Vec<u32>> = HashMap::new();
    for (row, &value) in build.iter().enumerate() {
        rows_of.entry(value).or_default().push(row as u32);
    }
    let index = &*built.index;
    let name = index.name();
    assert_eq!(index.rows(), build.len());
    assert!(index.unique().is_none_or(|told| told == (rows_of.len() == build.len())), "{name}");
    let mask: BooleanBuffer = (0..probe_values.len()).map(|row| row % 7 != 3).collect();
    for matchable in [None, Some(&mask)] {
        let probe = Probe::new(keys, hashes, matchable);
        let mut expected: Vec<(u32, u32)> = Vec::new();
        for (p, value) in probe_values.iter().enumerate().filter(|&(p, _)| probe.is_matchable(p)) {
            let rows = rows_of.get(value).into_iter().flatten();
            expected.extend(rows.map(|&row| (p as u32, row)));
        }
        for limit in [if expected.len() < 5000 { 3 } else { 1000 }, 1 << 40] {
            assert!(all_rows(built, probe, limit) == expected, "{name} by {limit}");
        }
        let mut matches = vec![7; probe.len()];
        index.first_match(probe, &mut matches);
        let mut found = vec![u64::MAX; probe.len().div_ceil(64)];
        index.exists(probe, &mut found);
        built.rows_at(&mut matches).unwrap();
        for (p, &row) in matches.iter().enumerate() {
            let any = expected.binary_search_by_key(&(p as u32), |&(p, _)| p).is_ok();
            assert_eq!(found[p / 64] >> (p % 64) & 1 == 1, any, "{name} row {p}");
            assert_eq!(row != NO_ROW, any, "{name} row {p}");
            assert!(!any || expected.binary_search(&(p as u32, row)).is_ok(), "{name} row {p}");
        }
    }
}

fn check_with(hasher: &KeyHasher, build_values: &[u64], probe_values: &[u64]) {
    let shapes = shapes(build_values).into_iter().zip(shapes(probe_values));
    for (build_keys, probe_keys) in shapes {
        let (mut build_hashes, mut probe_hashes) = (Vec::new(), Vec::new());
        hasher.hash(&build_keys, &mut build_hashes);
        hasher.hash(&probe_keys, &mut probe_hashes);
        for kind in IndexKind::ALL {
            let built = build(kind, &build_keys, &build_hashes, hasher.isa());
            check_built(&built, build_values, probe_values, &probe_keys, &probe_hashes);
            let input = BuildInput::new(&build_keys, &build_hashes, hasher.isa()).unwrap();
            let built = FilteredBuilder { inner: kind }.build(input).unwrap();
            check_built(&built, build_values, probe_values, &probe_keys, &probe_hashes);
        }
    }
}

/// Under each instruction set and under a constant hash.
fn check(build: &[u64], probe: &[u64]) {
    for isa in Isa::available() {
        check_with(&KeyHasher::with_seed(isa, 11), build, probe);
    }
    check_with(&KeyHasher::constant(), build, probe);
}

/// Keys of the table and as many that are not.
fn around(keys: &[u64]) -> Vec<u64> {
    keys.iter().take(400).flat_map(|&key| [key, key.wrapping_add(1) ^ 1 << 40]).collect()
}

#[test]
fn tables_of_no_row_and_of_one() {
    for value in [0, 1, u64::MAX, i64::MIN as u64] {
        check(&[], &[value, 0, 17]);
        check(&[value], &[value, 0, 17, u64::MAX]);
        check(&[value], &[]);
        check(&[value; 2], &[value; 200]);
    }
}

#[test]
fn patterned_keys() {
    type Pattern = (&'static str, fn(u64) -> u64);
    let patterns: [Pattern; 6] = [
        ("sequential", |i| i),
        ("reversed", |i| 700 - i),
        ("id << 16 | constant", |i| i << 16 | 0xbeef),
        ("float bits", |i| (i as f64).to_bits()),
        ("negative 32-bit words", |i| u64::from((i as i32 - 350) as u32)),
        ("negative 64-bit words", |i| (i as i64 - 350) as u64),
    ];
    for (_, pattern) in patterns {
        let keys: Vec<u64> = (0..700).map(pattern).collect();
        check(&keys, &around(&keys));
        let twice: Vec<u64> = keys.iter().chain(keys.iter().rev()).copied().collect();
        check_with(&KeyHasher::with_seed(Isa::detect(), 1), &twice, &around(&keys));
    }
}

#[test]
fn the_ends_of_the_domain_in_one_column() {
    let keys = [
        i64::MIN as u64,
        i64::MAX as u64,
        0,
        u64::MAX,
        1,
        i32::MIN as u32 as u64,
        1 << 31,
        1 << 32,
    ];
    check(&keys, &around(&keys));
    check(&keys[..2], &around(&keys));
}

#[test]
fn all_keys_equal() {
    check(&[42; 1000], &[42, 41, 42]);
    check(&vec![u64::MAX; 70_000], &[42, u64::MAX]);
}

#[test]
fn a_hot_key_among_others() {
    let keys: Vec<u64> = (0..6000).map(|i| if i % 2 == 0 { 77 } else { i * 1_000_003 }).collect();
    let probe: Vec<u64> = around(&keys).into_iter().filter(|&key| key != 77).chain([77]).collect();
    check_with(&KeyHasher::with_seed(Isa::detect(), 5), &keys, &probe);
    check_with(&KeyHasher::constant(), &keys[..2000], &probe[..300]);
}

#[test]
fn equal_halves_of_hashes() {
    // Hashes that agree in one half, or in all but a few bits.
    let values: Vec<u64> = (0..900).map(|i| i % 600).collect();
    let probe: Vec<u64> = (0..700).collect();
    let shapes = shapes(&values).into_iter().zip(shapes(&probe));
    for (build_keys, probe_keys) in shapes {
        for hash in [|v: u64| v << 32, |v| v, |v| (v % 3) << 31, |v| ((v % 5) << 61) | (v % 2)] {
            let hashes = |values: &[u64]| values.iter().map(|&v| hash(v)).collect::<Vec<_>>();
            for kind in IndexKind::ALL {
                let built = build(kind, &build_keys, &hashes(&values), Isa::detect());
                check_built(&built, &values, &probe, &probe_keys, &hashes(&probe));
            }
        }
    }
}

#[test]
fn tables_that_exceed_the_cache() {
    let hasher = KeyHasher::with_seed(Isa::detect(), 21);
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let unique: Vec<u64> = (0..240_000).map(spread).collect();
    let probe: Vec<u64> = (0..3000).map(|i| spread(i * 277)).collect();
    check_with(&hasher, &unique, &probe);
    let repeated: Vec<u64> = (0..240_000).map(|i| spread(i % 100_000)).collect();
    check_with(&hasher, &repeated, &probe);
    let dense: Vec<u64> = (0..240_000).map(|i| i ^ 0x155).collect();
    check_with(&hasher, &dense, &(0..3000).map(|i| i * 277).collect::<Vec<_>>());
}

#[test]
fn one_key_of_many_rows_comes_in_bounded_pieces() {
    let keys = Keys::Words(vec![9; 50_000].into());
    let hasher = KeyHasher::with_seed(Isa::detect(), 2);
    let mut hashes = Vec::new();
    hasher.hash(&keys, &mut hashes);
    let (probe_keys, probe_hashes) = (keys.slice(0, 100), &hashes[..100]);
    let probe = Probe::new(&probe_keys, probe_hashes, None);
    for kind in IndexKind::ALL {
        let built = kind.build(BuildInput::new(&keys, &hashes, hasher.isa()).unwrap()).unwrap();
        let (mut cursor, mut pairs, mut total) = (FindCursor::default(), Pairs::default(), 0);
        while !cursor.is_done(100) {
            pairs.clear();
            built.index.find(probe, &mut cursor, &mut pairs, 8192);
            assert!(!pairs.is_empty() && pairs.len() <= 8192, "{kind}");
            assert!(cursor.rows.len() <= 8192, "{kind}");
            total += pairs.len();
        }
        assert_eq!(total, 100 * 50_000, "{kind}");
    }
}

#[test]
fn cursors_of_another_probe_are_refused() {
    let keys = Keys::Words((0..10).chain(0..10).collect());
    let hashes: Vec<u64> = (0..10).chain(0..10).map(crate::arch::mix).collect();
    for kind in IndexKind::ALL.into_iter().filter(|&kind| kind != IndexKind::RowAtATime) {
        let built = build(kind, &keys, &hashes, Isa::Portable);
        for (rows, candidates) in [(vec![20], vec![1]), (vec![1], vec![1000]), (vec![1], vec![])] {
            let mut cursor = FindCursor { rows, candidates, ..FindCursor::default() };
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let probe = Probe::new(&keys, &hashes, None);
                built.index.find(probe, &mut cursor, &mut Pairs::default(), 10);
            }));
            assert!(outcome.is_err(), "{kind}");
        }
    }
}
