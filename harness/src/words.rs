//! Numbers, sizes and lengths of time for people.

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(crate) fn significant(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

pub(crate) fn bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        b => format!("{b:.0} B"),
    }
}

/// A length of time for people.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 86_400.0 => format!("{} d", significant(s / 86_400.0)),
        s if s >= 3600.0 => format!("{} h", significant(s / 3600.0)),
        s if s >= 60.0 => format!("{} min", significant(s / 60.0)),
        s => format!("{} s", significant(s)),
    }
}

/// A part of a whole in percent.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{} %", significant_short(part as f64 * 100.0 / whole as f64)),
    }
}

fn significant_short(value: f64) -> String {
    match value {
        v if v == 0.0 || v >= 99.995 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.01 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}

/// At least so many milliseconds as a scenario writes them: rounded up to what
/// one would write.
pub(crate) fn delay(millis: i64) -> String {
    let up = |unit: i64| millis.div_euclid(unit) + i64::from(millis.rem_euclid(unit) > 0);
    match millis {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms < 120_000 => format!("{} s", up(1000)),
        ms if ms < 7_200_000 => format!("{} minutes", up(60_000)),
        ms if ms < 172_800_000 => format!("{} hours", up(3_600_000)),
        _ => format!("{} days", up(86_400_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(336_776), "336,776");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(1_500_000), "1.5 MB");
        assert_eq!(bytes(12), "12 B");
        assert_eq!(significant(0.0123), "0.0123");
        assert_eq!(percent(0, 0), "0 %");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(1, 1000), "0.10 %");
        assert_eq!(percent(7, 7), "100 %");
        assert_eq!(percent(1, 1_000_000), "0.0001 %");
    }

    #[test]
    fn a_delay_is_never_rounded_down() {
        assert_eq!(delay(1), "1 ms");
        assert_eq!(delay(1001), "2 s");
        assert_eq!(delay(120_001), "3 minutes");
        assert_eq!(delay(7_200_000), "2 hours");
        assert_eq!(delay(200_000_000), "3 days");
    }
}
