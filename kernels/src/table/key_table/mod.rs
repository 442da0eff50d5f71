//! A table for callers that have plain slices: keys in, row numbers out.

#[cfg(test)]
mod tests;

use arrow::buffer::BooleanBuffer;

use super::auto::AutoIndex;
use super::build::{BuildInput, BuiltIndex};
use super::choice::IndexChoice;
use super::{FindCursor, Probe};
use crate::arch::Isa;
use crate::error::{JoinError, Result};
use crate::hash::KeyHasher;
use crate::key::{KeyRows, KeyShape};
use crate::pairs::{NO_ROW, Pairs};

/// Rows that are hashed and looked up together, so that their hashes stay in cache;
/// whole words of [`KeyTable::exists`]. The `lookup` bench and the shipped costs
/// use the same number; others were not measured.
const BLOCK: usize = 8192;

/// A table of keys that keys are looked up in: the library without Arrow.
///
/// It takes `&[u64]`, `&[i128]` or [`ByteKeys`](crate::key::ByteKeys), copies
/// what it needs, chooses an index (or takes the one that it is given) and
/// answers with row numbers. It is immutable, `Send` and `Sync`.
///
/// ```
/// use streamjoin_kernels::{NO_ROW, Pairs};
/// use streamjoin_kernels::table::KeyTable;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let customers = [7, 11, 7, 13];
/// let table = KeyTable::new(&customers)?;
///
/// let orders = [13, 7, 99];
/// let mut pairs = Pairs::default();
/// table.pairs(&orders, &mut pairs)?;
/// let mut found: Vec<_> = pairs.iter().collect();
/// found.sort();
/// assert_eq!(found, [(0, 3), (1, 0), (1, 2)]);
///
/// let mut first = Vec::new();
/// table.first_matches(&orders, &mut first)?;
/// assert_eq!(first[0], 3);
/// assert_eq!(first[2], NO_ROW);
///
/// let mut bits = Vec::new();
/// table.exists(&orders, &mut bits)?;
/// assert_eq!(bits, [0b011]);
/// # Ok(())
/// # }
/// ```
///
/// Keys of columns, with their nulls, coercions and several columns per key, come
/// from a [`KeyEncoder`](crate::key::KeyEncoder):
///
/// ```
/// use std::sync::Arc;
/// use streamjoin_kernels::arrow::array::{ArrayRef, StringArray};
/// use streamjoin_kernels::arrow::datatypes::DataType;
/// use streamjoin_kernels::{IndexKind, Isa, KeyHasher, NullEquality, Pairs};
/// use streamjoin_kernels::key::KeyEncoder;
/// use streamjoin_kernels::table::KeyTable;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let encoder = KeyEncoder::new(&[(DataType::Utf8, NullEquality::NullMatchesNothing)])?;
/// let column = |values: &[Option<&str>]| Arc::new(StringArray::from_iter(values)) as ArrayRef;
/// let cities = encoder.encode(&[column(&[Some("Bonn"), None, Some("Ulm")])], 3)?;
/// let visits = encoder.encode(&[column(&[None, Some("Ulm")])], 2)?;
///
/// let hasher = KeyHasher::with_seed(Isa::detect(), 42);
/// let table = KeyTable::with_index(&cities, &IndexKind::Chained.into(), hasher)?;
/// let mut pairs = Pairs::default();
/// table.pairs(&visits, &mut pairs)?;
/// assert_eq!(pairs.iter().collect::<Vec<_>>(), [(1, 2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KeyTable {
    built: BuiltIndex,
    hasher: KeyHasher,
    shape: KeyShape,
}

