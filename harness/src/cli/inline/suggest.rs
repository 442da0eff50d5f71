//! What a join without a condition could be meant to be joined by.

use std::path::Path;

use arrow::datatypes::{DataType, SchemaRef};
use streamjoin_datasets::{ReadOptions, type_text};
use streamjoin_kernels::JoinType;
use streamjoin_kernels::spark::comparison_type;

use super::given::{Condition, Input, Inputs};
use crate::error::{Failure, Result};
use crate::plan::Feed;
use crate::text::shell::shell_word;
use streamjoin_sql::quote_identifier;

/// Refuses a join that nothing is said of, with what could be.
///
/// # Errors
/// A usage failure that names the flags; a run failure for a file that cannot
/// be opened.
pub(super) fn conditions(inputs: &Inputs) -> Result<()> {
    let mut before: Vec<&Input> = inputs.streams.iter().collect();
    if let [left, right] = inputs.streams.as_slice()
        && !says_enough(&inputs.join)
    {
        return Err(suggestion(&[left], right));
    }
    for table in &inputs.tables {
        if !says_enough(&table.by) {
            return Err(suggestion(&before, table));
        }
        before.push(table);
    }
    Ok(())
}

fn says_enough(by: &Condition) -> bool {
    let is_cross = by.kind.as_deref().and_then(|kind| kind.parse().ok()) == Some(JoinType::Cross);
    by.has_key() || is_cross
}

fn suggestion(left: &[&Input], right: &Input) -> Failure {
    match common(left, right) {
        Ok(told) => {
            let paths: Vec<String> =
                left.iter().chain([&right]).map(|input| shell_word(&input.path)).collect();
            Failure::usage(format!(
                "{}: neither --using nor --on is given; {told} (`streamjoin init {}` looks for keys among the values)",
                right.label,
                paths.join(" ")
            ))
        }
        Err(failure) => failure,
    }
}

/// What both sides have in common, in words.
fn common(left: &[&Input], right: &Input) -> Result<String> {
    let theirs = columns(right)?;
    let mut sides = Vec::new();
    for input in left {
        sides.push((*input, columns(input)?));
    }
    let pairs = sides.iter().flat_map(|(_, schema)| schema.fields()).filter_map(|mine| {
        let other = theirs.fields().iter().find(|f| f.name().eq_ignore_ascii_case(mine.name()))?;
        Some((mine, other))
    });
    let (mut fit, mut unfit) = (Vec::new(), Vec::new());
    for (mine, other) in pairs {
        let types = (type_text(mine.data_type()), type_text(other.data_type()));
        match comparison_type(mine.data_type(), other.data_type()) {
            Ok(_) => fit.push((mine.name().clone(), types)),
            Err(_) => unfit.push((mine.name().clone(), types)),
        }
    }
    Ok(match (fit.as_slice(), unfit.first()) {
        ([(name, (mine, other))], _) => format!(
            "both sides have a column `{name}` ({mine}, {other}): say --using {}",
            shell_word(name)
        ),
        ([], Some((name, (mine, other)))) => format!(
            "both sides have a column `{name}`, but as {mine} and {other}, which do not compare: say --on with a CAST"
        ),
        ([], None) => {
            let (first, schema) = &sides[0];
            let example = format!(
                "{}.{} = {}.{}",
                quote_identifier(&first.name),
                quote_identifier(schema.field(0).name()),
                quote_identifier(&right.name),
                quote_identifier(theirs.field(0).name())
            );
            let lists: Vec<String> = sides
                .iter()
                .map(|(input, schema)| listed(&input.name, schema))
                .chain([listed(&right.name, &theirs)])
                .collect();
            format!(
                "no column name is common to both sides ({}): say --on with SQL such as \"{example}\"",
                lists.join("; ")
            )
        }
        (several, _) => {
            let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
            format!(
                "both sides have {}: say --using with those that make the key, such as --using {}",
                names.join(", "),
                shell_word(names[0])
            )
        }
    })
}

fn columns(input: &Input) -> Result<SchemaRef> {
    let feed = Feed::open(Path::new(&input.path), &ReadOptions::default());
    feed.map(|feed| feed.schema()).map_err(|failure| failure.at(&input.label))
}

fn listed(name: &str, schema: &SchemaRef) -> String {
    let column = |name: &str, data_type: &DataType| format!("{name} {}", type_text(data_type));
    let columns: Vec<String> =
        schema.fields().iter().map(|field| column(field.name(), field.data_type())).collect();
    format!("{name} has {}", columns.join(", "))
}
