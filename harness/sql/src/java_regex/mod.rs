//! Regular expressions of Java, as Spark's `rlike`, `regexp_extract`, `regexp_replace`
//! and `split` take them, on the `regex` crate.
//!
//! A pattern is parsed as Java does and written again for the crate, so that what
//! differs between the two keeps Java's meaning: classes such as `\w` are ASCII, `.`
//! stops at all of Java's line terminators, `$` also matches before a final one, and an
//! empty match may follow another match. What the crate does not have (look-around,
//! back references, possessive quantifiers, ...) is refused, with the reason.

mod class;
mod group;
mod parse;
mod replacement;
mod write;

#[cfg(test)]
mod tests;

use regex::{CaptureLocations, Regex};

pub(crate) use replacement::Replacement;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct JavaRegex {
    /// For texts that do not end in `\r\n`.
    plain: Form,
    /// For texts that do, if `$` makes a difference.
    crlf: Option<Form>,
    names: Vec<(String, usize)>,
    unclear: Vec<usize>,
}

/// A pattern in the crate's syntax.
#[derive(Debug)]
struct Form {
    regex: Regex,
    /// The number that each group of the Java pattern has here, the whole match first.
    groups: Vec<usize>,
    /// Groups that hold a final line terminator, which does not belong to the match.
    ends: Vec<usize>,
}

impl Form {
    /// The form, and the groups whose text would differ from Java's.
    fn new(node: &parse::Node, crlf: bool) -> Result<(Self, Vec<usize>), String> {
        let written = write::write(node, crlf)?;
        let regex = Regex::new(&written.text).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                "it is too large; use fewer or smaller counts such as {1000}".to_owned()
            }
            other => format!("it is not supported: {other}"),
        })?;
        Ok((Self { regex, groups: written.groups, ends: written.ends }, written.unclear))
    }
}

impl JavaRegex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Why it is malformed or not supported.
    pub(crate) fn parse(pattern: &str) -> Result<Self, String> {
        let parsed = parse::parse(pattern)?;
        let (plain, unclear) = Form::new(&parsed.root, false)?;
        let crlf = match plain.ends.is_empty() {
            true => None,
            false => Some(Form::new(&parsed.root, true)?.0),
        };
        Ok(Self { plain, crlf, names: parsed.names, unclear })
    }

    fn form(&self, text: &str) -> &Form {
        match &self.crlf {
            Some(form) if text.ends_with("\r\n") => form,
            _ => &self.plain,
        }
    }

    /// How many groups the pattern has, the whole match not counted.
    pub(crate) fn groups(&self) -> usize {
        self.plain.groups.len() - 1
    }

    /// Whether the text of some group could differ from Java's.
    pub(crate) fn has_unclear_groups(&self) -> bool {
        !self.unclear.is_empty()
    }

    /// Refuses a group that does not exist, or whose text could differ from Java's.
    ///
    /// # Errors
    /// What to use instead.
    pub(crate) fn check_group(&self, group: usize) -> Result<(), String> {
        let groups = self.groups();
        if group > groups {
            let remedy = match groups {
                0 => "use 0 for the whole match, or put parentheses around the part that you mean"
                    .to_owned(),
                _ => format!("use 0 for the whole match, or 1 to {groups}"),
            };
            return Err(format!(
                "there is no group {group}: the regular expression has {groups}; {remedy}"
            ));
        }
        if self.unclear.contains(&group) {
            return Err(format!(
                "group {group} is repeated and may be empty each time, for which regular expressions differ in what the group holds; repeat within the group, as in ((?:a|b)*)"
            ));
        }
        Ok(())
    }

    /// The number of a named group.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Whether it matches anywhere.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.form(text).regex.is_match(text)
    }

    /// The matches from left to right.
    pub(crate) fn matches<'r, 't>(&'r self, text: &'t str) -> Matches<'r, 't> {
        let form = self.form(text);
        Matches { form, found: form.regex.capture_locations(), text, next: Some(0) }
    }
}

/// Walks over the matches in a text, as Java's `Matcher.find` does.
pub(crate) struct Matches<'r, 't> {
    form: &'r Form,
    found: CaptureLocations,
    text: &'t str,
    /// Where the next search begins; `None` past the end.
    next: Option<usize>,
}

impl<'t> Matches<'_, 't> {
    /// Goes to the next match; returns its start and end.
    pub(crate) fn advance(&mut self) -> Option<(usize, usize)> {
        let from = self.next?;
        if self.form.regex.captures_read_at(&mut self.found, self.text, from).is_none() {
            self.next = None;
            return None;
        }
        let (start, end) = self.span(0)?;
        // After an empty match the search goes on one character later.
        self.next = match self.text[end..].chars().next() {
            _ if end > start => Some(end),
            Some(c) => Some(end + c.len_utf8()),
            None => None,
        };
        Some((start, end))
    }

    fn span(&self, group: usize) -> Option<(usize, usize)> {
        let (start, end) = self.found.get(*self.form.groups.get(group)?)?;
        let ends = self.form.ends.iter().filter_map(|group| self.found.get(*group));
        let end = ends.fold(end, |end, (terminator, _)| end.min(terminator));
        Some((start.min(end), end))
    }

    /// The text of a group of the current match; `None` if it took no part.
    pub(crate) fn group(&self, group: usize) -> Option<&'t str> {
        self.span(group).map(|(start, end)| &self.text[start..end])
    }
}
