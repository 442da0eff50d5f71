//! What happens between a look-up and an output batch: predicates on candidate
//! pairs, radix partitions, the sort-merge, and the gathering of columns.
//!
//! ```
//! use std::sync::Arc;
//! use streamjoin_kernels::arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
//! use streamjoin_kernels::arrow::compute::kernels::cmp::lt;
//! use streamjoin_kernels::{ColumnRef, Filter, JoinType, Predicate, Result};
//! use streamjoin_kernels::stream_static;
//!
//! /// `stream.a < table.b`, for pairs whose keys are equal.
//! #[derive(Debug)]
//! struct Less;
//!
//! impl Predicate for Less {
//!     fn evaluate(&self, columns: &[ArrayRef], _rows: usize) -> Result<BooleanArray> {
//!         Ok(lt(&columns[0], &columns[1])?)
//!     }
//! }
//!
//! # fn main() -> Result<()> {
//! let batch = |keys: Vec<i64>, values: Vec<i64>| {
//!     let columns = [keys, values].map(|v| Arc::new(Int64Array::from(v)) as ArrayRef);
//!     RecordBatch::try_from_iter(["key", "value"].into_iter().zip(columns))
//! };
//! let (stream, table) = (batch(vec![1, 1], vec![5, 9])?, batch(vec![1, 1], vec![6, 7])?);
//! let keys = [("key", "key")];
//! let spec = stream_static::Spec::on(stream.schema(), table.schema(), JoinType::Inner, keys)?
//!     .with_residual([ColumnRef::Stream("value"), ColumnRef::Table("value")], Arc::new(Less))?;
//! let join = stream_static::Join::new(spec, stream_static::Options::default())?;
//! join.swap(join.build(&[table], 1)?)?;
//! let rows = join.push(&stream)?.next_batch()?.expect("5 < 6, 5 < 7");
//! assert_eq!(rows.num_rows(), 2);
//! # Ok(())
//! # }
//! ```

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
