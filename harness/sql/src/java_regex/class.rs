//! Sets of characters: `[a-z&&[^b]]`, `\d`, `\p{L}`, and single characters.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::parse::{Flags, Parser};

type Result<T> = std::result::Result<T, String>;

pub(super) const LINE_TERMINATORS: &str = "\n\r\u{85}\u{2028}\u{2029}";

pub(super) fn is_line_terminator(c: char) -> bool {
    LINE_TERMINATORS.contains(c)
}

fn of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(from, to)| ClassUnicodeRange::new(*from, *to)))
}

pub(super) fn all() -> ClassUnicode {
    of(&[('\0', char::MAX)])
}

pub(super) fn none_of(chars: &str) -> ClassUnicode {
    let mut class = ClassUnicode::new(chars.chars().map(|c| ClassUnicodeRange::new(c, c)));
    class.negate();
    class
}

/// The characters from one to the other, in any case if the flags say so.
fn range(from: char, to: char, flags: Flags) -> ClassUnicode {
    let mut class = of(&[(from, to)]);
    if flags.ignore_case && flags.unicode_case {
        class.case_fold_simple();
        // In Java, the dotless and the dotted i are cases of i too.
        let single = from == to && "iIıİ".contains(from);
        for (c, cased) in [('ı', "iI"), ('İ', "i"), ('i', ""), ('I', "")] {
            if single || cased.chars().any(|c| in_range(c, from, to)) {
                class.push(ClassUnicodeRange::new(c, c));
            }
        }
    } else if flags.ignore_case {
        // Java folds ASCII alone without the flag u.
        for c in ('a'..='z').filter(|c| in_range(*c, from, to)) {
            class.push(ClassUnicodeRange::new(c.to_ascii_uppercase(), c.to_ascii_uppercase()));
        }
        for c in ('A'..='Z').filter(|c| in_range(*c, from, to)) {
            class.push(ClassUnicodeRange::new(c.to_ascii_lowercase(), c.to_ascii_lowercase()));
        }
    }
    class
}

fn in_range(c: char, from: char, to: char) -> bool {
    (from..=to).contains(&c)
}

pub(super) fn literal(c: char, flags: Flags) -> ClassUnicode {
    range(c, c, flags)
}

/// Either a character, which may begin a range, or a set.
enum Item {
    Char(char),
    Set(ClassUnicode),
}

impl Parser {
    /// What follows `[`, through its `]`.
    pub(super) fn class(&mut self) -> Result<ClassUnicode> {
        self.enter()?;
        let negated = self.eat("^");
        let mut class = self.members(true)?;
        if self.next().is_none() {
            return Err("a `[` is not closed; write \\[ for the character".into());
        }
        self.leave();
        if negated {
            class.negate();
        }
        Ok(class)
    }

    /// The members up to the `]`; `first` where a `]` would stand for itself.
    fn members(&mut self, mut first: bool) -> Result<ClassUnicode> {
        let mut class = ClassUnicode::empty();
        loop {
            let quoted = self.quoted();
            self.skip_comments();
            match self.peek() {
                None => return Ok(class),
                Some(']') if !quoted && !first => return Ok(class),
                Some('[') if !quoted => {
                    self.eat("[");
                    class.union(&self.class()?);
                }
                Some('&') if !quoted && self.peek_at(1) == Some('&') => {
                    self.eat("&&");
                    if first || matches!(self.peek(), None | Some(']' | '&')) {
                        return Err("both sides of && must be characters or classes".into());
                    }
                    let right = self.members(false)?;
                    class.intersect(&right);
                }
                Some(_) => {
                    let item = self.member(quoted)?;
                    class.union(&item);
                }
            }
            first = false;
        }
    }

    /// One character, range or predefined set within brackets.
    fn member(&mut self, quoted: bool) -> Result<ClassUnicode> {
        let from = match self.item(quoted)? {
            Item::Set(set) => return Ok(set),
            Item::Char(c) => c,
        };
        let is_range = !self.quoted()
            && self.peek() == Some('-')
            && !matches!(self.peek_at(1), None | Some('[' | ']'));
        if !is_range {
            return Ok(literal(from, self.flags));
        }
        self.eat("-");
        let quoted = self.quoted();
        match self.item(quoted)? {
            Item::Char(to) if to >= from => Ok(range(from, to, self.flags)),
            Item::Char(to) => Err(format!("the range {from}-{to} ends before it begins")),
            Item::Set(_) => Err(format!("the range from `{from}` ends in a class")),
        }
    }

