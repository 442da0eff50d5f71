//! Turns comparisons of the event times of two streams, in any spelling, into
//! one interval.
//!
//! Each operand is read as a sum of event times and a constant; where the
//! difference of the operands is `right - left + constant`, the comparison
//! bounds the distance between the two event times.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, IntervalUnit, TimeUnit,
};
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeDelta};

use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::operators::CompareOp;
use crate::types::is_time;

/// Where the event times of two streams are, as positions in their scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeColumns {
    /// The left stream's event time.
    pub left: Option<usize>,
    /// The right stream's.
    pub right: Option<usize>,
    /// Columns that hold the start of the window of each event time.
    pub windows: Option<WindowColumns>,
}

/// Tumbling windows that stand in for event times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowColumns {
    /// Position in the left scope.
    pub left: usize,
    /// Position in the right scope.
    pub right: usize,
    /// Width in microseconds.
    pub width: i64,
}

/// The event times as positions in left ++ right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) left: Option<usize>,
    pub(crate) right: Option<usize>,
}

/// `left * (left time) + right * (right time) + constant`, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    left: i64,
    right: i64,
    constant: i128,
}

impl Sum {
    fn plus(self, other: Self, sign: i64) -> Option<Self> {
        Some(Self {
            left: self.left.checked_add(sign.checked_mul(other.left)?)?,
            right: self.right.checked_add(sign.checked_mul(other.right)?)?,
            constant: self.constant.checked_add(i128::from(sign).checked_mul(other.constant)?)?,
        })
    }
}

