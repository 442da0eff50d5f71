//! An index measured by itself: from normalised keys to pairs, sums and
//! existence, batch by batch.

use streamjoin_kernels::key::Keys;
use streamjoin_kernels::memory::Buffer;
use streamjoin_kernels::table::{BuildInput, BuiltIndex, FindCursor, Probe};
use streamjoin_kernels::{IndexKind, Isa, KeyHasher, NO_ROW, Pairs};

use super::data::{Data, ProbeBatch};
use super::found::Found;
use super::index::SweepIndex;
use crate::error::{Failure, Result};

/// Roughly the pairs that are taken from an index at once: output is bounded.
const PAIRS_AT_ONCE: usize = 1 << 16;
/// Seed of the hashes: always the same.
const SEED: u64 = 0x5eed;

/// An index over a table, with one 8-byte column laid out in its order.
#[derive(Debug)]
pub struct Lookup {
    built: BuiltIndex,
    hasher: KeyHasher,
    /// `row-at-a-time` hashes keys as a map does; our hashes would be a cost that
    /// the program it represents does not have.
    hashes_itself: bool,
    unique: bool,
    /// The column by position; one more value, 0, stands for no row.
    values: Buffer<u64>,
}

/// Buffers that a probing thread reuses from batch to batch.
#[derive(Debug, Default)]
pub struct Scratch {
    hashes: Vec<u64>,
    pairs: Pairs,
    matches: Vec<u32>,
    found: Vec<u64>,
}

impl Lookup {
    /// Hashes the keys and builds the index over them, which is what building
    /// costs; [`lay_out`](Self::lay_out) follows before the first probe.
    ///
    /// # Errors
    /// A run failure that the kernels report.
    pub fn build(index: impl Into<SweepIndex>, keys: &Keys, isa: Isa) -> Result<Self> {
        let index = index.into();
        let hasher = KeyHasher::with_seed(isa, SEED);
        let hashes_itself = index == IndexKind::RowAtATime.into();
        let mut hashes = vec![0; if hashes_itself { keys.len() } else { 0 }];
        if !hashes_itself {
            hasher.hash(keys, &mut hashes);
        }
        let built = BuildInput::new(keys, &hashes, isa)
            .and_then(|input| index.choice().builder().build(input));
        let built = built.map_err(Failure::run)?;
        Ok(Self { built, hasher, hashes_itself, unique: false, values: Buffer::zeroed(1) })
    }

    /// Lays the column `d0`, which is the row's number, out in the order of the
    /// index.
    pub fn lay_out(&mut self, data: &Data) {
        let positions = self.built.index.positions();
        self.unique = data.workload.distinct() == data.workload.build_rows;
        self.values = Buffer::zeroed(positions + 1);
        for (position, value) in self.values[..positions].iter_mut().enumerate() {
            *value = match &self.built.order {
                None => position as u64,
                Some(order) => u64::from(order[position]),
            };
        }
    }

    /// The index.
    pub fn built(&self) -> &BuiltIndex {
        &self.built
    }

    /// Bytes of the index and of the order that came with it.
    pub fn bytes(&self) -> usize {
        let order = self.built.order.as_ref().map_or(0, |order| order.len() * size_of::<u32>());
        self.built.index.bytes() + order
    }

    /// Bytes of the column that [`sum`](Self::sum) adds.
    pub fn payload_bytes(&self) -> usize {
        self.values.len() * size_of::<u64>()
    }

    /// Finds all pairs of a batch and returns their number.
    pub fn pairs(&self, batch: &ProbeBatch, scratch: &mut Scratch) -> u64 {
        let mut count = 0;
        self.each_pairs(batch, scratch, |pairs| count += pairs.len() as u64);
        count
    }

