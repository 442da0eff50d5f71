//! Bound expressions as SQL text, including the casts that binding inserted.

use std::fmt;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, DurationMicrosecondType, IntervalYearMonthType};
use streamjoin_kernels::spark::{CastMode, cast};

use crate::expr::{BoundExpr, Expr, Node};
use crate::interval::micros_text;
use crate::names::quoted;
use crate::operators::Truth;
use crate::types::{is_string, sql_name};

impl fmt::Display for BoundExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}

/// An operand: in parentheses if it is an operator itself.
struct Operand<'a>(&'a Expr);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.node {
            Node::Column { .. }
            | Node::Literal(_)
            | Node::Cast { .. }
            | Node::Field { .. }
            | Node::Element { .. }
            | Node::MapValue { .. }
            | Node::Narrow(_)
            | Node::Struct(_)
            | Node::FromJson { .. }
            | Node::ToJson { .. }
            | Node::Case { .. }
            | Node::Coalesce(_)
            | Node::Call { .. } => self.0.fmt(f),
            _ => write!(f, "({})", self.0),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, exprs: &[Expr], between: &str) -> fmt::Result {
    for (i, expr) in exprs.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        if between == ", " {
            write!(f, "{expr}")?;
        } else if matches!(expr.node, Node::And(_) | Node::Or(_)) {
            write!(f, "({expr})")?;
        } else {
            write!(f, "{expr}")?;
        }
    }
    Ok(())
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Node::Column { name, .. } => f.write_str(name),
            Node::Literal(value) => literal(f, value),
            Node::Cast { expr, mode } => {
                let name = match mode {
                    CastMode::Try => "TRY_CAST",
                    _ => "CAST",
                };
                write!(f, "{name}({expr} AS {})", sql_name(&self.data_type))
            }
            Node::Compare { op, left, right } => {
                write!(f, "{} {} {}", Operand(left), op.sql(), Operand(right))
            }
            Node::And(operands) => list(f, operands, " AND "),
            Node::Or(operands) => list(f, operands, " OR "),
            Node::Not(expr) => write!(f, "NOT {}", Operand(expr)),
            Node::Is { expr, what, negated } => {
                let not = if *negated { "NOT " } else { "" };
                let what = match what {
                    Truth::Null => "NULL",
                    Truth::True => "TRUE",
                    Truth::False => "FALSE",
                };
                write!(f, "{} IS {not}{what}", Operand(expr))
            }
            Node::Like { expr, pattern, ignore_case } => {
                let like = if *ignore_case { "ILIKE" } else { "LIKE" };
                write!(f, "{} {like} {}", Operand(expr), Operand(pattern))
            }
            Node::Arithmetic { op, left, right, .. } => {
                write!(f, "{} {} {}", Operand(left), op.sql(), Operand(right))
            }
            Node::Negate { expr, .. } => {
                // Two minus signs would begin a comment.
                let operand = Operand(expr).to_string();
                if operand.starts_with('-') {
                    write!(f, "-({operand})")
                } else {
                    write!(f, "-{operand}")
                }
            }
            Node::AddInterval { time, interval, subtract, .. } => {
                let op = if *subtract { '-' } else { '+' };
                write!(f, "{} {op} {}", Operand(time), Operand(interval))
            }
            Node::TimeDifference { left, right, .. } => {
                write!(f, "{} - {}", Operand(left), Operand(right))
            }
            Node::Field { expr, name } => write!(f, "{}.{}", Operand(expr), quoted(name)),
            Node::Element { expr, index: at, .. } | Node::MapValue { expr, key: at } => {
                write!(f, "{}[{at}]", Operand(expr))
            }
            Node::Narrow(expr) => expr.fmt(f),
            Node::FromJson { expr, how, .. } => write!(f, "from_json({expr}, {how})"),
            Node::ToJson { expr, how, .. } => write!(f, "to_json({expr}{how})"),
            Node::Struct(values) => {
                f.write_str("named_struct(")?;
                let fields = match &self.data_type {
                    DataType::Struct(fields) => fields.iter().as_slice(),
                    _ => &[],
                };
                for (i, (field, value)) in fields.iter().zip(values).enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}, {value}", text_literal(field.name()))?;
                }
                f.write_str(")")
            }
            Node::Case { branches, otherwise } => {
                f.write_str("CASE")?;
                for (when, then) in branches {
                    write!(f, " WHEN {when} THEN {then}")?;
                }
                if let Some(otherwise) = otherwise {
                    write!(f, " ELSE {otherwise}")?;
                }
                f.write_str(" END")
            }
            Node::Coalesce(operands) => {
                f.write_str("coalesce(")?;
                list(f, operands, ", ")?;
                f.write_str(")")
            }
            Node::Call { function, arguments, .. } => {
                write!(f, "{}(", function.name)?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
        }
    }
}

fn literal(f: &mut fmt::Formatter<'_>, value: &arrow::array::ArrayRef) -> fmt::Result {
    let data_type = value.data_type();
    if value.logical_null_count() > 0 {
        return match data_type {
            DataType::Null => f.write_str("NULL"),
            other => write!(f, "CAST(NULL AS {})", sql_name(other)),
        };
    }
    if let Some(interval) = value.as_primitive_opt::<DurationMicrosecondType>() {
        return f.write_str(&micros_text(interval.value(0)));
    }
    if let Some(months) = value.as_primitive_opt::<IntervalYearMonthType>() {
        return write!(f, "INTERVAL '{}' MONTH", months.value(0));
    }
    let text = match data_type {
        DataType::Binary => {
            let bytes = value.as_binary::<i32>().value(0);
            f.write_str("X'")?;
            for byte in bytes {
                write!(f, "{byte:02X}")?;
            }
            return f.write_str("'");
        }
        _ => match cast(value, &DataType::Utf8, CastMode::Try) {
            Ok(text) => text.as_string::<i32>().value(0).to_owned(),
            Err(_) => return write!(f, "?"),
        },
    };
    match data_type {
        DataType::Date32 | DataType::Date64 => write!(f, "DATE '{text}'"),
        DataType::Timestamp(..) => write!(f, "TIMESTAMP '{text}'"),
        DataType::Float64 if text.parse::<f64>().is_ok_and(f64::is_finite) => {
            write!(f, "{text}D")
        }
        DataType::Float64 => write!(f, "CAST('{text}' AS DOUBLE)"),
        DataType::Float32 if text.parse::<f32>().is_ok_and(f32::is_finite) => {
            write!(f, "{text}F")
        }
        DataType::Float32 => write!(f, "CAST('{text}' AS FLOAT)"),
        DataType::Int8 => write!(f, "{text}Y"),
        DataType::Int16 => write!(f, "{text}S"),
        DataType::Int64 => write!(f, "{text}L"),
        DataType::Decimal128(precision, _) if digits(&text) != usize::from(*precision) => {
            write!(f, "CAST({text} AS {})", sql_name(data_type))
        }
        other if is_string(other) => f.write_str(&text_literal(&text)),
        _ => f.write_str(&text),
    }
}

/// Text in single quotes.
pub(crate) fn text_literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The precision that a decimal number has as a literal.
fn digits(text: &str) -> usize {
    let plain = text.trim_start_matches(['-', '0', '.']);
    let significant = plain.bytes().filter(u8::is_ascii_digit).count();
    let scale = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    significant.max(scale).max(1)
}
