//! Rates.

use super::*;

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
