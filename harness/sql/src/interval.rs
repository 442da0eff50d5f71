//! `INTERVAL` literals in the spellings that Spark and PostgreSQL accept.

use sqlparser::ast::{self, DateTimeField, Expr};

use crate::error::{Result, SqlError};
use crate::names::{hint, shortened};

/// The value of an interval literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntervalValue {
    /// Years and months, counted in months.
    Months(i32),
    /// Weeks to microseconds, counted in microseconds.
    Micros {
        micros: i64,
        /// Written in days or weeks only: adding it to a date results in a date.
        days_only: bool,
    },
}

/// The length of a unit in months or microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Months(i64),
    Micros(i64),
}

pub(crate) const SECOND: i64 = 1_000_000;
pub(crate) const DAY: i64 = 86_400 * SECOND;

fn unit(name: &str) -> Option<Unit> {
    let name = name.to_ascii_lowercase();
    Some(match name.strip_suffix('s').unwrap_or(&name) {
        "year" => Unit::Months(12),
        "quarter" => Unit::Months(3),
        "month" | "mon" => Unit::Months(1),
        "week" => Unit::Micros(7 * DAY),
        "day" => Unit::Micros(DAY),
        "hour" => Unit::Micros(3600 * SECOND),
        "minute" | "min" => Unit::Micros(60 * SECOND),
        "second" | "sec" => Unit::Micros(SECOND),
        "millisecond" => Unit::Micros(1000),
        "microsecond" => Unit::Micros(1),
        _ => return None,
    })
}

/// Sums the parts of a literal; months and microseconds are kept apart.
#[derive(Default)]
struct Sum {
    months: Option<i64>,
    micros: Option<i64>,
    finer_than_days: bool,
}

impl Sum {
    fn add(&mut self, number: &str, unit: Unit, negative: bool) -> Result<()> {
        let (total, count, size) = match unit {
            Unit::Months(size) => (&mut self.months, exact(number, 0), size),
            Unit::Micros(size) => {
                self.finer_than_days |= size < DAY;
                // Spark accepts a fraction of seconds only; any unit may have one here.
                (&mut self.micros, exact(number, 6), size)
            }
        };
        let count = count.ok_or_else(|| malformed(number))?;
        let scale = if matches!(unit, Unit::Months(_)) { 1 } else { SECOND };
        let value = i128::from(count) * i128::from(size) / i128::from(scale);
        let value = if negative { -value } else { value };
        let sum = i128::from(total.unwrap_or(0)) + value;
        *total = Some(i64::try_from(sum).map_err(|_| too_long())?);
        Ok(())
    }

    fn value(self) -> Result<IntervalValue> {
        match (self.months, self.micros) {
            (Some(months), None) => {
                i32::try_from(months).map(IntervalValue::Months).map_err(|_| too_long())
            }
            (None, Some(micros)) => {
                Ok(IntervalValue::Micros { micros, days_only: !self.finer_than_days })
            }
            (Some(_), Some(_)) => Err(SqlError::new(
                "an interval that mixes months and days has no fixed length; write two intervals",
            )),
            (None, None) => {
                Err(SqlError::new("an interval needs a number and a unit, such as INTERVAL 1 HOUR"))
            }
        }
    }
}

fn too_long() -> SqlError {
    SqlError::new("the interval is longer than 292,000 years")
}

fn malformed(number: &str) -> SqlError {
    let shown = shortened(number, 40);
    SqlError::new(format!("malformed interval: `{shown}` is not a number in range"))
}

