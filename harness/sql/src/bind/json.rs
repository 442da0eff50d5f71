//! Binds calls that read and write JSON.

use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::datatypes::DataType;
use sqlparser::ast;

use super::Binder;
use crate::datetime_pattern::DateTimePattern;
use crate::display::text_literal;
use crate::error::{Result, SqlError};
use crate::expr::{Expr, Node};
use crate::json::{self, Leniency, Mode, Reader, TimeFormat, Writer};
use crate::names::hint;
use crate::parse::place;
use crate::types::{is_string, sql_name, value_type};

/// Calls that take their schema, path or options from literals.
pub(super) const CALLS: [&str; 4] = ["from_json", "to_json", "get_json_object", "json_tuple"];

const READ_OPTIONS: [&str; 12] = [
    "mode",
    "timestampFormat",
    "timestampNTZFormat",
    "dateFormat",
    "timeZone",
    "columnNameOfCorruptRecord",
    "allowSingleQuotes",
    "allowUnquotedFieldNames",
    "allowNumericLeadingZeros",
    "allowNonNumericNumbers",
    "allowUnquotedControlChars",
    "allowBackslashEscapingAnyCharacter",
];

impl Binder<'_> {
    /// One of [`CALLS`].
    pub(super) fn json_call(&mut self, name: &str, arguments: &[&ast::Expr]) -> Result<Expr> {
        match (name, arguments) {
            ("from_json", [text, schema]) => self.reads_json(text, schema, None),
            ("from_json", [text, schema, options]) => self.reads_json(text, schema, Some(options)),
            ("from_json", _) => Err(SqlError::new(
                "write from_json(text, 'id BIGINT, name STRING'), with a map of options as a third argument if need be",
            )),
            ("to_json", [value]) => self.writes_json(value, None),
            ("to_json", [value, options]) => self.writes_json(value, Some(options)),
            ("to_json", _) => {
                Err(SqlError::new("`to_json` takes a struct, an array or a map, and options"))
            }
            ("json_tuple", [_, _, _, ..]) => Err(SqlError::new(
                "`json_tuple` with several names makes several columns; write json_tuple(text, 'name'), or get_json_object(text, '$.name'), once for each",
            )),
            _ => {
                let all = arguments.iter().map(|argument| self.bind(argument));
                let all = all.collect::<Result<Vec<Expr>>>()?;
                if let Some(text) = all.first() {
                    is_json_text(name, text)?;
                }
                self.call(name, all)
            }
        }
    }

    fn reads_json(
        &mut self,
        text: &ast::Expr,
        schema: &ast::Expr,
        options: Option<&ast::Expr>,
    ) -> Result<Expr> {
        let text = self.bind(text)?;
        is_json_text("from_json", &text)?;
        let written = self.literal_text(schema)?.ok_or_else(|| {
            SqlError::at(
                place(schema),
                "the schema of `from_json` must be constant text, such as 'id BIGINT, name STRING'",
            )
        })?;
        let data_type = json::parse_schema(&written).map_err(|e| e.or_at(place(schema)))?;
        let mut reader = Reader {
            data_type: data_type.clone(),
            mode: Mode::Permissive,
            accepts: Leniency::FROM_JSON,
            timestamps: TimeFormat::Default,
            local_times: TimeFormat::Default,
            dates: TimeFormat::Default,
            corrupt: "_corrupt_record".to_owned(),
        };
        let mut how = text_literal(&written);
        if let Some(options) = options {
            let given = self.options("from_json", options)?;
            for (name, value) in &given {
                read_option(&mut reader, name, value).map_err(|e| e.or_at(place(options)))?;
            }
            how.push_str(&options_text(&given));
        }
        if let DataType::Struct(fields) = &data_type
            && let Some((_, field)) = fields.find(&reader.corrupt)
            && *field.data_type() != DataType::Utf8
        {
            return Err(SqlError::at(
                place(schema),
                format!("the field `{}` for malformed text must be STRING", reader.corrupt),
            ));
        }
        let text = self.cast_to(text, &DataType::Utf8)?;
        let node = Node::FromJson { expr: Box::new(text), reader: Arc::new(reader), how };
        Ok(Expr::new(node, data_type, true))
    }

    fn writes_json(&mut self, value: &ast::Expr, options: Option<&ast::Expr>) -> Result<Expr> {
        let value = self.bind(value)?;
        let value_type = value_type(&value.data_type);
        if !value_type.is_nested() && *value_type != DataType::Null {
            return Err(SqlError::new(format!(
                "`to_json` takes a struct, an array or a map, but `{value}` is {}; write named_struct('name', {value}) for an object",
                sql_name(value_type)
            )));
        }
        if let Some(part) = json::refused_part(value_type) {
            return Err(SqlError::new(format!(
                "`to_json` does not write {}, which is in `{value}`; cast it to STRING, or leave it out with named_struct",
                sql_name(part)
            )));
        }
        let mut writer = Writer { ignore_nulls: true };
        let mut how = String::new();
        if let Some(options) = options {
            let given = self.options("to_json", options)?;
            for (name, value) in &given {
                if !name.eq_ignore_ascii_case("ignoreNullFields") {
                    return Err(SqlError::at(
                        place(options),
                        format!(
                            "unknown option `{name}` of `to_json`; known: ignoreNullFields; write times in another format with date_format"
                        ),
                    ));
                }
                writer.ignore_nulls = flag(name, value).map_err(|e| e.or_at(place(options)))?;
            }
            how.push_str(&options_text(&given));
        }
        let nullable = value.nullable;
        let node = Node::ToJson { expr: Box::new(value), writer, how };
        Ok(Expr::new(node, DataType::Utf8, nullable))
    }

    /// The text of a literal; `None` for what is none, and for null.
    fn literal_text(&mut self, expr: &ast::Expr) -> Result<Option<String>> {
        let bound = self.bind(expr)?;
        let text = bound.literal().and_then(|text| text.as_string_opt::<i32>());
        Ok(text.filter(|text| text.is_valid(0)).map(|text| text.value(0).to_owned()))
    }

    /// `map('name', 'value', ...)`.
    fn options(&mut self, function: &str, options: &ast::Expr) -> Result<Vec<(String, String)>> {
        let wrong = || {
            SqlError::at(
                place(options),
                format!(
                    "the options of `{function}` are a map of constant text, such as map('mode', 'FAILFAST')"
                ),
            )
        };
        let ast::Expr::Function(call) = options else { return Err(wrong()) };
        let ast::FunctionArguments::List(list) = &call.args else { return Err(wrong()) };
        if !call.name.to_string().eq_ignore_ascii_case("map") || !list.args.len().is_multiple_of(2)
        {
            return Err(wrong());
        }
        let mut texts = Vec::with_capacity(list.args.len());
        for argument in &list.args {
            let ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) = argument else {
                return Err(wrong());
            };
            texts.push(self.literal_text(expr)?.ok_or_else(wrong)?);
        }
        let mut texts = texts.into_iter();
        Ok(std::iter::from_fn(|| Some((texts.next()?, texts.next()?))).collect())
    }
}

