//! Parses text into sqlparser's syntax trees, bounded in size and depth.

mod dialect;
mod identifier;
mod place;
mod strings;

use sqlparser::ast::{Expr, Ident, SelectItem};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError};

use crate::error::{Result, SqlError};
use dialect::ConditionDialect;
pub use identifier::quote_identifier;
pub(crate) use place::place;

/// A condition of a megabyte must be a mistake.
const MAX_BYTES: usize = 1 << 20;
/// Operators nest to the left without counting as depth in the parser, so their
/// number bounds the depth; values in lists are not counted.
const MAX_OPERATORS: usize = 1_000;
const MAX_DEPTH: usize = 60;

/// An ON or USING clause.
#[derive(Debug)]
pub(crate) enum Clause {
    Condition(Box<Expr>),
    Using(Vec<Ident>),
}

/// One expression and nothing after it.
pub(crate) fn expression(text: &str) -> Result<Expr> {
    let mut parser = parser(text)?;
    let expr = parser.parse_expr().map_err(|e| parse_error(e, text))?;
    end(&mut parser)?;
    Ok(expr)
}

/// `USING (a, b)` or a condition, with or without `ON` before it.
pub(crate) fn clause(text: &str) -> Result<Clause> {
    let mut parser = parser(text)?;
    let [first, second] = parser.peek_tokens_ref::<2>();
    let using = second.token == Token::LParen
        && matches!(&first.token, Token::Word(w) if w.keyword == Keyword::USING);
    if using {
        parser.expect_keyword_is(Keyword::USING).map_err(|e| parse_error(e, text))?;
        parser.expect_token(&Token::LParen).map_err(|e| parse_error(e, text))?;
        let names = parser
            .parse_comma_separated(Parser::parse_identifier)
            .map_err(|e| parse_error(e, text))?;
        parser.expect_token(&Token::RParen).map_err(|e| parse_error(e, text))?;
        end(&mut parser)?;
        return Ok(Clause::Using(names));
    }
    let _ = parser.parse_keyword(Keyword::ON);
    let expr = parser.parse_expr().map_err(|e| parse_error(e, text))?;
    end(&mut parser)?;
    Ok(Clause::Condition(Box::new(expr)))
}

/// One item of a select list.
pub(crate) fn select_item(text: &str) -> Result<SelectItem> {
    let mut parser = parser(text)?;
    let item = parser.parse_select_item().map_err(|e| parse_error(e, text))?;
    if parser.peek_token_ref().token == Token::Comma {
        return Err(SqlError::at(
            parser.peek_token_ref().span,
            "expected one item: write each item of the list as its own string",
        ));
    }
    end(&mut parser)?;
    Ok(item)
}

fn parser(text: &str) -> Result<Parser<'static>> {
    if text.len() > MAX_BYTES {
        return Err(SqlError::new(format!(
            "the text is {} bytes long, at most {MAX_BYTES} are accepted",
            text.len()
        )));
    }
    let tokens = Tokenizer::new(&ConditionDialect, text)
        .with_unescape(false)
        .tokenize_with_location()
        .map_err(|e| tokenizer_error(&e))?;
    let tokens = join_suffixes(strings::read(tokens));
    bound(&tokens)?;
    if !tokens.iter().any(|t| is_code(&t.token)) {
        return Err(SqlError::new("expected an expression, but the text is empty"));
    }
    Ok(Parser::new(&ConditionDialect)
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(tokens))
}

fn is_code(token: &Token) -> bool {
    !matches!(token, Token::Whitespace(_) | Token::EOF)
}

/// Spark's number suffixes (`1S`, `1.5D`, `2BD`) arrive as a word right after
/// the number; they are appended to it.
fn join_suffixes(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut joined: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let (Token::Word(word), Some(last)) = (&token.token, joined.last_mut())
            && let Token::Number(digits, false) = &mut last.token
            && word.quote_style.is_none()
            && token.span.start == last.span.end
            && ["s", "y", "d", "f", "bd"].contains(&word.value.to_lowercase().as_str())
        {
            digits.push_str(&word.value);
            last.span.end = token.span.end;
            continue;
        }
        joined.push(token);
    }
    joined
}

fn bound(tokens: &[TokenWithSpan]) -> Result<()> {
    let mut operators = tokens.iter().filter(|t| match &t.token {
        Token::Word(word) => word.keyword != Keyword::NoKeyword,
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Comma | Token::Period => false,
        token => is_code(token),
    });
    match operators.clone().count() {
        count if count <= MAX_OPERATORS => Ok(()),
        count => {
            let place = operators.next_back().map_or_else(Location::empty, |t| t.span.start);
            Err(SqlError::at_location(
                place,
                format!(
                    "the text has {count} operators and keywords, at most {MAX_OPERATORS} are accepted; use IN (...) for long lists of values"
                ),
            ))
        }
    }
}

fn end(parser: &mut Parser<'_>) -> Result<()> {
    let next = parser.peek_token_ref();
    match &next.token {
        Token::EOF => Ok(()),
        token => Err(SqlError::at(
            next.span,
            format!("unexpected `{token}` after the end of the expression"),
        )),
    }
}

fn tokenizer_error(error: &TokenizerError) -> SqlError {
    SqlError::at_location(error.location, format!("cannot read the text: {}", error.message))
}

fn parse_error(error: ParserError, text: &str) -> SqlError {
    match error {
        ParserError::RecursionLimitExceeded => SqlError::new(format!(
            "the expression is nested more than {MAX_DEPTH} levels deep; simplify it"
        )),
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
            let (message, location) = split_place(&message);
            let message = message.replace("Expected: ", "expected ");
            match message.strip_suffix(", found: EOF") {
                Some(expected) => {
                    SqlError::at_location(end_of(text), format!("{expected}, but the text ends"))
                }
                None => SqlError::at_location(location, message),
            }
        }
    }
}

/// The place just after the text.
fn end_of(text: &str) -> Location {
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or(text).chars().count() + 1;
    Location::new(line as u64, column as u64)
}

/// The parser appends ` at Line: 1, Column: 5` to its messages.
fn split_place(text: &str) -> (&str, Location) {
    let parsed = text.rsplit_once(" at Line: ").and_then(|(message, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((message, Location::new(line.parse().ok()?, column.parse().ok()?)))
    });
    parsed.unwrap_or((text, Location::empty()))
}
