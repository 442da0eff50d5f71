//! A dictionary column of a table: the values of all its batches in one
//! dictionary, each once.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array, new_empty_array};
use arrow::buffer::NullBuffer;
use arrow::compute::{interleave, take};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use hashbrown::HashMap;

use super::variable::indices;
use crate::error::Result;
use crate::form::of_indices;

/// Texts or binaries that rows share.
#[derive(Debug)]
pub(super) struct DictionaryColumn {
    data_type: DataType,
    /// For each row the number of its value, counted across `values`.
    codes: UInt32Array,
    /// One array, or more than 32-bit offsets can address.
    values: Vec<ArrayRef>,
    /// Where each of them starts.
    starts: Vec<usize>,
}

impl DictionaryColumn {
    /// Of the rows of `chunks`, whose indices may be narrower than those of
    /// `data_type`, in the order of `order` if given, with a null where it says
    /// [`NO_ROW`](crate::pairs::NO_ROW). Arrays of more than `limit` bytes are not put together.
    ///
    /// # Errors
    /// Arrow's.
    pub(super) fn new(
        data_type: &DataType,
        chunks: &[ArrayRef],
        order: Option<&[u32]>,
        limit: usize,
    ) -> Result<Self> {
        let mut distinct = Distinct::new(limit);
        let mut codes: Vec<Option<u32>> = Vec::with_capacity(chunks.iter().map(Array::len).sum());
        let mut seen: Option<(ArrayRef, Vec<Option<u32>>)> = None;
        for chunk in chunks {
            let dictionary = chunk.as_any_dictionary();
            let of_values = match seen.take() {
                // The batches of one file mostly share their dictionary.
                Some((values, codes)) if Arc::ptr_eq(&values, dictionary.values()) => codes,
                _ => distinct.add(dictionary.values()),
            };
            if dictionary.values().is_empty() {
                // Nothing but nulls, whose keys name no value.
                codes.extend(std::iter::repeat_n(None, chunk.len()));
                continue;
            }
            let keys = dictionary.normalized_keys();
            let nulls = dictionary.keys().nulls();
            codes.extend(keys.iter().enumerate().map(|(row, &key)| {
                // A key under a null may be anything.
                if nulls.is_some_and(|nulls| nulls.is_null(row)) { None } else { of_values[key] }
            }));
            seen = Some((Arc::clone(dictionary.values()), of_values));
        }
        let codes = UInt32Array::from(codes);
        let codes = match order {
            Some(order) => take(&codes, &indices(order), None)?.as_primitive().clone(),
            None => codes,
        };
        let DataType::Dictionary(_, value_type) = data_type else {
            return Err(ArrowError::CastError(format!("{data_type} is not a dictionary")).into());
        };
        let values = distinct.arrays(value_type)?;
        let mut starts = Vec::with_capacity(values.len());
        let mut start = 0;
        for array in &values {
            starts.push(start);
            start += array.len();
        }
        Ok(Self { data_type: data_type.clone(), codes, values, starts })
    }

    pub(super) fn bytes(&self) -> usize {
        let values = self.values.iter().map(Array::get_array_memory_size);
        self.codes.get_array_memory_size() + values.sum::<usize>()
    }

    /// The values of `rows`, nulls where a row is [`NO_ROW`](crate::pairs::NO_ROW).
    ///
    /// # Errors
    /// Arrow's, such as an offset overflow.
    ///
    /// # Panics
    /// If a row other than `NO_ROW` is out of bounds.
    pub(super) fn gather(&self, rows: &[u32]) -> Result<ArrayRef> {
        let DataType::Dictionary(index_type, _) = &self.data_type else {
            return Ok(new_empty_array(&self.data_type));
        };
        let codes = take(&self.codes, &indices(rows), None)?;
        let codes: &UInt32Array = codes.as_primitive();
        let [values] = &self.values[..] else {
            let (codes, values) = self.of_batch(codes)?;
            return of_indices(&codes, index_type, &values);
        };
        of_indices(codes, index_type, values)
    }

    /// A dictionary of just the values that `codes` name.
    fn of_batch(&self, codes: &UInt32Array) -> Result<(UInt32Array, ArrayRef)> {
        let mut picks = Vec::new();
        let mut numbers = HashMap::new();
        let codes = codes.iter().map(|code| {
            code.map(|code| {
                *numbers.entry(code).or_insert_with(|| {
                    let array = self.starts.partition_point(|&start| start <= code as usize) - 1;
                    picks.push((array, code as usize - self.starts[array]));
                    picks.len() as u32 - 1
                })
            })
        });
        let codes = codes.collect();
        let arrays: Vec<&dyn Array> = self.values.iter().map(AsRef::as_ref).collect();
        Ok((codes, interleave(&arrays, &picks)?))
    }
}

