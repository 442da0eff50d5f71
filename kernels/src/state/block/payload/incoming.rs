//! Columns of a batch, ready to be copied into blocks.

use arrow::array::{Array, ArrayData, ArrayRef};
use arrow::buffer::NullBuffer;

use super::heap::Heap;
use super::plan::{PayloadPlan, Place};
use crate::error::{JoinError, Result};
use crate::key::Strings;

/// The payload of rows that come in, ready to be copied: nothing fails any more.
#[derive(Debug)]
pub(crate) struct Incoming<'a> {
    pub(super) fixed: Vec<ArrayData>,
    pub(super) texts: Vec<Text<'a>>,
    /// Of the rows to store, in order.
    pub(super) encoded: Option<Heap>,
}

/// A column of strings or binaries.
#[derive(Debug)]
pub(super) struct Text<'a> {
    values: Strings<'a>,
    pub(super) nulls: Option<&'a NullBuffer>,
}

impl PayloadPlan {
    /// Prepares the columns of a batch, of which `rows` are to be stored.
    ///
    /// # Errors
    /// Arrow's; [`JoinError::InvalidPlan`] for values of 4 GiB.
    ///
    /// # Panics
    /// If the columns are not as planned.
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
        for text in &incoming.texts {
            let longest = rows.iter().map(|&row| text.value(row as usize).len()).max();
            check_length(longest.unwrap_or(0))?;
        }
        if !self.encoded.is_empty() {
            let columns: Vec<ArrayRef> =
                self.encoded.iter().map(|&at| columns[at].clone()).collect();
            let mut heap = Heap::default();
            let mut total = 0;
            self.codec.encode(&columns, rows, |row| {
                total += row.len();
                if total <= u32::MAX as usize {
                    heap.push(row);
                }
            })?;
            check_length(total)?;
            incoming.encoded = Some(heap);
        }
        Ok(incoming)
    }
}

fn check_length(bytes: usize) -> Result<()> {
    if bytes as u64 >= u64::from(u32::MAX) {
        return Err(JoinError::InvalidPlan(
            "rows of 4 GiB come in at once: push them in smaller batches".to_owned(),
        ));
    }
    Ok(())
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
