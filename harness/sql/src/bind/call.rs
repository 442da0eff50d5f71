//! Binds function calls.

use std::sync::Arc;

use arrow::array::{Int32Array, StringArray};
use arrow::datatypes::DataType;
use sqlparser::ast;
use streamjoin_kernels::spark::{CastMode, can_cast};

use super::nested::CONSTRUCTORS;
use super::{Binder, datetime_pattern, is, json, literal};
use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::functions::{self, Function, Given, Param, Returns};
use crate::names::hint;
use crate::operators::{ArithmeticOp, CompareOp, Truth};
use crate::types::{is_binary, is_string, is_time, number_type, sql_name, timestamp, value_type};

/// Functions that are rewritten to other expressions and are not in the registry.
const FORMS: [&str; 10] =
    ["coalesce", "nullif", "ifnull", "nvl", "nvl2", "if", "isnull", "isnotnull", "mod", "pmod"];

/// The names of all functions that SQL text may call, in lower case.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    functions::names().chain(FORMS).chain(CONSTRUCTORS).chain(["from_json", "to_json"])
}

const UNITS: [&str; 15] = [
    "microsecond",
    "millisecond",
    "second",
    "minute",
    "hour",
    "day",
    "dd",
    "week",
    "month",
    "mon",
    "mm",
    "quarter",
    "year",
    "yyyy",
    "yy",
];