/// A decimal number times ten to `digits`, if it has no more digits than that.
fn exact(number: &str, digits: usize) -> Option<i64> {
    let (negative, rest) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() == 0
        || !all_digits(whole)
        || !all_digits(fraction)
        || fraction.trim_end_matches('0').len() > digits
    {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let joined = format!("0{whole}{fraction}{}", "0".repeat(digits - fraction.len()));
    let value: i64 = joined.parse().ok()?;
    Some(if negative { -value } else { value })
}

/// `INTERVAL 1 HOUR`, `INTERVAL '1' HOUR`, `INTERVAL '1 hour 30 minutes'`,
/// `INTERVAL '1:30' HOUR TO MINUTE`, `INTERVAL '1 02:03:04.5' DAY TO SECOND`.
pub(crate) fn interval(interval: &ast::Interval) -> Result<IntervalValue> {
    let (text, mut negative) = literal(&interval.value)?;
    let text = text.trim();
    let Some(first) = &interval.leading_field else {
        return words(text);
    };
    let mut sum = Sum::default();
    let first = unit_of(first)?;
    let Some(last) = &interval.last_field else {
        sum.add(text, first, negative)?;
        return sum.value();
    };
    // One number per field, separated by blanks, colons or hyphens.
    let text = match text.strip_prefix('-') {
        Some(rest) => {
            negative = !negative;
            rest
        }
        None => text,
    };
    let units = fields(first, unit_of(last)?)?;
    let numbers: Vec<&str> = text.split([' ', ':', '-']).collect();
    if numbers.len() != units.len() {
        return Err(SqlError::new(format!(
            "malformed interval: expected {} fields, found {}",
            units.len(),
            numbers.len()
        )));
    }
    for (number, unit) in numbers.into_iter().zip(units) {
        sum.add(number, unit, negative)?;
    }
    sum.value()
}

/// The number or string of the literal, and whether it is negated.
fn literal(expr: &Expr) -> Result<(&str, bool)> {
    match expr {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(text, _) | ast::Value::SingleQuotedString(text) => Ok((text, false)),
            _ => Err(not_literal()),
        },
        Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => {
            literal(expr).map(|(text, negative)| (text, !negative))
        }
        Expr::UnaryOp { op: ast::UnaryOperator::Plus, expr } | Expr::Nested(expr) => literal(expr),
        _ => Err(not_literal()),
    }
}

fn not_literal() -> SqlError {
    SqlError::new("an interval must be a literal, such as INTERVAL 90 MINUTES or INTERVAL '1 hour'")
}

/// `1 hour 30 minutes`: pairs of a number and a unit.
fn words(text: &str) -> Result<IntervalValue> {
    let mut sum = Sum::default();
    let mut parts = text.split_whitespace();
    while let Some(number) = parts.next() {
        // `1hour` and `- 1 hour` are refused: they are usually typos.
        let name = parts.next().ok_or_else(|| {
            SqlError::new(format!(
                "malformed interval: a unit is missing after `{}`, such as `hours`",
                shortened(number, 40)
            ))
        })?;
        let unit = unit(name).ok_or_else(|| unknown_unit(name))?;
        sum.add(number, unit, false)?;
    }
    sum.value()
}

fn unit_of(field: &DateTimeField) -> Result<Unit> {
    let name = field.to_string();
    unit(&name).ok_or_else(|| unknown_unit(&name))
}

fn unknown_unit(name: &str) -> SqlError {
    const KNOWN: [&str; 9] =
        ["year", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"];
    let name = shortened(name, 40);
    SqlError::new(format!("unknown interval unit `{name}`{}", hint(&name, &KNOWN)))
}

/// The fields from one unit to the other, both included.
fn fields(first: Unit, last: Unit) -> Result<Vec<Unit>> {
    let orders = [
        [Unit::Months(12), Unit::Months(1)].as_slice(),
        &[
            Unit::Micros(DAY),
            Unit::Micros(3600 * SECOND),
            Unit::Micros(60 * SECOND),
            Unit::Micros(SECOND),
        ],
    ];
    for order in orders {
        let at = |unit| order.iter().position(|u| *u == unit);
        if let (Some(from), Some(to)) = (at(first), at(last))
            && from < to
        {
            return Ok(order[from..=to].to_vec());
        }
    }
    Err(SqlError::new(
        "the fields of an interval are YEAR TO MONTH, or run from DAY, HOUR or MINUTE to a finer unit, down to SECOND",
    ))
}

/// Microseconds as an `INTERVAL` literal, for display.
pub(crate) fn micros_text(micros: i64) -> String {
    for (size, name) in [(DAY, "DAY"), (3600 * SECOND, "HOUR"), (60 * SECOND, "MINUTE")] {
        if micros != 0 && micros % size == 0 {
            return format!("INTERVAL '{}' {name}", micros / size);
        }
    }
    let sign = if micros < 0 { "-" } else { "" };
    let (whole, part) =
        (micros.unsigned_abs() / SECOND as u64, micros.unsigned_abs() % SECOND as u64);
    if part == 0 {
        format!("INTERVAL '{sign}{whole}' SECOND")
    } else {
        let part = format!("{part:06}");
        format!("INTERVAL '{sign}{whole}.{}' SECOND", part.trim_end_matches('0'))
    }
}
