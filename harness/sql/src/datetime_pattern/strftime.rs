//! Translates patterns of `strftime` to Spark's.

use std::borrow::Cow;

use super::DateTimePattern;

/// Translates a pattern of `strftime` to a Spark pattern that reads at least
/// what chrono reads by it; `None` if some part has no counterpart in Spark.
///
/// With `padded`, numbers must have leading zeros, as such patterns are usually
/// meant; without it, the zeros are optional.
pub fn pattern_of_strftime(format: &str, padded: bool) -> Option<String> {
    let two = |letter: char| match padded {
        true => String::from_iter([letter, letter]),
        false => letter.to_string(),
    };
    let mut pattern = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        let (length, piece): (usize, Cow<'_, str>) = match rest {
            _ if rest.starts_with("%.f") => (3, "[.SSSSSSSSS]".into()),
            _ if rest.starts_with("%.3f") => (4, ".SSS".into()),
            _ if rest.starts_with("%.6f") => (4, ".SSSSSS".into()),
            _ if rest.starts_with("%.9f") => (4, ".SSSSSSSSS".into()),
            _ if rest.starts_with("%3f") => (3, "SSS".into()),
            _ if rest.starts_with("%6f") => (3, "SSSSSS".into()),
            _ if rest.starts_with("%9f") => (3, "SSSSSSSSS".into()),
            _ if c == '%' => {
                let piece = match rest.chars().nth(1)? {
                    'Y' => "yyyy".to_owned(),
                    'm' => two('M'),
                    'd' => two('d'),
                    'H' => two('H'),
                    'I' => two('h'),
                    'M' => two('m'),
                    'S' => two('s'),
                    'b' | 'h' => "MMM".to_owned(),
                    'B' => "MMMM".to_owned(),
                    'p' | 'P' => "a".to_owned(),
                    'F' => format!("yyyy-{}-{}", two('M'), two('d')),
                    'T' => format!("{}:{}:{}", two('H'), two('m'), two('s')),
                    'R' => format!("{}:{}", two('H'), two('m')),
                    '%' => "%".to_owned(),
                    _ => return None,
                };
                (2, piece.into())
            }
            _ if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                (end, format!("'{}'", &rest[..end]).into())
            }
            _ if c == '\'' => (1, "''".into()),
            _ if "[]{}#".contains(c) => (1, format!("'{c}'").into()),
            _ => (c.len_utf8(), c.to_string().into()),
        };
        // Without padding, adjacent numbers of one or two digits are ambiguous.
        let is_letter = |c: char| c.is_ascii_alphabetic();
        if !padded && piece.starts_with(is_letter) && pattern.ends_with(is_letter) {
            return pattern_of_strftime(format, true);
        }
        pattern += &piece;
        rest = &rest[length..];
    }
    DateTimePattern::to_read(&pattern).is_ok().then_some(pattern)
}
