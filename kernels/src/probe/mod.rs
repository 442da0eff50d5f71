//! What happens between a look-up and an output batch: predicates on candidate
//! pairs, radix partitions, the sort-merge, and the gathering of columns.

mod dictionary;
mod gather;
mod merge;
mod partition;
mod payload;
mod row_columns;
mod row_store;
mod scatter;
mod variable;
mod width;

pub(crate) use gather::{fixed_array, fixed_width, gather, row_bytes, slice_bytes, values};
pub use merge::SortMerge;
pub(crate) use partition::{Partitions, group_rows};
pub(crate) use payload::Payload;
pub(crate) use row_columns::RowColumns;
pub(crate) use scatter::{PartitionedKeys, partition_sizes};
pub(crate) use width::{Gathered, by_width, each_width};
