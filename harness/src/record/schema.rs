//! JSON Schemas of what programs read: the report and the lines.

use schemars::{Schema, schema_for};

use super::{Line, Report};

/// Schema of what `--report` and `--format json` write. The version in it is
/// [`super::SCHEMA_VERSION`]: within one version fields are only added.
pub fn report_schema() -> Schema {
    schema_for!(Report)
}

/// Schema of one line of `--format jsonl`.
pub fn line_schema() -> Schema {
    schema_for!(Line<'_>)
}
