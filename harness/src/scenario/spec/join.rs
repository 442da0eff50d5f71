//! `[join]`: two streams, joined within a time interval.

use serde::Deserialize;
use streamjoin_kernels::time::WatermarkPolicy;
use streamjoin_kernels::{JoinType, OutputMode};
use toml::Spanned;

use super::from_text::from_text;
use crate::text::duration::Micros;

/// The join of two streams.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct JoinSpec {
    /// The stream on the left.
    pub(in crate::scenario) left: Spanned<String>,
    /// The stream on the right.
    pub(in crate::scenario) right: Spanned<String>,
    /// The join type, in any of Spark's spellings; default inner.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) r#type: Option<Spanned<JoinType>>,
    /// The condition, as SQL.
    pub(in crate::scenario) on: Option<Spanned<String>>,
    /// Key columns of equal name on both sides, in place of `on`.
    pub(in crate::scenario) using: Option<Spanned<Vec<String>>>,
    /// Which of the sides' watermarks is in force; default min.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) watermark_policy: Option<Spanned<WatermarkPolicy>>,
    /// Whether a moved watermark runs a batch without input; default true.
    pub(in crate::scenario) no_data_batches: Option<bool>,
    /// When rows are emitted; default append.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) output_mode: Option<Spanned<OutputMode>>,
    /// Rows match only within one tumbling window of this length.
    pub(in crate::scenario) window: Option<Spanned<Micros>>,
    /// ANSI mode, as at the top of the scenario.
    pub(in crate::scenario) ansi: Option<Spanned<bool>>,
}
