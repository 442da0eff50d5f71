//! Tokens of JSON text, as Jackson reads them.

use std::borrow::Cow;

/// Text that is no JSON, or JSON that is nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Jackson's limits.
const MAX_DEPTH: usize = 1000;
const MAX_DIGITS: usize = 1000;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    StartObject,
    EndObject,
    StartArray,
    EndArray,
    /// The name of a field.
    Name(Cow<'t, str>),
    Text(Cow<'t, str>),
    Int(&'t str),
    /// A number with a fraction or an exponent.
    Float(&'t str),
    /// NaN or an infinity.
    NotFinite(f64),
    True,
    False,
    Null,
}

/// What is accepted beyond JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leniency {
    pub(crate) single_quotes: bool,
    pub(crate) unquoted_names: bool,
    pub(crate) leading_zeros: bool,
    /// NaN and infinities, as numbers and as text.
    pub(crate) not_finite: bool,
    pub(crate) control_characters: bool,
    /// A backslash before any character.
    pub(crate) any_escape: bool,
}

impl Leniency {
    /// What `from_json` accepts unless told otherwise.
    pub(crate) const FROM_JSON: Self = Self {
        single_quotes: true,
        unquoted_names: false,
        leading_zeros: false,
        not_finite: true,
        control_characters: false,
        any_escape: false,
    };

    /// What `get_json_object` accepts.
    pub(crate) const GET_JSON_OBJECT: Self =
        Self { not_finite: false, control_characters: true, ..Self::FROM_JSON };
}

/// What may come next within an object or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The first name or value, or the end.
    First,
    /// The value of a name.
    Value,
    /// A comma or the end.
    Comma,
}

/// Reads tokens one after the other.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    accepts: Leniency,
    /// Whether each open container is an object, and what it expects next.
    open: Vec<(bool, Expected)>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str, accepts: Leniency) -> Self {
        Self { text, at: 0, accepts, open: Vec::new() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next token; `None` at the end of the text, outside everything.
    pub(super) fn next(&mut self) -> Result<Option<Token<'t>>, Malformed> {
        self.skip_blanks();
        let Some(byte) = self.peek() else {
            return if self.open.is_empty() { Ok(None) } else { Err(Malformed) };
        };
        let Some((object, expected)) = self.open.last().copied() else {
            return self.value().map(Some);
        };
        if byte == if object { b'}' } else { b']' } {
            if expected == Expected::Value {
                return Err(Malformed);
            }
            self.at += 1;
            self.open.pop();
            return Ok(Some(if object { Token::EndObject } else { Token::EndArray }));
        }
        if expected == Expected::Comma {
            if byte != b',' {
                return Err(Malformed);
            }
            self.at += 1;
            self.skip_blanks();
        }
        if object && expected != Expected::Value {
            return self.name().map(Some);
        }
        self.expect(Expected::Comma);
        self.value().map(Some)
    }

    /// The next token of a value that has begun.
    pub(super) fn inside(&mut self) -> Result<Token<'t>, Malformed> {
        self.next()?.ok_or(Malformed)
    }

    fn expect(&mut self, expected: Expected) {
        if let Some((_, next)) = self.open.last_mut() {
            *next = expected;
        }
    }

    fn name(&mut self) -> Result<Token<'t>, Malformed> {
        let name = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => self.quoted(quote)?,
            _ if self.accepts.unquoted_names => {
                let rest = &self.text[self.at..];
                let part =
                    |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '#' | '*');
                let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
                if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(Malformed);
                }
                self.at += end;
                Cow::Borrowed(&rest[..end])
            }
            _ => return Err(Malformed),
        };
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(Malformed);
        }
        self.at += 1;
        self.expect(Expected::Value);
        Ok(Token::Name(name))
    }

    fn value(&mut self) -> Result<Token<'t>, Malformed> {
        match self.peek().ok_or(Malformed)? {
            open @ (b'{' | b'[') => {
                if self.open.len() >= MAX_DEPTH {
                    return Err(Malformed);
                }
                self.at += 1;
                self.open.push((open == b'{', Expected::First));
                Ok(if open == b'{' { Token::StartObject } else { Token::StartArray })
            }
            quote @ (b'"' | b'\'') => self.quoted(quote).map(Token::Text),
            b'-' | b'+' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    /// `true`, `null`, `NaN`, ...
    fn word(&mut self) -> Result<Token<'t>, Malformed> {
        let rest = &self.text[self.at..];
        let sign = usize::from(rest.starts_with(['-', '+']));
        let end = rest[sign..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let word = &rest[..end.map_or(rest.len(), |end| sign + end)];
        let token = match word {
            "true" => Token::True,
            "false" => Token::False,
            "null" => Token::Null,
            _ if !self.accepts.not_finite => return Err(Malformed),
            "NaN" => Token::NotFinite(f64::NAN),
            "Infinity" | "INF" | "+Infinity" | "+INF" => Token::NotFinite(f64::INFINITY),
            "-Infinity" | "-INF" => Token::NotFinite(f64::NEG_INFINITY),
            _ => return Err(Malformed),
        };
        self.at += word.len();
        Ok(token)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Token<'t>, Malformed> {
        let bytes = self.text.as_bytes();
        let mut from = self.at;
        let negative = bytes[from] == b'-';
        let first = from + usize::from(matches!(bytes[from], b'-' | b'+'));
        if !bytes.get(first).is_some_and(u8::is_ascii_digit) {
            return self.word();
        }
        if bytes[from] == b'+' {
            return Err(Malformed);
        }
        self.at = first;
        let whole = self.digits();
        if bytes[first] == b'0' && whole > 1 {
            if !self.accepts.leading_zeros {
                return Err(Malformed);
            }
            let zeros = bytes[first..self.at - 1].iter().take_while(|byte| **byte == b'0').count();
            // A sign would be cut off with them.
            if !negative {
                from = first + zeros;
            }
        }
        let mut float = false;
        if self.peek() == Some(b'.') {
            self.at += 1;
            float = true;
            if self.digits() == 0 {
                return Err(Malformed);
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            float = true;
            if matches!(self.peek(), Some(b'-' | b'+')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(Malformed);
            }
        }
        if self.at - from > MAX_DIGITS {
            return Err(Malformed);
        }
        let outside = self.open.is_empty();
        if outside && !matches!(self.peek(), None | Some(b' ' | b'\t' | b'\r' | b'\n')) {
            return Err(Malformed);
        }
        let digits = &self.text[from..self.at];
        Ok(if float { Token::Float(digits) } else { Token::Int(digits) })
    }

    /// A string; the quote comes next.
    fn quoted(&mut self, quote: u8) -> Result<Cow<'t, str>, Malformed> {
        if quote == b'\'' && !self.accepts.single_quotes {
            return Err(Malformed);
        }
        self.at += 1;
        let mut from = self.at;
        let mut unescaped = String::new();
        loop {
            match self.peek().ok_or(Malformed)? {
                byte if byte == quote => {
                    let rest = &self.text[from..self.at];
                    self.at += 1;
                    if unescaped.is_empty() {
                        return Ok(Cow::Borrowed(rest));
                    }
                    unescaped.push_str(rest);
                    return Ok(Cow::Owned(unescaped));
                }
                b'\\' => {
                    unescaped.push_str(&self.text[from..self.at]);
                    self.at += 1;
                    unescaped.push(self.escape()?);
                    from = self.at;
                }
                byte if byte < b' ' && !self.accepts.control_characters => return Err(Malformed),
                _ => self.at += 1,
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, Malformed> {
        let c = self.text[self.at..].chars().next().ok_or(Malformed)?;
        self.at += c.len_utf8();
        Ok(match c {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            '"' | '/' | '\\' => c,
            '\'' if self.accepts.single_quotes => c,
            'u' => {
                let unit = self.unit()?;
                let low = match unit {
                    0xd800..0xdc00 if self.text[self.at..].starts_with("\\u") => {
                        let back = self.at;
                        self.at += 2;
                        let low = self.unit()?;
                        if !(0xdc00..0xe000).contains(&low) {
                            self.at = back;
                        }
                        low
                    }
                    _ => 0,
                };
                // Half a pair becomes a question mark, as in Java.
                match low {
                    0xdc00..0xe000 => {
                        char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
                    }
                    _ => char::from_u32(unit),
                }
                .unwrap_or('?')
            }
            other if self.accepts.any_escape => other,
            _ => return Err(Malformed),
        })
    }

    fn unit(&mut self) -> Result<u32, Malformed> {
        let digits = self.text.get(self.at..self.at + 4).ok_or(Malformed)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Malformed);
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| Malformed)
    }

    /// Passes over the rest of a value whose first token was `first`.
    pub(super) fn skip(&mut self, first: &Token<'_>) -> Result<(), Malformed> {
        if matches!(first, Token::StartObject | Token::StartArray) {
            self.leave()?;
        }
        Ok(())
    }

    /// Passes over the rest of the innermost open object or array.
    pub(super) fn leave(&mut self) -> Result<(), Malformed> {
        let Some(outer) = self.open.len().checked_sub(1) else { return Ok(()) };
        while self.open.len() > outer {
            self.inside()?;
        }
        Ok(())
    }

    /// How many objects and arrays are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Passes over what is left within all but the outermost `depth` containers.
    pub(super) fn leave_to(&mut self, depth: usize) -> Result<(), Malformed> {
        while self.open.len() > depth {
            self.leave()?;
        }
        Ok(())
    }
}
