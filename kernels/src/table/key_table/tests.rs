//! The table against nested loops, and what it refuses.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::key::{ByteKeys, Keys};
use crate::table::{FilteredBuilder, IndexBuilder, IndexKind, JoinIndex};

/// The same numbers as keys of each shape.
fn shapes(values: &[u8]) -> [Keys; 3] {
    let text = |&value: &u8| "k".repeat(usize::from(value) % 20) + &value.to_string();
    let texts: Vec<String> = values.iter().map(text).collect();
    let mut offsets = vec![0i64];
    offsets.extend(texts.iter().scan(0, |end, text| {
        *end += text.len() as i64;
        Some(*end)
    }));
    [
        Keys::Words(values.iter().map(|&v| u64::from(v)).collect()),
        Keys::Wide(values.iter().map(|&v| i128::from(v) << 70).collect()),
        Keys::Bytes(ByteKeys::new(offsets.into(), texts.concat().into_bytes().into())),
    ]
}

fn choices() -> Vec<IndexChoice> {
    let mut choices: Vec<IndexChoice> = IndexKind::ALL.map(Into::into).to_vec();
    choices.push(IndexChoice::Auto(AutoIndex::default()));
    choices.push(IndexChoice::Own(Arc::new(FilteredBuilder::<IndexKind>::default())));
    choices.push(IndexChoice::Own(Arc::new(crate::probe::SortMerge)));
    choices
}

/// Checks a table's answers, given the row at each position if they are
/// positions.
fn check_answers(
    table: &KeyTable,
    order: Option<&[u32]>,
    rows: KeyRows<'_>,
    expected: &[(u32, u32)],
    limit: usize,
) {
    let row = |found: u32| order.map_or(found, |order| order[found as usize]);
    let (mut matches, mut pairs, mut all) = (table.find(rows).unwrap(), Pairs::default(), vec![]);
    while matches.next_pairs(&mut pairs, limit) {
        assert!(pairs.len() <= limit);
        all.extend(pairs.iter().map(|(probe, build)| (probe, row(build))));
    }
    assert!(pairs.is_empty() && !matches.next_pairs(&mut pairs, limit));
    all.sort_unstable();
    assert_eq!(all, expected);
    table.pairs(rows, &mut pairs).unwrap();
    let mut whole: Vec<_> = pairs.iter().map(|(probe, build)| (probe, row(build))).collect();
    whole.sort_unstable();
    assert_eq!(whole, expected);

    // What is there before is of no matter.
    let (mut first, mut bits) = (vec![7; 3], vec![u64::MAX; 3]);
    table.first_matches(rows, &mut first).unwrap();
    table.exists(rows, &mut bits).unwrap();
    assert_eq!((first.len(), bits.len()), (rows.keys.len(), rows.keys.len().div_ceil(64)));
    let mut expected_bits = vec![0u64; bits.len()];
    for &(probe, _) in expected {
        expected_bits[probe as usize / 64] |= 1 << (probe % 64);
    }
    assert_eq!(bits, expected_bits);
    for (probe, &found) in (0..).zip(&first) {
        if bits[probe as usize / 64] >> (probe % 64) & 1 == 0 {
            assert_eq!(found, NO_ROW);
        } else {
            assert!(expected.contains(&(probe, row(found))));
        }
    }
}

proptest! {
    #[test]
    fn a_table_finds_what_a_nested_loop_finds(
        build in proptest::collection::vec((0u8..14, prop::bool::weighted(0.8)), 0..40),
        probe in proptest::collection::vec((0u8..16, prop::bool::weighted(0.8)), 0..140),
        masks in any::<(bool, bool)>(),
        limit in prop_oneof![1usize..8, Just(8192), Just(usize::MAX)],
        constant in prop::bool::weighted(0.2),
    ) {
        let (build, build_mask): (Vec<u8>, Vec<bool>) = build.into_iter().unzip();
        let (probe, probe_mask): (Vec<u8>, Vec<bool>) = probe.into_iter().unzip();
        let mut expected = Vec::new();
        for (p, key) in probe.iter().enumerate().filter(|&(p, _)| !masks.1 || probe_mask[p]) {
            for (b, other) in build.iter().enumerate().filter(|&(b, _)| !masks.0 || build_mask[b]) {
                if key == other {
                    expected.push((p as u32, b as u32));
                }
            }
        }
        let [build_mask, probe_mask] = [&build_mask, &probe_mask].map(|m| BooleanBuffer::from(&m[..]));
        let hasher = if constant { KeyHasher::constant() } else { KeyHasher::with_seed(Isa::detect(), 3) };
        for (build_keys, probe_keys) in shapes(&build).iter().zip(&shapes(&probe)) {
            let build_rows =
                KeyRows { matchable: masks.0.then_some(&build_mask), ..build_keys.into() };
            let probe_rows =
                KeyRows { matchable: masks.1.then_some(&probe_mask), ..probe_keys.into() };
            for choice in choices() {
                let mut table = KeyTable::with_index(build_rows, &choice, hasher.clone()).unwrap();
                check_answers(&table, None, probe_rows, &expected, limit);
                let held = table.bytes();
                let order = table.take_order();
                prop_assert!(order.as_ref().is_none_or(|order| order.len() == table.positions()));
                prop_assert!(table.bytes() <= held && table.rows() <= table.positions());
                check_answers(&table, order.as_deref(), probe_rows, &expected, limit);
            }
        }
    }
}

