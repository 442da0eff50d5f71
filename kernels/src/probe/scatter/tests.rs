use super::*;
use crate::arch::mix;
use crate::key::ByteKeys;

fn shapes(rows: u64) -> [Keys; 3] {
    let text = |i: u64| "k".repeat(i as usize % 5) + &i.to_string();
    let mut offsets = vec![0];
    let mut bytes = Vec::new();
    for i in 0..rows {
        bytes.extend_from_slice(text(i).as_bytes());
        offsets.push(bytes.len() as i64);
    }
    [
        Keys::Words((0..rows).map(|i| i * 3).collect()),
        Keys::Wide((0..rows).map(|i| i128::from(i) << 70).collect()),
        Keys::Bytes(ByteKeys::new(offsets.into(), bytes.into()).unwrap()),
    ]
}

#[test]
fn each_key_is_in_its_partition_with_its_hash_and_row_in_order() {
    let hashes: Vec<u64> = (0..1000).map(mix).collect();
    let some: BooleanBuffer = (0..1000).map(|row| row % 7 != 0).collect();
    for keys in shapes(1000) {
        for (bits, matchable) in [(0, None), (1, Some(&some)), (4, None), (10, Some(&some))] {
            let moved = PartitionedKeys::new(&keys, &hashes, matchable, bits, 500);
            let mut seen = 0;
            for partition in 0..=1usize << bits {
                let range = moved.range(partition);
                seen += range.len();
                let rows: Vec<u32> =
                    moved.rows(range.clone()).iter().map(|row| row - 500).collect();
                assert!(rows.is_sorted());
                for &row in &rows {
                    let may = matchable.is_none_or(|some| some.value(row as usize));
                    let hash = hashes[row as usize];
                    let expected = if may { partition_of(hash, bits) } else { 1 << bits };
                    assert_eq!(partition, expected);
                }
                moved.with(range, |view, moved| {
                    let expected: Vec<u64> = rows.iter().map(|&r| hashes[r as usize]).collect();
                    assert_eq!(moved, expected);
                    assert_eq!(
                        format!("{:?}", owned(view)),
                        format!("{:?}", owned((&keys.take(&rows)).into()))
                    );
                });
            }
            assert_eq!(seen, 1000);
            assert!(moved.bytes() >= 20 * 1000);
        }
    }
}

fn owned(keys: KeyView<'_>) -> Vec<Vec<u8>> {
    match keys {
        KeyView::Words(words) => words.iter().map(|w| w.to_le_bytes().to_vec()).collect(),
        KeyView::Wide(words) => words.iter().map(|w| w.to_le_bytes().to_vec()).collect(),
        KeyView::Bytes(keys) => (0..keys.len()).map(|i| keys.get(i).to_vec()).collect(),
    }
}

/// Neither the lowest nor the highest bits of the hash are worn out
/// by the choice of a partition.
#[test]
fn a_partition_fills_the_buckets_of_both_ends_of_the_hash() {
    let hashes: Vec<u64> = (0..1u64 << 20).map(mix).collect();
    let sizes = partition_sizes(&hashes, 6);
    assert!(sizes.iter().all(|&size| size.abs_diff(1 << 14) < 1 << 10), "{sizes:?}");
    for partition in [0, 17, 63] {
        let inside = hashes.iter().filter(|&&hash| partition_of(hash, 6) == partition);
        let (mut low, mut high) = ([0u32; 256], [0u32; 256]);
        for hash in inside {
            low[(hash & 255) as usize] += 1;
            high[(hash >> 56) as usize] += 1;
        }
        // 64 on average.
        assert!(low.iter().chain(&high).all(|&n| (20..140).contains(&n)), "{low:?} {high:?}");
    }
}
