//! An index to begin with, until a better one is built.

use std::sync::atomic::{AtomicBool, Ordering};

use super::candidate::Candidate;
use super::expected::KeysAtHand;
use super::index::AutoIndex;
use super::model::DISTINCT_BELOW;
use crate::error::Result;
use crate::key::KeyView;
use crate::table::build::{BuildInput, BuiltIndex, IndexBuilder};
use crate::table::choice::IndexChoice;
use crate::table::kind::IndexKind;

/// Builds the index that is built the soonest, and tells whether that was the
/// index that the table is to have in the end.
#[derive(Debug)]
pub(crate) struct QuickestFirst {
    quickest: AutoIndex,
    last: IndexChoice,
    /// Whether something else than `last` was built.
    differs: AtomicBool,
}

impl QuickestFirst {
    /// What is built before `last`.
    pub(crate) fn before(last: IndexChoice) -> Self {
        // Without a probe the costs are those of building.
        let model = match &last {
            IndexChoice::Auto(auto) => auto.model.clone(),
            IndexChoice::Kind(_) | IndexChoice::Own(_) => AutoIndex::default().model,
        };
        let quickest = AutoIndex { model, probe_rows: Some(0.0), ..AutoIndex::default() };
        Self { quickest, last, differs: AtomicBool::new(false) }
    }

    /// Whether all that was built is what the table is to have in the end.
    pub(crate) fn is_last(&self) -> bool {
        !self.differs.load(Ordering::Relaxed)
    }

    /// The index that `last` builds for these keys; none where that is not known.
    fn resolve(&self, keys: KeysAtHand) -> Option<Candidate> {
        let index = match &self.last {
            IndexChoice::Auto(auto) => {
                let ranked = auto.model.rank(keys, auto.expected(keys.rows));
                return ranked.first().map(|best| best.candidate);
            }
            IndexChoice::Kind(IndexKind::Direct) if !keys.dense => IndexKind::Direct.stand_in(),
            IndexChoice::Kind(IndexKind::Perfect) if keys.rows_per_key >= DISTINCT_BELOW => {
                IndexKind::Perfect.stand_in()
            }
            IndexChoice::Kind(kind) => *kind,
            IndexChoice::Own(_) => return None,
        };
        Some(Candidate { index, filtered: false })
    }
}

impl IndexBuilder for QuickestFirst {
    fn name(&self) -> &'static str {
        "quickest"
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        let last = self.last.builder().estimated_bytes(keys);
        last.max(self.quickest.estimated_bytes(keys))
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        let keys = KeysAtHand::look(input);
        let ranked = self.quickest.model.rank(keys, self.quickest.expected(keys.rows));
        let quickest = ranked[0].candidate;
        if self.resolve(keys) == Some(quickest) {
            return self.last.builder().build(input);
        }
        self.differs.store(true, Ordering::Relaxed);
        quickest.builder().build(input)
    }
}
