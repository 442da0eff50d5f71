//! Which failures of datasets are failures of usage.

use streamjoin_datasets::DatasetError;

use crate::error::Failure;

/// A usage failure for what is refused before the first row, a run failure for the rest.
pub(super) fn failure(error: impl Into<DatasetError>) -> Failure {
    let error = error.into();
    if error.is_refusal() { Failure::usage(error) } else { Failure::run(error) }
}
