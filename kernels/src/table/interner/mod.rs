//! Dense numbers for distinct keys, as they come.

mod growing;
mod rows;
mod slots;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::growing::{Growing, Interned};
use self::rows::Rows;
use self::store::{ByteStrings, FixedKeys, InternedKeys};
use super::key_blocks::KeyBlock;
use crate::arch::Isa;
use crate::error::{JoinError, Result};
use crate::hash::KeyHasher;
use crate::key::{Comparison, KeyKind, KeyRows, KeyShape, Keys, OwnedKey};
use crate::memory::Reserved;
use crate::memory::reservation::MemoryReservation;
use crate::pairs::NO_ROW;

/// Byte strings that are looked up where they lie, together: few enough that where they
/// are, hashes and short texts stay in the first-level cache. Other numbers were not
/// measured.
const APART_ROWS: usize = 1024;

/// Numbers keys: each gets an id, 0, 1, 2 and so on in the order in which keys occur for
/// the first time, and equal keys get the same one. Group ids, dictionary codes.
///
/// It takes whatever a [`KeyTable`](super::KeyTable) takes, batch by batch, all of one
/// kind. Rows that a mask leaves out (nulls of columns that are not null-safe) get
/// [`NO_ROW`] and no id. To make null a group of its own, encode the columns with
/// [`NullSafe`](crate::NullEquality::NullSafe), or let [`len`](Self::len) stand for it in
/// the end.
///
/// A batch that is refused leaves no trace: neither ids nor keys are added, and the next
/// one is numbered as if it had not been there. So it is after a panic of the caller's
/// code within it.
///
/// ```
/// use streamjoin_kernels::NO_ROW;
/// use streamjoin_kernels::table::KeyInterner;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let mut groups = KeyInterner::new();
/// let mut ids = Vec::new();
/// groups.intern(&["Ulm", "Bonn", "Ulm"], &mut ids)?;
/// groups.intern((&["Jena", "", "Bonn"], &[true, false, true]), &mut ids)?;
/// assert_eq!(ids, [0, 1, 0, 2, NO_ROW, 1]);
/// assert_eq!(groups.len(), 3);
/// assert_eq!(groups.values::<String>()?, ["Ulm", "Bonn", "Jena"]);
///
/// // The sum of each group.
/// let mut sums = vec![0.0; groups.len()];
/// for (&id, amount) in ids.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) {
///     if id != NO_ROW {
///         sums[id as usize] += amount;
///     }
/// }
/// assert_eq!(sums, [4.0, 8.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KeyInterner {
    hasher: KeyHasher,
    memory: Reserved,
    /// None before the first batch.
    keys: Option<(KeyKind, Box<dyn Interned>)>,
    /// Keys that there shall be room for from the beginning.
    room: usize,
    /// The most keys.
    limit: u32,
    block: KeyBlock,
    hashes: Vec<u64>,
}

impl Default for KeyInterner {
    fn default() -> Self {
        Self::new()
    }
}

impl KeyInterner {
    /// The most keys: ids are below [`NO_ROW`].
    pub const MOST_KEYS: u32 = u32::MAX - 2;

    /// With the best instruction set of this machine and a random seed, which nobody can
    /// choose keys against and the ids do not depend on.
    #[must_use]
    pub fn new() -> Self {
        Self {
            hasher: KeyHasher::random(Isa::detect()),
            memory: Reserved::new(None),
            keys: None,
            room: 0,
            limit: Self::MOST_KEYS,
            block: KeyBlock::default(),
            hashes: Vec::new(),
        }
    }

    /// What hashes the keys. Ids do not depend on it.
    ///
    /// # Errors
    /// [`JoinError::IsaUnavailable`] for a hasher of another machine,
    /// [`JoinError::InvalidPlan`] if there are keys already.
    pub fn with_hasher(self, hasher: KeyHasher) -> Result<Self> {
        hasher.isa().require()?;
        self.still_empty("the hasher")?;
        Ok(Self { hasher, ..self })
    }

    /// Asked before memory grows, and told when it shrinks.
    ///
    /// # Errors
    /// [`JoinError::InvalidPlan`] if there are keys already.
    pub fn with_memory(self, memory: Arc<dyn MemoryReservation>) -> Result<Self> {
        self.still_empty("the account of memory")?;
        Ok(Self { memory: Reserved::new(Some(memory)), keys: None, ..self })
    }

    /// With room for `keys` keys when the first batch comes, which saves growing. It
    /// does not limit their number.
    #[must_use]
    pub fn with_room(self, keys: usize) -> Self {
        Self { room: keys, ..self }
    }

