//! `[output]`: what becomes of the joined rows.

use serde::Deserialize;
use toml::Spanned;

use super::strategy::from_text;
use crate::sink::SinkFormat;

/// Which rows and columns are given out, and where to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// The file to write, relative to the scenario file; `-` is standard output.
    pub path: Option<Spanned<String>>,
    /// The form to write; default by the path's extension, none without a path.
    #[serde(default, deserialize_with = "from_text")]
    pub format: Option<Spanned<SinkFormat>>,
    /// Columns to give out, as SQL over the join's output; all where absent.
    pub select: Option<Spanned<Vec<Spanned<String>>>>,
    /// Rows to give out, as SQL over the join's output.
    pub r#where: Option<Spanned<String>>,
}
