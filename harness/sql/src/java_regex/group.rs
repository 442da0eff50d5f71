//! Groups and flags: `(?:`, `(?<name>`, `(?i)`.

use super::parse::{Node, Parser, Result, unsupported};

impl Parser {
    /// What follows `(`.
    pub(super) fn group(&mut self) -> Result<Option<Node>> {
        if !self.eat("?") {
            self.groups += 1;
            return self.rest_of_group().map(|node| Some(Node::Capture(Box::new(node))));
        }
        if self.eat(":") {
            return self.rest_of_group().map(Some);
        }
        for (start, what) in [
            ("=", "look-ahead `(?=`"),
            ("!", "negative look-ahead `(?!`"),
            ("<=", "look-behind `(?<=`"),
            ("<!", "negative look-behind `(?<!`"),
        ] {
            if self.eat(start) {
                return unsupported(
                    what,
                    "match the surrounding text too and extract a group of it, or combine two conditions with AND and NOT",
                );
            }
        }
        if self.eat(">") {
            return unsupported("the atomic group `(?>`", "use (?:");
        }
        if self.eat("<") {
            let mut name = String::new();
            while let Some(c) = self.peek().filter(char::is_ascii_alphanumeric) {
                name.push(c);
                self.at += 1;
            }
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !self.eat(">") {
                return Err(
                    "the name of a group is ASCII letters and digits, as in (?<name>...)".into()
                );
            }
            if self.names.iter().any(|(known, _)| *known == name) {
                return Err(format!("two groups have the name `{name}`"));
            }
            self.groups += 1;
            self.names.push((name, self.groups));
            return self.rest_of_group().map(|node| Some(Node::Capture(Box::new(node))));
        }
        self.inline_flags()
    }

    /// `i-s)` holds up to the end of the enclosing group, `i-s:` in a group of its own.
    fn inline_flags(&mut self) -> Result<Option<Node>> {
        let outer = self.flags;
        let mut on = true;
        loop {
            let flags = &mut self.flags;
            let flag = match self.chars.get(self.at) {
                Some('i') => &mut flags.ignore_case,
                Some('u') => &mut flags.unicode_case,
                Some('s') => &mut flags.dot_all,
                Some('m') => &mut flags.multi_line,
                Some('x') => &mut flags.comments,
                Some('d') => &mut flags.unix_lines,
                Some('U') => {
                    return unsupported(
                        "the flag U (Unicode classes)",
                        "name the classes, such as [\\p{L}\\p{Nd}_] for \\w",
                    );
                }
                Some('-') if on => {
                    on = false;
                    self.at += 1;
                    continue;
                }
                Some(')') => {
                    self.at += 1;
                    return Ok(None);
                }
                Some(':') => {
                    self.at += 1;
                    let node = self.rest_of_group()?;
                    self.flags = outer;
                    return Ok(Some(node));
                }
                Some(other) => return Err(format!("`(?{other}` is not a kind of group")),
                None => return Err("a `(` is not closed".into()),
            };
            *flag = on;
            self.at += 1;
        }
    }

    fn rest_of_group(&mut self) -> Result<Node> {
        let node = self.alternatives()?;
        match self.next() {
            Some(_) => Ok(node),
            None => Err("a `(` is not closed; write \\( for the character".into()),
        }
    }
}
