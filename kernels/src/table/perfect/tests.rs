use std::collections::HashSet;

use super::pilots::place;
use super::slot_keys::WordSlots;
use super::*;
use crate::arch::mix;
use crate::hash::KeyHasher;

#[test]
fn every_row_has_a_slot_of_its_own_at_every_size() {
    for rows in [0, 1, 2, 3, 10, 100, 5_000, 20_000, 70_000, 300_000] {
        let hashes: Vec<u64> = (0..rows).map(|i| mix(i ^ 0xfeed)).collect();
        let (pilots, order) = place(&hashes, || false).unwrap();
        assert_eq!(order.len(), pilots.positions());
        let mut slots = vec![0; hashes.len()];
        pilots.slots(Isa::detect(), &hashes, &mut slots);
        assert_eq!(slots.iter().collect::<HashSet<_>>().len(), hashes.len());
        let holes = order.iter().filter(|&&row| row == NO_ROW).count();
        assert_eq!(order.len() - holes, hashes.len());
        assert!((0..).zip(&slots).all(|(row, &slot)| order[slot as usize] == row));
        assert!(order.len() <= hashes.len() * 4 / 3 + 600, "{rows}: {}", order.len());
        assert!(pilots.bytes() <= hashes.len() / 2 + 128, "{rows}: {}", pilots.bytes());
    }
}

#[test]
fn equal_hashes_are_told_at_once_however_many() {
    let mut hashes: Vec<u64> = (0..100_000).map(mix).collect();
    hashes[77_000] = hashes[5];
    assert_eq!(place(&hashes, || false).unwrap_err(), Unplaceable::SameHash(5, 77_000));
    assert!(matches!(place(&[9; 1_000_000], || false), Err(Unplaceable::SameHash(..))));
    assert!(matches!(place(&[9; 2], || false), Err(Unplaceable::SameHash(0, 1))));
}

#[test]
fn a_probe_for_the_key_in_the_holes_finds_its_row_alone() {
    let words: Vec<u64> = (0..1000u64).map(|i| i * 3).collect();
    let hasher = KeyHasher::with_seed(Isa::detect(), 3);
    let mut hashes = Vec::new();
    hasher.hash(&words[..], &mut hashes);
    let input = BuildInput::new(&words[..], &hashes, Isa::detect()).unwrap();
    let built = Perfect::<WordSlots>::build(input).unwrap();
    let mut first = [0];
    built.index.first_match(Probe::new(&words[..1], &hashes[..1], None), &mut first);
    built.rows_at(&mut first).unwrap();
    assert_eq!(first, [0]);
    assert!(built.index.positions() > 1000);
}
