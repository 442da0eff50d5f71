//! Java's syntax of regular expressions.

use regex_syntax::hir::ClassUnicode;

use super::class;

/// A parsed pattern, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// One character of a set.
    Class(ClassUnicode),
    /// An assertion or a fixed alternative, as the crate writes it.
    Written(&'static str),
    /// `$` or `\Z`: the end of the text, or just before its final line terminator.
    End,
    /// One after the other.
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
    /// A group that is captured.
    Capture(Box<Node>),
    Repeat {
        node: Box<Node>,
        /// Such as `{1,3}`.
        times: String,
        /// Whether it may stand for at most one occurrence.
        once: bool,
        lazy: bool,
    },
}

impl Node {
    /// Whether it may match nothing.
    pub(super) fn may_be_empty(&self) -> bool {
        match self {
            Self::Class(_) => false,
            Self::Written(_) | Self::End => true,
            Self::Concat(parts) => parts.iter().all(Self::may_be_empty),
            Self::Alternatives(all) => all.iter().any(Self::may_be_empty),
            Self::Capture(inner) => inner.may_be_empty(),
            Self::Repeat { node, times, .. } => {
                matches!(times.as_str(), "?" | "*")
                    || times.starts_with("{0")
                    || node.may_be_empty()
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    /// Named groups with their numbers.
    pub(super) names: Vec<(String, usize)>,
}

/// Patterns nested deeper than this are refused, so that the stack suffices.
const MAX_DEPTH: usize = 60;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) unicode_case: bool,
    pub(super) dot_all: bool,
    pub(super) multi_line: bool,
    pub(super) comments: bool,
    pub(super) unix_lines: bool,
}

pub(super) struct Parser {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) flags: Flags,
    pub(super) groups: usize,
    pub(super) names: Vec<(String, usize)>,
    depth: usize,
    /// Within `\Q` and `\E`, where all characters stand for themselves.
    quoting: bool,
}

pub(super) type Result<T> = std::result::Result<T, String>;

pub(super) fn parse(pattern: &str) -> Result<Parsed> {
    let chars = pattern.chars().collect();
    let mut parser = Parser {
        chars,
        at: 0,
        flags: Flags::default(),
        groups: 0,
        names: Vec::new(),
        depth: 0,
        quoting: false,
    };
    let root = parser.alternatives()?;
    match parser.peek() {
        None => Ok(Parsed { root, names: parser.names }),
        Some(_) => Err("a `)` has no matching `(`; write \\) for the character".to_owned()),
    }
}

