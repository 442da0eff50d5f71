//! The SQL dialect of conditions: Spark's, with standard quotes.

use sqlparser::ast::Expr;
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// Spark's expressions, with `"name"` a name as in standard SQL (back-ticks
/// too) and both `INTERVAL 1 HOUR` and `INTERVAL '1 hour'`.
#[derive(Debug)]
pub(crate) struct ConditionDialect;

impl Dialect for ConditionDialect {
    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        ch == '`' || ch == '"'
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_alphabetic() || ch == '_'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_alphanumeric() || ch == '_'
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }

    /// `\%` and `\_` reach LIKE unchanged.
    fn ignores_wildcard_escapes(&self) -> bool {
        true
    }

    fn supports_bang_not_operator(&self) -> bool {
        true
    }

    fn supports_comparison_in_between_low_bound(&self) -> bool {
        false
    }

    fn supports_select_wildcard_except(&self) -> bool {
        false
    }

    /// In Spark, `||` has the precedence of `+`.
    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match parser.peek_token_ref().token {
            Token::StringConcat => Some(Ok(self.prec_value(Precedence::PlusMinus))),
            _ => None,
        }
    }

    /// `a DIV b`, integer division.
    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        if !parser.parse_keyword(Keyword::DIV) {
            return None;
        }
        Some(parser.parse_subexpr(precedence).map(|right| Expr::BinaryOp {
            left: Box::new(expr.clone()),
            op: sqlparser::ast::BinaryOperator::MyIntegerDivide,
            right: Box::new(right),
        }))
    }
}
