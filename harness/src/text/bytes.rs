//! Numbers of bytes: decimal for what a process uses, binary for files and caches.

/// `1.5 MB`; powers of 1000.
pub(crate) fn decimal(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        b => format!("{b:.0} B"),
    }
}

/// `32 KB`, `1 MB`, `2 GB`; powers of 1024.
pub(crate) fn binary(bytes: u64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value.fract().abs() < 0.05 || unit == 0 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

/// `4096`, `64KB`, `64 MB`, `2GB`, `2GiB`; powers of 1024.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size: write 64MB or 2GB");
    let digits = text.trim().trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let unit = match text.trim()[digits.len()..].trim().to_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_for_people() {
        assert_eq!(decimal(1_500_000), "1.5 MB");
        assert_eq!(decimal(12), "12 B");
        assert_eq!(binary(32 << 10), "32 KB");
        assert_eq!(binary(3 << 29), "1.5 GB");
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(parse("4096"), Ok(4096));
        assert_eq!(parse("64 MB"), Ok(64 << 20));
        assert_eq!(parse("2GiB"), Ok(2 << 30));
        assert!(parse("big").is_err());
        assert!(parse("2TB").is_err());
        assert!(parse("99999999999GB").is_err());
    }
}
