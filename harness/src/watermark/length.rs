//! Delays as text that a scenario reads.

/// A number of milliseconds in units that a scenario reads, such as
/// `1 h 30 min`.
#[must_use]
pub fn length(millis: i64) -> String {
    const UNITS: [(u64, &str); 5] =
        [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")];
    let mut left = millis.unsigned_abs();
    let mut parts = Vec::new();
    for (unit, name) in UNITS {
        if left >= unit {
            parts.push(format!("{} {name}", left / unit));
            left %= unit;
        }
    }
    match (parts.is_empty(), millis < 0) {
        (true, _) => "0 s".to_owned(),
        (_, true) => format!("-{}", parts.join(" ")),
        (_, false) => parts.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Micros;

    #[test]
    fn a_scenario_reads_what_is_written() {
        for (millis, text) in [
            (0, "0 s"),
            (1, "1 ms"),
            (5_400_000, "1 h 30 min"),
            (78_120_001, "21 h 42 min 1 ms"),
            (86_400_000 * 40, "40 d"),
        ] {
            assert_eq!(length(millis), text);
            assert_eq!(text.parse(), Ok(Micros(millis * 1000)));
        }
    }
}
