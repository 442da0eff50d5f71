//! The stores by name.

use super::block::{BytesEntry, WideEntry, WordEntry};
use super::checked::Checked;
use super::full_scan::FullScan;
use super::ordered_map::OrderedMap;
use super::plain::PlainStore;
use super::time_blocks::TimeBlocks;
use super::{StateStore, StorePlan};
use crate::error::Result;
use crate::key::KeyShape;
use crate::named::named;

/// How the rows of a side are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreKind {
    /// Blocks of rows in time order and one index of their newest rows: look-ups
    /// stop early, and eviction drops blocks.
    #[default]
    TimeBlocks,
    /// A hash map from key to rows in event-time order, and a queue of rows by
    /// event time: plain, and eviction touches only what expires.
    OrderedMap,
    /// A hash map from key to rows as they came; every eviction scans all rows,
    /// as Spark's does.
    FullScan,
}

impl StoreKind {
    /// Every store.
    pub const ALL: [Self; 3] = [Self::TimeBlocks, Self::OrderedMap, Self::FullScan];

    /// The name, such as `full-scan`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TimeBlocks => "time-blocks",
            Self::OrderedMap => "ordered-map",
            Self::FullScan => "full-scan",
        }
    }

    /// An empty store.
    ///
    /// # Errors
    /// [`JoinError::UnsupportedState`](crate::JoinError::UnsupportedState) for a column type that cannot be kept.
    pub fn build(self, plan: &StorePlan) -> Result<Box<dyn StateStore>> {
        fn checked(
            plan: &StorePlan,
            store: Result<impl StateStore + 'static>,
        ) -> Result<Box<dyn StateStore>> {
            Ok(Box::new(Checked::new(plan, store?)))
        }
        match (self, plan.shape) {
            (Self::TimeBlocks, KeyShape::Word) => checked(plan, TimeBlocks::<WordEntry>::new(plan)),
            (Self::TimeBlocks, KeyShape::Wide) => checked(plan, TimeBlocks::<WideEntry>::new(plan)),
            (Self::TimeBlocks, KeyShape::Bytes) => {
                checked(plan, TimeBlocks::<BytesEntry>::new(plan))
            }
            (Self::OrderedMap, KeyShape::Word) => {
                checked(plan, PlainStore::<u64, OrderedMap>::new(plan))
            }
            (Self::OrderedMap, KeyShape::Wide) => {
                checked(plan, PlainStore::<i128, OrderedMap>::new(plan))
            }
            (Self::OrderedMap, KeyShape::Bytes) => {
                checked(plan, PlainStore::<Box<[u8]>, OrderedMap>::new(plan))
            }
            (Self::FullScan, KeyShape::Word) => {
                checked(plan, PlainStore::<u64, FullScan>::new(plan))
            }
            (Self::FullScan, KeyShape::Wide) => {
                checked(plan, PlainStore::<i128, FullScan>::new(plan))
            }
            (Self::FullScan, KeyShape::Bytes) => {
                checked(plan, PlainStore::<Box<[u8]>, FullScan>::new(plan))
            }
        }
    }
}

named!(StoreKind, "state store");
