//! Writes JSON text as Jackson does.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::DataType;
use streamjoin_kernels::spark::{CastMode, cast};

use super::token::{Malformed, Token, Tokens};

/// JSON text under construction: commas and colons come by themselves.
#[derive(Debug, Default)]
pub(super) struct Emitter {
    text: String,
    /// Whether each open container has an element.
    open: Vec<bool>,
    after_name: bool,
}

impl Emitter {
    pub(super) fn finish(self) -> String {
        self.text
    }

    fn begin_value(&mut self) {
        if self.after_name {
            self.after_name = false;
            return;
        }
        match self.open.last_mut() {
            Some(true) => self.text.push(','),
            Some(empty) => *empty = true,
            None => {}
        }
    }

    /// `{` or `[`.
    pub(super) fn start(&mut self, bracket: char) {
        self.begin_value();
        self.text.push(bracket);
        self.open.push(false);
    }

    /// `}` or `]`.
    pub(super) fn end(&mut self, bracket: char) {
        self.open.pop();
        self.text.push(bracket);
    }

    pub(super) fn name(&mut self, name: &str) {
        self.begin_value();
        self.string(name);
        self.text.push(':');
        self.after_name = true;
    }

    /// A value whose text is JSON already.
    pub(super) fn raw(&mut self, json: &str) {
        self.begin_value();
        self.text.push_str(json);
    }

    /// Text as it is, not a value.
    pub(super) fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.begin_value();
        self.string(text);
    }

    pub(super) fn float(&mut self, value: f64) {
        let text = double_text(value);
        if value.is_finite() { self.raw(&text) } else { self.text(&text) }
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            let short = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                8 => "\\b",
                12 => "\\f",
                0..32 => "",
                _ => continue,
            };
            self.text.push_str(&text[from..at]);
            from = at + 1;
            if short.is_empty() {
                let _ = write!(self.text, "\\u{byte:04X}");
            } else {
                self.text.push_str(short);
            }
        }
        self.text.push_str(&text[from..]);
        self.text.push('"');
    }

    /// Copies a value whose first token was `first`.
    pub(super) fn copy(
        &mut self,
        first: &Token<'_>,
        rest: &mut Tokens<'_>,
    ) -> Result<(), Malformed> {
        self.token(first);
        if matches!(first, Token::StartObject | Token::StartArray) {
            let inside = rest.depth();
            while rest.depth() >= inside {
                let token = rest.inside()?;
                self.token(&token);
            }
        }
        Ok(())
    }

    fn token(&mut self, token: &Token<'_>) {
        match token {
            Token::StartObject => self.start('{'),
            Token::EndObject => self.end('}'),
            Token::StartArray => self.start('['),
            Token::EndArray => self.end(']'),
            Token::Name(name) => self.name(name),
            Token::Text(text) => self.text(text),
            // Read as a number, so that there is no minus zero.
            Token::Int("-0") => self.raw("0"),
            Token::Int(digits) => self.raw(digits),
            Token::Float(digits) => self.float(digits.parse().unwrap_or(f64::NAN)),
            Token::NotFinite(value) => self.float(*value),
            Token::True => self.raw("true"),
            Token::False => self.raw("false"),
            Token::Null => self.raw("null"),
        }
    }
}

/// A double as Java writes it.
pub(super) fn double_text(value: f64) -> String {
    let array: ArrayRef = Arc::new(Float64Array::from(vec![value]));
    match cast(&array, &DataType::Utf8, CastMode::Try) {
        Ok(text) => text.as_string::<i32>().value(0).to_owned(),
        Err(_) => value.to_string(),
    }
}
