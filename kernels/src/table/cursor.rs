//! Where a bounded `find` stands.

/// The state of a [`find`](super::JoinIndex::find) that is resumed.
///
/// A cursor walks the probe in blocks; of each block it holds the rows that
/// still have candidates, as two columns, and the candidate of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindCursor {
    // Which part is looked up in, where there are several: the probe is walked once
    // for each of them. Not public: an index without parts would never be done.
    pub(crate) part: u32,
    // Whether there are parts after this one.
    pub(crate) more_parts: bool,
    /// First probe row that was not looked up yet.
    pub next_row: usize,
    /// Probe rows with candidates left.
    pub rows: Vec<u32>,
    /// The next candidate of each of `rows`, in the index's own numbering.
    pub candidates: Vec<u32>,
}

impl FindCursor {
    /// Whether all of `rows` probe rows have been looked up.
    #[must_use]
    pub fn is_done(&self, rows: usize) -> bool {
        self.rows.is_empty() && self.next_row >= rows && !self.more_parts
    }

    /// Drops the candidates of rows for which `keep` is false: an existence
    /// probe whose row has matched needs no more of them.
    pub fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let mut kept = 0;
        for i in 0..self.rows.len().min(self.candidates.len()) {
            self.rows[kept] = self.rows[i];
            self.candidates[kept] = self.candidates[i];
            kept += usize::from(keep(self.rows[i]));
        }
        self.rows.truncate(kept);
        self.candidates.truncate(kept);
    }
}
