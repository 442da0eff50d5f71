//! Whether a refusal, an error or a schema means what was recorded.

use arrow::datatypes::SchemaRef;

use super::case::{Expected, ExpectedError, Phase, Query};
use super::{encoding, value};

/// The recorded schema, where names and types are those of the answer; types
/// are not judged where the input was encoded otherwise.
///
/// # Errors
/// The difference.
pub(super) fn judge_schema(
    found_schema: &SchemaRef,
    expected: &Expected,
    query: &Query,
    encoded: bool,
) -> Result<SchemaRef, String> {
    let (Some(names), Some(types)) = (&expected.output_columns, &expected.output_types) else {
        return Ok(encoding::decoded(found_schema));
    };
    let names: Vec<String> = names.iter().map(|name| query.in_words_of_scenario(name)).collect();
    let found: Vec<&String> = found_schema.fields().iter().map(|field| field.name()).collect();
    if !found.iter().copied().eq(&names) {
        return Err(format!("    output columns {found:?}, but should be {names:?}"));
    }
    let columns: Vec<(String, String)> = names.iter().cloned().zip(types.clone()).collect();
    let wanted = value::schema(&columns).map_err(|error| format!("    {error}"))?;
    for (field, (wanted, type_name)) in
        found_schema.fields().iter().zip(wanted.fields().iter().zip(types))
    {
        if field.data_type() != wanted.data_type() && !encoded {
            return Err(format!(
                "    output column {} is of type {}, but should be {type_name}",
                field.name(),
                field.data_type()
            ));
        }
    }
    Ok(wanted)
}

/// Compares the refusal of a query with the recorded error.
///
/// # Errors
/// The difference.
pub(super) fn judge_refusal(message: &str, expected: Option<&ExpectedError>) -> Result<(), String> {
    match expected {
        None => Err(format!("    refused, but should run: {message}")),
        // A query that can never run may be refused earlier than Spark did, but
        // what fails on a value must fail in the batch that holds it.
        Some(error) if error.phase == Phase::Run && is_data_error(error) => {
            Err(format!("    refused, but should fail in a batch: {message}"))
        }
        Some(error) => same_meaning(message, error).map_err(|error| format!("    {error}")),
    }
}

fn is_data_error(error: &ExpectedError) -> bool {
    error.classes().any(|class| class.starts_with("CAST_") || class.contains("OVERFLOW"))
}

/// Words of which one must be in the message where Spark's class is known.
const MEANINGS: [(&str, &[&str]); 10] = [
    ("AMBIGUOUS_REFERENCE", &["ambiguous"]),
    ("CAST_INVALID_INPUT", &["malformed"]),
    ("CAST_OVERFLOW", &["overflow"]),
    ("ARITHMETIC_OVERFLOW", &["overflow"]),
    ("DATATYPE_MISMATCH", &["compare", "type"]),
    ("UNRESOLVED_USING_COLUMN", &["using", "column"]),
    ("UNRESOLVED_COLUMN", &["column"]),
    ("_LEGACY_ERROR_TEMP_3102", &["refused", "not supported"]),
    ("STREAMING_OUTPUT_MODE", &["output mode"]),
    ("MULTIPLE_EVENT_TIME_COLUMNS", &["more than one event time"]),
];

/// Words of a message that Spark gives no class of its own, and ours for them.
const GISTS: [(&str, &[&str]); 3] = [
    ("without a watermark in the join keys", &["watermark"]),
    ("in Update output mode", &["in update output mode"]),
    ("without equality predicate", &["without equality predicate", "need an equality"]),
];

/// Compares what is meant.
///
/// # Errors
/// The difference.
pub(super) fn same_meaning(message: &str, wanted: &ExpectedError) -> Result<(), String> {
    let lower = message.to_lowercase();
    let has_one = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let other_gist =
        GISTS.iter().any(|(said, ours)| wanted.message.contains(said) && !has_one(ours));
    for (class, words) in MEANINGS {
        let applies = wanted.classes().any(|known| known.starts_with(class));
        if other_gist || applies && !has_one(words) {
            return Err(format!(
                "fails with another meaning: {message}\n    Spark says: {}",
                wanted.message
            ));
        }
    }
    Ok(())
}
