//! Pairs written without a check a pair.

use crate::pairs::Pairs;

/// Pairs written at once; what exceeds a run is overwritten by the next one.
const LANES: usize = 8;

/// Writes pairs into memory that was reserved for them.
pub(super) struct PairWriter<'a> {
    pairs: &'a mut Pairs,
    probe_rows: *mut u32,
    build_rows: *mut u32,
    /// For debug assertions: pairs that may still be written.
    room: usize,
}

impl<'a> PairWriter<'a> {
    /// For `count` more pairs.
    pub(super) fn new(pairs: &'a mut Pairs, count: usize) -> Self {
        pairs.probe_rows.reserve(count + LANES);
        pairs.build_rows.reserve(count + LANES);
        let (probe_rows, build_rows) =
            (pairs.probe_rows.spare_capacity_mut(), pairs.build_rows.spare_capacity_mut());
        let (probe_rows, build_rows) =
            (probe_rows.as_mut_ptr().cast(), build_rows.as_mut_ptr().cast());
        Self { pairs, probe_rows, build_rows, room: count }
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
    /// `count` pairs were written.
    pub(super) unsafe fn finish(self, count: usize) {
        let len = self.pairs.len() + count;
        // SAFETY: the caller wrote them, within the capacity reserved.
        unsafe {
            self.pairs.probe_rows.set_len(len);
            self.pairs.build_rows.set_len(len);
        }
    }
}
