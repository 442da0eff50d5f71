//! A scenario from flags: `--stream`, and `--table` and `--on` for each join.

use std::fmt::Write;
use std::path::Path;

use clap::Args;

use crate::error::{Failure, Result};
use crate::scenario::{self, Scenario, SourceText};

/// What stands for the scenario file in messages.
const PLACE: &str = "(arguments)";

/// A join without a scenario file.
#[derive(Clone, Debug, Args)]
pub(super) struct InlineArgs {
    /// Stream to replay, in place of a scenario: a file, folder or glob; NAME qualifies its columns
    #[arg(long, value_name = "[NAME=]PATH", conflicts_with = "scenario", requires = "table")]
    stream: Option<String>,

    /// Table to join the stream with; may be given several times, each with its --on
    #[arg(long, value_name = "[NAME=]PATH", requires = "stream")]
    table: Vec<String>,

    /// Join condition, one a table: SQL such as `s.k = t.k AND s.v > 0`, or `USING (k)`
    #[arg(long, value_name = "SQL", requires = "stream")]
    on: Vec<String>,

    /// Join type, one for all tables or one a table [default: inner]
    #[arg(long, value_name = "TYPE", requires = "stream")]
    join_type: Vec<String>,
}

impl InlineArgs {
    /// The scenario that the flags describe, if they do.
    pub(super) fn scenario(&self) -> Result<Option<Scenario>> {
        let Some(stream) = &self.stream else { return Ok(None) };
        if self.on.len() != self.table.len() {
            return Err(Failure::usage(format!(
                "{} --table and {} --on: give one condition a table, in the same order",
                self.table.len(),
                self.on.len()
            )));
        }
        if self.join_type.len() > 1 && self.join_type.len() != self.table.len() {
            return Err(Failure::usage(format!(
                "{} --table and {} --join-type: give one type for all tables, or one a table",
                self.table.len(),
                self.join_type.len()
            )));
        }
        let (name, path) = named(stream);
        let mut text = format!("[stream.{}]\nrecording = {}\n", quoted(&name), quoted(path));
        for (at, (table, on)) in self.table.iter().zip(&self.on).enumerate() {
            let (name, path) = named(table);
            let _ = write!(
                text,
                "[[dimension]]\nname = {}\ntable = {}\non = {}\n",
                quoted(&name),
                quoted(path),
                quoted(on)
            );
            if let Some(join_type) = self.join_type.get(at).or(self.join_type.first()) {
                let _ = writeln!(text, "type = {}", quoted(join_type));
            }
        }
        scenario::parse(SourceText::new(PLACE, text), "arguments").map(Some)
    }
}

/// Whether a scenario was made from flags.
pub(super) fn is_inline(scenario: &Scenario) -> bool {
    scenario.text.path() == Path::new(PLACE)
}

/// `NAME=PATH`, or a path whose file names it.
fn named(argument: &str) -> (String, &str) {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match argument.split_once('=') {
        Some((name, path)) if is_name(name) => (name.to_owned(), path),
        _ => {
            let stem = Path::new(argument).file_stem().unwrap_or_default().to_string_lossy();
            (stem.into_owned(), argument)
        }
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_argument_or_the_file() {
        assert_eq!(named("o=a/orders.csv"), ("o".to_owned(), "a/orders.csv"));
        assert_eq!(named("a/orders.csv"), ("orders".to_owned(), "a/orders.csv"));
        assert_eq!(named("a/dt=1/x.csv"), ("x".to_owned(), "a/dt=1/x.csv"));
    }

    #[test]
    fn odd_text_is_quoted() {
        let args = InlineArgs {
            stream: Some("s=a \"b\"\n.csv".to_owned()),
            table: vec!["c'd.csv".to_owned()],
            on: vec!["s.k = `c'd`.k AND s.x <> \"\\\"".to_owned()],
            join_type: vec!["left".to_owned()],
        };
        let scenario = args.scenario().unwrap().unwrap();
        let dimension = scenario.spec.dimension[0].get_ref();
        assert_eq!(dimension.name.get_ref(), "c'd");
        assert_eq!(*dimension.on.as_ref().unwrap().get_ref(), args.on[0]);
        assert!(is_inline(&scenario));
    }
}
