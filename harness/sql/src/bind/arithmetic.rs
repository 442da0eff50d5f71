//! Binds arithmetic, with Spark's result types.

use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use sqlparser::ast;
use streamjoin_kernels::spark::{CastMode, comparison_type, decimal_digits};

use super::{Binder, cast};
use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::interval::{self, IntervalValue};
use crate::operators::ArithmeticOp;
use crate::types::{INTERVAL, bounded_decimal, is_date, is_string, is_time, sql_name, timestamp};

use ArithmeticOp as Op;

/// Whether it is an interval literal of days or weeks: a date plus such an
/// interval stays a date.
pub(super) fn is_days(expr: &ast::Expr) -> bool {
    matches!(
        expr,
        ast::Expr::Interval(i) if matches!(
            interval::interval(i),
            Ok(IntervalValue::Micros { days_only: true, .. })
        )
    )
}

fn is_months(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Interval(IntervalUnit::YearMonth))
}

fn is_interval(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Duration(_)) || is_months(data_type)
}

impl Binder<'_> {
    pub(super) fn arithmetic(&self, op: Op, left: Expr, right: Expr, days: bool) -> Result<Expr> {
        let (left, right) = (self.by_value(left)?, self.by_value(right)?);
        let (left, right) = match (&left.data_type, &right.data_type) {
            (DataType::Null, DataType::Null) => {
                (self.cast_to(left, &DataType::Int32)?, self.cast_to(right, &DataType::Int32)?)
            }
            (DataType::Null, other) if !is_time(other) => {
                let other = other.clone();
                (self.cast_to(left, &other)?, right)
            }
            (other, DataType::Null) if !is_time(other) => {
                let other = other.clone();
                (left, self.cast_to(right, &other)?)
            }
            (DataType::Null, _) => (self.cast_to(left, &INTERVAL)?, right),
            (_, DataType::Null) => (left, self.cast_to(right, &INTERVAL)?),
            _ => (left, right),
        };
        let (lt, rt) = (&left.data_type, &right.data_type);
        let times = [lt, rt].iter().any(|t| is_time(t) || is_interval(t));
        if times {
            return self.time_arithmetic(op, left, right, days);
        }
        let number = |t: &DataType| t.is_numeric() || is_string(t);
        if !number(lt) || !number(rt) {
            return Err(no_operator(op, &left, &right));
        }
        if lt.is_decimal() || rt.is_decimal() {
            return self.decimal_arithmetic(op, left, right);
        }
        let common = match op {
            Op::Divide => DataType::Float64,
            Op::IntegerDivide => {
                if lt.is_floating() || rt.is_floating() {
                    return Err(no_operator(op, &left, &right));
                }
                DataType::Int64
            }
            _ if is_string(lt) && is_string(rt) => DataType::Float64,
            _ => comparison_type(lt, rt).map_err(|e| cast::mismatch(&e, lt, rt, "the operands"))?,
        };
        let left = self.cast_to(left, &common)?;
        let right = self.cast_to(right, &common)?;
        if common.is_decimal() {
            return self.decimal_arithmetic(op, left, right);
        }
        Ok(self.node(op, left, right, common))
    }

    fn node(&self, op: Op, left: Expr, right: Expr, result: DataType) -> Expr {
        let fails = result.is_decimal() || op.divides();
        let nullable = left.nullable || right.nullable || fails && self.mode != CastMode::Ansi;
        let node =
            Node::Arithmetic { op, left: Box::new(left), right: Box::new(right), mode: self.mode };
        Expr::new(node, result, nullable)
    }

    /// Spark's `DecimalPrecision`; with a float, both become doubles.
    fn decimal_arithmetic(&self, op: Op, left: Expr, right: Expr) -> Result<Expr> {
        let inexact = |t: &DataType| t.is_floating() || is_string(t);
        if inexact(&left.data_type) || inexact(&right.data_type) {
            if op == Op::IntegerDivide {
                return Err(no_operator(op, &left, &right));
            }
            let left = self.cast_to(left, &DataType::Float64)?;
            let right = self.cast_to(right, &DataType::Float64)?;
            return Ok(self.node(op, left, right, DataType::Float64));
        }
        let left = self.to_decimal(left)?;
        let right = self.to_decimal(right)?;
        let (Some((p1, s1)), Some((p2, s2))) =
            (decimal_digits(&left.data_type), decimal_digits(&right.data_type))
        else {
            return Err(no_operator(op, &left, &right));
        };
        let scale = s1.max(s2);
        let result = match op {
            Op::Add | Op::Subtract => bounded_decimal((p1 - s1).max(p2 - s2) + scale + 1, scale),
            Op::Multiply => bounded_decimal(p1 + p2 + 1, s1 + s2),
            Op::Divide => {
                let scale = (s1 + p2 + 1).max(6);
                bounded_decimal(p1 - s1 + s2 + scale, scale)
            }
            Op::Remainder => bounded_decimal((p1 - s1).min(p2 - s2) + scale, scale),
            Op::IntegerDivide => DataType::Int64,
        };
        Ok(self.node(op, left, right, result))
    }

    /// An integer as the narrowest decimal that holds it: for a literal by its
    /// digits, for a column by its type.
    fn to_decimal(&self, expr: Expr) -> Result<Expr> {
        let Some((digits, 0)) =
            decimal_digits(&expr.data_type).filter(|_| expr.data_type.is_integer())
        else {
            return Ok(expr);
        };
        if expr.literal().is_some() {
            for digits in 1..digits {
                let to = DataType::Decimal128(digits as u8, 0);
                if let Ok(narrow) = cast::cast_expr(expr.clone(), &to, CastMode::Ansi) {
                    return Ok(narrow);
                }
            }
        }
        self.cast_to(expr, &DataType::Decimal128(digits as u8, 0))
    }

    fn time_arithmetic(&self, op: Op, left: Expr, right: Expr, days: bool) -> Result<Expr> {
        let subtract = match op {
            Op::Add => false,
            Op::Subtract => true,
            _ => return Err(no_operator(op, &left, &right)),
        };
        let (lt, rt) = (left.data_type.clone(), right.data_type.clone());
        // Put the time first; a sum may be written in either order.
        if !subtract && (is_interval(&lt) || lt.is_integer()) && (is_time(&rt) || is_string(&rt)) {
            return self.time_arithmetic(op, right, left, days);
        }
        if is_string(&lt) && is_interval(&rt) {
            let left = self.cast_to(left, &timestamp())?;
            return self.time_arithmetic(op, left, right, days);
        }
        match (&lt, &rt) {
            (time, months) if is_time(time) && is_months(months) => {
                let left = if *time == DataType::Date64 {
                    self.cast_to(left, &DataType::Date32)?
                } else {
                    left
                };
                let result = left.data_type.clone();
                Ok(self.add_interval(left, right, subtract, result))
            }
            (date, DataType::Duration(_)) if is_date(date) => {
                let left = self.cast_to(left, &timestamp())?;
                let sum = self.time_arithmetic(op, left, right, days)?;
                if days { self.cast_to(sum, &DataType::Date32) } else { Ok(sum) }
            }
            (DataType::Timestamp(unit, zone), DataType::Duration(_)) => {
                let unit = finer(*unit);
                let result = DataType::Timestamp(unit, zone.clone());
                let left = self.cast_to(left, &result)?;
                let right = self.cast_to(right, &DataType::Duration(unit))?;
                Ok(self.add_interval(left, right, subtract, result))
            }
            (DataType::Duration(a), DataType::Duration(b)) => {
                let nanos = [a, b].contains(&&TimeUnit::Nanosecond);
                let unit = if nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
                let result = DataType::Duration(unit);
                let left = self.cast_to(left, &result)?;
                let right = self.cast_to(right, &result)?;
                Ok(self.add_interval(left, right, subtract, result))
            }
            (date, count) if is_date(date) && count.is_integer() => {
                let name = if subtract { "date_sub" } else { "date_add" };
                self.call(name, vec![left, right])
            }
            (a, b) if subtract && is_time(a) && (is_time(b) || is_string(b)) => {
                self.difference(left, right)
            }
            (a, b) if subtract && is_string(a) && is_time(b) => self.difference(left, right),
            _ => Err(no_operator(op, &left, &right)),
        }
    }

    fn add_interval(&self, time: Expr, interval: Expr, subtract: bool, result: DataType) -> Expr {
        let nullable = time.nullable || interval.nullable || self.mode != CastMode::Ansi;
        let node = Node::AddInterval {
            time: Box::new(time),
            interval: Box::new(interval),
            subtract,
            mode: self.mode,
        };
        Expr::new(node, result, nullable)
    }

    /// The interval between two times, in the finer of their units.
    fn difference(&self, left: Expr, right: Expr) -> Result<Expr> {
        let nanos = [&left, &right]
            .iter()
            .any(|e| matches!(e.data_type, DataType::Timestamp(TimeUnit::Nanosecond, _)));
        let unit = if nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        let time = DataType::Timestamp(unit, Some("UTC".into()));
        let left = self.cast_to(left, &time)?;
        let right = self.cast_to(right, &time)?;
        let nullable = left.nullable || right.nullable || self.mode != CastMode::Ansi;
        let node =
            Node::TimeDifference { left: Box::new(left), right: Box::new(right), mode: self.mode };
        Ok(Expr::new(node, DataType::Duration(unit), nullable))
    }

    pub(super) fn negative(&self, value: Expr) -> Result<Expr> {
        let value = self.by_value(value)?;
        let value = match &value.data_type {
            DataType::Null => self.cast_to(value, &DataType::Int32)?,
            t if is_string(t) => self.cast_to(value, &DataType::Float64)?,
            // A negated unsigned number is signed.
            t if t.is_unsigned_integer() => {
                let signed = comparison_type(t, &DataType::Int8)
                    .map_err(|e| SqlError::new(e.to_string()))?;
                self.cast_to(value, &signed)?
            }
            t if t.is_numeric() || is_interval(t) => value,
            other => {
                return Err(SqlError::new(format!(
                    "`{value}` is {} and cannot be negated",
                    sql_name(other)
                )));
            }
        };
        let (data_type, nullable) = (value.data_type.clone(), value.nullable);
        let node = Node::Negate { expr: Box::new(value), mode: self.mode };
        Ok(Expr::new(node, data_type, nullable))
    }
}

/// Intervals count microseconds, so coarser timestamps are refined.
fn finer(unit: TimeUnit) -> TimeUnit {
    match unit {
        TimeUnit::Nanosecond => TimeUnit::Nanosecond,
        _ => TimeUnit::Microsecond,
    }
}

fn no_operator(op: Op, left: &Expr, right: &Expr) -> SqlError {
    let (lt, rt) = (&left.data_type, &right.data_type);
    let hint = if is_time(lt) && rt.is_numeric() || is_time(rt) && lt.is_numeric() {
        "; add an interval, such as INTERVAL 1 HOUR"
    } else if is_interval(lt) || is_interval(rt) {
        "; intervals are added to and subtracted from times and each other"
    } else {
        ""
    };
    SqlError::new(format!(
        "`{}` does not take {} and {}{hint}",
        op.sql(),
        sql_name(lt),
        sql_name(rt)
    ))
}