#[test]
fn more_rows_than_a_block_are_numbered_on() {
    let build: Vec<u64> = (0..30_000).map(|i| i * 7 % 20_000).collect();
    let probe: Vec<u64> = (0..3 * BLOCK as u64 + 70).collect();
    let table = KeyTable::new(&build).unwrap();
    let expected_rows = probe.iter().filter(|&&key| key < 20_000).count();
    let mut pairs = Pairs::default();
    table.pairs(&probe, &mut pairs).unwrap();
    assert_eq!(pairs.len(), 30_000);
    assert!(pairs.iter().all(|(p, b)| probe[p as usize] == build[b as usize]));
    let (mut matches, mut steps, mut total) = (table.find(&probe).unwrap(), 0, 0);
    while matches.next_pairs(&mut pairs, 1000) {
        (steps, total) = (steps + 1, total + pairs.len());
        assert!(pairs.iter().all(|(p, b)| probe[p as usize] == build[b as usize]));
    }
    assert!((30..100).contains(&steps) && total == 30_000, "{steps}");
    let (mut first, mut bits) = (Vec::new(), Vec::new());
    table.first_matches(&probe, &mut first).unwrap();
    table.exists(&probe, &mut bits).unwrap();
    assert_eq!(first.iter().filter(|&&row| row != NO_ROW).count(), expected_rows);
    assert_eq!(bits.iter().map(|word| word.count_ones()).sum::<u32>(), expected_rows as u32);
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let table = KeyTable::new(&[1, 2, 3]).unwrap();
    let wide: &[i128] = &[1];
    let refused = table.pairs(wide, &mut Pairs::default()).unwrap_err().to_string();
    assert!(refused.contains("up to 8 bytes") && refused.contains("9 to 16"), "{refused}");
    let two = BooleanBuffer::new_set(2);
    let refused = table.exists((&[1, 2, 3], &two), &mut Vec::new()).unwrap_err().to_string();
    assert!(refused.contains("2 bits") && refused.contains("3 keys"), "{refused}");
    assert!(KeyTable::new((&[1, 2, 3], &two)).is_err());
}

#[test]
fn a_fallback_says_why() {
    let hasher = KeyHasher::with_seed(Isa::Portable, 1);
    let table = KeyTable::with_index(&[4, 4], &IndexKind::Perfect.into(), hasher).unwrap();
    assert_eq!((table.index_name(), table.unique()), ("contiguous", Some(false)));
    assert!(table.fallback().unwrap().contains("same key"));
    assert_eq!(KeyTable::new(&[4, 5]).unwrap().fallback(), None);
}

/// An index that does not tell the truth about itself.
#[derive(Debug)]
struct Wrong {
    rows: usize,
    positions: usize,
    order: Option<Vec<u32>>,
}

impl IndexBuilder for Arc<Wrong> {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn build(&self, _: BuildInput<'_>) -> Result<BuiltIndex> {
        Ok(BuiltIndex {
            index: Box::new(Arc::clone(self)),
            order: self.order.clone(),
            fallback: None,
            fused: None,
        })
    }
}

impl JoinIndex for Arc<Wrong> {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn positions(&self) -> usize {
        self.positions
    }

    fn bytes(&self) -> usize {
        0
    }

    fn unique(&self) -> Option<bool> {
        Some(true)
    }

    fn first_match(&self, _: Probe<'_>, matches: &mut [u32]) -> u64 {
        matches.fill(NO_ROW);
        0
    }

    fn find(&self, probe: Probe<'_>, cursor: &mut FindCursor, _: &mut Pairs, _: usize) -> u64 {
        cursor.next_row = probe.len();
        0
    }
}

#[test]
fn an_index_of_the_callers_that_does_not_fit_its_rows_is_refused() {
    let build = |rows, positions, order: Option<&[u32]>| {
        let wrong = Arc::new(Wrong { rows, positions, order: order.map(<[u32]>::to_vec) });
        let choice = IndexChoice::Own(Arc::new(wrong));
        KeyTable::with_index(&[1, 2], &choice, KeyHasher::constant()).map_err(|e| e.to_string())
    };
    assert!(build(2, 2, None).is_ok());
    assert!(build(2, 3, Some(&[1, NO_ROW, 0])).is_ok());
    for (rows, positions, order, why) in [
        (1, 2, None, "1 rows"),
        (2, 3, None, "no order"),
        (2, 3, Some(&[0, 1][..]), "an order of 2"),
        (2, 2, Some(&[0, 2][..]), "each of them once"),
        (2, 3, Some(&[0, 0, 1][..]), "each of them once"),
    ] {
        let refused = build(rows, positions, order).unwrap_err();
        assert!(refused.contains(why) && refused.contains("`wrong`"), "{refused}");
    }
}
