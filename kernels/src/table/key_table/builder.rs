//! From keys to a table of them, with everything that can be chosen.

use std::sync::Arc;

use super::KeyTable;
use crate::arch::Isa;
use crate::cancellation::Cancellation;
use crate::error::Result;
use crate::hash::KeyHasher;
use crate::key::{KeyRows, Widened};
use crate::memory::Reserved;
use crate::memory::reservation::MemoryReservation;
use crate::pairs::NO_ROW;
use crate::table::auto::AutoIndex;
use crate::table::build::{BuildInput, check_build_rows};
use crate::table::choice::IndexChoice;

/// Builds a [`KeyTable`].
///
/// ```
/// use streamjoin_kernels::{IndexKind, Isa, KeyHasher};
/// use streamjoin_kernels::table::KeyTable;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let table = KeyTable::builder()
///     .with_index(IndexKind::Linear)
///     .with_hasher(KeyHasher::with_seed(Isa::detect(), 42))
///     .build(&[3, 1, 2])?;
/// assert_eq!(table.index_name(), "linear");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct KeyTableBuilder {
    index: IndexChoice,
    hasher: KeyHasher,
    memory: Option<Arc<dyn MemoryReservation>>,
    cancellation: Cancellation,
}

impl Default for KeyTableBuilder {
    fn default() -> Self {
        Self {
            index: IndexChoice::Auto(AutoIndex::default()),
            hasher: KeyHasher::with_seed(Isa::detect(), 0x5eed),
            memory: None,
            cancellation: Cancellation::default(),
        }
    }
}

impl KeyTableBuilder {
    /// The index; by default the one that [`AutoIndex`] chooses for the keys.
    #[must_use]
    pub fn with_index(self, index: impl Into<IndexChoice>) -> Self {
        Self { index: index.into(), ..self }
    }

    /// What hashes the keys; by default the best instruction set of this machine
    /// and a fixed seed. Where keys may be chosen by an attacker, seed it randomly.
    #[must_use]
    pub fn with_hasher(self, hasher: KeyHasher) -> Self {
        Self { hasher, ..self }
    }

    /// Asked before the table grows, and for the temporary memory of its build; told
    /// when the table is dropped. By default memory is not accounted for.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn MemoryReservation>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Ends builds when it is cancelled.
    #[must_use]
    pub fn with_cancellation(self, cancellation: Cancellation) -> Self {
        Self { cancellation, ..self }
    }

    /// Indexes rows. Those that can match nothing take no room.
    ///
    /// # Errors
    /// [`JoinError::TooManyBuildRows`](crate::JoinError::TooManyBuildRows) for 2^32 - 2
    /// rows and more, [`IsaUnavailable`](crate::JoinError::IsaUnavailable) for a hasher
    /// of another machine, [`Schema`](crate::JoinError::Schema) for a mask of another
    /// length than the keys, [`MemoryRefused`](crate::JoinError::MemoryRefused) by the
    /// caller's account, [`Cancelled`](crate::JoinError::Cancelled),
    /// [`FaultyIndex`](crate::JoinError::FaultyIndex) and errors of its own from an
    /// index of the caller's.
    pub fn build(&self, rows: impl KeyRows) -> Result<KeyTable> {
        self.build_over(&rows)
    }

    fn build_over(&self, rows: &dyn KeyRows) -> Result<KeyTable> {
        rows.check()?;
        check_build_rows(rows.rows() as u64)?;
        self.hasher.isa().require()?;
        self.cancellation.check()?;
        let mut memory = Reserved::new(self.memory.clone());
        let all = 0..rows.rows();
        let kept: Option<Vec<u32>> = rows
            .may_match(all.clone())
            .filter(|rows| rows.count_set_bits() < rows.len())
            .map(|rows| rows.set_indices().map(|row| row as u32).collect());

        let widened = rows.copied_bytes(all.clone());
        memory.grow(widened, "the keys")?;
        let mut room = Widened::default();
        let keys = rows.view(all, &mut room);
        let taken = if kept.is_some() { keys.bytes() } else { 0 };
        memory.grow(taken, "the keys of the rows that can match")?;
        let copied = kept.as_ref().map(|kept| keys.take(kept));
        let keys = copied.as_ref().map_or(keys, Into::into);
        let hash_bytes = keys.len() * size_of::<u64>();
        memory.grow(hash_bytes, "the hashes of the keys")?;
        let mut hashes = Vec::new();
        self.hasher.hash(keys, &mut hashes);

        let builder = self.index.checked();
        let estimate = builder.estimated_bytes(keys);
        memory.grow(estimate, "the index")?;
        let input = BuildInput::new(keys, &hashes, self.hasher.isa())?;
        let input = input.with_cancellation(&self.cancellation);
        input.check_cancelled()?;
        let mut built = builder.build(input)?;
        if let Some(kept) = kept {
            // Numbers of all rows in place of those of the rows that are kept.
            let all = |row: u32| kept.get(row as usize).copied().unwrap_or(NO_ROW);
            match &mut built.order {
                Some(order) => order.iter_mut().for_each(|row| *row = all(*row)),
                None => built.order = Some(kept),
            }
        }
        let mut table = KeyTable { built, hasher: self.hasher.clone(), kind: rows.kind(), memory };
        let held = table.bytes();
        table.memory.settle(estimate, held, "the index")?;
        table.memory.shrink(widened + taken + hash_bytes);
        Ok(table)
    }
}