/// The third argument, as it is shown.
fn options_text(options: &[(String, String)]) -> String {
    let texts = options.iter().flat_map(|(name, value)| [text_literal(name), text_literal(value)]);
    format!(", map({})", texts.collect::<Vec<_>>().join(", "))
}

/// Refuses what Spark refuses too: only text holds JSON.
fn is_json_text(function: &str, text: &Expr) -> Result<()> {
    let from = value_type(&text.data_type);
    if is_string(from) || *from == DataType::Null {
        return Ok(());
    }
    Err(SqlError::new(format!(
        "`{function}` reads STRING, but `{text}` is {}; write CAST({text} AS STRING)",
        sql_name(from)
    )))
}

fn read_option(reader: &mut Reader, name: &str, value: &str) -> Result<()> {
    let format = || match DateTimePattern::to_read(value) {
        Ok(pattern) => Ok(TimeFormat::Pattern(pattern)),
        Err(reason) => {
            Err(SqlError::new(format!("the option `{name}` of `from_json`, '{value}': {reason}")))
        }
    };
    let accepts = &mut reader.accepts;
    match name.to_lowercase().as_str() {
        "mode" => match value.to_uppercase().as_str() {
            "PERMISSIVE" => reader.mode = Mode::Permissive,
            "FAILFAST" => reader.mode = Mode::FailFast,
            _ => {
                return Err(SqlError::new(format!(
                    "the mode of `from_json` is PERMISSIVE or FAILFAST, not '{value}'"
                )));
            }
        },
        "timestampformat" => reader.timestamps = format()?,
        "timestampntzformat" => reader.local_times = format()?,
        "dateformat" => reader.dates = format()?,
        "timezone"
            if ["utc", "z", "+00:00", "etc/utc"].contains(&value.to_lowercase().as_str()) => {}
        "timezone" => {
            return Err(SqlError::new(format!(
                "times without a zone are read in UTC, not in '{value}'; read the field as STRING and convert it"
            )));
        }
        "columnnameofcorruptrecord" => reader.corrupt = value.to_owned(),
        "allowsinglequotes" => accepts.single_quotes = flag(name, value)?,
        "allowunquotedfieldnames" => accepts.unquoted_names = flag(name, value)?,
        "allownumericleadingzeros" => accepts.leading_zeros = flag(name, value)?,
        "allownonnumericnumbers" => accepts.not_finite = flag(name, value)?,
        "allowunquotedcontrolchars" => accepts.control_characters = flag(name, value)?,
        "allowbackslashescapinganycharacter" => accepts.any_escape = flag(name, value)?,
        _ => {
            return Err(SqlError::new(format!(
                "unknown option `{name}` of `from_json`{}",
                hint(name, &READ_OPTIONS)
            )));
        }
    }
    Ok(())
}

fn flag(name: &str, value: &str) -> Result<bool> {
    match value.to_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(SqlError::new(format!("the option `{name}` is 'true' or 'false', not '{value}'"))),
    }
}
