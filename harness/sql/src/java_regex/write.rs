//! Writes a parsed pattern in the syntax of the `regex` crate.

use std::fmt::Write as _;

use regex_syntax::hir::ClassUnicode;

use super::parse::Node;

#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    /// The number of each of Java's groups, the whole match first.
    pub(super) groups: Vec<usize>,
    /// The groups that hold a final line terminator.
    pub(super) ends: Vec<usize>,
    /// Java's numbers of groups that are repeated together with something that may be
    /// empty: which of the repetitions they hold differs from Java.
    pub(super) unclear: Vec<usize>,
    count: usize,
    /// Whether the text to be searched ends in `\r\n`, between which `$` does not match.
    crlf: bool,
}

pub(super) fn write(root: &Node, crlf: bool) -> Result<Written, String> {
    let mut written = Written { groups: vec![0], crlf, ..Written::default() };
    written.node(root, true)?;
    Ok(written)
}

impl Written {
    /// `last`: nothing of the pattern comes after the node, wherever it matches.
    fn node(&mut self, node: &Node, last: bool) -> Result<(), String> {
        match node {
            Node::Class(class) => self.class(class),
            Node::Written(text) => self.text += text,
            Node::End if last => {
                self.count += 1;
                self.ends.push(self.count);
                let terminator =
                    if self.crlf { "\\r\\n" } else { "[\\n\\r\\x{85}\\x{2028}\\x{2029}]" };
                let _ = write!(self.text, "(?:({terminator})?\\z)");
            }
            Node::End => {
                return Err("`$` or `\\Z` followed by more of the pattern is not supported; write it last, or use \\z for the very end of the text".to_owned());
            }
            Node::Concat(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.node(part, last && at + 1 == parts.len())?;
                }
            }
            Node::Alternatives(all) => {
                self.text += "(?:";
                for (at, one) in all.iter().enumerate() {
                    if at > 0 {
                        self.text.push('|');
                    }
                    self.node(one, last)?;
                }
                self.text.push(')');
            }
            Node::Capture(inner) => {
                self.count += 1;
                self.groups.push(self.count);
                self.text.push('(');
                self.node(inner, last)?;
                self.text.push(')');
            }
            Node::Repeat { node, times, once, lazy } => {
                self.text += "(?:";
                let before = self.groups.len();
                self.node(node, last && *once)?;
                if !once && node.may_be_empty() {
                    self.unclear.extend(before..self.groups.len());
                }
                self.text.push(')');
                self.text += times;
                if *lazy {
                    self.text.push('?');
                }
            }
        }
        Ok(())
    }

    fn class(&mut self, class: &ClassUnicode) {
        match class.ranges() {
            [one] if one.start() == one.end() && one.start().is_ascii_alphanumeric() => {
                self.text.push(one.start());
            }
            [one] if one.start() == one.end() => {
                let _ = write!(self.text, "\\x{{{:X}}}", u32::from(one.start()));
            }
            // No character is in it.
            [] => self.text += "[^\\x{0}-\\x{10FFFF}]",
            ranges => {
                self.text.push('[');
                for range in ranges {
                    let (from, to) = (u32::from(range.start()), u32::from(range.end()));
                    let _ = write!(self.text, "\\x{{{from:X}}}-\\x{{{to:X}}}");
                }
                self.text.push(']');
            }
        }
    }
}
