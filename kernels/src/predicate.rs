//! Predicates beyond key equality, as the caller supplies them.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;

use crate::column::ColumnRef;
use crate::error::{JoinError, Result};

/// A condition that is evaluated column-wise: an expression of yours, or a few calls of
/// arrow's `compute`.
///
/// ```
/// use std::sync::Arc;
/// use streamjoin_kernels::arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
/// use streamjoin_kernels::arrow::compute::kernels::cmp::lt;
/// use streamjoin_kernels::stream_static::{Join, Options, Spec};
/// use streamjoin_kernels::{ColumnRef, JoinType, Predicate, Result};
///
/// /// The first column is less than the second.
/// #[derive(Debug)]
/// struct Less;
///
/// impl Predicate for Less {
///     fn evaluate(&self, columns: &[ArrayRef], _rows: usize) -> Result<BooleanArray> {
///         Ok(lt(&columns[0], &columns[1])?)
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let batch = |keys: Vec<i64>, values: Vec<i64>| {
///     let columns = [keys, values].map(|v| Arc::new(Int64Array::from(v)) as ArrayRef);
///     RecordBatch::try_from_iter(["key", "value"].into_iter().zip(columns))
/// };
/// let (stream, table) = (batch(vec![1, 1], vec![5, 9])?, batch(vec![1, 1], vec![6, 7])?);
/// let spec = Spec::on(stream.schema(), table.schema(), JoinType::Inner, [("key", "key")])?
///     .with_residual([ColumnRef::Stream("value"), ColumnRef::Table("value")], Arc::new(Less))?;
/// let join = Join::new(spec, Options::default())?;
/// join.swap(join.build(&[table], 1)?)?;
/// let rows = join.push(&stream)?.next_batch()?.expect("5 < 6, 5 < 7");
/// assert_eq!(rows.num_rows(), 2);
/// # Ok(())
/// # }
/// ```
pub trait Predicate: fmt::Debug + Send + Sync {
    /// Evaluates `rows` rows of the columns that the join was given with the predicate,
    /// in that order: one value per row, of which null counts as false. It is called
    /// from the threads that join, with a part of the rows or pairs at a time.
    ///
    /// # Errors
    /// What the caller's expression runs into, such as a malformed cast:
    /// [`JoinError::predicate`] makes an error of it.
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray>;
}

/// A predicate and the columns that it reads: positions where it reads one input,
/// [`ColumnRef`]s where it reads both of a stream-static join,
/// [`SideColumn`](crate::SideColumn)s in a stream-stream one.
// Closed: what else a condition needs is its predicate's own.
#[derive(Clone, Debug)]
pub struct Filter<C = ColumnRef> {
    /// The columns, in the order in which the predicate takes them.
    pub columns: Vec<C>,
    /// The predicate.
    pub predicate: Arc<dyn Predicate>,
}

impl<C> Filter<C> {
    /// Evaluates the predicate; null is false (SQL's WHERE and ON).
    pub(crate) fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer> {
        let outcome = self.predicate.evaluate(columns, rows)?;
        if outcome.len() != rows {
            return Err(JoinError::predicate(format!(
                "it gave {} values for {rows} rows, and must give one per row",
                outcome.len()
            )));
        }
        Ok(match outcome.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => outcome.values().clone(),
            Some(nulls) => outcome.values() & nulls.inner(),
        })
    }
}
