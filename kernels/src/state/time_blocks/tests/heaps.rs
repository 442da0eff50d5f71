//! Values that fill the heaps of a block, and those that fit none: heaps of 100
//! bytes stand for those of 4 GiB.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, LargeBinaryArray};
use arrow::datatypes::DataType;

use super::super::{MAIN, TimeBlocks};
use super::twin::plan;
use crate::error::JoinError;
use crate::key::{ByteKeys, KeyShape, Keys};
use crate::pairs::Pairs;
use crate::state::block::BytesEntry;
use crate::state::{NewRows, StateProbe, StateStore};
use crate::table::{FindCursor, Probe};
use crate::time::EventTimes;

/// Stores rows of keys and values of these lengths.
fn insert(store: &mut TimeBlocks<BytesEntry>, rows: &[(usize, usize)]) -> crate::error::Result<()> {
    let (keys, hashes) = keys(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
    let values = rows.iter().map(|row| Some(vec![7u8; row.1]));
    let values = Arc::new(values.collect::<LargeBinaryArray>()) as ArrayRef;
    let new = NewRows {
        keys: Probe::new(&keys, &hashes, None),
        times: &EventTimes::none(rows.len()),
        payload: &[values],
        matched: &vec![false; rows.len()],
        rows: &(0..rows.len() as u32).collect::<Vec<_>>(),
    };
    let (before, most) = (store.size().bytes(), store.growth(new)?);
    store.insert(new)?;
    let after = store.size().bytes();
    assert!(after <= before + most, "{before} + {most}, not {after}");
    Ok(())
}

fn keys(lengths: &[usize]) -> (Keys, Vec<u64>) {
    let mut offsets = vec![0i64];
    lengths.iter().for_each(|&length| offsets.push(offsets[offsets.len() - 1] + length as i64));
    let bytes = vec![b'k'; lengths.iter().sum()];
    let keys = Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into()).unwrap());
    let mut hashes = Vec::new();
    plan(KeyShape::Bytes, 16, 0).hasher.hash(&keys, &mut hashes);
    (keys, hashes)
}

fn store() -> TimeBlocks<BytesEntry> {
    let mut plan = plan(KeyShape::Bytes, 16, 0);
    plan.payload = vec![DataType::LargeBinary];
    TimeBlocks::with_limits(&plan, 31, 29, 100).unwrap()
}

#[test]
fn a_value_that_fits_no_block_is_refused_and_the_others_stay() {
    let store = &mut store();
    insert(store, &[(10, 10), (20, 20)]).unwrap();
    // A key has its length before it.
    for rows in [[(5, 5), (97, 0)], [(97, 0), (5, 5)], [(5, 5), (0, 101)], [(0, 500), (5, 5)]] {
        let error = insert(store, &rows).unwrap_err();
        let JoinError::ValueTooLarge { bytes, limit: 100, .. } = error else { panic!("{error}") };
        assert!(bytes > 100);
        assert_eq!(store.rows(), 2);
    }
    insert(store, &[(96, 100), (96, 100), (0, 0)]).unwrap();
    assert_eq!(store.rows(), 5);
}

#[test]
fn a_full_heap_closes_its_block() {
    let store = &mut store();
    let lengths: Vec<(usize, usize)> = (0..200).map(|i| (i * 7 % 90, i * 11 % 101)).collect();
    for rows in lengths.chunks(23) {
        insert(store, rows).unwrap();
    }
    let (keys, hashes) = keys(&lengths.iter().map(|row| row.0).collect::<Vec<_>>());
    let probe = StateProbe { keys: Probe::new(&keys, &hashes, None), rows: None, interval: None };
    let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::default());
    store.find(probe, &mut cursor, &mut pairs, usize::MAX).unwrap();
    let found: Vec<(u32, u32)> = pairs.iter().collect();
    let ids: Vec<u32> = found.iter().map(|pair| pair.1).collect();
    let values = store.gather(&[0], &ids).unwrap();
    let values = values[0].as_binary::<i64>();
    let mut pairs: Vec<(usize, usize)> = (found.iter().zip(values))
        .map(|(pair, value)| (lengths[pair.0 as usize].0, value.unwrap().len()))
        .collect();
    let mut expected: Vec<(usize, usize)> = (lengths.iter())
        .flat_map(|row| lengths.iter().filter(|other| other.0 == row.0).copied())
        .collect();
    pairs.sort_unstable();
    expected.sort_unstable();
    assert_eq!(pairs, expected);
    assert!(store.rings[MAIN].directory.numbers.blocks() <= 1, "they have no time");
}