    fn item(&mut self, quoted: bool) -> Result<Item> {
        match self.next() {
            None => Err("a `[` is not closed; write \\[ for the character".into()),
            Some('\\') if !quoted => self.escaped(),
            Some(c) => Ok(Item::Char(c)),
        }
    }

    /// What an escape outside of brackets matches.
    pub(super) fn escaped_class(&mut self) -> Result<ClassUnicode> {
        match self.escaped()? {
            Item::Char(c) => Ok(literal(c, self.flags)),
            Item::Set(set) => Ok(set),
        }
    }

    /// What follows a backslash.
    fn escaped(&mut self) -> Result<Item> {
        let Some(c) = self.next() else {
            return Err("it ends with a backslash; write \\\\\\\\ in SQL for one backslash".into());
        };
        let mut set = match c {
            'd' | 'D' => of(&[('0', '9')]),
            'w' | 'W' => of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
            's' | 'S' => of(&[('\t', '\r'), (' ', ' ')]),
            'h' | 'H' => of(&[
                ('\t', '\t'),
                (' ', ' '),
                ('\u{a0}', '\u{a0}'),
                ('\u{1680}', '\u{1680}'),
                ('\u{180e}', '\u{180e}'),
                ('\u{2000}', '\u{200a}'),
                ('\u{202f}', '\u{202f}'),
                ('\u{205f}', '\u{205f}'),
                ('\u{3000}', '\u{3000}'),
            ]),
            'v' | 'V' => of(&[('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')]),
            'p' | 'P' => self.property()?,
            't' => return Ok(Item::Char('\t')),
            'n' => return Ok(Item::Char('\n')),
            'r' => return Ok(Item::Char('\r')),
            'f' => return Ok(Item::Char('\x0C')),
            'a' => return Ok(Item::Char('\x07')),
            'e' => return Ok(Item::Char('\x1B')),
            'c' => {
                let control = self.next().filter(char::is_ascii).ok_or("\\c needs a letter")?;
                return Ok(Item::Char(char::from(control as u8 ^ 64)));
            }
            '0' => return self.octal(),
            'x' => return self.hexadecimal(),
            'u' => return self.utf16(),
            'N' => {
                return Err(
                    "a character by name, `\\N{...}`, is not supported; use \\x{...}".into()
                );
            }
            c if c.is_ascii_alphanumeric() => {
                return Err(format!(
                    "`\\{c}` has no meaning here; a backslash in a SQL string is written twice, as in '\\\\d'"
                ));
            }
            c => return Ok(Item::Char(c)),
        };
        if c.is_ascii_uppercase() {
            set.negate();
        }
        Ok(Item::Set(set))
    }

