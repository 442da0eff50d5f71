//! Binds syntax trees: resolves names, determines types, inserts casts.

mod arithmetic;
mod call;
mod cast;
mod compare;
mod datetime_pattern;
mod json;
mod literal;
mod nested;

pub use call::function_names;

use sqlparser::ast;
use sqlparser::ast::{BinaryOperator as Op, UnaryOperator};
use streamjoin_kernels::spark::{CastMode, can_cast};

use crate::error::{Result, SqlError};
use crate::expr::{BoundExpr, Expr, Node};
use crate::operators::{ArithmeticOp, CompareOp, Truth};
use crate::parse::{self, place};
use crate::scope::Scope;
use crate::types::{self, sql_name};

/// Expressions nested deeper than this are refused, so that the stack suffices.
const MAX_DEPTH: usize = 100;

/// Binds one expression.
///
/// # Errors
/// Syntax errors, unknown or ambiguous names, mismatched types.
pub fn expression(text: &str, scope: &Scope, mode: CastMode) -> Result<BoundExpr> {
    let parsed = parse::expression(text)?;
    Ok(BoundExpr::new(Binder::new(scope, mode).bind(&parsed)?))
}

/// Binds one expression that must be boolean, such as a `where`; rows for which
/// it is null do not pass.
///
/// # Errors
/// As [`expression`], and if it is not boolean.
pub fn filter(text: &str, scope: &Scope, mode: CastMode) -> Result<BoundExpr> {
    let parsed = parse::expression(text)?;
    Ok(BoundExpr::new(Binder::new(scope, mode).condition(&parsed)?))
}

