//! `--set KEY=VALUE`: a scenario with a value put in place of what its file
//! says.

#[cfg(test)]
mod tests;

use std::str::FromStr;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Key, Table, TableLike, Value};

use crate::error::{Failure, Result};
use crate::scenario::load::shape;
use crate::scenario::resolve::{Scenario, resolve};
use crate::scenario::source_text::SourceText;
use crate::scenario::spec::ScenarioSpec;
use crate::text::nearest::did_you_mean;

/// Tables of which one key is given: setting another one replaces it.
const ONE_OF: [&str; 3] = ["trigger", "pace", "state_limit"];

/// `scenario` with `value` at `key`, a dotted path such as
/// `replay.trigger.rows`, `strategies.a.threads` or `dimension.users.type`
/// (dimensions by name or by position, from 0).
///
/// The value is TOML; anything else is taken as a string, so that `left outer`
/// needs no quotes of its own. Tables on the way are made.
///
/// # Errors
/// A usage failure that names the setting: a path that leads through a value
/// or to a dimension that is not there, or a scenario that is wrong afterwards.
pub fn set(scenario: &Scenario, key: &str, value: &str) -> Result<Scenario> {
    let at = |failure: Failure| failure.at(format!("--set {key}={value}"));
    let (spec, text) = edited(scenario, key, value).map_err(at)?;
    resolve(spec, text, &scenario.name, scenario.in_memory.clone())
}

fn edited(scenario: &Scenario, key: &str, value: &str) -> Result<(ScenarioSpec, SourceText)> {
    let mut document = DocumentMut::from_str(scenario.text.text()).map_err(Failure::usage)?;
    let path = Key::parse(&quoted(key)).map_err(|_| {
        Failure::usage(format!(
            "`{key}` is not a key: names with dots between, such as replay.trigger.rows; odd names in double quotes"
        ))
    })?;
    put(document.as_table_mut(), &path, parsed(value))?;
    let text = SourceText::new(scenario.text.path(), document.to_string()).edited();
    Ok((shape(&text)?, text))
}

/// The key with quotes around names that TOML takes only so, such as those with
/// letters that are not English.
fn quoted(key: &str) -> String {
    if key.contains(['"', '\'']) {
        return key.to_owned();
    }
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let quote = |name: &str| match name.trim() {
        bare if bare.chars().all(is_bare) => bare.to_owned(),
        odd => format!("\"{odd}\""),
    };
    key.split('.').map(quote).collect::<Vec<_>>().join(".")
}

/// A TOML value, or the text itself.
fn parsed(value: &str) -> Value {
    Value::from_str(value.trim()).unwrap_or_else(|_| Value::from(value))
}

/// Puts `value` where `path` leads to, from `table` on.
fn put(table: &mut dyn TableLike, path: &[Key], value: Value) -> Result<()> {
    let Some((key, rest)) = path.split_first() else { return Ok(()) };
    let name = key.get();
    if rest.is_empty() {
        // What stands around the old value stays: comments and blanks.
        match table.get_mut(name).and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => drop(table.insert(name, Item::Value(value))),
        }
        return Ok(());
    }
    if ONE_OF.contains(&name) {
        table.insert(name, Item::Value(InlineTable::new().into()));
    }
    let item = table.entry(name).or_insert_with(|| Item::Table(implicit()));
    if let Some(tables) = item.as_array_of_tables_mut() {
        return match rest {
            [which, rest @ ..] if !rest.is_empty() => {
                put(one_of(tables, name, which.get())?, rest, value)
            }
            _ => Err(Failure::usage(format!("`{name}` is a list of tables: name a key of one"))),
        };
    }
    match item.as_table_like_mut() {
        Some(inner) => put(inner, rest, value),
        None => Err(Failure::usage(format!("`{name}` is a value, so it has no key of its own"))),
    }
}

/// A table that shows in the text only through what is in it.
fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

/// The entry of `[[what]]` that is called `which`, or is at that position.
fn one_of<'t>(tables: &'t mut ArrayOfTables, what: &str, which: &str) -> Result<&'t mut Table> {
    let name_of = |table: &Table| table.get("name").and_then(Item::as_str).map(str::to_owned);
    let names: Vec<String> = tables.iter().filter_map(name_of).collect();
    let at = tables.iter().position(|table| name_of(table).as_deref() == Some(which));
    let at = at.or_else(|| which.parse().ok());
    at.and_then(|at| tables.get_mut(at)).ok_or_else(|| {
        let hint = did_you_mean(which, names.iter().map(String::as_str));
        let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
        Failure::usage(format!("no {what} `{which}`{hint} There are: {}", names.join(", ")))
    })
}
