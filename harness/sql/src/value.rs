//! The operands of evaluation: a column, or one value for all rows.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Datum, UInt32Array, new_null_array};
use arrow::compute;
use streamjoin_kernels::{JoinError, Result};

/// A column, or one value that stands for all rows.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Array(ArrayRef),
    /// An array of one row.
    Scalar(ArrayRef),
}

impl Value {
    pub(crate) fn array(&self) -> &ArrayRef {
        match self {
            Self::Array(array) | Self::Scalar(array) => array,
        }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Self::Scalar(_))
    }

    /// The index of a row's value within the array.
    pub(crate) fn row(&self, row: usize) -> usize {
        if self.is_scalar() { 0 } else { row }
    }

    /// The same kind of value from another array.
    pub(crate) fn map(&self, array: ArrayRef) -> Self {
        match self {
            Self::Array(_) => Self::Array(array),
            Self::Scalar(_) => Self::Scalar(array),
        }
    }

    /// An array with one value per row.
    pub(crate) fn into_array(self, rows: usize) -> Result<ArrayRef> {
        match self {
            Self::Array(array) => Ok(array),
            Self::Scalar(one) if rows == 1 => Ok(one),
            Self::Scalar(one) if one.logical_null_count() > 0 => {
                Ok(new_null_array(one.data_type(), rows))
            }
            Self::Scalar(one) => {
                let zeros = UInt32Array::from(vec![0; rows]);
                Ok(compute::take(&one, &zeros, None)?)
            }
        }
    }

    pub(crate) fn booleans(&self, rows: usize) -> Result<BooleanArray> {
        let array = self.clone().into_array(rows)?;
        match array.as_boolean_opt() {
            Some(booleans) => Ok(booleans.clone()),
            None => Err(JoinError::InvalidPlan(format!(
                "expected a boolean, not {}",
                array.data_type()
            ))),
        }
    }
}

impl Datum for Value {
    fn get(&self) -> (&dyn Array, bool) {
        (self.array().as_ref(), self.is_scalar())
    }
}

/// The result of an operation on both values: a scalar if both are scalars.
pub(crate) fn pair(left: &Value, right: &Value, array: ArrayRef) -> Value {
    if left.is_scalar() && right.is_scalar() { Value::Scalar(array) } else { Value::Array(array) }
}
