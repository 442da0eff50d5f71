//! A column as a possible key: a digest of each value, in forms that compare.

use ahash::AHashSet;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use arrow::error::ArrowError;
use streamjoin_kernels::spark::comparison_type;

use super::names::is_key_like;
use crate::record::value_digests;

/// A row without a key.
const NO_KEY: u64 = 0;

/// Values of one kind are compared by their digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Integers, and floats that are whole.
    Number,
    /// Strings.
    Text,
    /// Dates, timestamps, decimals, binaries: each with its own like only.
    Other,
}

/// How the two sides of a key are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As they are.
    Plain,
    /// Without blanks around them, in lower case.
    Folded,
}

/// What is known of a column.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) data_type: DataType,
    /// None for what is not a key: fractions, truth values, nested columns.
    pub(super) kind: Option<Kind>,
    /// Whether rows tell when they happened by it.
    pub(super) is_time: bool,
    digests: Vec<u64>,
    /// Of text without the blanks around it, in lower case.
    folded: Vec<u64>,
    /// Of text as numbers, while all of it is that.
    numbers: Option<Vec<u64>>,
    range: Option<(i64, i64)>,
    nulls: usize,
    distinct: AHashSet<u64>,
}

impl Column {
    /// A column that is not read yet; `head` are its first values.
    pub(super) fn new(name: &str, head: &ArrayRef) -> Self {
        let data_type = head.data_type();
        let value = match data_type {
            DataType::Dictionary(_, value) => value,
            other => other,
        };
        let kind = match value {
            value if value.is_integer() => Some(Kind::Number),
            DataType::Float32 | DataType::Float64 if whole(head).is_some() => Some(Kind::Number),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Kind::Text),
            DataType::Date32 | DataType::Timestamp(..) | DataType::FixedSizeBinary(_) => {
                Some(Kind::Other)
            }
            value if value.is_decimal() => Some(Kind::Other),
            _ => None,
        };
        Self {
            name: name.to_owned(),
            data_type: data_type.clone(),
            kind,
            is_time: false,
            digests: Vec::new(),
            folded: Vec::new(),
            numbers: Some(Vec::new()),
            range: None,
            nulls: 0,
            distinct: AHashSet::new(),
        }
    }

    /// Adds the values of one batch.
    pub(super) fn add(&mut self, values: &ArrayRef) -> Result<(), ArrowError> {
        match self.kind {
            None => {}
            Some(Kind::Number) => match whole(values) {
                Some(numbers) => {
                    let range = min(&numbers).zip(max(&numbers));
                    self.range = match (self.range, range) {
                        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
                        (known, new) => known.or(new),
                    };
                    let count = digests(&numbers, &mut self.digests);
                    self.count(count, values.len());
                }
                None => *self = Self { kind: None, ..Self::new(&self.name, values) },
            },
            Some(Kind::Text) => {
                let text = cast(values, &DataType::Utf8)?;
                let text: &StringArray = text.as_string();
                let count = digests(text, &mut self.digests);
                self.count(count, values.len());
                let folded: StringArray = text
                    .iter()
                    .map(|value| value.map(|value| value.trim().to_lowercase()))
                    .collect();
                digests(&folded, &mut self.folded);
                let numbers: Option<Int64Array> = text
                    .iter()
                    .map(|value| value.map(str::parse::<i64>).transpose().ok())
                    .collect();
                match (numbers, &mut self.numbers) {
                    (Some(numbers), Some(all)) => drop(digests(&numbers, all)),
                    _ => self.numbers = None,
                }
            }
            Some(Kind::Other) => {
                let count = digests(values.as_ref(), &mut self.digests);
                self.count(count, values.len());
            }
        }
        Ok(())
    }

    fn count(&mut self, nulls: usize, rows: usize) {
        self.nulls += nulls;
        let new = &self.digests[self.digests.len() - rows..];
        self.distinct.extend(new.iter().copied().filter(|digest| *digest != NO_KEY));
    }

    /// Rows with a value.
    pub(super) fn present(&self) -> usize {
        self.digests.len() - self.nulls
    }

    /// Different values.
    pub(super) fn distinct(&self) -> usize {
        self.distinct.len()
    }

    /// Whether no two rows have the same value.
    pub(super) fn is_unique(&self) -> bool {
        self.present() > 0 && self.distinct() == self.present()
    }

    /// Whether numbers lie so close together that they match others by accident.
    pub(super) fn is_dense(&self) -> bool {
        self.range.is_some_and(|(least, most)| {
            let width = most.abs_diff(least);
            width / 4 <= self.distinct() as u64
        })
    }

    pub(super) fn is_key_like(&self) -> bool {
        is_key_like(&self.name)
    }

    /// The digests by which this column and `other` are compared, if they can be.
    pub(super) fn against<'a>(
        &'a self,
        other: &'a Self,
        form: Form,
    ) -> Option<(&'a [u64], &'a [u64])> {
        comparison_type(&self.data_type, &other.data_type).ok()?;
        let numbers = |column: &'a Self| column.numbers.as_deref().filter(|n| !n.is_empty());
        match (self.kind?, other.kind?, form) {
            (Kind::Text, Kind::Text, Form::Folded) => Some((&self.folded, &other.folded)),
            (a, b, Form::Plain) if a == b => Some((&self.digests, &other.digests)),
            (Kind::Number, Kind::Text, Form::Plain) => Some((&self.digests, numbers(other)?)),
            (Kind::Text, Kind::Number, Form::Plain) => Some((numbers(self)?, &other.digests)),
            _ => None,
        }
    }
}

