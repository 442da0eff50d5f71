//! A scenario from flags: `--stream` and `--table`, and after each what it is
//! joined by.

mod given;
mod suggest;

use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use toml_writer::{ToTomlKey, TomlKeyBuilder};

use crate::error::Result;
use crate::scenario::{self, Scenario, SourceText};
use crate::text::commas::parts;
use crate::text::toml_string::quoted;
use given::{Condition, Given, Input, Inputs};

/// The flags, with what `--help` says of them.
const FLAGS: [(&str, &str, &str); 10] = [
    (
        "stream",
        "[NAME=]PATH",
        "Stream to replay, in place of a scenario: a file, folder or glob; NAME qualifies its columns. Two of them are joined within the bounds that --on sets to their event times",
    ),
    (
        "table",
        "[NAME=]PATH",
        "Table to join the stream with; may be given several times, each followed by its --using or --on and its --type",
    ),
    (
        "using",
        "COLUMNS",
        "Key columns that both sides have, separated by commas, for the --table before it; before the first --table: for two streams, or for every table that has none of its own",
    ),
    ("on", "SQL", "Join condition in place of --using: SQL such as `s.k = t.id AND s.v > 0`"),
    (
        "type",
        "TYPE",
        "Join type of the --table before it, such as left, semi or `left anti`; before the first --table: for two streams, or for every table that has none of its own [default: inner]",
    ),
    (
        "event-time",
        "[NAME=]COLUMN",
        "Column that says when a row happened, of the --stream before it or of stream NAME; COLUMN:UNIT for integers (s, ms, us, ns), COLUMN:FORMAT for text (%Y-%m-%d ...)",
    ),
    (
        "watermark",
        "[NAME=]DELAY",
        "How late a row may come, such as `10 minutes`, of the --stream before it or of stream NAME; before the first --stream: of each",
    ),
    (
        "trigger",
        "TRIGGER",
        "Where a batch ends: rows=65536, `event-time=10 s`, column=NAME, file or once [default: rows=65536]",
    ),
    (
        "select",
        "SQL",
        "Columns to output, separated by commas, such as `s.*, upper(t.name) AS name`; may be given several times [default: all]",
    ),
    ("where", "SQL", "Rows to output, as a condition over the joined columns [default: all]"),
];

/// A join without a scenario file: the flags in the order of the command line.
#[derive(Clone, Debug, Default)]
pub(super) struct InlineArgs {
    given: Vec<Given>,
}