/// Distinct values of several arrays, in order of their first appearance.
struct Distinct {
    arrays: Vec<ArrayRef>,
    codes: HashMap<Box<[u8]>, u32>,
    /// Array and row of each, in stretches of at most `limit` bytes.
    picks: Vec<Vec<(usize, usize)>>,
    bytes: usize,
    limit: usize,
}

impl Distinct {
    fn new(limit: usize) -> Self {
        Self { arrays: Vec::new(), codes: HashMap::new(), picks: Vec::new(), bytes: 0, limit }
    }

    /// The code of each of `values`, none for a null.
    fn add(&mut self, values: &ArrayRef) -> Vec<Option<u32>> {
        let number = self.arrays.len();
        self.arrays.push(Arc::clone(values));
        let nulls: Option<&NullBuffer> = values.nulls();
        let code = |row: usize| {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                return None;
            }
            let value = value(values, row);
            if let Some(&code) = self.codes.get(value) {
                return Some(code);
            }
            let code = self.codes.len() as u32;
            self.codes.insert(value.into(), code);
            self.bytes += value.len();
            if self.picks.is_empty() || self.bytes > self.limit {
                self.picks.push(Vec::new());
                self.bytes = value.len();
            }
            if let Some(picks) = self.picks.last_mut() {
                picks.push((number, row));
            }
            Some(code)
        };
        (0..values.len()).map(code).collect()
    }

    fn arrays(&self, value_type: &DataType) -> Result<Vec<ArrayRef>> {
        if self.picks.is_empty() {
            return Ok(vec![new_empty_array(value_type)]);
        }
        let arrays: Vec<&dyn Array> = self.arrays.iter().map(AsRef::as_ref).collect();
        let taken = self.picks.iter().map(|picks| {
            let values = interleave(&arrays, picks)?;
            // Of a view nothing of the input must stay alive.
            super::variable::compact(&values)
        });
        taken.collect()
    }
}

/// The bytes of a text or binary.
fn value(values: &ArrayRef, row: usize) -> &[u8] {
    match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => values.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => values.as_string_view().value(row).as_bytes(),
        DataType::Binary => values.as_binary::<i32>().value(row),
        DataType::LargeBinary => values.as_binary::<i64>().value(row),
        _ => values.as_binary_view().value(row),
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{DictionaryArray, StringArray, UInt8Array};
    use arrow::datatypes::UInt8Type;

    use super::*;
    use crate::form::table_type;
    use crate::pairs::NO_ROW;

    /// A dictionary with a null value and 255 others, of which rows use each.
    fn chunk(from: usize) -> ArrayRef {
        let values: StringArray =
            (from..from + 255).map(|i| Some(format!("value {i}"))).chain([None]).collect();
        let keys = UInt8Array::from_iter((0..=255u8).map(|key| (key != 7).then_some(key)));
        Arc::new(DictionaryArray::<UInt8Type>::new(keys, Arc::new(values)))
    }

    fn expected(from: usize, row: usize) -> Option<String> {
        (row != 7 && row != 255).then(|| format!("value {}", from + row))
    }

    #[test]
    fn dictionaries_that_do_not_fit_into_one_of_their_index_type_do_into_a_wider_one() {
        let chunks = [chunk(0), chunk(100), chunk(1000)];
        let all: Vec<Option<String>> = [0, 100, 1000]
            .into_iter()
            .flat_map(|from| (0..256).map(move |row| expected(from, row)))
            .collect();
        let data_type = table_type(chunks[0].data_type());
        let turned: Vec<u32> = (0..all.len() as u32).rev().collect();
        for limit in [usize::MAX, 200, 0] {
            for order in [None, Some(&turned[..])] {
                let column = DictionaryColumn::new(&data_type, &chunks, order, limit).unwrap();
                assert_eq!(column.values.len() > 1, limit < usize::MAX);
                let rows: Vec<u32> = (0..all.len() as u32).step_by(5).chain([NO_ROW, 3]).collect();
                let gathered = column.gather(&rows).unwrap();
                assert_eq!(*gathered.data_type(), data_type);
                let gathered = gathered.as_any_dictionary();
                let texts = take(gathered.values(), gathered.keys(), None).unwrap();
                let expected: StringArray = rows
                    .iter()
                    .map(|&row| (row != NO_ROW).then_some(row as usize))
                    .map(|row| {
                        let row = row.map(|row| order.map_or(row, |order| order[row] as usize));
                        all[row?].as_deref()
                    })
                    .collect();
                assert_eq!(texts.as_string::<i32>(), &expected);
            }
        }
        let distinct = DictionaryColumn::new(&data_type, &chunks, None, usize::MAX).unwrap();
        // 0 to 354 and 1000 to 1254, each once.
        assert_eq!(distinct.values[0].len(), 355 + 255);
    }
}
