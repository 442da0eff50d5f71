//! Pairs written without a check per pair.

use crate::pairs::{Columns, Pairs};

/// Pairs written at once; what exceeds a run is overwritten by the next one.
const LANES: usize = 8;

/// Writes pairs into memory that was reserved for them.
pub(super) struct PairWriter<'a> {
    columns: Columns<'a>,
    probe_rows: *mut u32,
    build_rows: *mut u32,
    /// Pairs that may be written, and those of them that still may.
    count: usize,
    room: usize,
}

impl<'a> PairWriter<'a> {
    /// For `count` more pairs.
    pub(super) fn new(pairs: &'a mut Pairs, count: usize) -> Self {
        let columns = pairs.reserve(count + LANES);
        let probe_rows = columns.probe_rows.spare_capacity_mut().as_mut_ptr().cast();
        let build_rows = columns.build_rows.spare_capacity_mut().as_mut_ptr().cast();
        Self { columns, probe_rows, build_rows, count, room: count }
    }

    /// Appends the pairs of `row` with the `len` positions from `start` on.
    ///
    /// # Safety
    /// All runs together are at most as long as was reserved.
    #[inline(always)]
    pub(super) unsafe fn run(&mut self, row: u32, start: u32, len: usize) {
        debug_assert!(len <= self.room);
        self.room -= len;
        let lanes: [u32; LANES] = std::array::from_fn(|lane| lane as u32);
        let mut written = 0;
        while written < len {
            let first = start.wrapping_add(written as u32);
            let positions = lanes.map(|lane| first.wrapping_add(lane));
            // SAFETY: `written < len`, which is within what was reserved, and
            // there is room for `LANES` values more than that.
            unsafe {
                self.probe_rows.add(written).cast::<[u32; LANES]>().write_unaligned([row; LANES]);
                self.build_rows.add(written).cast::<[u32; LANES]>().write_unaligned(positions);
            }
            written += LANES;
        }
        // SAFETY: within the reservation.
        unsafe {
            self.probe_rows = self.probe_rows.add(len);
            self.build_rows = self.build_rows.add(len);
        }
    }

    /// # Safety
    /// The runs together are as long as was reserved.
    pub(super) unsafe fn finish(self) {
        debug_assert_eq!(self.room, 0);
        let Columns { probe_rows, build_rows } = &mut { self.columns };
        for column in [probe_rows, build_rows] {
            let len = column.len() + self.count;
            debug_assert!(len <= column.capacity());
            // SAFETY: the caller wrote this many, into memory that was reserved in
            // this very column.
            unsafe { column.set_len(len) };
        }
    }
}