/// Binds expressions to the columns of one scope.
#[derive(Debug)]
pub(crate) struct Binder<'a> {
    scope: &'a Scope,
    mode: CastMode,
    depth: usize,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(scope: &'a Scope, mode: CastMode) -> Self {
        Self { scope, mode, depth: 0 }
    }

    /// Resolves all names and types of an expression.
    pub(crate) fn bind(&mut self, expr: &ast::Expr) -> Result<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SqlError::new(format!(
                "the expression is nested more than {MAX_DEPTH} levels deep; simplify it"
            )));
        }
        let bound = self.bind_node(expr).map_err(|e| e.or_at(place(expr)));
        self.depth -= 1;
        bound
    }

    /// Binds an expression that must be boolean.
    pub(crate) fn condition(&mut self, expr: &ast::Expr) -> Result<Expr> {
        let bound = self.bind(expr)?;
        self.truth(bound).map_err(|e| e.or_at(place(expr)))
    }

    fn truth(&self, expr: Expr) -> Result<Expr> {
        use arrow::datatypes::DataType;
        match types::value_type(&expr.data_type) {
            DataType::Boolean | DataType::Null => self.cast_to(expr, &DataType::Boolean),
            other => Err(SqlError::new(format!(
                "expected a condition, but `{expr}` is {}",
                sql_name(other)
            ))),
        }
    }

    fn bind_node(&mut self, expr: &ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        match expr {
            E::Nested(inner) => self.bind(inner),
            E::Identifier(name) => self.column(None, name),
            E::CompoundIdentifier(parts) => self.compound(parts),
            E::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain),
            E::Value(value) => literal::value(&value.value),
            E::TypedString(typed) => literal::typed(typed),
            E::Interval(interval) => literal::interval(interval),
            E::BinaryOp { left, op, right } => self.binary(expr, left, op, right),
            E::UnaryOp { op, expr: inner } => self.unary(op, inner),
            E::IsNull(inner) => self.is(inner, Truth::Null, false),
            E::IsNotNull(inner) => self.is(inner, Truth::Null, true),
            E::IsUnknown(inner) => self.is_unknown(inner, false),
            E::IsNotUnknown(inner) => self.is_unknown(inner, true),
            E::IsTrue(inner) => self.is(inner, Truth::True, false),
            E::IsNotTrue(inner) => self.is(inner, Truth::True, true),
            E::IsFalse(inner) => self.is(inner, Truth::False, false),
            E::IsNotFalse(inner) => self.is(inner, Truth::False, true),
            E::IsDistinctFrom(left, right) => self.compared(CompareOp::Distinct, left, right),
            E::IsNotDistinctFrom(left, right) => self.compared(CompareOp::NullSafeEq, left, right),
            E::Between { expr: value, negated, low, high } => {
                let value = self.bind(value)?;
                let (low, high) = (self.bind(low)?, self.bind(high)?);
                let from = self.compare(CompareOp::GtEq, value.clone(), low)?;
                let to = self.compare(CompareOp::LtEq, value, high)?;
                let nullable = from.nullable || to.nullable;
                let inside = Expr::boolean(Node::And(vec![from, to]), nullable);
                Ok(negate_if(*negated, inside))
            }
            E::In { expr: value, target: ast::InTarget::List(list), negated, global: false } => {
                self.in_list(value, list, *negated)
            }
            E::Like { negated, any: false, expr: text, pattern, escape_char } => {
                self.like(text, pattern, escape_char.as_deref(), false, *negated)
            }
            E::ILike { negated, any: false, expr: text, pattern, escape_char } => {
                self.like(text, pattern, escape_char.as_deref(), true, *negated)
            }
            E::Cast { kind, expr: inner, data_type, format: None } => {
                let mode = match kind {
                    ast::CastKind::TryCast | ast::CastKind::SafeCast => CastMode::Try,
                    ast::CastKind::Cast | ast::CastKind::DoubleColon => self.mode,
                };
                self.explicit_cast(inner, data_type, mode)
            }
            E::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())
            }
            E::Function(function) => self.function(function),
            E::Ceil { expr, field } => self.rounding("ceil", expr, field),
            E::Floor { expr, field } => self.rounding("floor", expr, field),
            E::Substring { expr, substring_from, substring_for, .. } => {
                let from = substring_from.as_deref();
                let all = [Some(&**expr), from, substring_for.as_deref()];
                self.call_ast("substring", &all.into_iter().flatten().collect::<Vec<_>>())
            }
            E::Trim { trim_where, trim_what, expr, trim_characters: None } => {
                let name = match trim_where {
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                    Some(ast::TrimWhereField::Both) | None => "trim",
                };
                let all = [Some(&**expr), trim_what.as_deref()];
                self.call_ast(name, &all.into_iter().flatten().collect::<Vec<_>>())
            }
            E::Extract { field, expr, .. } => {
                let field = field.to_string();
                self.extract(&field, expr)
            }
            E::Position { expr, r#in } => self.call_ast("position", &[expr, r#in]),
            E::RLike { negated, expr: text, pattern, .. } => {
                Ok(negate_if(*negated, self.call_ast("rlike", &[text, pattern])?))
            }
            E::SimilarTo { .. } => Err(SqlError::new(
                "SIMILAR TO is not supported; use RLIKE with a regular expression, or LIKE",
            )),
            E::Exists { .. }
            | E::Subquery(_)
            | E::In { .. }
            | E::AnyOp { .. }
            | E::AllOp { .. } => Err(SqlError::new(
                "subqueries are not supported here; join the table in a [[dimension]] of its own",
            )),
            _ => Err(SqlError::new(
                "this form of expression is not supported; SCENARIOS.md lists the supported ones",
            )),
        }
    }

    fn column(&self, qualifier: Option<&ast::Ident>, name: &ast::Ident) -> Result<Expr> {
        let position =
            self.scope.resolve(qualifier.map(|q| q.value.as_str()), &name.value).map_err(|e| {
                let e = if name.quote_style == Some('"') {
                    SqlError::new(format!("{}; write strings in single quotes", e.message()))
                } else {
                    e
                };
                e.or_at(qualifier.unwrap_or(name).span)
            })?;
        Ok(Expr::column(self.scope, position))
    }

    fn binary(
        &mut self,
        whole: &ast::Expr,
        left: &ast::Expr,
        op: &Op,
        right: &ast::Expr,
    ) -> Result<Expr> {
        let op = match op {
            Op::And | Op::Or => {
                let and = *op == Op::And;
                let operands = operands(whole, op)
                    .into_iter()
                    .map(|operand| self.condition(operand))
                    .collect::<Result<Vec<Expr>>>()?;
                let nullable = operands.iter().any(|o| o.nullable);
                let node = if and { Node::And(operands) } else { Node::Or(operands) };
                return Ok(Expr::boolean(node, nullable));
            }
            Op::Eq => return self.compared(CompareOp::Eq, left, right),
            Op::NotEq => return self.compared(CompareOp::NotEq, left, right),
            Op::Lt => return self.compared(CompareOp::Lt, left, right),
            Op::LtEq => return self.compared(CompareOp::LtEq, left, right),
            Op::Gt => return self.compared(CompareOp::Gt, left, right),
            Op::GtEq => return self.compared(CompareOp::GtEq, left, right),
            Op::Spaceship => return self.compared(CompareOp::NullSafeEq, left, right),
            Op::StringConcat => return self.call_ast("concat", &[left, right]),
            Op::Plus => ArithmeticOp::Add,
            Op::Minus => ArithmeticOp::Subtract,
            Op::Multiply => ArithmeticOp::Multiply,
            Op::Divide => ArithmeticOp::Divide,
            Op::Modulo => ArithmeticOp::Remainder,
            Op::MyIntegerDivide | Op::DuckIntegerDivide => ArithmeticOp::IntegerDivide,
            other => {
                return Err(SqlError::new(format!("the operator `{other}` is not supported")));
            }
        };
        let days = arithmetic::is_days(right) || arithmetic::is_days(left);
        let (left, right) = (self.bind(left)?, self.bind(right)?);
        self.arithmetic(op, left, right, days)
    }

    fn unary(&mut self, op: &UnaryOperator, inner: &ast::Expr) -> Result<Expr> {
        match op {
            UnaryOperator::Not | UnaryOperator::BangNot => {
                let condition = self.condition(inner)?;
                Ok(negate_if(true, condition))
            }
            UnaryOperator::Minus => {
                // The smallest BIGINT has no positive counterpart.
                if let ast::Expr::Value(value) = inner
                    && let ast::Value::Number(digits, long) = &value.value
                {
                    return literal::number(&format!("-{digits}"), *long);
                }
                let value = self.bind(inner)?;
                self.negative(value)
            }
            UnaryOperator::Plus => self.bind(inner),
            other => Err(SqlError::new(format!("the operator `{other}` is not supported"))),
        }
    }

    fn is(&mut self, inner: &ast::Expr, what: Truth, negated: bool) -> Result<Expr> {
        let value = match what {
            Truth::Null => self.bind(inner)?,
            Truth::True | Truth::False => self.condition(inner)?,
        };
        Ok(is(value, what, negated))
    }

    fn is_unknown(&mut self, inner: &ast::Expr, negated: bool) -> Result<Expr> {
        Ok(is(self.condition(inner)?, Truth::Null, negated))
    }

    fn explicit_cast(
        &mut self,
        inner: &ast::Expr,
        data_type: &ast::DataType,
        mode: CastMode,
    ) -> Result<Expr> {
        let value = self.bind(inner)?;
        let to = types::arrow_type(data_type)?;
        if !can_cast(&value.data_type, &to) {
            return Err(SqlError::new(format!(
                "`{value}` is {} and cannot be cast to {}",
                sql_name(&value.data_type),
                sql_name(&to)
            )));
        }
        cast::cast_expr(value, &to, mode)
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
    ) -> Result<Expr> {
        let operand = operand.map(|o| self.bind(o)).transpose()?;
        let mut whens = Vec::with_capacity(conditions.len());
        let mut thens = Vec::with_capacity(conditions.len() + 1);
        for when in conditions {
            whens.push(match &operand {
                Some(operand) => {
                    let value = self.bind(&when.condition)?;
                    self.compare(CompareOp::Eq, operand.clone(), value)?
                }
                None => self.condition(&when.condition)?,
            });
            thens.push(self.bind(&when.result)?);
        }
        if let Some(otherwise) = otherwise {
            thens.push(self.bind(otherwise)?);
        }
        let (mut thens, data_type) = self.to_common_type(thens)?;
        let nullable = otherwise.is_none() || thens.iter().any(|t| t.nullable);
        let otherwise = otherwise.and_then(|_| thens.pop()).map(Box::new);
        let node = Node::Case { branches: whens.into_iter().zip(thens).collect(), otherwise };
        Ok(Expr::new(node, data_type, nullable))
    }
}

pub(crate) fn is(value: Expr, what: Truth, negated: bool) -> Expr {
    let node = Node::Is { expr: Box::new(value), what, negated };
    Expr::boolean(node, false)
}

fn negate_if(negated: bool, condition: Expr) -> Expr {
    if !negated {
        return condition;
    }
    let nullable = condition.nullable;
    Expr::boolean(Node::Not(Box::new(condition)), nullable)
}

/// The operands of consecutive ANDs (or ORs) in order, however many.
pub(crate) fn operands<'e>(expr: &'e ast::Expr, op: &Op) -> Vec<&'e ast::Expr> {
    let mut found = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            ast::Expr::BinaryOp { left, op: inner, right } if inner == op => {
                open.extend([&**right, &**left]);
            }
            ast::Expr::Nested(inner) if is_operation(inner, op) => open.push(inner),
            _ => found.push(expr),
        }
    }
    found
}

/// Whether it is such an operation within any number of parentheses.
fn is_operation(expr: &ast::Expr, op: &Op) -> bool {
    let mut expr = expr;
    while let ast::Expr::Nested(inner) = expr {
        expr = inner;
    }
    matches!(expr, ast::Expr::BinaryOp { op: inner, .. } if inner == op)
}
