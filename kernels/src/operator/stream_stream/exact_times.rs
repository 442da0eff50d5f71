//! Interval conditions over times finer than microseconds.
//!
//! Stores and eviction lines count microseconds; finer times are floored. Pairs are first
//! looked up by floored times and a condition that includes its ends. That misses none: the
//! distance of floored times lies less than a microsecond from the exact one, and ends are
//! whole microseconds. Then the exact times decide.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow::compute::filter;
use arrow::datatypes::{DataType, TimeUnit, TimestampNanosecondType};

use super::spec::Spec;
use crate::column::SideColumn;
use crate::error::Result;
use crate::predicate::{Filter, Predicate};
use crate::side::Side;
use crate::time::{Bound, EventTimes, IntervalCondition};

/// Whether a condition on event time has to be decided by exact times.
pub(super) fn are_needed(spec: &Spec) -> bool {
    let is_finer = |side| {
        let input = spec.input(side);
        input.event_time.is_some_and(|column| {
            let data_type = input.schema.field(column).data_type();
            matches!(data_type, DataType::Timestamp(TimeUnit::Nanosecond, _))
        })
    };
    !spec.time.interval.is_unbounded() && Side::BOTH.into_iter().any(is_finer)
}

/// The condition by which pairs are looked up.
pub(super) fn looked_up(interval: IntervalCondition) -> IntervalCondition {
    let included = |bound: Option<Bound>| bound.map(|b| Bound { inclusive: true, ..b });
    IntervalCondition { lower: included(interval.lower), upper: included(interval.upper) }
}

/// The residual condition of a join whose interval is decided by exact times.
pub(super) fn residual(spec: &Spec) -> Option<Filter<SideColumn>> {
    let left = SideColumn::left(spec.left.event_time?);
    let right = SideColumn::right(spec.right.event_time?);
    let mut columns = vec![left, right];
    columns.extend(spec.residual.iter().flat_map(|filter| &filter.columns));
    let interval = spec.time.interval;
    let then = spec.residual.as_ref().map(|filter| Arc::clone(&filter.predicate));
    Some(Filter { columns, predicate: Arc::new(ExactInterval { interval, then }) })
}

/// The interval over the first two columns and, for pairs inside, another condition over
/// the others.
#[derive(Debug)]
struct ExactInterval {
    interval: IntervalCondition,
    then: Option<Arc<dyn Predicate>>,
}

impl Predicate for ExactInterval {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        let (times, others) = columns.split_at(2);
        let (left, right) = (Nanos::of(&times[0])?, Nanos::of(&times[1])?);
        let within = BooleanBuffer::collect_bool(rows, |row| {
            left.at(row)
                .zip(right.at(row))
                .is_some_and(|(left, right)| self.interval.contains_nanos(left, right))
        });
        let Some(then) = &self.then else { return Ok(within.into()) };
        let then = Filter::<SideColumn> { columns: Vec::new(), predicate: Arc::clone(then) };
        let inside = within.count_set_bits();
        if inside == rows {
            return Ok(then.evaluate(others, rows)?.into());
        }
        // The other condition sees only pairs inside: it may fail for others.
        let mask = BooleanArray::from(within.clone());
        let others: Vec<ArrayRef> =
            others.iter().map(|column| filter(column, &mask)).collect::<Result<_, _>>()?;
        let kept = then.evaluate(&others, inside)?;
        let mut next = kept.iter();
        let decide = |is_inside: bool| is_inside && next.next() == Some(true);
        Ok(within.iter().map(decide).collect::<BooleanBuffer>().into())
    }
}

/// The exact times of a column, in nanoseconds.
enum Nanos {
    Exact(ScalarBuffer<i64>, Option<NullBuffer>),
    Micros(EventTimes),
}

impl Nanos {
    fn of(column: &ArrayRef) -> Result<Self> {
        Ok(match column.data_type() {
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                let times = column.as_primitive::<TimestampNanosecondType>();
                Self::Exact(times.values().clone(), times.nulls().cloned())
            }
            _ => Self::Micros(EventTimes::new(column)?),
        })
    }

    fn at(&self, row: usize) -> Option<i128> {
        match self {
            Self::Exact(times, nulls) => {
                let valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
                valid.then(|| i128::from(times[row]))
            }
            Self::Micros(times) => times.micros_at(row).map(|time| i128::from(time) * 1000),
        }
    }
}
