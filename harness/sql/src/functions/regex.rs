//! Functions of regular expressions, in Java's syntax.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{ArrayRef, BooleanArray, ListBuilder, StringBuilder};
use arrow::datatypes::{DataType, Field, Int32Type};
use streamjoin_kernels::{JoinError, Result};

use super::{Arguments, Given, strings};
use crate::compute::overflow_error;
use crate::java_regex::{JavaRegex, Replacement};
use crate::names::shortened;

/// Patterns that were used last, so that not each batch compiles them.
static COMPILED: Mutex<Vec<(String, Arc<JavaRegex>)>> = Mutex::new(Vec::new());

/// How many patterns are kept.
const KEPT: usize = 32;

fn compiled(pattern: &str) -> std::result::Result<Arc<JavaRegex>, String> {
    let mut kept = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = kept.iter().position(|(known, _)| known == pattern) {
        return Ok(kept[at].1.clone());
    }
    let regex = JavaRegex::parse(pattern)
        .map_err(|e| format!("the regular expression '{}': {e}", shortened(pattern, 60)))?;
    let regex = Arc::new(regex);
    if kept.len() == KEPT {
        kept.remove(0);
    }
    kept.push((pattern.to_owned(), regex.clone()));
    Ok(regex)
}

/// The pattern, which is the same for all rows; `None` if it is null.
fn pattern(a: &Arguments<'_>) -> Result<Option<Arc<JavaRegex>>> {
    let pattern = a.text(1)(0);
    pattern.map(compiled).transpose().map_err(JoinError::InvalidPlan)
}

