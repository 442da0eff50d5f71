//! How a stream-stream join is carried out; none of it changes the answer.

use crate::arch::Isa;
use crate::hash::KeyHasher;
use crate::state::{BlockOptions, StoreKind};

/// How much state a join may have. It is checked when a batch has stored and
/// evicted its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateLimit {
    /// Rows of both sides together.
    pub rows: Option<u64>,
    /// Bytes of both sides together.
    pub bytes: Option<usize>,
}

/// How a stream-stream join is carried out.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// How the rows of a side are stored.
    pub store: StoreKind,
    /// How a store that keeps blocks cuts them.
    pub blocks: BlockOptions,
    /// Hashes the keys.
    pub hasher: KeyHasher,
    /// Rows of an output batch at most.
    pub max_output_rows: usize,
    /// Bytes of an output batch at most, as far as single rows allow.
    pub max_output_bytes: usize,
    /// The most state that is allowed; none by default.
    pub limit: StateLimit,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            store: StoreKind::default(),
            blocks: BlockOptions::default(),
            hasher: KeyHasher::with_seed(Isa::detect(), 0x5eed),
            max_output_rows: 8192,
            max_output_bytes: 64 << 20,
            limit: StateLimit::default(),
        }
    }
}
