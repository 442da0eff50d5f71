//! Medians, spreads and rates.

use super::*;

#[test]
fn medians_and_spreads() {
    assert_eq!(median(vec![]), None);
    assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(spread(vec![1.0]), None);
    assert_eq!(spread(vec![1.0, 2.0, 4.0]), Some(1.5));
}

#[test]
fn rates_need_rows_and_time() {
    let pass = |rows_in, millis| Timing {
        rows_in,
        elapsed: Duration::from_millis(millis),
        ..Timing::default()
    };
    assert_eq!(rate(&[pass(0, 10)], |p| p.elapsed), None);
    assert_eq!(rate(&[pass(10, 0)], |p| p.elapsed), None);
    assert_eq!(rate(&[pass(10, 1000), pass(10, 500)], |p| p.elapsed), Some(15.0));
}
