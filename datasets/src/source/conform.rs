//! A column of one file in the type that it has in all.

use arrow::array::{Array, ArrayRef, new_null_array};
use arrow::compute::kernels::cmp::distinct;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::util::display::array_value_to_string;
use streamjoin_kernels::spark::{CastMode, cast};

use crate::nested::{Converted, Unfit, and_then, convert};

/// Whether values of `from` can be read as `to`: without a loss, or else value by value with
/// an error for one that would change. Times lose what is finer than the unit, as in Spark.
pub(super) fn can_conform(from: &DataType, to: &DataType) -> bool {
    use DataType::*;
    match (from, to) {
        (from, to) if from == to => true,
        (Null, _) => true,
        (Dictionary(_, values), to) => can_conform(values, to),
        (RunEndEncoded(_, values), to) => can_conform(values.data_type(), to),
        (from, Dictionary(_, values)) => can_conform(from, values),
        (from, to) if from.is_numeric() && to.is_numeric() => true,
        (from, to) if from.is_binary() && to.is_binary() => true,
        (from, to) if from.is_string() && to.is_string() => true,
        (Date32 | Date64 | Timestamp(..), Timestamp(..)) => true,
        (Date32 | Date64, Date32 | Date64) => true,
        (Time32(_) | Time64(_), Time32(_) | Time64(_)) => true,
        (from, to) if to.is_string() => {
            from.is_numeric() || matches!(from, Boolean | Date32 | Date64 | Timestamp(..))
        }
        _ => false,
    }
}

/// A column as `to`.
pub(super) fn conform(column: &ArrayRef, to: &DataType) -> Converted {
    if column.data_type() == to {
        return Ok(Ok(column.clone()));
    }
    if column.logical_null_count() == column.len() {
        return Ok(Ok(new_null_array(to, column.len())));
    }
    convert(column, to, &leaf)
}

/// What is left when structs, maps and lists of the same kind were gone into.
fn leaf(column: &ArrayRef, to: &DataType) -> Converted {
    use DataType::*;
    let from = column.data_type();
    match (from, to) {
        (from, to) if from == to => Ok(Ok(column.clone())),
        (Null, to) => Ok(Ok(new_null_array(to, column.len()))),
        (Dictionary(_, values), _) => conform(&strictly(column, values)?, to),
        (RunEndEncoded(_, values), _) => conform(&strictly(column, values.data_type())?, to),
        (_, Dictionary(_, values)) => and_then(conform(column, values)?, |c| strictly(&c, to)),
        (
            List(item) | ListView(item) | LargeListView(item) | FixedSizeList(item, _),
            List(_) | LargeList(_),
        ) => {
            let same_kind = match to {
                List(_) => List(item.clone()),
                _ => LargeList(item.clone()),
            };
            conform(&strictly(column, &same_kind)?, to)
        }
        _ => conform_values(column, to),
    }
}

fn conform_values(column: &ArrayRef, to: &DataType) -> Converted {
    let from = column.data_type();
    let safe = CastOptions { safe: true, ..Default::default() };
    let converted = if to.is_string() && !from.is_string() {
        let text = cast(column, &DataType::Utf8, CastMode::Try).map_err(external)?;
        strictly(&text, to)?
    } else if matches!(to, DataType::Timestamp(..)) {
        // Arrow would move instants where only one of both has a zone.
        cast(column, to, CastMode::Try).map_err(external)?
    } else {
        cast_with_options(column, to, &safe)?
    };
    let mut lost = (0..column.len()).find(|&row| converted.is_null(row) && column.is_valid(row));
    if lost.is_none() && from.is_numeric() && to.is_numeric() {
        // A number that does not come back is another one now.
        let back = cast_with_options(&converted, from, &safe)?;
        let differs = distinct(column, &back)?;
        lost = (0..column.len()).find(|&row| differs.value(row));
    }
    let Some(row) = lost else { return Ok(Ok(converted)) };
    let value = array_value_to_string(column, row)?;
    Ok(Err(Unfit { row, value, data_type: to.clone() }))
}

fn strictly(column: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(column, to, &CastOptions { safe: false, ..Default::default() })
}

fn external(error: streamjoin_kernels::JoinError) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}
