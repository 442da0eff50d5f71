//! `[strategies.X]`: how a join is carried out.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::{IndexKind, Isa, StoreKind};
use toml::Spanned;

/// One strategy as declared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategySpec {
    /// Who holds the table; default auto.
    #[serde(default, deserialize_with = "from_text")]
    pub layout: Option<Spanned<Choice<Layout>>>,
    /// How the table is looked up; default auto.
    #[serde(default, deserialize_with = "from_text")]
    pub index: Option<Spanned<Choice<IndexKind>>>,
    /// Threads that join; default 1.
    pub threads: Option<NonZeroUsize>,
    /// Instruction set; default the best that this machine has.
    #[serde(default, deserialize_with = "from_text")]
    pub isa: Option<Spanned<Isa>>,
    /// Rows of a probe work unit.
    pub batch_rows: Option<NonZeroUsize>,
    /// The state store of a stream-stream join; default time-blocks.
    #[serde(default, deserialize_with = "from_text")]
    pub state: Option<Spanned<StoreKind>>,
    /// The most that the state store may hold; no limit where absent.
    pub state_limit: Option<Spanned<StateLimit>>,
    /// Bytes of index and retained columns up to which a table is broadcast;
    /// default 1 GiB.
    pub broadcast_threshold: Option<u64>,
    /// When a table gets the index that suits it best; default now.
    pub swap: Option<Swap>,
}

/// When a table gets the index that suits it best, if another one is built
/// sooner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Swap {
    /// Never: the index that is built the soonest serves throughout.
    Never,
    /// Before the first batch.
    #[default]
    Now,
    /// While the one that is built the soonest serves, on another thread; with
    /// one thread after the first batch.
    Background,
}

/// The most that a state store may hold, both sides together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateLimit {
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

/// Reads an optional string through [`FromStr`], keeping its place.
pub(super) fn from_text<'de, D, T>(deserializer: D) -> Result<Option<Spanned<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: fmt::Display,
{
    let text = Spanned::<String>::deserialize(deserializer)?;
    let value = text.get_ref().parse().map_err(D::Error::custom)?;
    Ok(Some(Spanned::new(text.span(), value)))
}
