//! Due times and ticks.

use super::*;

#[test]
fn rows_fall_due_one_after_the_other() {
    assert_eq!(due(10.0, 1), Duration::from_millis(100));
    assert_eq!(due(1e6, 65_536), Duration::from_micros(65_536));
    assert_eq!(due(1e-300, 1), Duration::MAX);
    assert_eq!(rows_due(100.0, Duration::from_millis(570)), 57);
    assert_eq!(rows_due(10.0, Duration::from_millis(99)), 0);
    assert_eq!(rows_due(1e300, Duration::from_secs(1)), u64::MAX);
}

#[test]
fn ticks_keep_their_beat() {
    let (second, millis) = (Duration::from_secs(1), Duration::from_millis);
    assert_eq!(next_tick(second, None), second);
    assert_eq!(next_tick(second, Some(second)), millis(2000));
    // Started late, and over two ticks late.
    assert_eq!(next_tick(second, Some(millis(1300))), millis(2000));
    assert_eq!(next_tick(second, Some(millis(4300))), millis(5000));
    assert_eq!(next_tick(Duration::MAX, Some(Duration::MAX)), Duration::MAX);
}
