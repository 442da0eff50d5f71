//! `from_json`: values of a declared type from text.

use std::sync::Arc;

use arrow::array::Array;
use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::datatypes::{DataType, Date32Type, Decimal128Type, Fields, TimestampMicrosecondType};
use base64::Engine as _;
use streamjoin_kernels::spark::{CastMode, cast};
use streamjoin_kernels::{JoinError, Result};

use super::cell::{Cell, column};
use super::emit::Emitter;
use super::token::{Leniency, Malformed, Token, Tokens};
use crate::datetime_pattern::DateTimePattern;
use crate::names::shortened;

const DAY: i64 = 86_400_000_000;

/// What becomes of text that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What cannot be read is null.
    Permissive,
    /// An error.
    FailFast,
}

/// How times are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TimeFormat {
    /// As `CAST` reads them.
    Default,
    Pattern(DateTimePattern),
}

/// Reads values of one type.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(crate) data_type: DataType,
    pub(crate) mode: Mode,
    pub(crate) accepts: Leniency,
    pub(crate) timestamps: TimeFormat,
    /// Of timestamps without a zone.
    pub(crate) local_times: TimeFormat,
    pub(crate) dates: TimeFormat,
    /// The field that has the text where it does not fit, if the type has this field.
    pub(crate) corrupt: String,
}

/// A value, or that the JSON is of another type.
type Fit = Option<Cell>;

