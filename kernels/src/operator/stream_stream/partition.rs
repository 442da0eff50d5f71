//! A part of the state: the rows of both sides whose keys' hashes fall into it.

use arrow::buffer::BooleanBuffer;

use super::options::Options;
use super::plan::Plan;
use crate::error::Result;
use crate::probe::{Partitions, group_rows};
use crate::side::Sides;
use crate::state::StateStore;

/// The stores of both sides.
#[derive(Debug)]
pub(super) struct Partition {
    pub(super) stores: Sides<Box<dyn StateStore>>,
}

impl Partition {
    pub(super) fn new(plan: &Plan, options: &Options) -> Result<Self> {
        let build = |side| options.store.build(&plan.store_plan(side, options));
        Ok(Self { stores: Sides::try_new(build)? })
    }
}

/// The rows of a batch that each of `count` partitions gets; none if there is
/// only one partition.
///
/// The upper bits of the lower half of the hash decide: the directories of
/// stores use the upper bits of the whole hash, hash maps the lowest. Rows that
/// can match nothing are assigned in turn, so that they do not overload the
/// partition of their placeholder key.
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
