//! The event times that partners may have, row by row of a look-up.

use arrow::buffer::NullBuffer;

use crate::state::IntervalProbe;
use crate::state::block::Windows;

/// The window of a row that can have no partner.
const EMPTY: (i64, i64) = (i64::MAX, i64::MIN);

/// Any time after `after`.
#[derive(Debug)]
pub(super) struct AnyTime {
    pub(super) rows: usize,
    pub(super) from: i64,
}

impl Windows for AnyTime {
    fn window(&self, _: usize) -> (i64, i64) {
        (self.from, i64::MAX)
    }

    fn rows(&self) -> usize {
        self.rows
    }
}

/// Times between two distances from the row's own, where no sum leaves 64 bits.
#[derive(Debug)]
pub(super) struct Between<'a> {
    nulls: Option<&'a NullBuffer>,
    micros: &'a [i64],
    shift: (i64, i64),
    from: i64,
}

impl<'a> Between<'a> {
    /// The windows of a look-up; `None` if a sum may leave 64 bits.
    pub(super) fn new(interval: &IntervalProbe<'a>, from: i64) -> Option<Self> {
        let shift = interval.condition.shift(interval.side)?;
        let micros = interval.times.micros();
        let fits = |time: i64| time.checked_add(shift.0).and(time.checked_add(shift.1)).is_some();
        let all_fit = interval
            .times
            .span_micros()
            .is_none_or(|(least, greatest)| fits(least) && fits(greatest));
        all_fit.then_some(Self { nulls: interval.times.nulls(), micros, shift, from })
    }
}

impl Windows for Between<'_> {
    #[inline(always)]
    fn window(&self, row: usize) -> (i64, i64) {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return EMPTY;
        }
        // No sum of a row with a time wraps: see `new`.
        let time = self.micros[row];
        ((time.wrapping_add(self.shift.0)).max(self.from), time.wrapping_add(self.shift.1))
    }

    fn rows(&self) -> usize {
        self.micros.len()
    }
}

/// What the condition says, whatever it is.
#[derive(Debug)]
pub(super) struct Around<'a> {
    pub(super) interval: IntervalProbe<'a>,
    pub(super) from: i64,
}

impl Windows for Around<'_> {
    fn window(&self, row: usize) -> (i64, i64) {
        self.interval.around(row).map_or(EMPTY, |(from, to)| (from.max(self.from), to))
    }

    fn rows(&self) -> usize {
        self.interval.times.len()
    }
}
