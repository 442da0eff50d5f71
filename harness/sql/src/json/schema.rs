//! Schemas as text: DDL such as `user BIGINT, ts TIMESTAMP`, and Spark's JSON.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use serde_json::Value as Json;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::error::{Result, SqlError};
use crate::names::{quoted, same_name, shortened};
use crate::types::arrow_type;

/// Types nested more deeply must be a mistake.
const MAX_DEPTH: usize = 40;

/// The type that a schema describes: mostly a struct.
///
/// # Errors
/// What is wrong with the text, where in it, and what to write.
pub(crate) fn parse(text: &str) -> Result<DataType> {
    if text.trim_start().starts_with('{') {
        let json: Json = serde_json::from_str(text)
            .map_err(|error| SqlError::new(format!("the schema is no JSON: {error}")))?;
        return of_json(&json, 0);
    }
    let mut ddl = Ddl { text, at: 0 };
    let parsed = ddl.whole();
    parsed.map_err(|error| {
        let place = text[..ddl.at].chars().count() + 1;
        SqlError::new(format!(
            "the schema '{}': {} (at its character {place}); write it like 'id BIGINT, items ARRAY<STRUCT<sku: STRING, price: DECIMAL(10,2)>>'",
            shortened(text, 60),
            error.message()
        ))
    })
}

struct Ddl<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Ddl<'t> {
    fn whole(&mut self) -> Result<DataType> {
        self.skip();
        if self.rest().is_empty() {
            return Err(SqlError::new("it is empty"));
        }
        // `ARRAY<...>`, `MAP<...>`, `STRUCT<...>` stand alone too.
        let begin = self.at;
        if let Some(kind) = self.word()
            && ["array", "map", "struct"].contains(&kind.to_lowercase().as_str())
            && self.rest().trim_start().starts_with('<')
        {
            self.at = begin;
            let data_type = self.data_type(0)?;
            return self.end().map(|()| data_type);
        }
        self.at = begin;
        let fields = self.fields(None, 0)?;
        self.end().map(|()| DataType::Struct(fields))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Whether the next character was `c`; it is consumed then.
    fn takes(&mut self, c: char) -> bool {
        self.skip();
        let takes = self.rest().starts_with(c);
        if takes {
            self.at += c.len_utf8();
        }
        takes
    }

    fn expect(&mut self, c: char) -> Result<()> {
        match self.takes(c) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{c}`"))),
        }
    }

    fn unexpected(&self, wanted: &str) -> SqlError {
        match self.rest().split_whitespace().next() {
            Some(found) => {
                SqlError::new(format!("expected {wanted}, but found `{}`", shortened(found, 20)))
            }
            None => SqlError::new(format!("expected {wanted}, but the text ends")),
        }
    }

    fn end(&mut self) -> Result<()> {
        self.skip();
        match self.rest().is_empty() {
            true => Ok(()),
            false => Err(self.unexpected("a comma or the end")),
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    /// The word, in any case, if it comes next.
    fn keyword(&mut self, word: &str) -> bool {
        let before = self.at;
        let found = self.word().is_some_and(|next| next.eq_ignore_ascii_case(word));
        if !found {
            self.at = before;
        }
        found
    }

    fn name(&mut self) -> Result<String> {
        self.skip();
        if !self.rest().starts_with('`') {
            let name = self.word();
            return name.map(str::to_owned).ok_or_else(|| self.unexpected("the name of a field"));
        }
        let begin = self.at;
        let mut name = String::new();
        self.at += 1;
        loop {
            let Some(length) = self.rest().find('`') else {
                self.at = begin;
                return Err(SqlError::new("a back-tick is not closed"));
            };
            name.push_str(&self.rest()[..length]);
            self.at += length + 1;
            if !self.rest().starts_with('`') {
                return Ok(name);
            }
            name.push('`');
            self.at += 1;
        }
    }

    /// Fields up to `close`, or to the end; between name and type of those within
    /// brackets stands a colon.
    fn fields(&mut self, close: Option<char>, depth: usize) -> Result<Fields> {
        let mut fields: Vec<Field> = Vec::new();
        if close.is_some_and(|close| self.takes(close)) {
            return Ok(Fields::empty());
        }
        loop {
            let (begin, name) = (self.at, self.name()?);
            if fields.iter().any(|field| same_name(field.name(), &name)) {
                self.at = begin;
                return Err(SqlError::new(format!("two fields are named {}", quoted(&name))));
            }
            if close.is_some() {
                self.takes(':');
            }
            let data_type = self.data_type(depth + 1)?;
            if self.keyword("not") && !self.keyword("null") {
                return Err(self.unexpected("NULL"));
            }
            if self.keyword("comment") {
                self.comment()?;
            }
            // JSON may lack any field.
            fields.push(Field::new(name, data_type, true));
            if !self.takes(',') {
                break;
            }
        }
        if let Some(close) = close {
            self.expect(close)?;
        }
        Ok(Fields::from(fields))
    }

    fn comment(&mut self) -> Result<()> {
        self.skip();
        let quote = match self.rest().chars().next() {
            Some(quote @ ('\'' | '"')) => quote,
            _ => return Err(self.unexpected("the text of the comment in quotes")),
        };
        let inside = &self.rest()[1..];
        let Some(end) = inside.find(quote) else {
            return Err(SqlError::new("the comment's quote is not closed"));
        };
        self.at += end + 2;
        Ok(())
    }

    fn data_type(&mut self, depth: usize) -> Result<DataType> {
        if depth > MAX_DEPTH {
            return Err(SqlError::new(format!("types are nested more than {MAX_DEPTH} deep")));
        }
        self.skip();
        let begin = self.at;
        let Some(word) = self.word() else { return Err(self.unexpected("a type")) };
        match word.to_lowercase().as_str() {
            "struct" => {
                self.expect('<')?;
                self.fields(Some('>'), depth).map(DataType::Struct)
            }
            "array" => {
                self.expect('<')?;
                let item = self.data_type(depth + 1)?;
                self.expect('>')?;
                Ok(list(item))
            }
            "map" => {
                self.expect('<')?;
                let key = self.data_type(depth + 1)?;
                self.expect(',')?;
                let value = self.data_type(depth + 1)?;
                self.expect('>')?;
                map(&key, value)
            }
            _ => {
                if self.rest().trim_start().starts_with('(') {
                    let Some(close) = self.rest().find(')') else {
                        return Err(SqlError::new("a parenthesis is not closed"));
                    };
                    self.at += close + 1;
                }
                let text = &self.text[begin..self.at];
                atom(text).inspect_err(|_| self.at = begin)
            }
        }
    }
}

