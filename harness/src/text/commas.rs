//! Text cut at its commas, those in quotes and brackets apart.

/// The parts of `text` between top-level commas, without the blanks around them.
/// Quotes are `'`, `"` and `` ` ``; in double quotes a backslash takes what follows.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_quotes_and_brackets_stay() {
        assert_eq!(parts("1,2 , 3"), ["1", "2", "3"]);
        assert_eq!(parts(r#""a,b","c""#), [r#""a,b""#, r#""c""#]);
        assert_eq!(parts(r#""a\",b",'c,"'"#), [r#""a\",b""#, r#"'c,"'"#]);
        assert_eq!(parts("[1,2],{ a = 1, b = [2,3] }"), ["[1,2]", "{ a = 1, b = [2,3] }"]);
        assert_eq!(parts("coalesce(a, b) AS c, `d,e`"), ["coalesce(a, b) AS c", "`d,e`"]);
        assert_eq!(parts(""), [""]);
        assert_eq!(parts("a,"), ["a", ""]);
        // What is left open is one part, for its reader to complain of.
        assert_eq!(parts("[1,2"), ["[1,2"]);
    }
}