    /// `\0n`, `\0nn` or `\0mnn`.
    fn octal(&mut self) -> Result<Item> {
        let mut value = 0;
        let mut digits = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) {
            if digits == 3 || digits == 2 && value > 0o37 {
                break;
            }
            value = value * 8 + digit;
            digits += 1;
            self.next();
        }
        match char::from_u32(value) {
            Some(c) if digits > 0 => Ok(Item::Char(c)),
            _ => Err("\\0 needs an octal number".into()),
        }
    }

    /// `\xhh` or `\x{h...}`.
    fn hexadecimal(&mut self) -> Result<Item> {
        let malformed = "\\x needs two hexadecimal digits, or some in braces";
        let value = if self.eat("{") {
            let mut value = 0_u32;
            while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                value = value.checked_mul(16).ok_or(malformed)? + digit;
                self.next();
            }
            if !self.eat("}") {
                return Err(malformed.into());
            }
            value
        } else {
            self.digits(2).ok_or(malformed)?
        };
        char::from_u32(value)
            .map(Item::Char)
            .ok_or_else(|| format!("\\x{{{value:X}}} is not a character"))
    }

    /// `\uhhhh`, or two of them for characters beyond the first 65536.
    fn utf16(&mut self) -> Result<Item> {
        let malformed = "\\u needs four hexadecimal digits";
        let first = self.digits(4).ok_or(malformed)?;
        let mut units = vec![first as u16];
        if (0xd800..0xdc00).contains(&first) && self.eat("\\u") {
            units.push(self.digits(4).ok_or(malformed)? as u16);
        }
        match char::decode_utf16(units).collect::<std::result::Result<Vec<char>, _>>().as_deref() {
            Ok([c]) => Ok(Item::Char(*c)),
            _ => Err("half a surrogate pair is not supported; use \\x{...}".into()),
        }
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        (0..count).try_fold(0, |value, _| Some(value * 16 + self.next()?.to_digit(16)?))
    }

    /// What follows `\p`.
    fn property(&mut self) -> Result<ClassUnicode> {
        let mut name = String::new();
        match self.next() {
            Some('{') => loop {
                match self.next() {
                    Some('}') => break,
                    Some(c) => name.push(c),
                    None => return Err("the brace of a \\p{...} is not closed".into()),
                }
            },
            Some(c) => name.push(c),
            None => return Err("\\p needs a letter, or a name in braces".into()),
        }
        let class = named(&name).ok_or_else(|| {
            format!(
                "the class \\p{{{name}}} is not supported; supported are the general categories (\\p{{Lu}}), \\p{{Alpha}} and its like, scripts (\\p{{IsGreek}}) and \\p{{IsAlphabetic}}, Ideographic, Lowercase, Uppercase, White_Space"
            )
        })?;
        let has_case = ["Lower", "Upper", "Lu", "Ll", "Lt", "IsLowercase", "IsUppercase"]
            .iter()
            .any(|cased| name.eq_ignore_ascii_case(cased) || name.ends_with(cased));
        if self.flags.ignore_case && has_case {
            return Err(format!(
                "\\p{{{name}}} with the flag i is not supported; use \\p{{L}} or \\p{{Alpha}}"
            ));
        }
        Ok(class)
    }
}

/// The characters of a property that Java knows under a name.
fn named(name: &str) -> Option<ClassUnicode> {
    let ascii: &[(char, char)] = match name {
        "Lower" => &[('a', 'z')],
        "Upper" => &[('A', 'Z')],
        "ASCII" => &[('\0', '\x7F')],
        "Alpha" => &[('A', 'Z'), ('a', 'z')],
        "Digit" => &[('0', '9')],
        "Alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "Punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "Graph" => &[('!', '~')],
        "Print" => &[(' ', '~')],
        "Blank" => &[('\t', '\t'), (' ', ' ')],
        "Cntrl" => &[('\0', '\x1F'), ('\x7F', '\x7F')],
        "XDigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        "Space" => &[('\t', '\r'), (' ', ' ')],
        "L1" => &[('\0', '\u{ff}')],
        "all" => &[('\0', char::MAX)],
        _ => &[],
    };
    if !ascii.is_empty() {
        return Some(of(ascii));
    }
    if let Some((key, value)) = name.split_once('=') {
        return match key.to_ascii_lowercase().as_str() {
            "sc" | "script" => unicode(&format!("sc={value}")),
            "gc" | "general_category" => category(value),
            _ => None,
        };
    }
    match name.strip_prefix("Is") {
        None => category(name),
        Some(rest) => {
            let property = rest.to_ascii_lowercase();
            match property.as_str() {
                "alphabetic" | "ideographic" | "lowercase" | "uppercase" | "white_space" => {
                    unicode(&property)
                }
                _ => category(rest).or_else(|| unicode(&format!("sc={rest}"))),
            }
        }
    }
}

fn category(name: &str) -> Option<ClassUnicode> {
    const CATEGORIES: [&str; 38] = [
        "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp",
        "Cc", "Cf", "Co", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf", "L",
        "M", "N", "Z", "C", "P", "S", "LC", "LD",
    ];
    match name {
        // Letters and digits.
        "LD" => {
            let mut class = unicode("L")?;
            class.union(&unicode("Nd")?);
            Some(class)
        }
        // Surrogates, which do not occur here, are part of Java's `C`.
        _ if CATEGORIES.contains(&name) => unicode(name),
        _ => None,
    }
}

fn unicode(property: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::parse(&format!("\\p{{{property}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let c = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(of(&[(c, c)]))
        }
        _ => None,
    }
}