/// Why a feature cannot be had.
pub(super) fn unsupported<T>(what: &str, instead: &str) -> Result<T> {
    Err(format!("{what} is not supported; {instead}"))
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let hit = text.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c));
        if hit {
            self.at += text.chars().count();
        }
        hit
    }

    /// Enters `\Q` and leaves at `\E`; whether the next character is quoted.
    pub(super) fn quoted(&mut self) -> bool {
        loop {
            if self.quoting && self.eat("\\E") {
                self.quoting = false;
            } else if !self.quoting && self.eat("\\Q") {
                self.quoting = true;
            } else {
                return self.quoting && self.peek().is_some();
            }
        }
    }

    /// Skips white space and comments where the flag `x` is set.
    pub(super) fn skip_comments(&mut self) {
        while self.flags.comments && !self.quoting {
            match self.peek() {
                Some(' ' | '\t' | '\n' | '\x0B' | '\x0C' | '\r') => self.at += 1,
                Some('#') => {
                    while self.peek().is_some_and(|c| !class::is_line_terminator(c)) {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Goes one level deeper.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} levels deep; simplify it"));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Alternatives up to `)` or the end; the flags are those of before afterwards.
    pub(super) fn alternatives(&mut self) -> Result<Node> {
        self.enter()?;
        let outer = self.flags;
        let mut all = Vec::new();
        let mut parts = Vec::new();
        loop {
            let quoted = self.quoted();
            self.skip_comments();
            match self.peek() {
                None => break,
                Some(')') if !quoted => break,
                Some('|') if !quoted => {
                    self.at += 1;
                    all.push(Node::Concat(std::mem::take(&mut parts)));
                }
                Some(_) => {
                    if let Some(atom) = self.atom(quoted)? {
                        parts.push(self.repeated(atom)?);
                    }
                }
            }
        }
        all.push(Node::Concat(parts));
        self.flags = outer;
        self.leave();
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Alternatives(all) })
    }

    /// One atom; `None` for flags that hold from here on.
    fn atom(&mut self, quoted: bool) -> Result<Option<Node>> {
        let Some(c) = self.next() else { return Ok(None) };
        if quoted {
            return Ok(Some(Node::Class(class::literal(c, self.flags))));
        }
        Ok(Some(match c {
            '(' => return self.group(),
            '[' => Node::Class(self.class()?),
            '.' if self.flags.dot_all => Node::Class(class::all()),
            '.' if self.flags.unix_lines => Node::Class(class::none_of("\n")),
            '.' => Node::Class(class::none_of(class::LINE_TERMINATORS)),
            '^' | '$' if self.flags.multi_line => {
                return unsupported(
                    "`^` or `$` with the flag m (multi-line)",
                    "match the line terminator itself, such as (?:^|\\n)",
                );
            }
            '^' => Node::Written("\\A"),
            '$' if self.flags.unix_lines => {
                return unsupported("`$` with the flag d (UNIX lines)", "leave the flag out");
            }
            '$' => Node::End,
            '*' | '+' | '?' => {
                return Err(format!("nothing precedes `{c}`; write \\{c} for the character"));
            }
            '{' => {
                return Err(
                    "a `{` stands where no count can be; write \\{ for the character".into()
                );
            }
            '\\' => self.escape()?,
            c => Node::Class(class::literal(c, self.flags)),
        }))
    }

    fn escape(&mut self) -> Result<Node> {
        let Some(c) = self.peek() else {
            return Err("it ends with a backslash; write \\\\\\\\ in SQL for one backslash".into());
        };
        self.at += 1;
        Ok(match c {
            'A' => Node::Written("\\A"),
            'z' => Node::Written("\\z"),
            'Z' if self.flags.unix_lines => {
                return unsupported("`\\Z` with the flag d (UNIX lines)", "leave the flag out");
            }
            'Z' => Node::End,
            'b' if self.peek() == Some('{') => {
                return unsupported("`\\b{g}`", "use \\b");
            }
            'b' => Node::Written("\\b"),
            'B' => Node::Written("\\B"),
            'R' => Node::Written("(?:\\r\\n|[\\n\\x0B\\x0C\\r\\x{85}\\x{2028}\\x{2029}])"),
            'G' => return unsupported("`\\G` (the end of the previous match)", "leave it out"),
            'X' => return unsupported("`\\X` (a grapheme)", "use . for one character"),
            'k' | '1'..='9' => {
                return unsupported(
                    &format!("the back reference `\\{c}`"),
                    "extract both parts with regexp_extract and compare them with =",
                );
            }
            _ => {
                self.at -= 1;
                Node::Class(self.escaped_class()?)
            }
        })
    }

    /// The atom with the quantifier that follows.
    fn repeated(&mut self, node: Node) -> Result<Node> {
        if self.quoted() {
            return Ok(node);
        }
        self.skip_comments();
        let (times, once) = match self.peek() {
            Some('?') => ("?".to_owned(), true),
            Some(c @ ('*' | '+')) => (c.to_string(), false),
            Some('{') => self.count()?,
            _ => return Ok(node),
        };
        self.at += 1;
        let lazy = match self.peek() {
            Some('+') => {
                return unsupported(
                    &format!("the possessive quantifier `{times}+`"),
                    "leave the + out, or make the parts around it exclude each other",
                );
            }
            Some('?') => {
                self.at += 1;
                true
            }
            _ => false,
        };
        Ok(Node::Repeat { node: Box::new(node), times, once, lazy })
    }

    /// `{1}`, `{1,}` or `{1,3}`, up to but without the last brace.
    fn count(&mut self) -> Result<(String, bool)> {
        let malformed = || Err("a count is written {1}, {1,} or {1,3}; write \\{ for `{`".into());
        self.at += 1;
        let number = |parser: &mut Self| {
            let mut digits = String::new();
            while let Some(c) = parser.peek().filter(char::is_ascii_digit) {
                digits.push(c);
                parser.at += 1;
            }
            digits
        };
        let least = number(self);
        let Ok(from) = least.parse::<u32>() else { return malformed() };
        let mut times = format!("{{{from}");
        let mut to = Some(from);
        if self.eat(",") {
            let most = number(self);
            times.push(',');
            to = if most.is_empty() { None } else { most.parse::<u32>().ok() };
            match to {
                Some(to) if to < from => {
                    return Err(format!("the count {{{from},{to}}} ends before it begins"));
                }
                Some(to) => times += &to.to_string(),
                None if most.is_empty() => {}
                None => return malformed(),
            }
        }
        if self.peek() != Some('}') {
            return malformed();
        }
        times.push('}');
        Ok((times, to.is_some_and(|to| to <= 1)))
    }
}
