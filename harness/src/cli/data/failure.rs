//! Which failures of datasets are failures of usage.

use streamjoin_datasets::DatasetError;

use crate::error::Failure;

/// A usage failure for what arguments alone show, a run failure for the rest.
pub(super) fn failure(error: impl Into<DatasetError>) -> Failure {
    let error = error.into();
    match error {
        DatasetError::UnknownFormat { .. }
        | DatasetError::UnknownFormatName { .. }
        | DatasetError::UnknownColumn { .. }
        | DatasetError::UnknownType { .. }
        | DatasetError::CannotHold { .. }
        | DatasetError::Collision { .. }
        | DatasetError::Exists { .. }
        | DatasetError::Glob { .. }
        | DatasetError::Generator { .. } => Failure::usage(error),
        _ => Failure::run(error),
    }
}
