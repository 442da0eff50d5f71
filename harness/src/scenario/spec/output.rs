//! `[output]`: what becomes of the joined rows.

use serde::Deserialize;
use toml::Spanned;

use super::from_text::from_text;
use crate::scenario::sink_format::SinkFormat;

/// Which rows and columns are emitted, and where to.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct OutputSpec {
    /// The file to write, relative to the scenario file; `-` is standard output.
    pub(in crate::scenario) path: Option<Spanned<String>>,
    /// The form to write; default by the path's extension, none without a path.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) format: Option<Spanned<SinkFormat>>,
    /// Columns to emit, as SQL over the join's output; all where absent.
    pub(in crate::scenario) select: Option<Spanned<Vec<Spanned<String>>>>,
    /// Rows to emit, as SQL over the join's output.
    pub(in crate::scenario) r#where: Option<Spanned<String>>,
}
