//! Where the kept columns lie.

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

use crate::error::Result;
use crate::probe::fixed_width;
use crate::state::{by_value, codec::Codec};

/// Where the kept columns lie.
#[derive(Debug)]
pub(crate) struct PayloadPlan {
    pub(crate) places: Vec<Place>,
    /// Fixed-width columns.
    pub(crate) fixed: Vec<FixedColumn>,
    /// Strings and binaries.
    pub(crate) texts: Vec<DataType>,
    /// The columns that are kept as one byte string per row, by position.
    pub(super) encoded: Vec<usize>,
    pub(crate) codec: Codec,
    /// Bytes of a row of fixed-width columns.
    pub(crate) stride: usize,
}

/// Where a kept column lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Position among the fixed-width columns.
    Fixed(usize),
    /// Position among the texts.
    Text(usize),
    /// Position in the byte string.
    Encoded(usize),
}

#[derive(Debug)]
pub(crate) struct FixedColumn {
    pub(crate) data_type: DataType,
    pub(crate) width: usize,
    /// Where the value begins in a row; `offset + width <= stride`.
    pub(crate) offset: usize,
}

impl PayloadPlan {
    /// Plans columns of these types, dictionaries and the like by value.
    ///
    /// # Errors
    /// [`JoinError::UnsupportedState`] for a type that cannot be kept.
    pub(crate) fn new(types: &[DataType]) -> Result<Self> {
        // What the other stores refuse is refused here too.
        Codec::new(types)?;
        let mut plan = Self {
            places: Vec::new(),
            fixed: Vec::new(),
            texts: Vec::new(),
            encoded: Vec::new(),
            codec: Codec::new(&[])?,
            stride: 0,
        };
        for (column, data_type) in types.iter().enumerate() {
            let data_type = crate::state::kept_type(data_type);
            use DataType::{Binary, Boolean, LargeBinary, LargeUtf8, Utf8};
            let place = match (&data_type, fixed_width(&data_type)) {
                (Utf8 | LargeUtf8 | Binary | LargeBinary, _) => {
                    plan.texts.push(data_type);
                    Place::Text(plan.texts.len() - 1)
                }
                (Boolean, _) => plan.fix(data_type, 1),
                (_, Some(width)) => plan.fix(data_type, width),
                _ => {
                    plan.encoded.push(column);
                    Place::Encoded(plan.encoded.len() - 1)
                }
            };
            plan.places.push(place);
        }
        // The widest first, so that values are aligned where the row is.
        let mut order: Vec<usize> = (0..plan.fixed.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(plan.fixed[at].width));
        for at in order {
            plan.fixed[at].offset = plan.stride;
            plan.stride += plan.fixed[at].width;
        }
        let encoded: Vec<DataType> = plan.encoded.iter().map(|&at| types[at].clone()).collect();
        plan.codec = Codec::new(&encoded)?;
        Ok(plan)
    }

    fn fix(&mut self, data_type: DataType, width: usize) -> Place {
        self.fixed.push(FixedColumn { data_type, width, offset: 0 });
        Place::Fixed(self.fixed.len() - 1)
    }

    /// Columns whose values end a heap.
    pub(super) fn heaps(&self) -> usize {
        self.texts.len() + usize::from(!self.encoded.is_empty())
    }

    /// The heap of what is encoded.
    pub(crate) fn encoded_heap(&self) -> usize {
        self.texts.len()
    }

    /// Whether all columns are of fixed width.
    pub(crate) fn is_fixed(&self) -> bool {
        self.heaps() == 0
    }

    /// The columns of a batch in the types in which they are kept.
    ///
    /// # Errors
    /// Arrow's.
    pub(crate) fn by_value(&self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        debug_assert_eq!(columns.len(), self.places.len(), "as many columns as were planned");
        let columns = columns.iter().zip(&self.places);
        columns
            .map(|(column, place)| match *place {
                Place::Fixed(at) => by_value(column, &self.fixed[at].data_type),
                Place::Text(at) => by_value(column, &self.texts[at]),
                // The encoding does it.
                Place::Encoded(_) => Ok(column.clone()),
            })
            .collect()
    }
}
