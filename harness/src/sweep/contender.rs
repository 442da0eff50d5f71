//! One contender of a sweep.

use std::fmt;
use std::num::NonZeroUsize;

use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::{IndexKind, Isa};

use super::index::SweepIndex;

/// How a workload is joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// How the table is looked up; of no meaning to a layout without an index.
    pub index: SweepIndex,
    /// How it is spread.
    pub layout: Layout,
    /// The instruction set.
    pub isa: Isa,
    /// Threads that join.
    pub threads: NonZeroUsize,
}

impl Contender {
    /// What others are compared with: one table that is looked up row by row,
    /// by as many threads.
    #[must_use]
    pub fn baseline(self) -> Self {
        Self { index: IndexKind::RowAtATime.into(), layout: Layout::Broadcast, ..self }
    }

    /// Whether an index can be measured by itself; else the operator is.
    pub fn is_one_index(self) -> bool {
        self.layout == Layout::Broadcast
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.layout)?;
        if self.layout.has_index() {
            write!(f, "/{}", self.index)?;
        }
        write!(f, " ({}", self.isa)?;
        if self.threads.get() > 1 {
            write!(f, ", {} threads", self.threads)?;
        }
        f.write_str(")")
    }
}
