//! The table against nested loops, and what it refuses.

use std::error::Error;
use std::sync::{Arc, Mutex};

use arrow::buffer::BooleanBuffer;
use proptest::prelude::*;

use super::*;
use crate::arch::Isa;
use crate::cancellation::Cancellation;
use crate::error::JoinError;
use crate::key::{ByteKeys, BytesOf, EncodedKeys, KeyValue, KeyView, Keys};
use crate::memory::reservation::MemoryReservation;
use crate::table::auto::AutoIndex;
use crate::table::key_blocks::BLOCK;
use crate::table::{FilteredBuilder, IndexChoice, IndexKind};

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
        Keys::Bytes(ByteKeys::new(offsets.into(), texts.concat().into_bytes().into()).unwrap()),
    ]
}

fn choices() -> Vec<IndexChoice> {
    let mut choices: Vec<IndexChoice> = IndexKind::ALL.map(Into::into).to_vec();
    choices.push(AutoIndex::default().into());
    choices.push(IndexChoice::Own(Arc::new(FilteredBuilder::<IndexKind>::default())));
    choices.push(IndexChoice::Own(Arc::new(crate::probe::SortMerge)));
    choices
}

/// Checks a table's answers, given the row at each position if they are
/// positions.
fn check_answers(
    table: &KeyTable,
    order: Option<&[u32]>,
    rows: &EncodedKeys,
    expected: &[(u32, u32)],
    limit: usize,
) {
    let row = |found: u32| order.map_or(found, |order| order[found as usize]);
    let (mut matches, mut pairs, mut all) = (table.find(rows).unwrap(), Pairs::default(), vec![]);
    while matches.next_pairs(&mut pairs, limit).unwrap() {
        assert!(pairs.len() <= limit);
        all.extend(pairs.iter().map(|(probe, build)| (probe, row(build))));
    }
    assert!(pairs.is_empty() && !matches.next_pairs(&mut pairs, limit).unwrap());
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
        for (build_keys, probe_keys) in shapes(&build).into_iter().zip(shapes(&probe)) {
            let mask = |on, mask: &BooleanBuffer| if on { Some(mask.clone()) } else { None };
            let build_rows =
                EncodedKeys { keys: build_keys, matchable: mask(masks.0, &build_mask) };
            let probe_rows =
                &EncodedKeys { keys: probe_keys, matchable: mask(masks.1, &probe_mask) };
            for choice in choices() {
                let builder = KeyTable::builder().with_index(choice).with_hasher(hasher.clone());
                let mut table = builder.build(&build_rows).unwrap();
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
    while matches.next_pairs(&mut pairs, 1000).unwrap() {
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

/// Builds a table of `build`, with each index, and looks `probe` up: equal numbers are
/// equal and different ones differ, whatever their types.
fn check_numbers<B: KeyValue, P: KeyValue>(
    build: &[i128],
    probe: &[i128],
    as_build: fn(i128) -> B,
    as_probe: fn(i128) -> P,
) {
    let mut expected = Vec::new();
    for (p, key) in (0..).zip(probe) {
        expected.extend((0..).zip(build).filter(|(_, other)| *other == key).map(|(b, _)| (p, b)));
    }
    let build: Vec<B> = build.iter().map(|&value| as_build(value)).collect();
    let probe: Vec<P> = probe.iter().map(|&value| as_probe(value)).collect();
    for choice in choices() {
        let table = KeyTable::builder().with_index(choice).build(&build).unwrap();
        let mut pairs = Pairs::default();
        table.pairs(&probe, &mut pairs).unwrap();
        let mut found: Vec<_> = pairs.iter().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{} {}", B::kind(), P::kind());
        let mut bits = Vec::new();
        table.exists(&probe[..], &mut bits).unwrap();
        let (mut last, mut rows) = (None, 0);
        for &(row, _) in &expected {
            rows += u32::from(last.replace(row) != Some(row));
        }
        assert_eq!(bits.iter().map(|word| word.count_ones()).sum::<u32>(), rows);
    }
}

#[test]
fn equal_numbers_are_equal_whatever_their_types() {
    let signed: [i128; 6] = [-1, 0, 7, -128, 127, 7];
    let unsigned: [i128; 6] = [255, 0, 7, 128, 127, 7];
    macro_rules! each {
        ($numbers:ident: $($build:ty),* => $others:ident: $probes:tt) => {$(
            each!(@ $numbers $build, $others $probes);
        )*};
        (@ $numbers:ident $build:ty, $others:ident ($($probe:ty),*)) => {$(
            check_numbers(&$numbers, &$others, |v| v as $build, |v| v as $probe);
        )*};
    }
    each!(signed: i8, i16, i32, i64, isize => signed: (i8, i32, i64));
    each!(signed: i8, i32, i64 => unsigned: (u8, u16, u32, u64, usize));
    each!(unsigned: u8, u16, u32, u64, usize => unsigned: (u8, u32, u64));
    each!(unsigned: u8, u32, u64 => signed: (i8, i16, i32, i64, isize));
    each!(signed: i128 => unsigned: (i128, u128));
    each!(unsigned: u128 => signed: (i128));
    // Whose bits are those of another number.
    let (low, high) = ([-1, i128::from(i64::MIN), 5], [u64::MAX.into(), 1 << 63, 5_i128]);
    each!(low: i64 => high: (u64));
    each!(high: u64 => low: (i64));
    let mut first = Vec::new();
    KeyTable::new([-1_i128, 5]).unwrap().first_matches([u128::MAX, 5], &mut first).unwrap();
    assert_eq!(first, [NO_ROW, 1]);
}

#[test]
fn text_bytes_and_pairs_are_found_in_any_holder() {
    let owned: Vec<String> = (0..300).map(|i| "x".repeat(i % 40) + &i.to_string()).collect();
    let table = KeyTable::new(&owned).unwrap();
    let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
    let boxed: Vec<Box<str>> = texts.iter().map(|&text| text.into()).collect();
    let shared: Vec<Arc<str>> = texts.iter().map(|&text| text.into()).collect();
    let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    let vectors: Vec<Vec<u8>> = bytes.iter().map(|bytes| bytes.to_vec()).collect();
    let cows: Vec<std::borrow::Cow<'_, str>> = texts.iter().map(|&text| text.into()).collect();
    let holders: [&dyn KeyRows; 8] =
        [&texts, &owned, &boxed, &shared, &bytes, &vectors, &cows, &BytesOf(&owned)];
    let mut first = Vec::new();
    for rows in holders {
        table.first_matches(rows, &mut first).unwrap();
        assert!(first.iter().copied().eq(0..300), "{}", rows.kind());
        // In steps that end within a block of keys that are copied.
        let (mut matches, mut pairs, mut found) =
            (table.find(rows).unwrap(), Pairs::default(), Vec::new());
        while matches.next_pairs(&mut pairs, 7).unwrap() {
            found.extend(pairs.iter());
        }
        found.sort_unstable();
        assert!(found.into_iter().eq((0..300).map(|row| (row, row))));
    }
    table.first_matches([*b"0", *b"7"], &mut first).unwrap();
    assert_eq!(first, [0, NO_ROW]);

    let pairs: Vec<(i32, i32)> = (0..300).map(|i| (i % 17 - 8, i % 19 - 9)).collect();
    let table = KeyTable::new(&pairs).unwrap();
    table.first_matches(&pairs[..], &mut first).unwrap();
    assert!(first.iter().copied().eq(0..300));
    table.first_matches([(-8, 9), (-8, 8), pairs[217]], &mut first).unwrap();
    let position = |pair| pairs.iter().position(|&p| p == pair).map_or(NO_ROW, |row| row as u32);
    assert_eq!(first, [(-8, 9), (-8, 8), pairs[217]].map(position));
    let wide: Vec<(u64, i8)> = (0..300).map(|i| (i << 50, i as i8)).collect();
    KeyTable::new(&wide).unwrap().first_matches(&wide, &mut first).unwrap();
    assert!(first.iter().copied().eq(0..300));
}

#[test]
fn long_keys_are_copied_a_few_at_a_time() {
    let texts: Vec<String> = (0..700).map(|i| format!("{i:0>20000}")).collect();
    let table = KeyTable::new(&texts).unwrap();
    let mut block = KeyBlock::default();
    block.take_up(&&texts, 0, &KeyHasher::constant());
    assert!(block.len() >= 64 && block.len() < 200 && block.len().is_multiple_of(64));
    let (mut pairs, mut bits, mut first) = (Pairs::default(), Vec::new(), Vec::new());
    table.pairs(&texts, &mut pairs).unwrap();
    let mut found: Vec<_> = pairs.iter().collect();
    found.sort_unstable();
    assert!(found.into_iter().eq((0..700).map(|row| (row, row))));
    table.exists(&texts, &mut bits).unwrap();
    assert_eq!(bits.iter().map(|word| word.count_ones()).sum::<u32>(), 700);
    table.first_matches(&texts, &mut first).unwrap();
    assert!(first.into_iter().eq(0..700));
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let table = KeyTable::new([1_u32, 2, 3]).unwrap();
    let mut pairs = Pairs::default();
    let encoded = Keys::Words(vec![1].into());
    let others: [(&dyn KeyRows, &str); 5] = [
        (&[1_i128], "i128"),
        (&["1"], "&str"),
        (&[(1_u32, 2_u32)], "(u32, u32)"),
        (&encoded, "encoded keys of up to 8 bytes"),
        (&KeyView::Wide(&[1]), "9 to 16"),
    ];
    for (rows, name) in others {
        let refused = table.pairs(rows, &mut pairs).unwrap_err().to_string();
        assert!(refused.contains(name) && refused.contains("`u32`"), "{refused}");
    }
    let table = KeyTable::new([(1_u32, 2_u32)]).unwrap();
    assert!(table.pairs([(1_i32, 2_i32)], &mut pairs).is_err());
    let table = KeyTable::new([1, 2, 3]).unwrap();
    let two = BooleanBuffer::new_set(2);
    let refused = table.exists((&[1, 2, 3], &two), &mut Vec::new()).unwrap_err().to_string();
    assert!(refused.contains("2 bits") && refused.contains("3 keys"), "{refused}");
    assert!(KeyTable::new((&[1, 2, 3], &two)).is_err());
    assert!(KeyTable::new((&[1, 2, 3], &[true; 4])).is_err());
    let odd = EncodedKeys { keys: Keys::Words(vec![1].into()), matchable: Some(two) };
    assert!(KeyTable::new(&odd).is_err());
}

#[test]
fn byte_keys_that_do_not_fit_are_refused() {
    let refused = |offsets: &[i64]| {
        ByteKeys::new(offsets.to_vec().into(), b"abc".to_vec().into()).unwrap_err().to_string()
    };
    assert!(refused(&[]).contains("one more offset"));
    assert!(refused(&[0, 2, 1]).contains("ascend"));
    assert!(refused(&[-1, 2]).contains("ascend"));
    assert!(refused(&[0, 4]).contains("beyond 3 bytes"));
}

#[test]
fn a_fallback_says_why() {
    let builder = KeyTable::builder().with_hasher(KeyHasher::with_seed(Isa::Portable, 1));
    let table = builder.with_index(IndexKind::Perfect).build([4, 4]).unwrap();
    assert_eq!((table.index_name(), table.unique()), ("contiguous", Some(false)));
    assert!(table.fallback().unwrap().contains("same key"));
    assert_eq!(KeyTable::new([4, 5]).unwrap().fallback(), None);
}

/// This many bytes may be taken.
#[derive(Debug)]
struct Account(Mutex<usize>);

impl MemoryReservation for Account {
    fn try_grow(&self, bytes: usize) -> std::result::Result<(), Box<dyn Error + Send + Sync>> {
        let mut left = self.0.lock().unwrap();
        *left = left.checked_sub(bytes).ok_or("no more")?;
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        *self.0.lock().unwrap() += bytes;
    }
}

#[test]
fn memory_is_asked_for_and_given_back() {
    const BYTES: usize = 64 << 20;
    let texts: Vec<String> = (0..20_000).map(|i| i.to_string()).collect();
    let numbers: Vec<u32> = (0..20_000).map(|i| i * 7).collect();
    let mask: Vec<bool> = (0..20_000).map(|i| i % 3 == 0).collect();
    let sides: [&dyn KeyRows; 3] = [&texts, &numbers, &(&numbers, &mask)];
    for choice in choices() {
        for rows in sides {
            let account = Arc::new(Account(Mutex::new(BYTES)));
            let builder = KeyTable::builder()
                .with_index(choice.clone())
                .with_memory(Arc::clone(&account) as _);
            let left = || *account.0.lock().unwrap();
            let mut table = builder.build(rows).unwrap();
            assert_eq!(left() + table.bytes(), BYTES);
            assert!(table.peak_build_bytes() > table.bytes());
            drop(table.take_order());
            assert_eq!(left() + table.bytes(), BYTES);
            drop(table);
            assert_eq!(left(), BYTES);
            *account.0.lock().unwrap() = 50_000;
            let refused = builder.build(rows).unwrap_err();
            assert!(matches!(refused, JoinError::MemoryRefused { .. }), "{refused}");
            assert_eq!(left(), 50_000);
        }
    }
}

#[test]
fn a_build_that_is_cancelled_is_an_error_and_gives_back_what_it_took() {
    const BYTES: usize = 1 << 30;
    let keys: Vec<u64> = (0..1000).collect();
    for choice in choices() {
        let account = Arc::new(Account(Mutex::new(BYTES)));
        let cancellation = Cancellation::default();
        let builder = KeyTable::builder()
            .with_index(choice)
            .with_memory(Arc::clone(&account) as _)
            .with_cancellation(cancellation.clone());
        assert_eq!(builder.build(&keys).unwrap().rows(), 1000);
        cancellation.cancel();
        assert!(matches!(builder.build(&keys), Err(JoinError::Cancelled)));
        assert_eq!(*account.0.lock().unwrap(), BYTES);
    }
}