impl Binder<'_> {
    pub(super) fn function(&mut self, function: &ast::Function) -> Result<Expr> {
        let plain = function.over.is_none()
            && function.filter.is_none()
            && function.within_group.is_empty()
            && function.null_treatment.is_none()
            && matches!(function.parameters, ast::FunctionArguments::None);
        let arguments = match &function.args {
            ast::FunctionArguments::List(list)
                if plain && list.duplicate_treatment.is_none() && list.clauses.is_empty() =>
            {
                list.args
                    .iter()
                    .map(|argument| match argument {
                        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Ok(expr),
                        _ => Err(SqlError::new("arguments must be plain expressions")),
                    })
                    .collect::<Result<Vec<&ast::Expr>>>()?
            }
            _ => {
                return Err(SqlError::new(
                    "aggregates, window functions and calls without parentheses are not supported here",
                ));
            }
        };
        let name = function.name.to_string().to_lowercase();
        if matches!(name.as_str(), "ltrim" | "rtrim" | "trim") && arguments.len() > 1 {
            return Err(SqlError::new(
                "write TRIM(LEADING 'x' FROM text), as the order of two arguments differs between engines",
            ));
        }
        if let [unit, rest @ ..] = arguments.as_slice()
            && let Some(name) = functions::with_unit(&name, arguments.len())
        {
            return self.with_unit(name, unit, rest);
        }
        if json::CALLS.contains(&name.as_str()) {
            return self.json_call(&name, &arguments);
        }
        if CONSTRUCTORS.contains(&name.as_str()) {
            return self.construct(&name, &arguments);
        }
        self.call_ast(&name, &arguments)
    }

    /// `timestampdiff(HOUR, a, b)`: the first argument is a word.
    fn with_unit(&mut self, name: &str, unit: &ast::Expr, rest: &[&ast::Expr]) -> Result<Expr> {
        let unit = match unit {
            ast::Expr::Identifier(word) => {
                literal::one(Arc::new(StringArray::from(vec![word.value.as_str()])))
            }
            other => self.bind(other)?,
        };
        let rest = rest.iter().map(|argument| self.bind(argument));
        let arguments = std::iter::once(Ok(unit)).chain(rest).collect::<Result<Vec<Expr>>>()?;
        self.call(name, arguments)
    }

    /// Binds the arguments and the call.
    pub(super) fn call_ast(&mut self, name: &str, arguments: &[&ast::Expr]) -> Result<Expr> {
        let arguments =
            arguments.iter().map(|argument| self.bind(argument)).collect::<Result<Vec<Expr>>>()?;
        self.call(name, arguments)
    }

    pub(super) fn call(&self, name: &str, mut arguments: Vec<Expr>) -> Result<Expr> {
        if FORMS.contains(&name) {
            return self.form(name, arguments);
        }
        let Some(function) = functions::find(name) else {
            let known: Vec<&str> = function_names().collect();
            return Err(SqlError::new(format!("unknown function `{name}`{}", hint(name, &known))));
        };
        check_count(function, arguments.len())?;
        if name == "date_trunc" {
            check_unit(&arguments[0])?;
        }
        datetime_pattern::add_default(name, &mut arguments);
        if arguments.len() == 2
            && let Some(function) = functions::by_pattern(name)
        {
            return self.by_pattern(function, arguments);
        }
        let arguments = self.coerce_all(function, arguments)?;
        if let Some(check) = function.check {
            check(&given(&arguments)).map_err(|e| SqlError::new(format!("`{name}`: {e}")))?;
        }
        Ok(self.called(function, arguments))
    }

    /// A call whose arguments already have the required types.
    pub(super) fn called(&self, function: &'static Function, arguments: Vec<Expr>) -> Expr {
        let data_type = result_type(function.returns, &arguments);
        let ansi = self.mode == CastMode::Ansi;
        let nullable = arguments.iter().any(|a| a.nullable) || function.makes_nulls || !ansi;
        let node = Node::Call { function, arguments, mode: self.mode };
        Expr::new(node, data_type, nullable)
    }

    fn coerce_all(&self, function: &Function, arguments: Vec<Expr>) -> Result<Vec<Expr>> {
        let last = function.params.len().saturating_sub(1);
        if let Some(types) = function.types {
            let types = types(&given(&arguments))
                .map_err(|e| SqlError::new(format!("`{}`: {e}", function.name)))?;
            let pairs = arguments.into_iter().zip(types);
            return pairs.map(|(argument, to)| self.cast_to(argument, &to)).collect();
        }
        let ordered = function.params.contains(&Param::Ordered);
        if ordered || function.params.contains(&Param::Common) {
            let arguments = arguments
                .into_iter()
                .map(|argument| self.by_value(argument))
                .collect::<Result<Vec<Expr>>>()?;
            if arguments.is_empty() {
                return Ok(arguments);
            }
            if ordered {
                refuse_without_order(function.name, &arguments)?;
            }
            return Ok(self.to_common_type(arguments)?.0);
        }
        arguments
            .into_iter()
            .enumerate()
            .map(|(i, argument)| {
                let param = function.params[i.min(last)];
                self.coerce(param, argument, function.name, i + 1)
            })
            .collect()
    }

    fn coerce(&self, param: Param, argument: Expr, name: &str, number: usize) -> Result<Expr> {
        let from = value_type(&argument.data_type).clone();
        let null = from == DataType::Null;
        let (fits, to) = match param {
            Param::Text => (can_cast(&from, &DataType::Utf8), DataType::Utf8),
            Param::Bytes if can_cast(&from, &DataType::Binary) => (true, DataType::Binary),
            Param::Bytes => {
                let text = self.coerce(Param::Text, argument, name, number)?;
                return self.cast_to(text, &DataType::Binary);
            }
            Param::Binary => {
                let bytes = is_string(&from) || is_binary(&from);
                (null || bytes, DataType::Binary)
            }
            Param::Int => (null || from.is_numeric() || is_string(&from), DataType::Int32),
            Param::Long => (null || from.is_numeric(), DataType::Int64),
            Param::Double => (null || from.is_numeric() || is_string(&from), DataType::Float64),
            Param::Number => match &from {
                t if t.is_numeric() => (true, number_type(t)),
                t => (null || is_string(t), DataType::Float64),
            },
            Param::Date | Param::Timestamp => {
                let to = if param == Param::Date { DataType::Date32 } else { timestamp() };
                (null || is_time(&from) || is_string(&from), to)
            }
            Param::Common | Param::Ordered | Param::Any => (true, from.clone()),
        };
        if !fits {
            return Err(SqlError::new(format!(
                "argument {number} of `{name}` must be {}, but `{argument}` is {}",
                match param {
                    Param::Int | Param::Long | Param::Double | Param::Number => "a number".into(),
                    Param::Date | Param::Timestamp => "a date or timestamp".into(),
                    Param::Binary => "a string or binary".into(),
                    _ => sql_name(&to),
                },
                sql_name(&from)
            )));
        }
        self.cast_to(argument, &to)
    }

    fn form(&self, name: &str, mut arguments: Vec<Expr>) -> Result<Expr> {
        let (least, most) = match name {
            "coalesce" => (1, usize::MAX),
            "nvl2" | "if" => (3, 3),
            "isnull" | "isnotnull" => (1, 1),
            _ => (2, 2),
        };
        let count = arguments.len();
        if count < least || count > most {
            return Err(SqlError::new(format!(
                "`{name}` takes {least}{} arguments, not {count}",
                if most > least { " or more" } else { "" }
            )));
        }
        match name {
            "coalesce" | "ifnull" | "nvl" => {
                let (all, data_type) = self.to_common_type(arguments)?;
                let nullable = all.iter().all(|a| a.nullable);
                Ok(Expr::new(Node::Coalesce(all), data_type, nullable))
            }
            "isnull" | "isnotnull" => {
                let value = arguments.swap_remove(0);
                Ok(is(value, Truth::Null, name == "isnotnull"))
            }
            "mod" => {
                let (right, left) = (arguments.swap_remove(1), arguments.swap_remove(0));
                self.arithmetic(ArithmeticOp::Remainder, left, right, false)
            }
            "pmod" => {
                let (by, value) = (arguments.swap_remove(1), arguments.swap_remove(0));
                let rest = self.arithmetic(ArithmeticOp::Remainder, value, by.clone(), false)?;
                let data_type = rest.data_type.clone();
                let more = self.arithmetic(ArithmeticOp::Add, rest.clone(), by.clone(), false)?;
                let above = self.arithmetic(ArithmeticOp::Remainder, more, by, false)?;
                let above = self.cast_to(above, &data_type)?;
                let zero = literal::one(Arc::new(Int32Array::from(vec![0])));
                let negative = self.compare(CompareOp::Lt, rest.clone(), zero)?;
                let nullable = rest.nullable || above.nullable;
                let node = Node::Case {
                    branches: vec![(negative, above)],
                    otherwise: Some(Box::new(rest)),
                };
                Ok(Expr::new(node, data_type, nullable))
            }
            "nullif" => {
                let (right, left) = (arguments.swap_remove(1), arguments.swap_remove(0));
                let equal = self.compare(CompareOp::Eq, left.clone(), right)?;
                let data_type = left.data_type.clone();
                let null = literal::one(arrow::array::new_null_array(&data_type, 1));
                let node =
                    Node::Case { branches: vec![(equal, null)], otherwise: Some(Box::new(left)) };
                Ok(Expr::new(node, data_type, true))
            }
            _ => {
                let otherwise = arguments.swap_remove(2);
                let (then, first) = (arguments.swap_remove(1), arguments.swap_remove(0));
                let when =
                    if name == "if" { self.truth(first)? } else { is(first, Truth::Null, true) };
                let (mut both, data_type) = self.to_common_type(vec![then, otherwise])?;
                let nullable = both.iter().any(|b| b.nullable);
                let otherwise = both.pop().map(Box::new);
                let node = Node::Case {
                    branches: both.into_iter().map(|then| (when.clone(), then)).collect(),
                    otherwise,
                };
                Ok(Expr::new(node, data_type, nullable))
            }
        }
    }

    pub(super) fn rounding(
        &mut self,
        name: &str,
        expr: &ast::Expr,
        field: &ast::CeilFloorKind,
    ) -> Result<Expr> {
        match field {
            ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime) => {
                self.call_ast(name, &[expr])
            }
            _ => Err(SqlError::new(format!(
                "`{name}` takes one argument; use round(x, digits) or date_trunc(unit, time)"
            ))),
        }
    }

    pub(super) fn extract(&mut self, field: &str, expr: &ast::Expr) -> Result<Expr> {
        let lower = field.to_lowercase();
        let singular = lower.strip_suffix('s').unwrap_or(&lower);
        let name = match singular {
            "year" | "quarter" | "month" | "day" | "hour" | "minute" | "second" => singular,
            "dow" | "dayofweek" => "dayofweek",
            "doy" | "dayofyear" => "dayofyear",
            _ => {
                return Err(SqlError::new(format!(
                    "EXTRACT takes YEAR, QUARTER, MONTH, DAY, DOW, DOY, HOUR, MINUTE or SECOND, not {field}"
                )));
            }
        };
        self.call_ast(name, &[expr])
    }
}

