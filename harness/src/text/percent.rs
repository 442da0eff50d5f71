//! Shares in percent.

/// A share with three digits: `98.2 %`, and `100 %` only if it is all.
pub(crate) fn share(share: f64) -> String {
    match share * 100.0 {
        p if p == 0.0 || p >= 100.0 => format!("{p:.0} %"),
        p if p > 99.9 => "99.9 %".to_owned(),
        p if p >= 10.0 => format!("{p:.1} %"),
        p if p >= 0.01 => format!("{p:.2} %"),
        p => format!("{p:.4} %"),
    }
}

/// A part of a whole; `0 %` of nothing.
pub(crate) fn part(part: u64, whole: u64) -> String {
    if whole == 0 { "0 %".to_owned() } else { share(part as f64 / whole as f64) }
}

/// A share in a column of a table, always with this many decimals.
pub(crate) fn decimals(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", share * 100.0)
}

/// [`decimals`], two of them and a sign if `sign`; what is not zero does not look
/// like it.
pub(crate) fn two_decimals(share: f64, sign: bool) -> String {
    match share * 100.0 {
        p if p != 0.0 && p.abs() < 0.01 => "< 0.01 %".to_owned(),
        p if sign => format!("{p:+.2} %"),
        p => format!("{p:.2} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        assert_eq!(part(0, 0), "0 %");
        assert_eq!(part(1, 3), "33.3 %");
        assert_eq!(part(1, 1000), "0.10 %");
        assert_eq!(part(7, 7), "100 %");
        assert_eq!(part(1, 1_000_000), "0.0001 %");
        assert_eq!(part(99_999, 100_000), "99.9 %");
        assert_eq!(share(2.5), "250 %");
    }

    #[test]
    fn columns_of_a_table_have_fixed_decimals() {
        assert_eq!(decimals(0.5, 1), "50.0 %");
        assert_eq!(two_decimals(0.000_01, false), "< 0.01 %");
        assert_eq!(two_decimals(0.01, true), "+1.00 %");
        assert_eq!(two_decimals(0.0, false), "0.00 %");
    }
}
