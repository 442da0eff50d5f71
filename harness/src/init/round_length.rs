//! Round lengths of time, as people choose them.

/// Lengths with their text, ascending, in microseconds.
const ROUND: [(i64, &str); 32] = [
    (1_000, "1 millisecond"),
    (10_000, "10 milliseconds"),
    (100_000, "100 milliseconds"),
    (1_000_000, "1 second"),
    (2_000_000, "2 seconds"),
    (5_000_000, "5 seconds"),
    (10_000_000, "10 seconds"),
    (20_000_000, "20 seconds"),
    (30_000_000, "30 seconds"),
    (60_000_000, "1 minute"),
    (120_000_000, "2 minutes"),
    (300_000_000, "5 minutes"),
    (600_000_000, "10 minutes"),
    (900_000_000, "15 minutes"),
    (1_200_000_000, "20 minutes"),
    (1_800_000_000, "30 minutes"),
    (2_700_000_000, "45 minutes"),
    (3_600_000_000, "1 hour"),
    (7_200_000_000, "2 hours"),
    (10_800_000_000, "3 hours"),
    (14_400_000_000, "4 hours"),
    (21_600_000_000, "6 hours"),
    (28_800_000_000, "8 hours"),
    (43_200_000_000, "12 hours"),
    (86_400_000_000, "1 day"),
    (172_800_000_000, "2 days"),
    (259_200_000_000, "3 days"),
    (345_600_000_000, "4 days"),
    (432_000_000_000, "5 days"),
    (604_800_000_000, "7 days"),
    (1_209_600_000_000, "14 days"),
    (2_592_000_000_000, "30 days"),
];

const DAY: i64 = 86_400_000_000;

/// The least round length that is no shorter, as a scenario and an `INTERVAL`
/// literal read it.
pub(super) fn no_shorter(micros: i64) -> (i64, String) {
    match ROUND.iter().find(|(length, _)| *length >= micros) {
        Some((length, text)) => (*length, (*text).to_owned()),
        None => {
            let days = micros.saturating_add(DAY - 1) / DAY;
            (days.saturating_mul(DAY), format!("{days} days"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::duration::Micros;

    #[test]
    fn round_lengths_say_what_they_are() {
        for (length, text) in ROUND {
            assert_eq!(text.parse(), Ok(Micros(length)), "{text}");
            assert_eq!(no_shorter(length), (length, text.to_owned()));
        }
        assert!(ROUND.is_sorted());
        assert_eq!(no_shorter(61_000_000).1, "2 minutes");
        assert_eq!(no_shorter(40 * DAY + 1), (41 * DAY, "41 days".to_owned()));
        assert!(no_shorter(i64::MAX).0 > 0);
    }
}
