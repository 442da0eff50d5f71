//! Numbers for people, and numbers that people write.

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

/// Three significant digits, and more of a number that is small or large.
pub(crate) fn significant(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Three significant digits with a metric prefix.
pub(crate) fn rate(per_second: f64) -> String {
    let (scaled, unit) = match per_second {
        r if r >= 1e9 => (r / 1e9, " G"),
        r if r >= 1e6 => (r / 1e6, " M"),
        r if r >= 1e3 => (r / 1e3, " k"),
        r => (r, ""),
    };
    format!("{}{unit}", significant(scaled))
}

/// A whole number: `65536`, `1_000_000`, `1e6`, `2.5e5`.
pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    let digits = text.replace('_', "");
    if let Ok(number) = digits.parse() {
        return Ok(number);
    }
    digits
        .parse::<f64>()
        .ok()
        .filter(|number| number.fract() == 0.0 && (0.0..=1e15).contains(number))
        .map(|number| number as usize)
        .ok_or_else(|| format!("`{text}` is not a whole number such as 1000000, 1_000_000 or 1e6"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(336_776), "336,776");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(significant(0.0123), "0.0123");
        assert_eq!(rate(25_100_000.0), "25.1 M");
        assert_eq!(rate(12.0), "12.0");
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        for text in ["1000000", "1_000_000", "1e6", "1.0E6", "0.001e9"] {
            assert_eq!(parse_count(text), Ok(1_000_000), "{text}");
        }
        for text in ["", "many", "1.5", "-1", "1e99", "nan", "inf"] {
            assert!(parse_count(text).unwrap_err().contains("1e6"), "{text}");
        }
    }
}