    fn still_empty(&self, what: &str) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        Err(JoinError::InvalidPlan(format!("{what} of an interner is set before the first batch")))
    }

    /// Appends one id per row to `ids`, which is not cleared: the ids of several batches
    /// make one list. The first batch decides of which kind keys are.
    ///
    /// # Errors
    /// [`JoinError::Schema`] for keys of another kind than those before (numbers must
    /// have the same sign: all signed or all unsigned) and for a mask of another length
    /// than the keys; [`JoinError::TooManyKeys`] for more than [`Self::MOST_KEYS`];
    /// [`JoinError::MemoryRefused`] by the caller's account. Then nothing has changed.
    pub fn intern(&mut self, rows: impl KeyRows, ids: &mut Vec<u32>) -> Result<()> {
        let mut batch =
            Batch { ids_before: ids.len(), keys_before: self.len(), interner: self, ids };
        batch.add(&rows)?;
        batch.keep();
        Ok(())
    }

    /// Number of distinct keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.as_ref().map_or(0, |(_, keys)| keys.len())
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distinct keys, in the order of their ids, as values of the type that they had
    /// or of a similar one: `u64` for `u32`, `String` for `&str`.
    ///
    /// # Errors
    /// [`JoinError::Schema`] for a type that they cannot be compared with, and for one
    /// that does not hold all of them.
    pub fn values<T: OwnedKey>(&self) -> Result<Vec<T>> {
        let Some((kind, keys)) = self.keys.as_ref().filter(|_| !self.is_empty()) else {
            return Ok(Vec::new());
        };
        let wrong =
            || JoinError::Schema(format!("keys of type `{kind}` are not all `{}`", T::kind()));
        if kind.comparison(T::kind()) != Some(Comparison::Bits) {
            return Err(wrong());
        }
        let keys = keys.keys();
        (0..keys.len()).map(|row| T::restore((&keys).into(), row).ok_or_else(wrong)).collect()
    }

    /// The distinct keys, in the order of their ids, as they are held; `None` before the
    /// first one.
    #[must_use]
    pub fn keys(&self) -> Option<Keys> {
        self.keys.as_ref().filter(|_| !self.is_empty()).map(|(_, keys)| keys.keys())
    }

    /// Bytes held for the keys.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.as_ref().map_or(0, |(_, keys)| keys.bytes())
    }

    /// Keys of this kind, of which there are none yet.
    fn begin(&mut self, kind: KeyKind) -> Result<()> {
        self.memory.shrink(self.bytes());
        self.keys = None;
        let keys = match kind.shape() {
            KeyShape::Word => self.growing::<FixedKeys<u64>>(),
            KeyShape::Wide => self.growing::<FixedKeys<i128>>(),
            KeyShape::Bytes => self.growing::<ByteStrings>(),
        }?;
        self.keys = Some((kind, keys));
        Ok(())
    }

    fn growing<K: InternedKeys>(&mut self) -> Result<Box<dyn Interned>> {
        let estimate = Growing::<K>::bytes_for(self.room, self.limit);
        self.memory.grow(estimate, "the distinct keys")?;
        let keys = Growing::<K>::new(self.room, self.limit);
        self.memory.settle(estimate, keys.bytes(), "the distinct keys")?;
        Ok(Box::new(keys))
    }
}

/// A batch that is taken back unless it is kept.
struct Batch<'a> {
    interner: &'a mut KeyInterner,
    ids: &'a mut Vec<u32>,
    ids_before: usize,
    keys_before: usize,
}

impl Batch<'_> {
    fn add(&mut self, rows: &dyn KeyRows) -> Result<()> {
        rows.check()?;
        let kind = rows.kind();
        match &self.interner.keys {
            Some((known, keys)) if keys.len() > 0 => {
                if known.comparison(kind) != Some(Comparison::Bits) {
                    return Err(JoinError::Schema(format!(
                        "the keys so far are `{known}`, those of this batch are `{kind}`: convert \
                         them"
                    )));
                }
            }
            _ => self.interner.begin(kind)?,
        }
        let KeyInterner { hasher, memory, keys, limit, block, hashes, .. } = &mut *self.interner;
        let (_, keys) = keys.as_mut().expect("just begun");
        let mut intern = |rows: Rows<'_>| -> Result<()> {
            let first = self.ids.len();
            self.ids.resize(first + rows.hashes().len(), NO_ROW);
            let (ids, mut next) = (&mut self.ids[first..], 0);
            while let Some(row) = keys.intern(rows, next, ids) {
                if keys.len() >= *limit as usize {
                    return Err(JoinError::TooManyKeys { limit: u64::from(*limit) });
                }
                let (held, more) = (keys.bytes(), keys.grown_bytes(rows, row));
                memory.grow(more, "the distinct keys")?;
                keys.grow(rows, row);
                memory.settle(held + more, keys.bytes(), "the distinct keys")?;
                next = row;
            }
            Ok(())
        };
        let (mut from, mut apart) = (0, Vec::new());
        while from < rows.rows() {
            let part = from..rows.rows().min(from + APART_ROWS);
            if rows.slices(part.clone(), &mut apart) {
                hasher.hash_slices(&apart, hashes);
                intern(Rows::apart(&apart, hashes, rows.may_match(part).as_ref()))?;
                from += apart.len();
                apart.clear();
            } else {
                block.take_up(rows, from, hasher);
                block.with(rows, Comparison::Bits, |probe| intern(probe.into()))?;
                from += block.len();
            }
        }
        Ok(())
    }

    fn keep(mut self) {
        self.keys_before = self.interner.len();
        self.ids_before = self.ids.len();
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.ids.truncate(self.ids_before);
        if let Some((_, keys)) = &mut self.interner.keys {
            keys.truncate(self.keys_before);
        }
    }
}
