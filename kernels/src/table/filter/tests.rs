use super::*;
use crate::arch::mix;

#[test]
fn what_is_in_passes_and_little_else_does() {
    for partition in [0, 0xab << 56] {
        // Hashes of a partition have their upper bits in common.
        let hash = |i: u64| mix(i) >> 8 | partition;
        let built: Vec<u64> = (0..100_000).map(hash).collect();
        let filter = BloomFilter::new(Isa::detect(), &built);
        let keys = vec![0u64; 10_000];
        let probe = Probe::new(&keys[..], &built[..10_000], None);
        assert!(filter.passing(probe, 0, usize::MAX).is_none(), "all pass");
        let others: Vec<u64> = (0..10_000)
            .map(|i| if i % 10 == 0 { built[i as usize] } else { hash((i + 1) << 20) })
            .collect();
        let probe = Probe::new(&keys[..], &others, None);
        let passing = filter.passing(probe, 0, usize::MAX).expect("most do not pass");
        assert!((0..10_000).step_by(10).all(|row| passing.value(row)));
        let passed = passing.count_set_bits();
        assert!((1000..1400).contains(&passed), "{passed}");
        // Nothing is said about rows outside the window.
        let passing = filter.passing(probe, 5000, 1000).expect("most do not pass");
        assert!((0..4992).chain(5992..10_000).all(|row| row > 5900 || passing.value(row)));
        assert!(passing.value(9_999));
    }
}

#[test]
fn rows_that_may_not_match_stay_out() {
    let hashes: Vec<u64> = (0..1000).map(mix).collect();
    let keys: Vec<u64> = (0..1000).collect();
    let filter = BloomFilter::new(Isa::detect(), &hashes[..300]);
    let matchable: BooleanBuffer = (0..1000).map(|row| row % 2 == 0).collect();
    let probe = Probe::new(&keys[..], &hashes, Some(&matchable));
    let passing = filter.passing(probe, 0, usize::MAX).unwrap();
    assert!((0..300).all(|row| passing.value(row) == (row % 2 == 0)));
    assert!((0..1000).all(|row| row % 2 == 0 || !passing.value(row)));
}