/// A type that is not nested.
fn atom(text: &str) -> Result<DataType> {
    let parsed = Parser::new(&GenericDialect).try_with_sql(text).and_then(|mut parser| {
        let parsed = parser.parse_data_type()?;
        Ok((parsed, parser.peek_token_ref().token == sqlparser::tokenizer::Token::EOF))
    });
    let data_type = match parsed {
        Ok((parsed, true)) => arrow_type(&parsed)?,
        _ => return Err(SqlError::new(format!("unknown type `{}`", shortened(text, 40)))),
    };
    let word = text.split('(').next().unwrap_or(text).trim().to_lowercase();
    let of_spark = match data_type {
        DataType::Utf8 => word == "string",
        DataType::Timestamp(unit, _) => unit == TimeUnit::Microsecond && !text.contains('('),
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => false,
        _ => true,
    };
    match of_spark {
        true => Ok(data_type),
        false => Err(SqlError::new(format!(
            "`{}` is no type of JSON; the types are BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ, STRUCT<...>, ARRAY<...>, MAP<STRING, ...>",
            shortened(text, 40)
        ))),
    }
}

fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("element", item, true)))
}

fn map(key: &DataType, value: DataType) -> Result<DataType> {
    if *key != DataType::Utf8 {
        return Err(SqlError::new(
            "the keys of a map in JSON are STRING; write MAP<STRING, ...>, and cast the keys later",
        ));
    }
    let fields = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", value, true),
    ]);
    let entries = Field::new("entries", DataType::Struct(fields), false);
    Ok(DataType::Map(Arc::new(entries), false))
}

/// The type that Spark's `schema.json()` describes.
fn of_json(json: &Json, depth: usize) -> Result<DataType> {
    if depth > MAX_DEPTH {
        return Err(SqlError::new(format!("the schema is nested more than {MAX_DEPTH} deep")));
    }
    if let Some(name) = json.as_str() {
        return match name {
            "integer" => Ok(DataType::Int32),
            "long" => Ok(DataType::Int64),
            "short" => Ok(DataType::Int16),
            "byte" => Ok(DataType::Int8),
            other => atom(other),
        };
    }
    let part = |name: &str| {
        json.get(name).ok_or_else(|| {
            SqlError::new(format!(
                "the schema lacks \"{name}\" in `{}`; it must be what Spark's schema.json() writes",
                shortened(&json.to_string(), 60)
            ))
        })
    };
    match part("type")?.as_str() {
        Some("array") => Ok(list(of_json(part("elementType")?, depth + 1)?)),
        Some("map") => {
            map(&of_json(part("keyType")?, depth + 1)?, of_json(part("valueType")?, depth + 1)?)
        }
        Some("struct") => {
            let fields = part("fields")?.as_array().map(Vec::as_slice).unwrap_or_default();
            let mut made: Vec<Field> = Vec::with_capacity(fields.len());
            for field in fields {
                let name = field.get("name").and_then(Json::as_str);
                let (Some(name), Some(data_type)) = (name, field.get("type")) else {
                    return Err(SqlError::new("a field of the schema lacks \"name\" or \"type\""));
                };
                if made.iter().any(|field| same_name(field.name(), name)) {
                    return Err(SqlError::new(format!(
                        "two fields of the schema are named {}",
                        quoted(name)
                    )));
                }
                made.push(Field::new(name, of_json(data_type, depth + 1)?, true));
            }
            Ok(DataType::Struct(Fields::from(made)))
        }
        _ => Err(SqlError::new(
            "the schema's \"type\" must be \"struct\", \"array\" or \"map\", as Spark's schema.json() writes it",
        )),
    }
}
