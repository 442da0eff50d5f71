//! Java's replacement texts: `$1`, `${name}`, `\$`.

use super::{JavaRegex, Matches};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Group(usize),
}

/// What each match is replaced by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement(Vec<Part>);

impl Replacement {
    /// Parses a replacement for the matches of a pattern.
    ///
    /// # Errors
    /// References to groups that the pattern does not have; a `$` or backslash that
    /// nothing follows.
    pub(crate) fn parse(text: &str, regex: &JavaRegex) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\\' => {
                    let next = rest
                        .next()
                        .ok_or("a backslash ends it; write \\\\\\\\ in SQL for one backslash")?;
                    literal(&mut parts, next);
                }
                '$' if rest.next_if_eq(&'{').is_some() => {
                    let mut name = String::new();
                    while let Some(c) = rest.next_if(char::is_ascii_alphanumeric) {
                        name.push(c);
                    }
                    if rest.next() != Some('}') {
                        return Err("a reference to a named group is written ${name}".to_owned());
                    }
                    let group = regex.named(&name);
                    let unknown = || format!("the pattern has no group named `{name}`");
                    let group = group.ok_or_else(unknown)?;
                    regex.check_group(group)?;
                    parts.push(Part::Group(group));
                }
                '$' => {
                    let digit = rest
                        .next()
                        .and_then(|c| c.to_digit(10))
                        .ok_or("no number follows a `$`; write \\\\$ in SQL for the character")?;
                    let mut group = digit as usize;
                    if group > regex.groups() {
                        return Err(format!(
                            "it refers to group {group}, but the pattern has {}; put parentheses around the part that you mean, or write \\\\$ in SQL for the character",
                            regex.groups()
                        ));
                    }
                    // As many digits as still make the number of a group.
                    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                        let longer = group * 10 + digit as usize;
                        if longer > regex.groups() {
                            break;
                        }
                        group = longer;
                        rest.next();
                    }
                    regex.check_group(group)?;
                    parts.push(Part::Group(group));
                }
                c => literal(&mut parts, c),
            }
        }
        Ok(Self(parts))
    }

    /// Appends what replaces the current match.
    pub(crate) fn append(&self, found: &Matches<'_, '_>, to: &mut String) {
        for part in &self.0 {
            match part {
                Part::Text(text) => to.push_str(text),
                Part::Group(group) => to.push_str(found.group(*group).unwrap_or_default()),
            }
        }
    }
}

fn literal(parts: &mut Vec<Part>, c: char) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.push(c),
        _ => parts.push(Part::Text(c.to_string())),
    }
}
