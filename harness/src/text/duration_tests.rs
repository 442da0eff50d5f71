//! Tests of `duration`.

use super::*;

#[test]
fn spellings_of_a_scenario() {
    for (text, micros) in [
        ("10 s", 10_000_000),
        ("1 hour 30 minutes", 5_400_000_000),
        ("500ms", 500_000),
        ("1_000 us", 1_000),
        ("2 days", 172_800_000_000),
        ("1 Week", 604_800_000_000),
    ] {
        assert_eq!(text.parse(), Ok(Micros(micros)), "{text}");
    }
    for text in ["", "10", "s", "ten s", "1.5 s", "-1 s", "10 lightyears", "9999999999999 weeks"] {
        assert!(text.parse::<Micros>().is_err(), "{text}");
    }
}

#[test]
fn a_scenario_reads_what_is_written() {
    for (millis, text) in [
        (0, "0 s"),
        (1, "1 ms"),
        (5_400_000, "1 h 30 min"),
        (78_120_001, "21 h 42 min 1 ms"),
        (86_400_000 * 40, "40 d"),
    ] {
        assert_eq!(exact_millis(millis), text);
        assert_eq!(text.parse(), Ok(Micros(millis * 1000)));
    }
    assert_eq!(exact(-90_000_001), "-1 min 30 s 1 us");
}

#[test]
fn a_length_for_people_has_two_units() {
    assert_eq!(two_units(0), "0 s");
    assert_eq!(two_units(7), "7 us");
    assert_eq!(two_units(72_000_000), "1 min 12 s");
    assert_eq!(two_units(3_600_000_000), "1 h");
    assert_eq!(two_units(53 * 3_600_000_000 + 1), "2 d 5 h");
}

#[test]
fn a_delay_is_never_rounded_down() {
    assert_eq!(at_least(1), "1 ms");
    assert_eq!(at_least(1001), "2 s");
    assert_eq!(at_least(120_001), "3 minutes");
    assert_eq!(at_least(7_200_000), "2 hours");
    assert_eq!(at_least(200_000_000), "3 days");
}
