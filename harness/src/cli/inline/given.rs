//! Which flag belongs to which stream or table: by their order.

use crate::error::{Failure, Result};
use crate::scenario::name_of_path;

/// A flag with its value, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// Its name without the dashes.
    pub(super) flag: &'static str,
    pub(super) value: String,
}

/// How something is joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) on: Option<String>,
    pub(super) using: Option<String>,
    pub(super) kind: Option<String>,
}

impl Condition {
    /// Whether rows are paired by something.
    pub(super) fn has_key(&self) -> bool {
        self.on.is_some() || self.using.is_some()
    }
}

/// A stream or a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) path: String,
    /// Its flag, for messages.
    pub(super) label: String,
    /// How a table is joined.
    pub(super) by: Condition,
    pub(super) event_time: Option<String>,
    pub(super) watermark: Option<String>,
}

/// Everything that was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    /// One or two.
    pub(super) streams: Vec<Input>,
    /// How two streams are joined.
    pub(super) join: Condition,
    pub(super) tables: Vec<Input>,
    pub(super) trigger: Option<String>,
    pub(super) select: Vec<String>,
    pub(super) filter: Option<String>,
}

impl Inputs {
    /// A flag for messages, with whose it is if there may be several.
    pub(super) fn label(&self, flag: &str, of: &str) -> String {
        match self.streams.len() + self.tables.len() {
            0..=2 => flag.to_owned(),
            _ => format!("{flag} of {of}"),
        }
    }
}

/// What a flag stands after.
#[derive(Clone, Copy)]
enum After {
    Nothing,
    Stream(usize),
    Table(usize),
}

/// Gives each flag to what it belongs to.
///
/// # Errors
/// A usage failure that names the flag: one too many, or nothing that it could
/// belong to.
pub(super) fn inputs(given: &[Given]) -> Result<Inputs> {
    let mut inputs = Inputs::default();
    // Names come first: a stream may be named before it is given.
    for Given { flag, value } in given {
        match *flag {
            "stream" => inputs.streams.push(input(flag, value)),
            "table" => inputs.tables.push(input(flag, value)),
            _ => {}
        }
    }
    if inputs.streams.is_empty() {
        return Err(Failure::usage(format!(
            "--{} without --stream: flags make a scenario of their own, whose stream is --stream PATH; to change what a scenario file says use --set KEY=VALUE",
            given[0].flag
        )));
    }
    if let Some(third) = inputs.streams.get(2) {
        return Err(Failure::usage(format!(
            "{}: at most two streams can be joined; give the others as --table",
            third.label
        )));
    }
    if let ([only], []) = (inputs.streams.as_slice(), inputs.tables.as_slice()) {
        return Err(Failure::usage(format!(
            "{} has nothing to join with: add --table PATH with --using COLUMN or --on SQL, or a second --stream",
            only.label
        )));
    }
    let mut shared = Condition::default();
    let mut after = After::Nothing;
    let (mut streams, mut tables) = (0, 0);
    for Given { flag, value } in given {
        let flag = *flag;
        match flag {
            "stream" => {
                after = After::Stream(streams);
                streams += 1;
            }
            "table" => {
                after = After::Table(tables);
                tables += 1;
            }
            "on" | "using" | "type" => {
                let (by, of) = match after {
                    After::Table(at) => {
                        let table = &mut inputs.tables[at];
                        (&mut table.by, table.label.clone())
                    }
                    _ => (&mut shared, "what stands before the first --table".to_owned()),
                };
                let place = match flag {
                    "on" => &mut by.on,
                    "using" => &mut by.using,
                    _ => &mut by.kind,
                };
                put(place, flag, value, &of)?;
            }
            "event-time" | "watermark" => of_stream(&mut inputs, after, flag, value)?,
            "trigger" => put(&mut inputs.trigger, flag, value, "one replay")?,
            "where" => put(&mut inputs.filter, flag, value, "one output; say AND")?,
            _ => inputs.select.push(value.clone()),
        }
    }
    share(&mut inputs, shared)?;
    let conditions = inputs.tables.iter().map(|table| (&table.by, table.label.as_str()));
    for (by, of) in conditions.chain([(&inputs.join, "two streams")]) {
        if by.on.is_some() && by.using.is_some() {
            return Err(Failure::usage(format!("{of}: --on and --using are both given: keep one")));
        }
    }
    Ok(inputs)
}

/// What stands before the first table is the join's of two streams, else every
/// table's that has none of its own.
fn share(inputs: &mut Inputs, shared: Condition) -> Result<()> {
    if inputs.streams.len() == 2 {
        inputs.join = shared;
        return Ok(());
    }
    if shared.on.is_some() && inputs.tables.len() > 1 {
        return Err(Failure::usage(
            "--on stands before several --table: put each --on after the --table that it is about",
        ));
    }
    for table in &mut inputs.tables {
        if !table.by.has_key() {
            table.by.on.clone_from(&shared.on);
            table.by.using.clone_from(&shared.using);
        }
        if table.by.kind.is_none() {
            table.by.kind.clone_from(&shared.kind);
        }
    }
    Ok(())
}

/// Gives `--event-time` or `--watermark` to the stream that it names, or that
/// it stands after.
fn of_stream(inputs: &mut Inputs, after: After, flag: &'static str, value: &str) -> Result<()> {
    let named = value.split_once('=').and_then(|(name, rest)| {
        let is_it = |stream: &Input| stream.name.eq_ignore_ascii_case(name);
        Some((inputs.streams.iter().position(is_it)?, rest))
    });
    let (streams, value) = match (named, after) {
        (Some((at, rest)), _) => (at..at + 1, rest),
        (None, After::Stream(at)) => (at..at + 1, value),
        (None, _) if inputs.streams.len() == 1 => (0..1, value),
        (None, After::Nothing) => (0..inputs.streams.len(), value),
        (None, After::Table(_)) => {
            let names: Vec<&str> = inputs.streams.iter().map(|s| s.name.as_str()).collect();
            return Err(Failure::usage(format!(
                "--{flag} {value}: for which stream? Say --{flag} {}={value} or --{flag} {}={value}",
                names[0], names[1]
            )));
        }
    };
    for stream in &mut inputs.streams[streams] {
        let label = stream.label.clone();
        let place =
            if flag == "watermark" { &mut stream.watermark } else { &mut stream.event_time };
        put(place, flag, value, &label)?;
    }
    Ok(())
}

fn put(place: &mut Option<String>, flag: &str, value: &str, of: &str) -> Result<()> {
    match place.replace(value.to_owned()) {
        None => Ok(()),
        Some(before) => Err(Failure::usage(format!(
            "--{flag} is given twice for {of}: `{before}` and `{value}`; it belongs after its own --stream or --table"
        ))),
    }
}

/// `NAME=PATH`, or a path whose file names it.
fn input(flag: &str, argument: &str) -> Input {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let (name, path) = match argument.split_once('=') {
        Some((name, path)) if is_name(name) => (name.to_owned(), path),
        _ => (name_of_path(argument), argument),
    };
    let shown: String = path.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // A comment's end in messages is found by its last number sign.
    let label = format!("--{flag} {}", shown.replace(" # ", " "));
    Input { name, path: path.to_owned(), label, ..Input::default() }
}
