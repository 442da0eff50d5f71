//! Binds comparisons, IN and LIKE.

use std::sync::Arc;

use arrow::array::{Array, AsArray, StringArray};
use arrow::datatypes::{DataType, TimeUnit};
use sqlparser::ast;
use streamjoin_kernels::spark::comparison_type;

use super::{Binder, cast, literal, negate_if};
use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::operators::CompareOp;
use crate::types::{is_string, timestamp, value_type};

impl Binder<'_> {
    pub(super) fn compared(
        &mut self,
        op: CompareOp,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> Result<Expr> {
        let (left, right) = (self.bind(left)?, self.bind(right)?);
        self.compare(op, left, right)
    }

    /// Compares both sides, cast to the type in which Spark compares them.
    pub(crate) fn compare(&self, op: CompareOp, left: Expr, right: Expr) -> Result<Expr> {
        cast::refuse_uuid_with_text(&left, &right)?;
        let (left, right) = self.widen_time_text(left, right)?;
        let common = comparison_type(&left.data_type, &right.data_type).map_err(|e| {
            let what = format!("`{left}` and `{right}`");
            cast::mismatch(&e, &left.data_type, &right.data_type, &what)
        })?;
        let null_safe = matches!(op, CompareOp::NullSafeEq | CompareOp::Distinct);
        let left = self.cast_to(left, &common)?;
        let right = self.cast_to(right, &common)?;
        let nullable = !null_safe && (left.nullable || right.nullable);
        let node = Node::Compare { op, left: Box::new(left), right: Box::new(right) };
        Ok(Expr::boolean(node, nullable))
    }

    /// A string literal compared with a nanosecond timestamp may lie beyond the
    /// year 2262, where such timestamps end: it is then read in microseconds.
    fn widen_time_text(&self, left: Expr, right: Expr) -> Result<(Expr, Expr)> {
        let is_nanos = |expr: &Expr| {
            matches!(value_type(&expr.data_type), DataType::Timestamp(TimeUnit::Nanosecond, _))
        };
        let widen = |text: Expr, time: &Expr| {
            let literal = text.literal().is_some() && is_string(&text.data_type);
            if literal && is_nanos(time) && self.cast_to(text.clone(), &time.data_type).is_err() {
                self.cast_to(text, &timestamp())
            } else {
                Ok(text)
            }
        };
        let left = widen(left, &right)?;
        let right = widen(right, &left)?;
        Ok((left, right))
    }

    pub(super) fn in_list(
        &mut self,
        value: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
    ) -> Result<Expr> {
        let mut all = vec![self.bind(value)?];
        for item in list {
            all.push(self.bind(item)?);
        }
        if all.len() == 1 {
            return Err(SqlError::new("IN needs at least one value"));
        }
        let types_differ = all.iter().any(|e| e.data_type != all[0].data_type);
        if types_differ {
            all = self.to_common_type(all)?.0;
        }
        let mut all = all.into_iter();
        let Some(value) = all.next() else {
            return Err(SqlError::new("IN needs a value"));
        };
        let tests = all
            .map(|item| self.compare(CompareOp::Eq, value.clone(), item))
            .collect::<Result<Vec<Expr>>>()?;
        let nullable = tests.iter().any(|t| t.nullable);
        let any = Expr::boolean(Node::Or(tests), nullable);
        Ok(negate_if(negated, any))
    }

    pub(super) fn like(
        &mut self,
        text: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
        ignore_case: bool,
        negated: bool,
    ) -> Result<Expr> {
        let (text, pattern) = (self.bind(text)?, self.bind(pattern)?);
        let escape = match escape {
            None => '\\',
            Some(expr) => {
                let escape = self.bind(expr)?;
                single_char(&escape)
                    .ok_or_else(|| SqlError::new("ESCAPE takes a string of one character"))?
            }
        };
        let text = self.as_text(text)?;
        let mut pattern = self.cast_to(pattern, &text.data_type.clone())?;
        match pattern.literal().map(text_of) {
            Some(Some(written)) => {
                let escaped = with_backslashes(&written, escape)?;
                let array = Arc::new(StringArray::from(vec![escaped]));
                pattern = self.cast_to(literal::one(array), &text.data_type)?;
            }
            Some(None) => {}
            None if escape != '\\' => {
                return Err(SqlError::new("ESCAPE requires a literal pattern"));
            }
            None => {}
        }
        let nullable = text.nullable || pattern.nullable;
        let node = Node::Like { expr: Box::new(text), pattern: Box::new(pattern), ignore_case };
        Ok(negate_if(negated, Expr::boolean(node, nullable)))
    }

    /// A string unchanged, anything else cast to STRING.
    fn as_text(&self, expr: Expr) -> Result<Expr> {
        let expr = self.by_value(expr)?;
        if is_string(&expr.data_type) { Ok(expr) } else { self.cast_to(expr, &DataType::Utf8) }
    }
}

/// The string of a literal of any string type.
fn text_of(value: &arrow::array::ArrayRef) -> Option<String> {
    if value.is_null(0) {
        return None;
    }
    match value.data_type() {
        DataType::Utf8 => Some(value.as_string::<i32>().value(0).to_owned()),
        DataType::LargeUtf8 => Some(value.as_string::<i64>().value(0).to_owned()),
        DataType::Utf8View => Some(value.as_string_view().value(0).to_owned()),
        _ => None,
    }
}

fn single_char(escape: &Expr) -> Option<char> {
    let text = escape.literal().and_then(text_of)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(char), None) => Some(char),
        _ => None,
    }
}

/// The pattern with backslashes as escapes; as in Spark, only `%`, `_` and the
/// escape itself may be escaped.
fn with_backslashes(pattern: &str, escape: char) -> Result<String> {
    let mut result = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != escape {
            // A backslash that is not the escape stands for itself.
            if c == '\\' {
                result.push('\\');
            }
            result.push(c);
            continue;
        }
        match chars.next() {
            Some(next) if next == '%' || next == '_' => result.extend(['\\', next]),
            Some(next) if next == escape => {
                if escape == '\\' {
                    result.push('\\');
                }
                result.push(next);
            }
            Some(next) => {
                return Err(SqlError::new(format!(
                    "the escape character `{escape}` stands before `{next}` in a LIKE pattern; it may only stand before %, _ and itself"
                )));
            }
            None => {
                return Err(SqlError::new(format!(
                    "a LIKE pattern ends with its escape character `{escape}`"
                )));
            }
        }
    }
    Ok(result)
}