/// A digest of each row over several columns; none where one of them has no key.
pub(super) fn combined(columns: &[&[u64]]) -> Vec<u64> {
    let rows = columns.iter().map(|column| column.len()).min().unwrap_or(0);
    let row = |row: usize| {
        columns.iter().try_fold(0x9e37_79b9_7f4a_7c15_u64, |hash, column| {
            let digest = column[row];
            let mixed = (hash ^ digest).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
            (digest != NO_KEY).then_some(mixed.max(1))
        })
    };
    (0..rows).map(|at| row(at).unwrap_or(NO_KEY)).collect()
}

/// The keys of some rows.
pub(super) fn keys(digests: &[u64]) -> impl Iterator<Item = u64> {
    digests.iter().copied().filter(|digest| *digest != NO_KEY)
}

/// Whether a row has a key.
pub(super) fn has_key(digest: u64) -> bool {
    digest != NO_KEY
}

/// Appends a digest a value; answers how many are null.
fn digests(values: &dyn Array, all: &mut Vec<u64>) -> usize {
    let mut new = Vec::new();
    value_digests(values, &mut new);
    let nulls = values.logical_nulls();
    if let Some(nulls) = &nulls {
        for (row, digest) in new.iter_mut().enumerate() {
            if nulls.is_null(row) {
                *digest = NO_KEY;
            }
        }
    }
    all.append(&mut new);
    nulls.map_or(0, |nulls| nulls.null_count())
}

/// Numbers without a fraction.
fn whole(values: &ArrayRef) -> Option<Int64Array> {
    let is_float = |data_type: &DataType| data_type.is_floating();
    if is_float(values.data_type()) {
        let floats = cast(values, &DataType::Float64).ok()?;
        let floats = floats.as_primitive::<Float64Type>();
        // Above 2^53 a float may stand for several integers.
        let fits = |value: f64| value.fract() == 0.0 && value.abs() < 9.0e15;
        if !floats.iter().flatten().all(fits) {
            return None;
        }
    }
    let numbers = cast(values, &DataType::Int64).ok()?;
    // An unsigned number beyond 63 bits becomes null.
    (numbers.logical_null_count() == values.logical_null_count())
        .then(|| numbers.as_primitive::<Int64Type>().clone())
}

#[cfg(test)]
#[path = "column_tests.rs"]
mod tests;
