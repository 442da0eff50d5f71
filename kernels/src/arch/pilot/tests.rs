use super::*;
use crate::arch::mix;
use crate::pairs::NO_ROW;

#[test]
fn every_isa_finds_the_same_slots() {
    let hashes: Vec<u64> = (0..300u64).map(mix).chain([0, u64::MAX - 1]).collect();
    for (part_bits, buckets, part_slots) in
        [(0, 1, 1), (0, 100, 333), (3, 8 * 40, 160), (10, 1024 * 77, 321)]
    {
        let geometry = Geometry { part_bits, buckets, part_slots, skipped_bits: 3 };
        let pilots: Vec<u8> =
            (0..buckets as usize + PILOT_PADDING).map(|i| mix(i as u64) as u8).collect();
        let expected: Vec<u32> = hashes
            .iter()
            .map(|&hash| {
                let bucket = geometry.bucket(hash);
                assert!(bucket < buckets);
                let start = geometry.part_start(hash);
                assert_eq!(start / part_slots, bucket / (buckets >> part_bits), "one part");
                geometry.slot(hash, pilots[bucket as usize])
            })
            .collect();
        assert!(expected.iter().all(|&slot| slot < part_slots << part_bits));
        for isa in Isa::available() {
            for len in [0, 1, 7, 8, 9, 15, 16, 17, 302] {
                let mut slots = vec![0; len];
                // SAFETY: as many pilots as buckets and the padding.
                unsafe { pilot_slots(isa, &geometry, &pilots, &hashes[..len], &mut slots) };
                assert_eq!(slots, expected[..len], "{isa} {len}");
            }
            for (stride, prefetch) in [(1, false), (1, true), (3, false), (3, true)] {
                let mut table = vec![0; (part_slots as usize * stride) << part_bits];
                // The last key of a slot is the one that is there.
                for (&slot, &hash) in expected.iter().zip(&hashes) {
                    table[slot as usize * stride] = hash + 1;
                }
                let words: Vec<u64> = hashes.iter().map(|&hash| hash.wrapping_add(1)).collect();
                let table = Strided { words: &table, stride, prefetch };
                for len in [0, 1, 7, 8, 9, 63, 64, 65, 200, 302] {
                    let keys = Hashed { words: &words[..len], hashes: &hashes[..len] };
                    let mut matches = vec![7; len];
                    // SAFETY: as above; a slot is in the table.
                    unsafe {
                        pilot_matches(isa, &geometry, &pilots, table, keys, &mut matches);
                    }
                    for (i, &found) in matches.iter().enumerate() {
                        let there = table.words[expected[i] as usize * stride] == words[i];
                        let wanted = if there { expected[i] } else { NO_ROW };
                        assert_eq!(found, wanted, "{isa} {len} {i}");
                    }
                }
            }
        }
    }
}
