//! `[join]`: two streams, joined within a time interval.

use serde::Deserialize;
use streamjoin_kernels::time::WatermarkPolicy;
use streamjoin_kernels::{JoinType, OutputMode};
use toml::Spanned;

use super::strategy::from_text;
use crate::text::duration::Micros;

/// The join of two streams.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinSpec {
    /// The stream on the left.
    pub left: Spanned<String>,
    /// The stream on the right.
    pub right: Spanned<String>,
    /// The join type, in any of Spark's spellings; default inner.
    #[serde(default, deserialize_with = "from_text")]
    pub r#type: Option<Spanned<JoinType>>,
    /// The condition, as SQL.
    pub on: Option<Spanned<String>>,
    /// Key columns of equal name on both sides, in place of `on`.
    pub using: Option<Spanned<Vec<String>>>,
    /// Which of the sides' watermarks is in force; default min.
    #[serde(default, deserialize_with = "from_text")]
    pub watermark_policy: Option<Spanned<WatermarkPolicy>>,
    /// Whether a moved watermark runs a batch without input; default true.
    pub no_data_batches: Option<bool>,
    /// When rows come out; default append.
    #[serde(default, deserialize_with = "from_text")]
    pub output_mode: Option<Spanned<OutputMode>>,
    /// Rows match only within one tumbling window of this length.
    pub window: Option<Spanned<Micros>>,
    /// ANSI mode, as at the top of the scenario.
    pub ansi: Option<Spanned<bool>>,
}
