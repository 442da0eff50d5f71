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
    /// A column of which nothing is read yet; `head` are its first values.
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
mod tests {
    use std::sync::Arc;

    use arrow::array::{Float64Array, Int32Array};

    use super::*;

    fn column(values: impl Array + 'static) -> Column {
        let values: ArrayRef = Arc::new(values);
        let mut column = Column::new("c", &values);
        column.add(&values).unwrap();
        column
    }

    fn same(left: &Column, right: &Column, form: Form) -> Option<bool> {
        left.against(right, form).map(|(left, right)| left == right)
    }

    #[test]
    fn keys_compare_across_types() {
        let ints = column(Int32Array::from(vec![Some(1), None, Some(3)]));
        let floats = column(Float64Array::from(vec![Some(1.0), None, Some(3.0)]));
        let texts = column(StringArray::from(vec![Some("1"), None, Some("03")]));
        assert_eq!((ints.present(), ints.distinct(), ints.is_unique()), (2, 2, true));
        assert_eq!(same(&ints, &floats, Form::Plain), Some(true));
        assert_eq!(same(&ints, &texts, Form::Plain), Some(true));
        assert_eq!(same(&texts, &floats, Form::Plain), Some(true));
        let words = column(StringArray::from(vec!["A ", "b", "C"]));
        let others = column(StringArray::from(vec!["a", "B", "c"]));
        assert_eq!(same(&words, &others, Form::Plain), Some(false));
        assert_eq!(same(&words, &others, Form::Folded), Some(true));
        assert_eq!(same(&ints, &words, Form::Plain), None);
    }

    #[test]
    fn fractions_are_no_keys() {
        let fractions: ArrayRef = Arc::new(Float64Array::from(vec![0.5]));
        assert_eq!(Column::new("c", &fractions).kind, None);
        let mut later = column(Float64Array::from(vec![1.0]));
        later.add(&fractions).unwrap();
        assert_eq!((later.kind, later.present()), (None, 0));
    }

    #[test]
    fn several_columns_make_one_key() {
        let (a, b) = ([1, 1, 2, NO_KEY], [1, 2, 1, 1]);
        let keys = combined(&[&a, &b]);
        assert_eq!(keys[3], NO_KEY);
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
    }
}
