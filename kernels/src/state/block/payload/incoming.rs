//! Columns of a batch, ready to be copied into blocks.

use arrow::array::{Array, ArrayData, ArrayRef};
use arrow::buffer::NullBuffer;

use super::plan::{PayloadPlan, Place};
use crate::error::Result;
use crate::key::Strings;
use crate::state::block::lengths::Lengths;
use crate::state::codec::Encoded;

/// The payload of rows that come in, ready to be copied: nothing fails any more.
#[derive(Debug)]
pub(crate) struct Incoming<'a> {
    pub(super) fixed: Vec<ArrayData>,
    pub(super) texts: Vec<Text<'a>>,
    /// Of the rows to store, in order.
    pub(super) encoded: Option<Encoded>,
}

/// A column of strings or binaries.
#[derive(Debug)]
pub(super) struct Text<'a> {
    values: Strings<'a>,
    pub(super) nulls: Option<&'a NullBuffer>,
}

impl PayloadPlan {
    /// Prepares the columns of a batch, which are as planned and of which `rows`
    /// are to be stored.
    ///
    /// # Errors
    /// Arrow's.
    pub(crate) fn incoming<'a>(
        &self,
        columns: &'a [ArrayRef],
        rows: &[u32],
    ) -> Result<Incoming<'a>> {
        let mut incoming = Incoming { fixed: Vec::new(), texts: Vec::new(), encoded: None };
        for (column, place) in columns.iter().zip(&self.places) {
            match *place {
                Place::Fixed(at) => {
                    let planned = &self.fixed[at].data_type;
                    assert_eq!(column.data_type(), planned, "a column of another type");
                    incoming.fixed.push(column.to_data());
                }
                Place::Text(at) => {
                    assert_eq!(column.data_type(), &self.texts[at], "a column of another type");
                    incoming.texts.push(Text::new(column));
                }
                Place::Encoded(_) => {}
            }
        }
        if !self.encoded.is_empty() {
            let columns: Vec<ArrayRef> =
                self.encoded.iter().map(|&at| columns[at].clone()).collect();
            incoming.encoded = Some(self.codec.encode(&columns, rows)?);
        }
        Ok(incoming)
    }
}

impl Incoming<'_> {
    /// The bytes that `rows`, those that this was prepared for, take of each heap.
    pub(crate) fn lengths(&self, rows: &[u32]) -> impl Iterator<Item = Lengths> {
        let of_text =
            |text: &Text<'_>| rows.iter().map(|&row| text.value(row as usize).len()).collect();
        let encoded = self.encoded.iter();
        let encoded = encoded.map(|all| (0..rows.len()).map(|i| all.row(i).len()).collect());
        self.texts.iter().map(of_text).chain(encoded)
    }

    /// How many columns may have nulls, apart from those that are encoded.
    pub(crate) fn nullable(&self) -> usize {
        self.fixed.len() + self.texts.len()
    }
}

impl<'a> Text<'a> {
    fn new(column: &'a ArrayRef) -> Self {
        let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
        Self { values: Strings::of(column).expect("planned as a text"), nulls }
    }

    pub(super) fn value(&self, row: usize) -> &'a [u8] {
        self.values.get(row)
    }
}
