//! Tests of `event_time_unit`.

use super::*;

fn seen(min: i64, max: i64) -> TimesSeen {
    TimesSeen { min, max, rows: 2 }
}

fn unit(key: &str) -> Option<Unit> {
    UNITS.into_iter().find(|unit| unit.key == key)
}

#[test]
fn the_unit_in_which_times_are_of_this_century_is_found() {
    let second = 1_704_067_200_i64;
    let day = 86_400;
    // Seconds read as milliseconds are in January 1970.
    let times = seen(second * 1000, (second + day) * 1000);
    assert_eq!(better(times, unit("ms")), unit("s"));
    // Milliseconds read as seconds are tens of thousands of years ahead.
    let times = seen(second * 1_000_000_000, (second + day) * 1_000_000_000);
    assert_eq!(better(times, unit("s")), unit("ms"));
    // Seconds read as microseconds.
    assert_eq!(better(seen(second, second + day), unit("us")), unit("s"));
}

#[test]
fn times_of_this_century_and_small_made_up_ones_are_left_alone() {
    let now = 1_704_067_200_000_000;
    assert_eq!(better(seen(now, now + 1), unit("ms")), None);
    assert_eq!(better(seen(0, 600_000_000), unit("ms")), None);
    assert_eq!(better(seen(0, 600_000_000), None), None);
    // One row of 1970 among others has nothing to do with the unit.
    assert_eq!(better(seen(5, now), unit("ms")), None);
}
