//! Conditions, filters and select lists as SQL text over Arrow schemas.
//!
//! Text is parsed by sqlparser, bound to a [`Scope`] of columns, and evaluated
//! by Arrow kernels with Spark's meaning: its type coercion, its casts in
//! and out of ANSI mode, its three-valued logic, its NaN. Whatever cannot work is
//! refused when it is bound, with line and column.
//!
//! | to | call |
//! | --- | --- |
//! | bind the condition of a join with a table | [`stream_static_condition`] |
//! | bind the condition of a join of two streams | [`stream_stream_condition`] |
//! | bind one expression, or a `where` | [`expression`], [`filter`] |
//! | bind a select list | [`select`] |
//! | evaluate what was bound | [`BoundExpr::evaluate`] |
//! | pass it to an operator of `streamjoin-kernels` | [`BoundExpr::to_filter`], [`BoundExpr::to_predicate`] |
//!
//! A condition is split into keys, an interval of event time, one-sided filters
//! and a residual:
//!
//! ```
//! use arrow::array::{AsArray, Int64Array, RecordBatch};
//! use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
//! use std::sync::Arc;
//! use streamjoin_kernels::spark::CastMode;
//! use streamjoin_sql::{Scope, TimeColumns, stream_stream_condition};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = |key: &str, time: &str, price: &str| {
//!     let timestamp = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
//!     Schema::new(vec![
//!         Field::new(key, DataType::Int32, true),
//!         Field::new(time, timestamp, true),
//!         Field::new(price, DataType::Int64, true),
//!     ])
//! };
//! let left = Scope::of_schema("impressions", &schema("ad", "shown_at", "bid"));
//! let right = Scope::of_schema("clicks", &schema("ad", "clicked_at", "paid"));
//! let times = TimeColumns { left: Some(1), right: Some(1), windows: None };
//!
//! let condition = stream_stream_condition(
//!     "impressions.ad = clicks.ad AND paid > bid \
//!      AND clicked_at BETWEEN shown_at AND shown_at + INTERVAL 1 HOUR",
//!     &left,
//!     &right,
//!     CastMode::Ansi,
//!     &times,
//! )?;
//!
//! assert_eq!(condition.keys[0].left.as_column(), Some(0));
//! let upper = condition.time.interval.upper.expect("clicks come at most an hour later");
//! assert_eq!(upper.distance.as_micros(), 3_600_000_000);
//!
//! // The residual reads `bid` and `paid` of pairs of rows: positions in left ++ right.
//! let residual = condition.residual.expect("`paid > bid` reads both sides");
//! assert_eq!(residual.columns(), [2, 5]);
//! let pairs = RecordBatch::try_from_iter([
//!     ("bid", Arc::new(Int64Array::from(vec![Some(3), Some(3), None])) as _),
//!     ("paid", Arc::new(Int64Array::from(vec![Some(5), Some(2), Some(1)])) as _),
//! ])?;
//! let holds = residual.evaluate(pairs.columns(), pairs.num_rows())?;
//! let holds: Vec<Option<bool>> = holds.as_boolean().iter().collect();
//! assert_eq!(holds, [Some(true), Some(false), None]);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod bind;
mod compute;
mod condition;
mod datetime_pattern;
mod display;
mod error;
mod eval;
mod expr;
mod functions;
mod interval;
mod java_regex;
mod json;
mod lists;
mod names;
mod nested;
mod operators;
mod parse;
mod parts;
mod predicate;
mod scope;
mod select;
mod types;
mod uuid;
mod value;

pub use bind::{expression, filter, function_names};
pub use condition::{
    Conjunct, ConjunctRole, JoinCondition, KeyExpr, TimeColumns, WindowColumns,
    stream_static_condition, stream_stream_condition,
};
pub use datetime_pattern::{pattern_of_strftime, pattern_reads};
pub use error::SqlError;
pub use expr::BoundExpr;
pub use nested::Part;
pub use parse::quote_identifier;
pub use scope::{Scope, ScopeColumn};
pub use select::{SelectItem, select};
pub use uuid::marked_as_uuid;

#[cfg(test)]
mod tests;
