//! Where one batch ends and the next one starts: a trigger's rule over columns
//! of one stream, or row by row over two merged ones.

mod by_column;
mod by_row;

pub(super) use by_column::{ColumnCutter, CutInput};
pub(super) use by_row::RowCutter;

/// Whether `time` takes the running maximum into a new epoch-aligned tick.
fn enters_tick(tick: i64, max: &mut Option<i64>, time: Option<i64>) -> bool {
    let Some(time) = time else { return false };
    let before = *max;
    *max = before.max(Some(time));
    before.is_some_and(|before| time > before && time.div_euclid(tick) > before.div_euclid(tick))
}