    /// Gathers the column at every match of a batch and adds it up.
    pub fn sum(&self, batch: &ProbeBatch, scratch: &mut Scratch) -> u64 {
        let values = &self.values[..];
        let mut sum = 0_u64;
        if !self.unique {
            self.each_pairs(batch, scratch, |pairs| {
                let found = pairs.build_rows().iter();
                sum = found.fold(sum, |sum, &row| sum.wrapping_add(values[row as usize]));
            });
            return sum;
        }
        // At most one match per row: no pairs are needed.
        let probe = self.probe(batch, &mut scratch.hashes);
        scratch.matches.resize(probe.len(), NO_ROW);
        self.built.index.first_match(probe, &mut scratch.matches);
        let none = values.len() - 1;
        for &row in &scratch.matches {
            sum = sum.wrapping_add(values[(row as usize).min(none)]);
        }
        sum
    }

    /// Finds out which rows of a batch have a match and returns their number.
    pub fn exists(&self, batch: &ProbeBatch, scratch: &mut Scratch) -> u64 {
        let probe = self.probe(batch, &mut scratch.hashes);
        scratch.found.resize(probe.len().div_ceil(64), 0);
        self.built.index.exists(probe, &mut scratch.found);
        scratch.found.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Compares all three on the first batches with the known answer.
    ///
    /// # Errors
    /// A wrong result, with the name of the index.
    pub fn verify(&self, data: &Data, name: &str) -> Result<()> {
        let batches = data.verified_batches();
        let (mut pairs, mut rows, mut sum, mut sum_of_pairs) =
            (Found::default(), Found::default(), 0_u64, 0_u64);
        let mut scratch = Scratch::default();
        let mut builds = Vec::new();
        for (number, batch) in data.batches[..batches].iter().enumerate() {
            let first = (number * data.workload.batch_rows) as u64;
            self.each_pairs(batch, &mut scratch, |found| {
                builds.clear();
                builds.extend_from_slice(found.build_rows());
                self.built.rows_at(&mut builds).expect("positions of this index");
                for (&probe, &build) in found.probe_rows().iter().zip(&builds) {
                    pairs.pair(first + u64::from(probe), u64::from(build));
                    sum_of_pairs = sum_of_pairs.wrapping_add(u64::from(build));
                }
            });
            sum = sum.wrapping_add(self.sum(batch, &mut scratch));
            self.exists(batch, &mut scratch);
            for row in 0..batch.keys.len() {
                if scratch.found[row / 64] >> (row % 64) & 1 == 1 {
                    rows.row(first + row as u64);
                }
            }
        }
        let same = |what: &str, found: Found, expected: Found| {
            if found == expected {
                return Ok(());
            }
            Err(Failure::wrong_result(format!(
                "{name} found {what} {found}, right is {expected}; {}",
                &data.workload
            )))
        };
        same("pairs", pairs, data.expected_pairs(batches))?;
        same("rows that exist", rows, data.expected_rows(batches))?;
        if sum != sum_of_pairs {
            return Err(Failure::wrong_result(format!(
                "{name} found the sum {sum}, right is {sum_of_pairs}; {}",
                &data.workload
            )));
        }
        Ok(())
    }

    fn probe<'a>(&self, batch: &'a ProbeBatch, hashes: &'a mut Vec<u64>) -> Probe<'a> {
        if self.hashes_itself {
            hashes.resize(batch.keys.len(), 0);
        } else {
            self.hasher.hash(&batch.keys, hashes);
        }
        batch.probe(hashes)
    }

    fn each_pairs(&self, batch: &ProbeBatch, scratch: &mut Scratch, mut each: impl FnMut(&Pairs)) {
        let Scratch { hashes, pairs, .. } = scratch;
        let probe = self.probe(batch, hashes);
        let limit = PAIRS_AT_ONCE.max(probe.len());
        let mut cursor = FindCursor::default();
        while !cursor.is_done(probe.len()) {
            pairs.clear();
            self.built.index.find(probe, &mut cursor, pairs, limit);
            each(pairs);
        }
    }
}