impl Args for InlineArgs {
    fn augment_args(command: Command) -> Command {
        let arg = |(name, value, help): (&'static str, &'static str, &'static str)| {
            let arg = Arg::new(name).long(name).value_name(value).help(help);
            let arg = arg.action(ArgAction::Append).help_heading("Without a scenario file");
            match name {
                "stream" => arg.value_hint(ValueHint::AnyPath).conflicts_with("scenario"),
                "table" => arg.value_hint(ValueHint::AnyPath).requires("stream"),
                _ => arg.requires("stream"),
            }
        };
        command.args(FLAGS.map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for InlineArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let mut given: Vec<(usize, Given)> = Vec::new();
        for (flag, ..) in FLAGS {
            let values = matches.get_many::<String>(flag).into_iter().flatten();
            let places = matches.indices_of(flag).into_iter().flatten();
            given.extend(
                places.zip(values).map(|(at, value)| (at, Given { flag, value: value.clone() })),
            );
        }
        given.sort_by_key(|(at, _)| *at);
        Ok(Self { given: given.into_iter().map(|(_, given)| given).collect() })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl InlineArgs {
    /// The scenario that the flags describe, if they do.
    pub(super) fn scenario(&self) -> Result<Option<Scenario>> {
        if self.given.is_empty() {
            return Ok(None);
        }
        let inputs = given::inputs(&self.given)?;
        suggest::conditions(&inputs)?;
        scenario::parse(SourceText::of_flags(text(&inputs)), "arguments").map(Some)
    }
}

/// The TOML text. Each line ends in the flag that it comes from, for messages.
fn text(inputs: &Inputs) -> String {
    let names = |inputs: &[Input]| {
        inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>().join(" and ")
    };
    let title = match inputs.tables.is_empty() {
        true => names(&inputs.streams),
        false => format!("{} with {}", names(&inputs.streams), names(&inputs.tables)),
    };
    let mut text = format!("description = {}\n", quoted(&title));
    for stream in &inputs.streams {
        let Input { name, path, label, .. } = stream;
        line(&mut text, &format!("[stream.{}]", quoted(name)), label);
        line(&mut text, &format!("recording = {}", quoted(path)), label);
        if let Some(time) = &stream.event_time {
            let flag = inputs.label("--event-time", name);
            line(&mut text, &format!("event_time = {}", event_time(time)), &flag);
        }
        if let Some(delay) = &stream.watermark {
            let flag = inputs.label("--watermark", name);
            line(&mut text, &format!("watermark = {}", quoted(delay)), &flag);
        }
    }
    if let [left, right] = inputs.streams.as_slice() {
        line(&mut text, "[join]", &right.label);
        line(&mut text, &format!("left = {}", quoted(&left.name)), &left.label);
        line(&mut text, &format!("right = {}", quoted(&right.name)), &right.label);
        joined_by(&mut text, inputs, &inputs.join, "two streams");
    }
    for table in &inputs.tables {
        line(&mut text, "[[dimension]]", &table.label);
        line(&mut text, &format!("name = {}", quoted(&table.name)), &table.label);
        line(&mut text, &format!("table = {}", quoted(&table.path)), &table.label);
        joined_by(&mut text, inputs, &table.by, &table.name);
    }
    if let Some(trigger) = &inputs.trigger {
        line(&mut text, "[replay]", "--trigger");
        line(&mut text, &format!("trigger = {}", self::trigger(trigger)), "--trigger");
    }
    if !inputs.select.is_empty() || inputs.filter.is_some() {
        line(&mut text, "[output]", "--select");
    }
    if !inputs.select.is_empty() {
        let items: Vec<String> =
            inputs.select.iter().flat_map(|list| parts(list)).map(quoted).collect();
        line(&mut text, &format!("select = [{}]", items.join(", ")), "--select");
    }
    if let Some(filter) = &inputs.filter {
        line(&mut text, &format!("where = {}", quoted(filter)), "--where");
    }
    text
}

fn joined_by(text: &mut String, inputs: &Inputs, by: &Condition, of: &str) {
    if let Some(kind) = &by.kind {
        line(text, &format!("type = {}", quoted(kind)), &inputs.label("--type", of));
    }
    if let Some(on) = &by.on {
        line(text, &format!("on = {}", quoted(on)), &inputs.label("--on", of));
    }
    if let Some(using) = &by.using {
        let names: Vec<String> = parts(using).into_iter().map(quoted).collect();
        let list = format!("using = [{}]", names.join(", "));
        line(text, &list, &inputs.label("--using", of));
    }
}

fn line(text: &mut String, content: &str, flag: &str) {
    let _ = writeln!(text, "{content} # {flag}");
}

/// `COLUMN`, `COLUMN:UNIT` or `COLUMN:FORMAT`.
fn event_time(text: &str) -> String {
    let unit = text.rsplit_once(':').filter(|(_, unit)| matches!(*unit, "s" | "ms" | "us" | "ns"));
    if let Some((column, unit)) = unit {
        return format!("{{ column = {}, unit = {} }}", quoted(column), quoted(unit));
    }
    match text.find(":%") {
        Some(at) => {
            format!("{{ column = {}, format = {} }}", quoted(&text[..at]), quoted(&text[at + 1..]))
        }
        None => quoted(text),
    }
}

/// `rows=1000`, `event-time=10 s`, `file`: a key in kebab-case with its value,
/// or a word.
fn trigger(text: &str) -> String {
    let Some((key, value)) = text.split_once('=') else { return quoted(text) };
    let key = key.trim().replace('-', "_");
    let (key, value) = (TomlKeyBuilder::new(&key).as_default().to_toml_key(), value.trim());
    match value.replace('_', "").parse::<u64>() {
        Ok(number) => format!("{{ {key} = {number} }}"),
        Err(_) => format!("{{ {key} = {} }}", quoted(value)),
    }
}

#[cfg(test)]
mod tests;
