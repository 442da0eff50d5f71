use super::*;
use crate::arch::mix;
use crate::pairs::NO_ROW;

#[test]
fn every_isa_selects_and_marks_alike() {
    let all: Vec<u32> = (0..200u64)
        .map(|i| if mix(i).is_multiple_of(3) { NO_ROW } else { mix(i) as u32 })
        .collect();
    for isa in Isa::available() {
        for (start, end) in [(0, 0), (0, 1), (1, 8), (3, 20), (5, 70), (0, 128), (0, 200)] {
            let matches = &all[start..end];
            let (mut probe_rows, mut build_rows) = (vec![0; matches.len()], vec![0; matches.len()]);
            let count = select_matches(isa, matches, 50, &mut probe_rows, &mut build_rows);
            let (expected_probe, expected_build): (Vec<u32>, Vec<u32>) = (50..)
                .zip(matches)
                .filter(|&(_, &found)| found != NO_ROW)
                .map(|(row, &found)| (row, found))
                .unzip();
            assert_eq!(probe_rows[..count], expected_probe, "{isa}");
            assert_eq!(build_rows[..count], expected_build, "{isa}");

            let mut found = vec![u64::MAX; matches.len().div_ceil(64)];
            found_bits(isa, matches, &mut found);
            for i in 0..found.len() * 64 {
                let expected = matches.get(i).is_some_and(|&row| row != NO_ROW);
                assert_eq!(found[i / 64] >> (i % 64) & 1 == 1, expected, "{isa} {i}");
            }
        }
    }
}
