use proptest::prelude::*;

use super::*;
use crate::arch::mix;

fn check<const N: usize>(keys: impl Iterator<Item = [u64; N]>) -> usize
where
    Entry<N>: Plain,
{
    let entries: Vec<Entry<N>> = keys
        .enumerate()
        .map(|(row, mut entry)| {
            entry[N - 1] = row as u64;
            entry
        })
        .collect();
    let mut sorted = entries.clone();
    let spare = sort(&mut sorted);
    // Rows are part of the entry, so this is the stable order.
    let mut expected = entries;
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    spare
}

#[test]
fn keys_of_every_pattern_come_out_in_order_equal_ones_by_row() {
    let patterns: [fn(u64) -> u64; 9] = [
        |_| 7,
        |i| i,
        |i| u64::MAX - i,
        mix,
        |i| mix(i) % 100,
        |i| ((mix(i) % 5000) << 16) | 0xbeef,
        // One far outlier leaves the first window to it.
        |i| if i == 77 { u64::MAX } else { mix(i) % 3000 },
        |i| if i % 2 == 0 { i64::MIN as u64 } else { i64::MAX as u64 - mix(i) % 9 },
        |i| (mix(i) as f64).to_bits(),
    ];
    for n in [0, 1, 2, SMALL as u64, SMALL as u64 + 1, 1000, 20_000] {
        for pattern in patterns {
            check((0..n).map(|i| [pattern(i), 0]));
            check((0..n).map(|i| [0, pattern(i), 0]));
            check((0..n).map(|i| [pattern(i), pattern(i ^ 5), 0]));
            check((0..n).map(|i| [mix(i) % 3, pattern(i), 0]));
        }
    }
}

#[test]
fn known_order_is_used() {
    assert_eq!(check((0..1000).map(|i| [i / 3, 0])), 0);
    assert!(check((0..1000u64).rev().map(|i| [i / 3, 0])) > 0);
}

proptest! {
    #[test]
    fn any_keys(keys in proptest::collection::vec((any::<u64>(), 0u32..64, 0u64..4), 0..300)) {
        check(keys.iter().map(|&(key, shift, _)| [key >> shift, 0]));
        check(keys.iter().map(|&(key, shift, upper)| [upper, key >> shift, 0]));
    }
}
