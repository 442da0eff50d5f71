//! `get_json_object`: paths, and what they find.

use super::emit::Emitter;
use super::token::{Leniency, Malformed, Token, Tokens};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// `.name` or `['name']`.
    Field(String),
    /// `[3]`.
    Element(u64),
    /// `[*]`.
    Elements,
    /// `.*` and `['*']`, which find nothing in Spark.
    Nothing,
}

/// A path such as `$.after.items[0].id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

/// A path nested more deeply must be a mistake.
const MAX_STEPS: usize = 200;

impl Path {
    /// `None` for what is not a path: nothing is found then.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix('$')?;
        let mut steps = Vec::new();
        // Spark's parser skips white space before words and after the last step.
        let blank = |c: char| c.is_whitespace();
        while !rest.is_empty() {
            let trimmed = rest.trim_start_matches(blank);
            if trimmed.is_empty() && !steps.is_empty() {
                break;
            }
            let (step, after) = if let Some(after) = trimmed.strip_prefix("['*']") {
                (Step::Nothing, after)
            } else if let Some(after) = trimmed.strip_prefix("['") {
                let after = after.trim_start_matches(blank);
                let (name, after) = after.split_once('\'')?;
                (Step::Field(name.to_owned()), after.strip_prefix(']')?)
            } else if let Some(after) = trimmed.strip_prefix(".*") {
                (Step::Nothing, after)
            } else if let Some(after) = rest.strip_prefix('.') {
                let after = after.trim_start_matches(blank);
                let end = after.find(['.', '[']).unwrap_or(after.len());
                (Step::Field(after[..end].to_owned()), &after[end..])
            } else if let Some(after) = rest.strip_prefix("[*]") {
                (Step::Elements, after)
            } else {
                let after = rest.strip_prefix('[')?.trim_start_matches(blank);
                let (index, after) = after.split_once(']')?;
                if !index.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                (Step::Element(index.parse::<i64>().ok()?.unsigned_abs()), after)
            };
            if step == Step::Field(String::new()) || steps.len() == MAX_STEPS {
                return None;
            }
            steps.push(step);
            rest = after;
        }
        Some(Self(steps))
    }

    /// The text of what the path finds: strings without quotes, everything else
    /// as JSON.
    pub(crate) fn find(&self, json: &str) -> Option<String> {
        let mut tokens = Tokens::new(json, Leniency::GET_JSON_OBJECT);
        let first = tokens.next().ok()??;
        let mut emitter = Emitter::default();
        let found = walk(&first, &mut tokens, &mut emitter, Style::Raw, &self.0).ok()?;
        found.then(|| emitter.finish())
    }
}

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Strings without quotes.
    Raw,
    /// As JSON.
    Quoted,
    /// As JSON, the elements of arrays one after the other.
    Flat,
}

/// Writes what `path` finds in the value that begins with `first`, and passes
/// over the rest of it; whether anything was found. The cases are Spark's, which
/// are Hive's.
fn walk(
    first: &Token<'_>,
    rest: &mut Tokens<'_>,
    out: &mut Emitter,
    style: Style,
    path: &[Step],
) -> Result<bool, Malformed> {
    match (first, path) {
        (Token::Text(text), []) if style == Style::Raw => {
            out.plain(text);
            Ok(true)
        }
        (Token::StartArray, []) if style == Style::Flat => each(rest, out, style, path),
        (_, []) => out.copy(first, rest).map(|()| true),
        (Token::StartObject, [Step::Field(wanted), inner @ ..]) => {
            let mut found = false;
            loop {
                let Token::Name(name) = rest.inside()? else { return Ok(found) };
                let value = rest.inside()?;
                if found || name != wanted.as_str() || value == Token::Null {
                    rest.skip(&value)?;
                } else {
                    found = walk(&value, rest, out, style, inner)?;
                }
            }
        }
        (Token::StartArray, [Step::Elements, Step::Elements, inner @ ..]) => {
            out.start('[');
            let found = each(rest, out, Style::Flat, inner)?;
            out.end(']');
            Ok(found)
        }
        (Token::StartArray, [Step::Elements, inner @ ..]) if style != Style::Quoted => {
            let style = if style == Style::Raw { Style::Quoted } else { style };
            let mut matches = Emitter::default();
            matches.start('[');
            let mut count = 0;
            loop {
                let element = rest.inside()?;
                if element == Token::EndArray {
                    break;
                }
                count += usize::from(walk(&element, rest, &mut matches, style, inner)?);
            }
            matches.end(']');
            let matches = matches.finish();
            match count {
                0 => {}
                // A single match stands without brackets.
                1 => out.raw(&matches[1..matches.len() - 1]),
                _ => out.raw(&matches),
            }
            Ok(count > 0)
        }
        (Token::StartArray, [Step::Elements, inner @ ..]) => {
            out.start('[');
            let found = each(rest, out, Style::Quoted, inner)?;
            out.end(']');
            Ok(found)
        }
        (Token::StartArray, [Step::Element(wanted), inner @ ..]) => {
            let style = if inner.first() == Some(&Step::Elements) { Style::Quoted } else { style };
            let mut found = false;
            for at in 0.. {
                let element = rest.inside()?;
                if element == Token::EndArray {
                    break;
                }
                if at == *wanted {
                    found = walk(&element, rest, out, style, inner)?;
                } else {
                    rest.skip(&element)?;
                }
            }
            Ok(found)
        }
        _ => rest.skip(first).map(|()| false),
    }
}

/// Writes what the path finds in each element of the array that is open.
fn each(
    rest: &mut Tokens<'_>,
    out: &mut Emitter,
    style: Style,
    path: &[Step],
) -> Result<bool, Malformed> {
    let mut found = false;
    loop {
        let element = rest.inside()?;
        if element == Token::EndArray {
            return Ok(found);
        }
        found |= walk(&element, rest, out, style, path)?;
    }
}

/// `json_tuple` with one name: the last value of that name in an object.
pub(crate) fn top_level_field(json: &str, wanted: &str) -> Option<String> {
    let mut tokens = Tokens::new(json, Leniency::GET_JSON_OBJECT);
    if tokens.next().ok()?? != Token::StartObject {
        return None;
    }
    let mut last = None;
    while let Token::Name(name) = tokens.inside().ok()? {
        let value = tokens.inside().ok()?;
        if name != wanted || value == Token::Null {
            tokens.skip(&value).ok()?;
            continue;
        }
        let mut out = Emitter::default();
        walk(&value, &mut tokens, &mut out, Style::Raw, &[]).ok()?;
        last = Some(out.finish());
    }
    last
}