/// The regular expression, which must be a literal so that it is refused before the
/// first row if it does not work; `None` if it is null.
fn checked_pattern(given: &[Given<'_>]) -> std::result::Result<Option<Arc<JavaRegex>>, String> {
    if given[1].literal.is_none() {
        return Err("the regular expression must be constant text, so that it can be checked \
            before the first row; patterns from columns work with LIKE"
            .to_owned());
    }
    given[1].text().map(compiled).transpose()
}

pub(super) fn check(given: &[Given<'_>]) -> std::result::Result<(), String> {
    checked_pattern(given).map(|_| ())
}

pub(super) fn rlike(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, regex) = (a.text(0), pattern(a)?);
    let tests = (0..a.rows).map(|row| Some(regex.as_ref()?.is_match(text(row)?)));
    Ok(Arc::new(tests.collect::<BooleanArray>()))
}

fn has_group(regex: &JavaRegex, group: i32) -> std::result::Result<usize, String> {
    // A negative number is beyond all groups too.
    let group = usize::try_from(group).map_err(|_| format!("there is no group {group}"))?;
    regex.check_group(group).map(|()| group)
}

pub(super) fn check_extract(given: &[Given<'_>]) -> std::result::Result<(), String> {
    let Some(regex) = checked_pattern(given)? else { return Ok(()) };
    let group = match given.get(2) {
        None => Some(1),
        Some(group) if group.literal.is_none() && regex.has_unclear_groups() => {
            return Err("the number of the group must be constant here: some groups of the \
                regular expression are repeated and may be empty"
                .to_owned());
        }
        Some(group) => group.int(),
    };
    group.map_or(Ok(()), |group| has_group(&regex, group).map(|_| ()))
}

/// The group (1 if it is omitted) of the first match; empty if there is none.
pub(super) fn extract(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, group, regex) = (a.text(0), a.primitive::<Int32Type>(2), pattern(a)?);
    let given = a.has(2);
    let of_row = |row: usize| -> Option<std::result::Result<&str, String>> {
        let (text, group) = (text(row)?, if given { group(row)? } else { 1 });
        let regex = regex.as_ref()?;
        let mut matches = regex.matches(text);
        Some(match matches.advance() {
            None => Ok(""),
            Some(_) => has_group(regex, group).map(|g| matches.group(g).unwrap_or_default()),
        })
    };
    let texts = (0..a.rows)
        .map(|row| of_row(row).transpose().map_err(|e| in_row(row, &e)))
        .collect::<Result<Vec<_>>>()?;
    strings(a, |row| texts[row].map(Into::into))
}

/// The error of one row's arguments.
fn in_row(row: usize, message: &str) -> JoinError {
    JoinError::predicate(format!("{message} (row {row} of the batch)"))
}

pub(super) fn check_replace(given: &[Given<'_>]) -> std::result::Result<(), String> {
    let regex = checked_pattern(given)?;
    if let Some(position) = given.get(3) {
        let position = match position.literal {
            Some(_) => position.int(),
            None => return Err("the position must be a constant number".to_owned()),
        };
        if position.is_some_and(|position| position < 1) {
            return Err("the position counts from 1".to_owned());
        }
    }
    let replacement = given[2].text();
    let Some((regex, replacement)) = regex.zip(replacement) else { return Ok(()) };
    let parsed = Replacement::parse(replacement, &regex);
    parsed.map(|_| ()).map_err(|e| replacement_error(replacement, &e))
}

fn replacement_error(replacement: &str, error: &str) -> String {
    format!("the replacement '{}': {error}", shortened(replacement, 60))
}

/// The text with all matches from a position on replaced.
pub(super) fn replace(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, replacement, regex) = (a.text(0), a.text(2), pattern(a)?);
    let position = a.primitive::<Int32Type>(3);
    let given = a.has(3);
    let mut last: Option<(&str, Replacement)> = None;
    let mut of_row = |row: usize| -> Result<Option<String>> {
        let position = if given { position(row) } else { Some(1) };
        let all = (|| Some((text(row)?, replacement(row)?, regex.as_ref()?, position?)))();
        let Some((text, replacement, regex, position)) = all else { return Ok(None) };
        let (before, rest) = text.split_at(offset(text, position));
        if before.len() == text.len() && position > 1 {
            return Ok(Some(text.to_owned()));
        }
        let mut replaced = before.to_owned();
        let mut copied = 0;
        let mut matches = regex.matches(rest);
        while let Some((start, end)) = matches.advance() {
            replaced.push_str(&rest[copied..start]);
            copied = end;
            if last.as_ref().is_none_or(|(known, _)| *known != replacement) {
                let parsed = Replacement::parse(replacement, regex)
                    .map_err(|e| in_row(row, &replacement_error(replacement, &e)))?;
                last = Some((replacement, parsed));
            }
            if let Some((_, parsed)) = &last {
                parsed.append(&matches, &mut replaced);
            }
        }
        replaced.push_str(&rest[copied..]);
        Ok(Some(replaced))
    };
    let texts = (0..a.rows).map(&mut of_row).collect::<Result<Vec<_>>>()?;
    strings(a, |row| texts[row].as_deref().map(|text| text.to_owned().into()))
}

/// Where a position from 1 is in the text.
fn offset(text: &str, position: i32) -> usize {
    let before = usize::try_from(position).unwrap_or(1).saturating_sub(1);
    text.char_indices().nth(before).map_or(text.len(), |(at, _)| at)
}

/// The type of arrays of strings without nulls.
pub(super) fn texts(_: &[&DataType]) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, false)))
}

/// The parts between matches: at most as many as a positive third argument says.
pub(super) fn split(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, limit, regex) = (a.text(0), a.primitive::<Int32Type>(2), pattern(a)?);
    let (given, by_character) = (a.has(2), a.text(1)(0) == Some(""));
    let mut builder = ListBuilder::new(StringBuilder::new())
        .with_field(Field::new_list_field(DataType::Utf8, false));
    let mut bytes = 0;
    for row in 0..a.rows {
        let limit = if given { limit(row) } else { Some(-1) };
        let all = text(row).zip(limit).zip(regex.as_ref());
        let Some(((text, limit), regex)) = all else {
            builder.append(false);
            continue;
        };
        bytes += text.len();
        if bytes > i32::MAX as usize {
            return Err(overflow_error(
                "the strings of one batch exceed 2 GiB; use smaller batches",
            ));
        }
        let most = usize::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX);
        let mut parts = 1;
        let mut copied = 0;
        let mut matches = regex.matches(text);
        while let Some((start, end)) = matches.advance().filter(|_| parts < most) {
            // An empty match at the beginning splits nothing, nor does one at the end
            // where text is split into characters.
            if end == 0 || by_character && start == text.len() {
                continue;
            }
            builder.values().append_value(&text[copied..start]);
            copied = end;
            parts += 1;
        }
        builder.values().append_value(&text[copied..]);
        builder.append(true);
    }
    Ok(Arc::new(builder.finish()))
}
