//! A part of the state: the rows of both sides whose keys' hashes fall into it.

use arrow::buffer::BooleanBuffer;

use super::options::Options;
use super::plan::Plan;
use crate::error::Result;
use crate::probe::{Partitions, group_rows};
use crate::side::Side;
use crate::state::StateStore;

/// The stores of both sides.
#[derive(Debug)]
pub(super) struct Partition {
    left: Box<dyn StateStore>,
    right: Box<dyn StateStore>,
}

impl Partition {
    pub(super) fn new(plan: &Plan, options: &Options) -> Result<Self> {
        Ok(Self {
            left: options.store.build(&plan.store_plan(Side::Left, options))?,
            right: options.store.build(&plan.store_plan(Side::Right, options))?,
        })
    }

    pub(super) fn store(&self, side: Side) -> &dyn StateStore {
        match side {
            Side::Left => self.left.as_ref(),
            Side::Right => self.right.as_ref(),
        }
    }

    pub(super) fn store_mut(&mut self, side: Side) -> &mut dyn StateStore {
        match side {
            Side::Left => self.left.as_mut(),
            Side::Right => self.right.as_mut(),
        }
    }
}

/// The rows of a batch that each of `count` partitions gets; none where one gets
/// them all.
///
/// The lower half of the hash decides, by its upper bits: stores have their
/// directories by the upper bits of the whole, hash maps by the lowest. Rows
/// that can match nothing are dealt out in turn, so that the hash of their
/// filler makes no partition hot.
pub(super) fn split(
    hashes: &[u64],
    matchable: Option<&BooleanBuffer>,
    count: usize,
) -> Option<Partitions> {
    let partition = |row: usize| match matchable {
        Some(rows) if !rows.value(row) => row % count,
        _ => ((u64::from(hashes[row] as u32) * count as u64) >> 32) as usize,
    };
    (count > 1).then(|| group_rows(hashes.len(), count, partition))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_even_for_every_count() {
        let hashes: Vec<u64> = (0..6000u64).map(crate::arch::mix).collect();
        assert!(split(&hashes, None, 1).is_none());
        for count in [2, 3, 4, 7] {
            let partitions = split(&hashes, None, count).unwrap();
            assert_eq!(partitions.rows.len(), hashes.len());
            let mean = hashes.len() / count;
            for partition in 0..count {
                let rows = partitions.get(partition);
                assert!(rows.is_sorted());
                assert!(rows.len().abs_diff(mean) < mean / 5, "{} of {mean}", rows.len());
            }
            let none = BooleanBuffer::new_unset(hashes.len());
            let dealt = split(&vec![0; hashes.len()], Some(&none), count).unwrap();
            assert!((0..count).all(|partition| dealt.get(partition).len().abs_diff(mean) <= 1));
        }
    }
}
