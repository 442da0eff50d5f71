//! The kernels' errors in the words of a scenario: where they name what a program
//! would call, it names what a scenario says instead.

use streamjoin_kernels::JoinError;

/// How a cast that fails is made to give null.
const FOR_NULL: &str = "use try_cast, or switch ANSI mode off to get null";

/// What a scenario's writer reads of the error.
pub(crate) fn in_words_of_scenario(error: &JoinError) -> String {
    match error {
        JoinError::MalformedValue { value, from, to, row } => format!(
            "the value '{value}' of type {from} (row {row} of the batch) cannot be cast to {to} because it is malformed; correct it, {FOR_NULL}"
        ),
        JoinError::OutOfRange { value, from, to, row } => format!(
            "overflow: the value {value} of type {from} (row {row} of the batch) does not fit {to}; cast to a wider type, {FOR_NULL}"
        ),
        // SQL says itself which of its operations failed.
        JoinError::Predicate { source } => source.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use streamjoin_kernels::spark::{CastMode, cast};

    use super::*;

    #[test]
    fn casts_are_told_without_names_of_the_library() {
        use std::sync::Arc;

        use arrow::array::{ArrayRef, Int64Array, StringArray};
        use arrow::datatypes::DataType;
        let text: ArrayRef = Arc::new(StringArray::from(vec!["1", "x"]));
        let number: ArrayRef = Arc::new(Int64Array::from(vec![300]));
        for (column, wanted) in [
            (
                text,
                "the value 'x' of type Utf8 (row 1 of the batch) cannot be cast to Int8 because it is malformed; correct it, use try_cast, or switch ANSI mode off to get null",
            ),
            (
                number,
                "overflow: the value 300 of type Int64 (row 0 of the batch) does not fit Int8; cast to a wider type, use try_cast, or switch ANSI mode off to get null",
            ),
        ] {
            let error = cast(&column, &DataType::Int8, CastMode::Ansi).unwrap_err();
            assert_eq!(in_words_of_scenario(&error), wanted);
        }
        assert_eq!(
            in_words_of_scenario(&JoinError::predicate("division by zero")),
            "division by zero"
        );
    }
}