impl KeyTable {
    /// Indexes rows, with the index that [`AutoIndex`] chooses for them, the
    /// best instruction set of this machine and a fixed seed.
    ///
    /// # Errors
    /// As [`with_index`](Self::with_index).
    pub fn new<'a>(rows: impl Into<KeyRows<'a>>) -> Result<Self> {
        let hasher = KeyHasher::with_seed(Isa::detect(), 0x5eed);
        Self::with_index(rows, &IndexChoice::Auto(AutoIndex::default()), hasher)
    }

    /// Indexes rows with an index of choice. Rows that can match nothing take
    /// no room. Where keys may be chosen by an attacker, seed the hasher
    /// randomly.
    ///
    /// # Errors
    /// [`JoinError::TooManyBuildRows`] for 2^32 - 2 rows and more,
    /// [`JoinError::IsaUnavailable`] for a hasher of another machine,
    /// [`JoinError::Schema`] for a mask of another length than the keys,
    /// [`JoinError::InvalidPlan`] and errors of its own from an index of the
    /// caller's.
    pub fn with_index<'a>(
        rows: impl Into<KeyRows<'a>>,
        index: &IndexChoice,
        hasher: KeyHasher,
    ) -> Result<Self> {
        let KeyRows { keys, matchable } = rows.into();
        check_mask(keys.len(), matchable)?;
        super::check_build_rows(keys.len() as u64)?;
        hasher.isa().require()?;
        let kept: Option<Vec<u32>> = matchable
            .filter(|rows| rows.count_set_bits() < rows.len())
            .map(|rows| rows.set_indices().map(|row| row as u32).collect());
        let copied = kept.as_ref().map(|kept| keys.take(kept));
        let keys = copied.as_ref().map_or(keys, Into::into);
        let mut hashes = Vec::new();
        hasher.hash(keys, &mut hashes);
        let mut built = index.builder().build(BuildInput::new(keys, &hashes, hasher.isa())?)?;
        built.check(keys.len())?;
        if let Some(kept) = kept {
            // Numbers of all rows in place of those of the rows that are kept.
            let all = |row: u32| kept.get(row as usize).copied().unwrap_or(NO_ROW);
            match &mut built.order {
                Some(order) => order.iter_mut().for_each(|row| *row = all(*row)),
                None => built.order = Some(kept),
            }
        }
        Ok(Self { built, hasher, shape: keys.shape() })
    }

    /// Lists the matches of `rows` in bounded steps. The work is done as pairs are
    /// asked for.
    ///
    /// ```
    /// # use streamjoin_kernels::Pairs;
    /// # use streamjoin_kernels::table::KeyTable;
    /// # fn main() -> streamjoin_kernels::Result<()> {
    /// let table = KeyTable::new(&[5; 1000])?;
    /// let mut matches = table.find(&[5; 1000])?;
    /// let (mut pairs, mut found) = (Pairs::default(), 0);
    /// while matches.next_pairs(&mut pairs, 4096) {
    ///     assert!(pairs.len() <= 4096);
    ///     found += pairs.len();
    /// }
    /// assert_eq!(found, 1_000_000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`JoinError::Schema`] for keys of another shape than the table's, a mask
    /// of another length than the keys, and 2^32 - 1 rows and more.
    pub fn find<'a>(&'a self, rows: impl Into<KeyRows<'a>>) -> Result<Matches<'a>> {
        let rows = self.check(rows.into())?;
        let hashes = Vec::new();
        Ok(Matches { table: self, rows, from: 0, hashes, cursor: FindCursor::default() })
    }

    /// Puts all matches of `rows` into `pairs`, in place of what is there, in no
    /// particular order. Where keys repeat on both sides these can be many:
    /// [`find`](Self::find) lists them in bounded steps.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn pairs<'a>(&'a self, rows: impl Into<KeyRows<'a>>, pairs: &mut Pairs) -> Result<()> {
        self.find(rows)?.next_pairs(pairs, usize::MAX);
        Ok(())
    }

    /// Puts one match of each row into `matches`, in place of what is there,
    /// [`NO_ROW`] where there is none. Which one of several is the same for
    /// equal keys.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn first_matches<'a>(
        &self,
        rows: impl Into<KeyRows<'a>>,
        matches: &mut Vec<u32>,
    ) -> Result<()> {
        let rows = self.check(rows.into())?;
        // Not cleared first: every value is overwritten.
        matches.resize(rows.keys.len(), NO_ROW);
        self.each_block(rows, |from, probe| {
            let matches = &mut matches[from..from + probe.len()];
            self.built.index.first_match(probe, matches);
            self.built.rows_at(matches);
        });
        Ok(())
    }

    /// Sets bit `i % 64` of `found[i / 64]` if row `i` has a match, and clears
    /// all others; `found` gets as many words as that takes.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn exists<'a>(&self, rows: impl Into<KeyRows<'a>>, found: &mut Vec<u64>) -> Result<()> {
        let rows = self.check(rows.into())?;
        found.resize(rows.keys.len().div_ceil(64), 0);
        self.each_block(rows, |from, probe| {
            let words = from / 64..(from + probe.len()).div_ceil(64);
            self.built.index.exists(probe, &mut found[words]);
        });
        Ok(())
    }

    /// Takes out the order in which the index has its rows: the row at each
    /// position, and [`NO_ROW`] at a position that is never found.
    /// From then on the table answers with positions in place of rows, which
    /// saves it a step. `None` if positions are row numbers.
    ///
    /// Columns that are gathered for the matches are best laid out in that order
    /// once: the index keeps rows of a key side by side, and some have a key and
    /// its row in the same place.
    ///
    /// ```
    /// # use streamjoin_kernels::{IndexKind, Isa, KeyHasher, Pairs};
    /// # use streamjoin_kernels::table::KeyTable;
    /// # fn main() -> streamjoin_kernels::Result<()> {
    /// let (ids, prices) = ([30, 10, 20, 10], [0.3, 0.1, 0.2, 0.4]);
    /// let hasher = KeyHasher::with_seed(Isa::detect(), 1);
    /// let mut table = KeyTable::with_index(&ids, &IndexKind::Contiguous.into(), hasher)?;
    /// let laid_out: Vec<f64> = match table.take_order() {
    ///     Some(order) => order.iter().map(|&row| *prices.get(row as usize).unwrap_or(&0.0)).collect(),
    ///     None => prices.to_vec(),
    /// };
    /// let mut pairs = Pairs::default();
    /// table.pairs(&[10, 40], &mut pairs)?;
    /// let sum: f64 = pairs.build_rows().iter().map(|&position| laid_out[position as usize]).sum();
    /// assert_eq!(sum, 0.5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn take_order(&mut self) -> Option<Vec<u32>> {
        self.built.order.take()
    }

    /// Rows that can be found.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.built.index.rows()
    }

    /// Positions, which are more than rows where the index leaves holes.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.built.index.positions()
    }

    /// Whether no two rows that can be found have the same key; `None` if
    /// the index does not know.
    #[must_use]
    pub fn unique(&self) -> Option<bool> {
        self.built.index.unique()
    }

    /// Bytes held, the order included as long as it was not taken.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let order =
            self.built.order.as_ref().map_or(0, |order| order.capacity() * size_of::<u32>());
        self.built.index.bytes() + order
    }

    /// The name of the index.
    #[must_use]
    pub fn index_name(&self) -> &'static str {
        self.built.index.name()
    }

    /// Why it is not the index that was asked for, if it is another one.
    #[must_use]
    pub fn fallback(&self) -> Option<&str> {
        self.built.fallback.as_deref()
    }

    fn check<'a>(&self, rows: KeyRows<'a>) -> Result<KeyRows<'a>> {
        let KeyRows { keys, matchable } = rows;
        check_mask(keys.len(), matchable)?;
        if keys.shape() != self.shape {
            return Err(JoinError::Schema(format!(
                "the table has keys of {}, those to look up are of {}",
                length(self.shape),
                length(keys.shape())
            )));
        }
        if keys.len() >= u32::MAX as usize {
            return Err(JoinError::Schema(format!(
                "{} rows to look up: do so in slices of less than 2^32 - 1",
                keys.len()
            )));
        }
        Ok(rows)
    }

    /// Hashes `rows` block by block, and calls `look_up` with each and its first
    /// row.
    fn each_block(&self, rows: KeyRows<'_>, mut look_up: impl FnMut(usize, Probe<'_>)) {
        let mut hashes = Vec::new();
        for from in (0..rows.keys.len()).step_by(BLOCK) {
            let len = BLOCK.min(rows.keys.len() - from);
            rows.keys.with(from..from + len, |keys| self.hasher.hash(keys, &mut hashes));
            with_block(rows, from, &hashes, |probe| look_up(from, probe));
        }
    }
}

