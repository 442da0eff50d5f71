//! Numbers and booleans as text, read and written the way Spark does.

use arrow::datatypes::i256;

/// What Spark trims around numbers, booleans, dates: ASCII white space and
/// control characters, byte by byte (a no-break space stays).
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ' || c == '\x7f')
}

/// An optional sign, digits and, where `fraction` is allowed (outside ANSI
/// mode), a fraction that is cut off. `None` past the range of 64-bit types.
pub(super) fn integer(text: &str, fraction: bool) -> Option<i128> {
    let text = trim(text);
    let (negative, rest) = sign(text);
    let (whole, cut) = match rest.split_once('.') {
        Some((whole, cut)) if fraction => (whole, cut),
        Some(_) => return None,
        None if rest.is_empty() => return None,
        None => (rest, ""),
    };
    if !cut.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut value: i128 = 0;
    for b in whole.bytes() {
        if !b.is_ascii_digit() || value > i128::from(u64::MAX) {
            return None;
        }
        value = value * 10 + i128::from(b - b'0');
    }
    Some(if negative { -value } else { value })
}

fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// `Double.parseDouble` without hexadecimal forms, plus Spark's spellings of
/// infinity and NaN in any case.
pub(super) fn float<F: std::str::FromStr>(text: &str) -> Option<F> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let (negative, rest) = sign(text);
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        let infinity = rest.eq_ignore_ascii_case("inf") || rest.eq_ignore_ascii_case("infinity");
        let name = match (infinity, negative) {
            (true, true) => "-inf",
            (true, false) => "inf",
            _ if text.eq_ignore_ascii_case("nan") || rest == "NaN" => "NaN",
            _ => return None,
        };
        return name.parse().ok();
    }
    // Java's suffixes: 1d, 1.5F.
    let digits = text
        .strip_suffix(['d', 'D', 'f', 'F'])
        .filter(|t| t.ends_with(|c: char| c.is_ascii_digit() || c == '.'))
        .unwrap_or(text);
    digits.parse().ok()
}

/// `true`, `t`, `yes`, `y`, `1` and their opposites, in any case.
pub(super) fn boolean(text: &str) -> Option<bool> {
    let text = trim(text);
    let any = |names: [&str; 5]| names.iter().any(|n| text.eq_ignore_ascii_case(n));
    if any(["true", "t", "yes", "y", "1"]) {
        Some(true)
    } else if any(["false", "f", "no", "n", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// A decimal as text could not become one of a given precision and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalText {
    /// The unscaled value.
    Value(i256),
    /// A number, too large.
    Overflow,
    /// Not a number.
    Malformed,
}

/// Reads plain and scientific notation, rounding half up at `scale`.
pub(super) fn decimal(text: &str, precision: u8, scale: i8) -> DecimalText {
    parse_decimal(text, precision, scale).unwrap_or(DecimalText::Malformed)
}

fn parse_decimal(text: &str, precision: u8, scale: i8) -> Option<DecimalText> {
    let (negative, rest) = sign(text.trim_matches(|c: char| c <= ' '));
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = || whole.bytes().chain(fraction.bytes());
    if all().next().is_none() || !all().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let leading = all().take_while(|b| *b == b'0').count();
    let significant = whole.len() + fraction.len() - leading;
    if significant == 0 {
        return Some(DecimalText::Value(i256::ZERO));
    }
    // Digits up to the last one kept, counted from the first significant one.
    let keep = whole.len() as i64 - leading as i64 + i64::from(exponent) + i64::from(scale);
    if keep > i64::from(precision) {
        return Some(DecimalText::Overflow);
    }
    if keep < 0 {
        return Some(DecimalText::Value(i256::ZERO));
    }
    let mut digits = all().skip(leading);
    let ten = i256::from(10);
    let mut value = i256::ZERO;
    for _ in 0..keep {
        let digit = digits.next().map_or(0, |b| b - b'0');
        value = value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(digit)));
    }
    if digits.next().is_some_and(|b| b >= b'5') {
        value = value.wrapping_add(i256::ONE);
        // 9.99 rounded up may need one digit more.
        if value >= ten.wrapping_pow(u32::from(precision)) {
            return Some(DecimalText::Overflow);
        }
    }
    Some(DecimalText::Value(if negative { value.wrapping_neg() } else { value }))
}

/// `Double.toString` and `Float.toString`: plain from 1e-3 to 1e7, otherwise
/// scientific, always with a point.
pub(super) fn float_text<F>(value: F, wide: f64) -> String
where
    F: std::fmt::Display + std::fmt::LowerExp,
{
    if wide.is_nan() {
        return "NaN".into();
    }
    if wide.is_infinite() {
        return if wide > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    if wide == 0.0 || (1e-3..1e7).contains(&wide.abs()) {
        let plain = value.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}E{exponent}")
}