fn check_count(function: &Function, count: usize) -> Result<()> {
    let most = function.params.len();
    let least = most - function.optional;
    if count < least || count > most && !function.variadic {
        let wanted = if function.variadic {
            format!("{least} or more")
        } else if least == most {
            most.to_string()
        } else {
            format!("{least} to {most}")
        };
        return Err(SqlError::new(format!(
            "`{}` takes {wanted} arguments, not {count}",
            function.name
        )));
    }
    Ok(())
}

/// Refuses to compare nested values, and text with anything else: Spark does not either, as the order of
/// `'10'` and `9` depends on which of them is converted.
fn refuse_without_order(name: &str, arguments: &[Expr]) -> Result<()> {
    let known = arguments.iter().filter(|a| a.data_type != DataType::Null);
    let (text, other): (Vec<&Expr>, Vec<&Expr>) = known.partition(|a| is_string(&a.data_type));
    let nested = other.iter().find(|a| a.data_type.is_nested());
    match (text.first(), nested.or(other.first())) {
        (_, Some(nested)) if nested.data_type.is_nested() => Err(SqlError::new(format!(
            "`{name}` compares values, but `{nested}` is {}, and nested values have no order; compare the fields or elements that you mean",
            sql_name(&nested.data_type)
        ))),
        (Some(text), Some(other)) => Err(SqlError::new(format!(
            "`{name}` compares values of like types, but `{text}` is {} and `{other}` is {}; cast one of them",
            sql_name(&text.data_type),
            sql_name(&other.data_type)
        ))),
        _ => Ok(()),
    }
}

