//! Which rows the watermark sees and which of them may enter the state, as the
//! operator's own intake says.

use arrow::array::RecordBatch;
use arrow::buffer::{BooleanBuffer, MutableBuffer};
use arrow::util::bit_util;
use streamjoin_kernels::stream_stream::{Join, Options, Spec};
use streamjoin_kernels::time::Timestamp;
use streamjoin_kernels::{Result, Side};

/// The rows of one side of a batch that the watermark sees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// By which each is late and leaves, in microseconds: its event time, or where
    /// its window ends.
    pub(crate) times: Vec<Option<i64>>,
    /// Whether each may enter the state, if it is not late.
    pub(crate) passes: Vec<bool>,
    /// Which rows of each record batch those are that may.
    pub(crate) passing: Vec<BooleanBuffer>,
    /// The greatest event time, in microseconds.
    pub(crate) max_time: Option<i64>,
}

impl Seen {
    /// How many may enter the state.
    pub(crate) fn passing(&self) -> u64 {
        self.passing.iter().map(|rows| rows.count_set_bits() as u64).sum()
    }
}

/// What happens to rows before the late filter: an operator that joins nothing.
#[derive(Debug)]
pub(crate) struct Intake(Join);

impl Intake {
    pub(crate) fn new(spec: &Spec) -> Result<Self> {
        Join::new(spec.clone(), Options::default()).map(Self)
    }

    /// The rows of one side of a batch.
    pub(crate) fn look(&self, side: Side, batches: &[RecordBatch]) -> Result<Seen> {
        let arrivals = self.0.arrivals(side, batches)?;
        let rows = arrivals.times.len();
        let accepted = arrivals.accepted.as_ref();
        let passes: Vec<bool> =
            (0..rows).map(|row| accepted.is_none_or(|accepted| accepted.value(row))).collect();
        let total = batches.iter().map(RecordBatch::num_rows).sum();
        let mut passing = MutableBuffer::new_null(total);
        for (row, _) in passes.iter().enumerate().filter(|(_, passes)| **passes) {
            let row = arrivals.rows.as_ref().map_or(row, |rows| rows[row] as usize);
            bit_util::set_bit(passing.as_slice_mut(), row);
        }
        let passing = BooleanBuffer::new(passing.into(), 0, total);
        let of_batches = batches.iter().scan(0, |from, batch| {
            let first = std::mem::replace(from, *from + batch.num_rows());
            Some(passing.slice(first, batch.num_rows()))
        });
        Ok(Seen {
            times: (0..rows).map(|row| arrivals.times.micros_at(row)).collect(),
            passing: of_batches.collect(),
            max_time: arrivals.max_time.map(Timestamp::as_micros),
            passes,
        })
    }
}
