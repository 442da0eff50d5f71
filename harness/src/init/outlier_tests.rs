//! Tests of `outlier`.

use super::*;

const SECOND: i64 = 1_000_000;

fn seconds(rows: i64) -> Vec<i64> {
    (0..rows).map(|row| 1_700_000_000 * SECOND + row * SECOND).collect()
}

#[test]
fn the_few_far_ones_are_taken_out() {
    let mut times = seconds(2_001);
    (times[700], times[1_300], times[1_500]) = (9_000_000_000 * SECOND, i64::MAX, NO_TIME);
    let (behind, ahead) = take_outliers(&mut times);
    assert_eq!(behind, None);
    let (first, micros) = (700, 9_000_000_000 * SECOND);
    // `nearest` is the one that the others are told from.
    assert_eq!(ahead, Some(Outliers { rows: 2, first, micros, nearest: micros }));
    assert_eq!((times[700], times[1_300]), (NO_TIME, NO_TIME));
    assert_eq!(take_outliers(&mut times), (None, None));
    let mut times = seconds(100);
    (times[3], times[50]) = (0, 9_000_000_000 * SECOND);
    let (behind, ahead) = take_outliers(&mut times);
    assert_eq!(behind.map(|found| (found.rows, found.first)), Some((1, 3)));
    assert_eq!(ahead.map(|found| (found.rows, found.first)), Some((1, 50)));
}

#[test]
fn others_stay() {
    // More than one in a thousand, one of a few rows, late ones, a night without rows.
    let mut many = seconds(2_000);
    many[10..13].fill(9_000_000_000 * SECOND);
    let mut few = seconds(99);
    few[10] = 9_000_000_000 * SECOND;
    let mut late = seconds(2_000);
    late[1_999] -= 40_000 * SECOND;
    let mut night = seconds(2_000);
    night[1_999] += 60_000 * SECOND;
    for times in [many, few, late, night, vec![], vec![NO_TIME], vec![5; 2_000]] {
        let mut left = times.clone();
        assert_eq!(take_outliers(&mut left), (None, None));
        assert_eq!(left, times);
    }
}
