//! `[strategies.X]`: how a join is run.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::Deserialize;
use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::{IndexKind, Isa, StoreKind};
use toml::Spanned;

use super::from_text::from_text;

/// One strategy as declared.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct StrategySpec {
    /// Whether a table is shared or partitioned; default auto.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) layout: Option<Spanned<Choice<Layout>>>,
    /// How a table is looked up; default auto.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) index: Option<Spanned<Choice<IndexKind>>>,
    /// Threads that join; default 1.
    pub(in crate::scenario) threads: Option<NonZeroUsize>,
    /// Instruction set; default the best that this machine has.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) isa: Option<Spanned<Isa>>,
    /// Rows of a probe work unit.
    pub(in crate::scenario) batch_rows: Option<NonZeroUsize>,
    /// The state store of a stream-stream join; default time-blocks.
    #[serde(default, deserialize_with = "from_text")]
    pub(in crate::scenario) state: Option<Spanned<StoreKind>>,
    /// The most that the state store may hold; no limit where absent.
    pub(in crate::scenario) state_limit: Option<Spanned<StateLimit>>,
    /// Bytes of index and retained columns up to which a table is broadcast;
    /// default 1 GiB.
    pub(in crate::scenario) broadcast_threshold: Option<u64>,
    /// When a table gets the index that suits it best; default now.
    pub(in crate::scenario) swap: Option<Swap>,
}

/// When a table gets the index that suits it best, if another one is built
/// faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Swap {
    /// Never: the index that is built fastest serves throughout.
    Never,
    /// Before the first batch.
    #[default]
    Now,
    /// On another thread, while the one that is built fastest serves; with one
    /// thread after the first batch.
    Background,
}

/// The most that a state store may hold, both sides together.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum StateLimit {
    /// Rows.
    Rows(u64),
    /// Bytes, index and slack included.
    Bytes(u64),
}

/// A named choice, or leave to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// The planner chooses, and says why.
    Auto,
    /// This one.
    Fixed(T),
}

impl<T: FromStr> FromStr for Choice<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        if text == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Fixed) }
    }
}

impl<T: fmt::Display> fmt::Display for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fixed(value) => value.fmt(f),
        }
    }
}