/// The interval that a conjunct expresses; `None` if it is not a comparison of
/// the two event times.
///
/// # Errors
/// An interval of months, which has no fixed length; a bound out of range.
pub(crate) fn interval(conjunct: &Expr, times: Times) -> Result<Option<IntervalCondition>> {
    let (op, left, right) = match &conjunct.node {
        Node::Compare { op, left, right } => (*op, left, right),
        // NOT reverses a comparison; null stays null.
        Node::Not(inner) => match &inner.node {
            Node::Compare { op, left, right } => match opposite(*op) {
                Some(op) => (op, left, right),
                None => return Ok(None),
            },
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    distance(op, left, right, times)
}

/// The interval that `left op right` expresses, as [`interval`].
///
/// # Errors
/// As [`interval`].
pub(crate) fn distance(
    op: CompareOp,
    left: &Expr,
    right: &Expr,
    times: Times,
) -> Result<Option<IntervalCondition>> {
    refuse_months(left, right, times)?;
    let (Some(left), Some(right)) = (sum(left, times), sum(right, times)) else { return Ok(None) };
    let Some(difference) = left.plus(right, -1) else { return Ok(None) };
    // `distance op bound`, where distance is right - left.
    let (op, bound) = match (difference.left, difference.right) {
        (-1, 1) => (op, -difference.constant),
        (1, -1) => (mirrored(op), difference.constant),
        _ => return Ok(None),
    };
    let bound = |inclusive| match i64::try_from(bound) {
        Ok(micros) => Ok(Some(Bound { distance: TimeDelta::from_micros(micros), inclusive })),
        Err(_) => Err(SqlError::new(
            "the interval between the event times is out of range: at most 292,000 years",
        )),
    };
    Ok(Some(match op {
        CompareOp::Lt => IntervalCondition { lower: None, upper: bound(false)? },
        CompareOp::LtEq => IntervalCondition { lower: None, upper: bound(true)? },
        CompareOp::Gt => IntervalCondition { lower: bound(false)?, upper: None },
        CompareOp::GtEq => IntervalCondition { lower: bound(true)?, upper: None },
        CompareOp::Eq => IntervalCondition { lower: bound(true)?, upper: bound(true)? },
        CompareOp::NotEq | CompareOp::NullSafeEq | CompareOp::Distinct => return Ok(None),
    }))
}

fn opposite(op: CompareOp) -> Option<CompareOp> {
    Some(match op {
        CompareOp::Lt => CompareOp::GtEq,
        CompareOp::LtEq => CompareOp::Gt,
        CompareOp::Gt => CompareOp::LtEq,
        CompareOp::GtEq => CompareOp::Lt,
        CompareOp::NotEq => CompareOp::Eq,
        CompareOp::Eq | CompareOp::NullSafeEq | CompareOp::Distinct => return None,
    })
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::LtEq => CompareOp::GtEq,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::GtEq => CompareOp::LtEq,
        other => other,
    }
}

/// Whether a cast keeps every instant or duration.
fn keeps_time(from: &DataType, to: &DataType) -> bool {
    let rank = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    match (from, to) {
        (DataType::Timestamp(a, _), DataType::Timestamp(b, _))
        | (DataType::Duration(a), DataType::Duration(b)) => rank(a) <= rank(b),
        (DataType::Date32 | DataType::Date64, to) if is_time(to) => true,
        // Seconds with nine digits, the type in which dates and nanoseconds are compared.
        (from, DataType::Decimal128(38, 9)) => is_time(from),
        _ => false,
    }
}

fn sum(expr: &Expr, times: Times) -> Option<Sum> {
    match &expr.node {
        Node::Column { position, .. } if is_time(&expr.data_type) => {
            let is = |column: Option<usize>| column == Some(*position);
            match (is(times.left), is(times.right)) {
                (true, _) => Some(Sum { left: 1, ..Sum::default() }),
                (_, true) => Some(Sum { right: 1, ..Sum::default() }),
                _ => None,
            }
        }
        Node::Literal(value) => Some(Sum { constant: micros(value)?, ..Sum::default() }),
        Node::Cast { expr: inner, .. } if keeps_time(&inner.data_type, &expr.data_type) => {
            sum(inner, times)
        }
        Node::AddInterval { time, interval, subtract, .. } => {
            let sign = if *subtract { -1 } else { 1 };
            sum(time, times)?.plus(sum(interval, times)?, sign)
        }
        Node::TimeDifference { left, right, .. } => sum(left, times)?.plus(sum(right, times)?, -1),
        Node::Negate { expr: inner, .. } => Sum::default().plus(sum(inner, times)?, -1),
        _ => None,
    }
}

/// The microseconds of a literal duration.
fn micros(value: &ArrayRef) -> Option<i128> {
    if value.len() != 1 || value.is_null(0) {
        return None;
    }
    let (count, numerator, denominator) = match value.data_type() {
        DataType::Duration(TimeUnit::Second) => {
            (value.as_primitive::<DurationSecondType>().value(0), 1_000_000, 1)
        }
        DataType::Duration(TimeUnit::Millisecond) => {
            (value.as_primitive::<DurationMillisecondType>().value(0), 1_000, 1)
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            (value.as_primitive::<DurationMicrosecondType>().value(0), 1, 1)
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            (value.as_primitive::<DurationNanosecondType>().value(0), 1, 1_000)
        }
        _ => return None,
    };
    let count = i128::from(count) * numerator;
    (count % denominator == 0).then_some(count / denominator)
}

/// Refuses months: their lengths differ, so no eviction line follows from them.
fn refuse_months(left: &Expr, right: &Expr, times: Times) -> Result<()> {
    let reads = |column: Option<usize>| {
        let read = |expr: &Expr| column.is_some_and(|column| expr.positions().contains(&column));
        read(left) || read(right)
    };
    if reads(times.left) && reads(times.right) && (has_months(left) || has_months(right)) {
        return Err(SqlError::new(
            "an interval of months or years has no fixed length, so no row could ever be evicted from the state; write it in days, such as INTERVAL 31 DAY",
        ));
    }
    Ok(())
}

fn has_months(expr: &Expr) -> bool {
    matches!(expr.data_type, DataType::Interval(IntervalUnit::YearMonth))
        || expr.operands().into_iter().any(has_months)
}
