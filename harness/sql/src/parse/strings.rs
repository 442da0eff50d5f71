//! The text of string literals and quoted names.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Reads what the tokenizer left as it was written: escapes as Spark reads them, raw
/// strings (`r'\d'`) and doubled quotes.
pub(super) fn read(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut read: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for mut token in tokens {
        match &mut token.token {
            Token::SingleQuotedString(text) => match raw_prefix(&read, &token.span) {
                true => {
                    if let Some(prefix) = read.pop() {
                        token.span.start = prefix.span.start;
                    }
                }
                false => *text = unescaped(text),
            },
            Token::NationalStringLiteral(text) => *text = unescaped(text),
            Token::Word(word) => {
                if let Some(quote) = word.quote_style {
                    word.value = word.value.replace(&format!("{quote}{quote}"), &quote.to_string());
                }
            }
            _ => {}
        }
        read.push(token);
    }
    read
}

/// Whether an `r` stands right before the string.
fn raw_prefix(before: &[TokenWithSpan], string: &sqlparser::tokenizer::Span) -> bool {
    before.last().is_some_and(|last| match &last.token {
        Token::Word(word) => {
            word.quote_style.is_none()
                && word.value.eq_ignore_ascii_case("r")
                && last.span.end == string.start
        }
        _ => false,
    })
}

/// `\n`, `\t`, `\r`, `\b`, `\0`, `\Z`, `\uhhhh`, `\Uhhhhhhhh` and `\ooo`; `\%` and `\_`
/// stay for LIKE; a backslash before anything else is left out.
fn unescaped(text: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((unit, length)) = utf16(rest) {
            units.push(unit);
            rest = &rest[length..];
            continue;
        }
        flush(&mut units, &mut result);
        let (read, length) = match rest.as_bytes() {
            [b'\'', b'\'', ..] => ('\'', 2),
            [b'\\', b'%' | b'_', ..] => {
                result.push('\\');
                (rest[1..].chars().next().unwrap_or(c), 2)
            }
            [b'\\', ..] => escape(rest).unwrap_or((c, 1)),
            _ => (c, c.len_utf8()),
        };
        result.push(read);
        rest = &rest[length..];
    }
    flush(&mut units, &mut result);
    result
}

/// The character of an escape and its length; `None` for a backslash at the end.
fn escape(text: &str) -> Option<(char, usize)> {
    let number = |from: usize, digits: usize, radix: u32| {
        let digits = text.get(from..from + digits)?;
        let all = digits.chars().all(|c| c.is_digit(radix));
        all.then(|| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32))?
    };
    let next = text[1..].chars().next()?;
    if next == 'U'
        && let Some(c) = number(2, 8, 16)
    {
        return Some((c, 10));
    }
    if matches!(next, '0' | '1')
        && let Some(c) = number(1, 3, 8)
    {
        return Some((c, 4));
    }
    let c = match next {
        '0' => '\0',
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'Z' => '\u{1a}',
        other => other,
    };
    Some((c, 1 + next.len_utf8()))
}

/// The UTF-16 unit of `\uhhhh`, and its length.
fn utf16(text: &str) -> Option<(u16, usize)> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let all = digits.chars().all(|c| c.is_ascii_hexdigit());
    all.then(|| u16::from_str_radix(digits, 16).ok()).flatten().map(|unit| (unit, 6))
}

/// Half a surrogate pair becomes a question mark, as in Java.
fn flush(units: &mut Vec<u16>, to: &mut String) {
    to.extend(char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or('?')));
}
