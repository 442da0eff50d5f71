//! A table for callers that have plain slices: keys in, row numbers out.

mod builder;
#[cfg(test)]
mod lying_index_tests;
mod matches;
#[cfg(test)]
mod tests;

pub use self::builder::KeyTableBuilder;
pub use self::matches::Matches;
use super::Probe;
use super::checked::CheckedBuilt;
use super::key_blocks::KeyBlock;
use crate::error::{JoinError, Result};
use crate::hash::KeyHasher;
use crate::key::{Comparison, KeyKind, KeyRows};
use crate::memory::Reserved;
use crate::pairs::{NO_ROW, Pairs};

/// A table of keys that keys are looked up in: the library without Arrow.
///
/// It takes slices of numbers, of pairs of numbers, of text and of bytes ([`KeyRows`]
/// lists them), copies what it needs, chooses an index (or takes the one that it is
/// given) and answers with row numbers. It is immutable, `Send` and `Sync`.
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
/// use streamjoin_kernels::{IndexKind, NullEquality, Pairs};
/// use streamjoin_kernels::key::KeyEncoder;
/// use streamjoin_kernels::table::KeyTable;
///
/// # fn main() -> streamjoin_kernels::Result<()> {
/// let encoder = KeyEncoder::new(&[(DataType::Utf8, NullEquality::NullMatchesNothing)])?;
/// let column = |values: &[Option<&str>]| Arc::new(StringArray::from_iter(values)) as ArrayRef;
/// let cities = encoder.encode(&[column(&[Some("Bonn"), None, Some("Ulm")])], 3)?;
/// let visits = encoder.encode(&[column(&[None, Some("Ulm")])], 2)?;
///
/// let table = KeyTable::builder().with_index(IndexKind::Chained).build(&cities)?;
/// let mut pairs = Pairs::default();
/// table.pairs(&visits, &mut pairs)?;
/// assert_eq!(pairs.iter().collect::<Vec<_>>(), [(1, 2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KeyTable {
    built: CheckedBuilt,
    hasher: KeyHasher,
    kind: KeyKind,
    memory: Reserved,
}

impl KeyTable {
    /// Indexes rows, with the index that [`AutoIndex`](super::auto::AutoIndex) chooses
    /// for them, the best instruction set of this machine and a fixed seed.
    ///
    /// # Errors
    /// As [`KeyTableBuilder::build`].
    pub fn new(rows: impl KeyRows) -> Result<Self> {
        Self::builder().build(rows)
    }

    /// A builder, to choose the index, the hasher and what accounts for memory.
    #[must_use]
    pub fn builder() -> KeyTableBuilder {
        KeyTableBuilder::default()
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
    /// while matches.next_pairs(&mut pairs, 4096)? {
    ///     assert!(pairs.len() <= 4096);
    ///     found += pairs.len();
    /// }
    /// assert_eq!(found, 1_000_000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`JoinError::Schema`] for keys that those of the table cannot be compared with
    /// (see [`KeyKind`]), for a mask of another length than the keys, and for 2^32 - 1
    /// rows and more.
    pub fn find<K: KeyRows>(&self, rows: K) -> Result<Matches<'_, K>> {
        let comparison = self.check(&rows)?;
        Ok(Matches::new(self, rows, comparison))
    }

    /// Puts all matches of `rows` into `pairs`, in place of what is there, in no
    /// particular order. Where keys repeat on both sides these can be many:
    /// [`find`](Self::find) lists them in bounded steps.
    ///
    /// # Errors
    /// As [`find`](Self::find) and [`Matches::next_pairs`].
    pub fn pairs(&self, rows: impl KeyRows, pairs: &mut Pairs) -> Result<()> {
        let mut matches = self.find(rows)?;
        matches.next_pairs(pairs, usize::MAX)?;
        // An index may stop early for reasons of its own.
        let mut more = Pairs::default();
        while matches.next_pairs(&mut more, usize::MAX)? {
            more.iter().for_each(|(probe, build)| pairs.push(probe, build));
        }
        Ok(())
    }

    /// Puts one match of each row into `matches`, in place of what is there,
    /// [`NO_ROW`] where there is none. Which one of several is the same for
    /// equal keys.
    ///
    /// # Errors
    /// As [`find`](Self::find), and [`JoinError::FaultyIndex`] if an index of the
    /// caller's finds what cannot be.
    pub fn first_matches(&self, rows: impl KeyRows, matches: &mut Vec<u32>) -> Result<()> {
        let comparison = self.check(&rows)?;
        // Not cleared first: every value is overwritten.
        matches.resize(rows.rows(), NO_ROW);
        self.each_block(&rows, comparison, |from, probe| {
            let matches = &mut matches[from..from + probe.len()];
            self.built.index.first_match(probe, matches)?;
            self.built.rows_at(matches)
        })
    }

    /// Sets bit `i % 64` of `found[i / 64]` if row `i` has a match, and clears
    /// all others; `found` gets as many words as that takes.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn exists(&self, rows: impl KeyRows, found: &mut Vec<u64>) -> Result<()> {
        let comparison = self.check(&rows)?;
        found.resize(rows.rows().div_ceil(64), 0);
        self.each_block(&rows, comparison, |from, probe| {
            let words = from / 64..(from + probe.len()).div_ceil(64);
            self.built.index.exists(probe, &mut found[words]);
            Ok(())
        })
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
    /// # use streamjoin_kernels::{IndexKind, Pairs};
    /// # use streamjoin_kernels::table::KeyTable;
    /// # fn main() -> streamjoin_kernels::Result<()> {
    /// let (ids, prices) = ([30, 10, 20, 10], [0.3, 0.1, 0.2, 0.4]);
    /// let mut table = KeyTable::builder().with_index(IndexKind::Contiguous).build(&ids)?;
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
        let order = self.built.order.take();
        self.memory.shrink(order_bytes(order.as_ref()));
        order
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
        self.built.index.bytes().saturating_add(order_bytes(self.built.order.as_ref()))
    }

    /// The most bytes that were held at once while the table was built, as far as
    /// they are accounted for.
    #[must_use]
    pub fn peak_build_bytes(&self) -> usize {
        self.memory.peak()
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

    /// How keys to look up compare with those of the table.
    fn check(&self, rows: &dyn KeyRows) -> Result<Comparison> {
        rows.check()?;
        if rows.rows() >= u32::MAX as usize {
            return Err(JoinError::Schema(format!(
                "{} rows to look up: do so in slices of less than 2^32 - 1",
                rows.rows()
            )));
        }
        self.kind.comparison(rows.kind()).ok_or_else(|| {
            JoinError::Schema(format!(
                "the table was built from `{}`, the keys to look up are `{}`, and these are not \
                 compared: convert one of them",
                self.kind,
                rows.kind()
            ))
        })
    }

    /// Hashes `rows` block by block, and calls `look_up` with each and its first
    /// row.
    fn each_block(
        &self,
        rows: &dyn KeyRows,
        comparison: Comparison,
        mut look_up: impl FnMut(usize, Probe<'_>) -> Result<()>,
    ) -> Result<()> {
        let (mut block, mut from) = (KeyBlock::default(), 0);
        while from < rows.rows() {
            block.take_up(rows, from, &self.hasher);
            block.with(rows, comparison, |probe| look_up(from, probe))?;
            from += block.len();
        }
        Ok(())
    }
}

fn order_bytes(order: Option<&Vec<u32>>) -> usize {
    order.map_or(0, |order| order.capacity() * size_of::<u32>())
}
