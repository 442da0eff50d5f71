//! `[strategies.X]`, resolved.

use std::num::NonZeroUsize;

use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::stream_stream::StateLimit;
use streamjoin_kernels::{IndexKind, Isa, StoreKind};
use toml::Spanned;

use super::context::Context;
use crate::scenario::located::Located;
use crate::scenario::spec::{Choice, StateLimit as Limit, StrategySpec, Swap};

/// Up to this many bytes a table is broadcast unless the strategy says otherwise.
pub const BROADCAST_THRESHOLD: usize = 1 << 30;

/// What a declared strategy asks for.
#[derive(Clone, Debug)]
pub struct StrategyOptions {
    /// As reports name it.
    pub name: String,
    /// Whether a table is shared or partitioned.
    pub layout: Choice<Layout>,
    /// How a table is looked up.
    pub index: Choice<IndexKind>,
    /// Threads that join.
    pub threads: NonZeroUsize,
    /// Instruction set; the best that this machine has where absent.
    pub isa: Option<Located<Isa>>,
    /// Rows of a probe work unit; the kernels' own default where absent.
    pub batch_rows: Option<NonZeroUsize>,
    /// The state store of a join of two streams.
    pub state: Located<StoreKind>,
    /// The most that the state store may hold.
    pub state_limit: Located<StateLimit>,
    /// Bytes of index and retained columns up to which a table is broadcast.
    pub broadcast_threshold: usize,
    /// When a table gets the index that suits it best.
    pub swap: Swap,
}

impl Context<'_> {
    pub(super) fn strategy(self, name: Spanned<String>, spec: StrategySpec) -> StrategyOptions {
        // More than the address space is no threshold and no limit.
        let in_memory = |bytes: u64| usize::try_from(bytes).ok();
        let state_limit = match self.optional(spec.state_limit) {
            Some(limit) => limit.map(|limit| match limit {
                Limit::Rows(rows) => StateLimit::default().with_rows(rows),
                Limit::Bytes(bytes) => StateLimit::default().with_bytes(in_memory(bytes)),
            }),
            None => self.or_default(None),
        };
        StrategyOptions {
            name: name.into_inner(),
            layout: spec.layout.map_or(Choice::Auto, Spanned::into_inner),
            index: spec.index.map_or(Choice::Auto, Spanned::into_inner),
            threads: spec.threads.unwrap_or(NonZeroUsize::MIN),
            isa: self.optional(spec.isa),
            batch_rows: spec.batch_rows,
            state: self.or_default(spec.state),
            state_limit,
            broadcast_threshold: spec
                .broadcast_threshold
                .map_or(BROADCAST_THRESHOLD, |bytes| in_memory(bytes).unwrap_or(usize::MAX)),
            swap: spec.swap.unwrap_or_default(),
        }
    }
}