impl Reader {
    /// One value per text. Null and blank texts are null.
    ///
    /// # Errors
    /// In the mode `FAILFAST`, text that does not fit.
    pub(crate) fn read<'t>(
        &self,
        texts: impl Iterator<Item = Option<&'t str>>,
    ) -> Result<ArrayRef> {
        let blank = |text: &&str| text.trim_matches(|c: char| c <= ' ').is_empty();
        let cells = texts.enumerate().map(|(row, text)| {
            let Some(text) = text.filter(|text| !blank(text)) else { return Ok(Cell::Null) };
            let mut bad = false;
            let cell = self.whole(text, &mut bad);
            if self.mode == Mode::FailFast && (bad || cell.is_err()) {
                return Err(JoinError::predicate(format!(
                    "the JSON text '{}' (row {row} of the batch) is malformed or does not fit the schema; correct it, or leave out the mode FAILFAST to get null",
                    shortened(text, 60)
                )));
            }
            Ok(self.complete(cell, bad, text))
        });
        column(cells.collect::<Result<Vec<Cell>>>()?, &self.data_type)
    }

    /// Null, or a struct of nulls, for what is malformed; and the malformed text
    /// where it is asked for.
    fn complete(&self, cell: Result<Cell, Malformed>, bad: bool, text: &str) -> Cell {
        let DataType::Struct(fields) = &self.data_type else { return cell.unwrap_or(Cell::Null) };
        let malformed = bad || cell.is_err();
        let mut cell = cell.unwrap_or_else(|_| Cell::Many(vec![Cell::Null; fields.len()]));
        if let (Cell::Many(values), Some((at, _))) = (&mut cell, fields.find(&self.corrupt)) {
            values[at] = if malformed { Cell::Text(text.to_owned()) } else { Cell::Null };
        }
        cell
    }

    fn whole(&self, text: &str, bad: &mut bool) -> Result<Cell, Malformed> {
        let mut tokens = Tokens::new(text, self.accepts);
        let first = tokens.next()?.ok_or(Malformed)?;
        match (&self.data_type, &first) {
            (DataType::Struct(fields), Token::Null) => {
                return Ok(Cell::Many(vec![Cell::Null; fields.len()]));
            }
            // One object counts as an array of one.
            (DataType::List(item), Token::StartObject) => {
                let one = self.value(&first, &mut tokens, item.data_type(), bad)?;
                return Ok(Cell::Many(vec![one.ok_or(Malformed)?]));
            }
            _ => {}
        }
        self.value(&first, &mut tokens, &self.data_type, bad)?.ok_or(Malformed)
    }

    /// The next value as a field or element; what does not fit sets `bad`.
    fn next(
        &self,
        tokens: &mut Tokens<'_>,
        data_type: &DataType,
        bad: &mut bool,
    ) -> Result<Fit, Malformed> {
        let depth = tokens.depth();
        let first = tokens.inside()?;
        let value = self.value(&first, tokens, data_type, bad)?;
        if value.is_none() {
            *bad = true;
            tokens.leave_to(depth)?;
        }
        Ok(value)
    }

    fn value(
        &self,
        first: &Token<'_>,
        rest: &mut Tokens<'_>,
        data_type: &DataType,
        bad: &mut bool,
    ) -> Result<Fit, Malformed> {
        Ok(match (data_type, first) {
            (_, Token::Null) => Some(Cell::Null),
            (DataType::Struct(fields), Token::StartObject) => Some(self.object(rest, fields, bad)?),
            (DataType::List(item), Token::StartArray) => self.array(rest, item.data_type(), bad)?,
            (DataType::Map(entries, _), Token::StartObject) => match entries.data_type() {
                DataType::Struct(fields) => self.map(rest, fields[1].data_type(), bad)?,
                _ => None,
            },
            (DataType::Utf8, Token::Text(text)) => Some(Cell::Text(text.clone().into_owned())),
            (DataType::Utf8, _) => {
                let mut text = Emitter::default();
                text.copy(first, rest)?;
                Some(Cell::Text(text.finish()))
            }
            _ => self.atom(first, data_type),
        })
    }

    fn object(
        &self,
        rest: &mut Tokens<'_>,
        fields: &Fields,
        bad: &mut bool,
    ) -> Result<Cell, Malformed> {
        let mut values = vec![Cell::Null; fields.len()];
        while let Token::Name(name) = rest.inside()? {
            let Some((at, field)) = fields.find(&name) else {
                let value = rest.inside()?;
                rest.skip(&value)?;
                continue;
            };
            if let Some(value) = self.next(rest, field.data_type(), bad)? {
                values[at] = value;
            }
        }
        Ok(Cell::Many(values))
    }

    /// An array; it does not fit if some element does not.
    fn array(
        &self,
        rest: &mut Tokens<'_>,
        item: &DataType,
        bad: &mut bool,
    ) -> Result<Fit, Malformed> {
        let mut values = Vec::new();
        loop {
            let first = rest.inside()?;
            if first == Token::EndArray {
                return Ok(Some(Cell::Many(values)));
            }
            match self.value(&first, rest, item, bad)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
    }

    /// A map; it does not fit if some value does not. The last of two equal keys counts.
    fn map(
        &self,
        rest: &mut Tokens<'_>,
        value_type: &DataType,
        bad: &mut bool,
    ) -> Result<Fit, Malformed> {
        let mut entries: Vec<(String, Cell)> = Vec::new();
        let mut at = std::collections::HashMap::new();
        while let Token::Name(name) = rest.inside()? {
            let first = rest.inside()?;
            let Some(value) = self.value(&first, rest, value_type, bad)? else { return Ok(None) };
            let name = name.into_owned();
            match at.get(&name) {
                Some(at) => {
                    let entry: &mut (String, Cell) = &mut entries[*at];
                    entry.1 = value;
                }
                None => {
                    at.insert(name.clone(), entries.len());
                    entries.push((name, value));
                }
            }
        }
        Ok(Some(Cell::Entries(entries)))
    }

    /// A value that is not nested, and no text.
    fn atom(&self, token: &Token<'_>, data_type: &DataType) -> Fit {
        match (data_type, token) {
            (DataType::Boolean, Token::True) => Some(Cell::Boolean(true)),
            (DataType::Boolean, Token::False) => Some(Cell::Boolean(false)),
            // Jackson takes a byte for signed or unsigned.
            (DataType::Int8, Token::Int(digits)) => {
                let value =
                    digits.parse::<i16>().ok().filter(|value| (-128..256).contains(value))?;
                Some(Cell::Whole(i128::from(value as i8)))
            }
            (DataType::Int16, Token::Int(digits)) => whole(digits.parse::<i16>().ok()),
            (DataType::Int32, Token::Int(digits)) => whole(digits.parse::<i32>().ok()),
            (DataType::Int64, Token::Int(digits)) => whole(digits.parse::<i64>().ok()),
            (DataType::Float32, Token::Int(digits) | Token::Float(digits)) => {
                Some(Cell::Float(f64::from(digits.parse::<f32>().ok()?)))
            }
            (DataType::Float64, Token::Int(digits) | Token::Float(digits)) => {
                Some(Cell::Float(digits.parse().ok()?))
            }
            (DataType::Float32 | DataType::Float64, Token::NotFinite(value)) => {
                Some(Cell::Float(*value))
            }
            (DataType::Float32 | DataType::Float64, Token::Text(text))
                if self.accepts.not_finite =>
            {
                Some(Cell::Float(match &**text {
                    "NaN" => f64::NAN,
                    "+INF" | "+Infinity" | "Infinity" => f64::INFINITY,
                    "-INF" | "-Infinity" => f64::NEG_INFINITY,
                    _ => return None,
                }))
            }
            (DataType::Decimal128(..), Token::Int(digits) | Token::Float(digits)) => {
                decimal(digits, data_type)
            }
            (DataType::Decimal128(..), Token::Text(text)) => {
                decimal(&text.replace(',', ""), data_type)
            }
            (DataType::Binary, Token::Text(text)) => {
                let engine = base64::engine::general_purpose::STANDARD;
                Some(Cell::Bytes(engine.decode(text.as_bytes()).ok()?))
            }
            (DataType::Date32, Token::Text(text)) => match &self.dates {
                TimeFormat::Default => {
                    whole(Some(one(text, data_type)?.as_primitive::<Date32Type>().value(0)))
                }
                TimeFormat::Pattern(pattern) => whole(Some(pattern.read(text)?.div_euclid(DAY))),
            },
            (DataType::Timestamp(_, Some(_)), Token::Text(text)) => {
                self.timestamp(text, data_type, &self.timestamps)
            }
            // Seconds.
            (DataType::Timestamp(_, Some(_)), Token::Int(digits)) => {
                whole(digits.parse::<i64>().ok()?.checked_mul(1_000_000))
            }
            (DataType::Timestamp(_, None), Token::Text(text)) if !has_zone(text) => {
                self.timestamp(text, data_type, &self.local_times)
            }
            _ => None,
        }
    }

    fn timestamp(&self, text: &str, data_type: &DataType, format: &TimeFormat) -> Fit {
        match format {
            TimeFormat::Pattern(pattern) => whole(pattern.read(text)),
            TimeFormat::Default => {
                let times = one(text, data_type)?;
                whole(Some(times.as_primitive::<TimestampMicrosecondType>().value(0)))
            }
        }
    }
}

fn whole(value: Option<impl Into<i128>>) -> Fit {
    value.map(|value| Cell::Whole(value.into()))
}

fn decimal(digits: &str, data_type: &DataType) -> Fit {
    whole(Some(one(digits, data_type)?.as_primitive::<Decimal128Type>().value(0)))
}

/// The text as a value of another type, if it is one.
fn one(text: &str, to: &DataType) -> Option<ArrayRef> {
    let text: ArrayRef = Arc::new(StringArray::from(vec![text]));
    cast(&text, to, CastMode::Try).ok().filter(|value| value.is_valid(0))
}

/// Whether a zone follows the time of day.
fn has_zone(text: &str) -> bool {
    let time = text.find(':').map_or("", |colon| &text[colon..]);
    time.contains(|c: char| c.is_alphabetic() || matches!(c, '+' | '-'))
}
