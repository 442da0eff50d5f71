//! Inserts casts.

use arrow::datatypes::DataType;
use streamjoin_kernels::JoinError;
use streamjoin_kernels::spark::{CastMode, can_cast, cast, comparison_type};

use super::{Binder, literal};
use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::types::{is_string, sql_name, value_type};

/// A cast node, or the cast value of a literal.
pub(super) fn cast_expr(expr: Expr, to: &DataType, mode: CastMode) -> Result<Expr> {
    if expr.data_type == *to {
        return Ok(expr);
    }
    if !can_cast(&expr.data_type, to) && !is_exact_seconds(&expr.data_type, to) {
        return Err(SqlError::new(format!(
            "`{expr}` is {}, where {} is expected",
            sql_name(&expr.data_type),
            sql_name(to)
        )));
    }
    if let Some(value) = expr.literal() {
        return match cast(value, to, mode) {
            Ok(value) => Ok(literal::one(value)),
            Err(JoinError::MalformedValue { .. } | JoinError::OutOfRange { .. }) => {
                Err(SqlError::new(format!(
                    "{expr} cannot be cast to {}: it is malformed or out of range",
                    sql_name(to)
                )))
            }
            Err(other) => Err(SqlError::new(other.to_string())),
        };
    }
    let uuid_text = expr.is_uuid() && is_string(to);
    let can_fail = !uuid_text && can_fail(&expr.data_type, to);
    let nullable = expr.nullable || mode != CastMode::Ansi && can_fail;
    let node = Node::Cast { expr: Box::new(expr), mode };
    Ok(Expr::new(node, to.clone(), nullable))
}

/// Dates and nanosecond timestamps are compared as exact seconds (see
/// `comparison_type`).
fn is_exact_seconds(from: &DataType, to: &DataType) -> bool {
    crate::types::is_date(value_type(from)) && matches!(to, DataType::Decimal128(38, 9))
}

/// Whether some value of `from` cannot be represented in `to`.
fn can_fail(from: &DataType, to: &DataType) -> bool {
    let from = value_type(from);
    let widens = from.is_integer()
        && to.is_integer()
        && from.is_signed_integer() == to.is_signed_integer()
        && from.primitive_width() <= to.primitive_width();
    let always = is_string(to) && !matches!(from, DataType::Binary)
        || widens
        || from == to
        || from.is_numeric() && to.is_floating();
    !always
}

impl Binder<'_> {
    /// The expression cast to `to`, in the mode of the whole text.
    pub(super) fn cast_to(&self, expr: Expr, to: &DataType) -> Result<Expr> {
        cast_expr(expr, to, self.mode)
    }

    /// The expression with the type of its values, if it is a dictionary.
    pub(super) fn by_value(&self, expr: Expr) -> Result<Expr> {
        let to = value_type(&expr.data_type).clone();
        self.cast_to(expr, &to)
    }

    /// All expressions cast to their common type.
    pub(super) fn to_common_type(&self, exprs: Vec<Expr>) -> Result<(Vec<Expr>, DataType)> {
        let Some(first) = exprs.first() else {
            return Err(SqlError::new("at least one value is expected"));
        };
        let mut common = first.data_type.clone();
        for expr in &exprs[1..] {
            refuse_uuid_with_text(first, expr)?;
            if expr.data_type != common {
                common = comparison_type(&common, &expr.data_type).map_err(|e| {
                    mismatch(&e, &common, &expr.data_type, "the values of one list")
                })?;
            }
        }
        let exprs = exprs
            .into_iter()
            .map(|expr| self.cast_to(expr, &common))
            .collect::<Result<Vec<Expr>>>()?;
        Ok((exprs, common))
    }
}

/// Refuses to compare the bytes of a UUID with text, which would never be equal.
pub(super) fn refuse_uuid_with_text(left: &Expr, right: &Expr) -> Result<()> {
    let (uuid, other) = if left.is_uuid() { (left, right) } else { (right, left) };
    if uuid.is_uuid() && is_string(value_type(&other.data_type)) {
        return Err(SqlError::new(format!(
            "`{uuid}` is a UUID, which is 16 bytes, but `{other}` is {}; write CAST({uuid} AS STRING), which is in lower case with hyphens",
            sql_name(&other.data_type)
        )));
    }
    Ok(())
}

/// A refusal of [`comparison_type`], with SQL's names of the types.
pub(super) fn mismatch(
    error: &JoinError,
    left: &DataType,
    right: &DataType,
    what: &str,
) -> SqlError {
    let remedy = match error {
        JoinError::TypeMismatch { cast_to: Some(to), .. } => {
            format!("cast one side explicitly, such as CAST(x AS {})", sql_name(to))
        }
        JoinError::TypeMismatch { remedy, .. } => remedy.clone(),
        other => other.to_string(),
    };
    SqlError::new(format!(
        "{what} have types that cannot be compared, {} and {}: {remedy}",
        sql_name(left),
        sql_name(right)
    ))
}