/// Refuses a misspelt unit, which would result in null for every row.
fn check_unit(unit: &Expr) -> Result<()> {
    use arrow::array::{Array, AsArray};
    let Some(unit) = unit.literal().and_then(|u| u.as_string_opt::<i32>()) else {
        return Ok(());
    };
    if unit.is_valid(0) {
        let unit = unit.value(0).to_lowercase();
        if !UNITS.contains(&unit.as_str()) {
            return Err(SqlError::new(format!(
                "unknown unit `{unit}` in date_trunc{}",
                hint(&unit, &UNITS)
            )));
        }
    }
    Ok(())
}

/// What is known of arguments before the first row.
fn given(arguments: &[Expr]) -> Vec<Given<'_>> {
    let given = arguments.iter();
    given.map(|a| Given { data_type: &a.data_type, literal: a.literal() }).collect()
}

fn result_type(returns: Returns, arguments: &[Expr]) -> DataType {
    let first = arguments.first().map(|f| &f.data_type);
    match returns {
        Returns::Text => DataType::Utf8,
        Returns::Binary => DataType::Binary,
        Returns::Boolean => DataType::Boolean,
        Returns::Int => DataType::Int32,
        Returns::Long => DataType::Int64,
        Returns::Double => DataType::Float64,
        Returns::Date => DataType::Date32,
        Returns::Timestamp => timestamp(),
        Returns::By(of) => of(&arguments.iter().map(|a| &a.data_type).collect::<Vec<_>>()),
        Returns::First => first.cloned().unwrap_or(DataType::Null),
        Returns::Whole => match first {
            Some(DataType::Decimal128(p, s)) => {
                let digits = (i16::from(*p) - i16::from(*s) + 1).clamp(1, 38);
                DataType::Decimal128(digits as u8, 0)
            }
            _ => DataType::Int64,
        },
    }
}