/// Calls `look_up` with the rows from `from` on, one per hash.
fn with_block<R>(
    rows: KeyRows<'_>,
    from: usize,
    hashes: &[u64],
    look_up: impl FnOnce(Probe<'_>) -> R,
) -> R {
    let matchable = rows.matchable.map(|bits| bits.slice(from, hashes.len()));
    rows.keys.with(from..from + hashes.len(), |keys| {
        look_up(Probe::new(keys, hashes, matchable.as_ref()))
    })
}

fn check_mask(rows: usize, matchable: Option<&BooleanBuffer>) -> Result<()> {
    match matchable.map(BooleanBuffer::len) {
        Some(bits) if bits != rows => {
            Err(JoinError::Schema(format!("{bits} bits say which of {rows} keys may match")))
        }
        _ => Ok(()),
    }
}

fn length(shape: KeyShape) -> &'static str {
    match shape {
        KeyShape::Word => "up to 8 bytes",
        KeyShape::Wide => "9 to 16 bytes",
        KeyShape::Bytes => "any length",
    }
}

/// The matches of some rows in a [`KeyTable`], in bounded steps.
#[derive(Debug)]
pub struct Matches<'a> {
    table: &'a KeyTable,
    rows: KeyRows<'a>,
    /// First row of the block that is looked up.
    from: usize,
    /// Hashes of its rows; none before it begins.
    hashes: Vec<u64>,
    cursor: FindCursor,
}

impl Matches<'_> {
    /// Puts the next matches into `pairs`, in place of what is there: at most
    /// `limit`, and at least one, or false if there are no more. A step may return
    /// fewer although more follow. With a smaller `limit` than that of the step
    /// before, it may return a few more than that.
    pub fn next_pairs(&mut self, pairs: &mut Pairs, limit: usize) -> bool {
        let limit = limit.max(1);
        let KeyTable { built, hasher, .. } = self.table;
        let rows = self.rows.keys.len();
        pairs.clear();
        while self.from < rows && pairs.len() < limit {
            if self.hashes.is_empty() {
                let block = self.from..rows.min(self.from + BLOCK);
                self.rows.keys.with(block, |keys| hasher.hash(keys, &mut self.hashes));
            }
            let held = pairs.len();
            with_block(self.rows, self.from, &self.hashes, |probe| {
                built.index.find(probe, &mut self.cursor, pairs, limit);
            });
            built.rows_at(&mut pairs.build_rows_mut()[held..]);
            pairs.probe_rows_mut()[held..].iter_mut().for_each(|row| *row += self.from as u32);
            if self.cursor.is_done(self.hashes.len()) {
                self.from += self.hashes.len();
                self.hashes.clear();
                self.cursor = FindCursor::default();
            } else if !pairs.is_empty() {
                break;
            }
        }
        !pairs.is_empty()
    }
}
