//! What a probe finds: pairs of row numbers.

/// The build row of a probe row that matched nothing.
pub const NO_ROW: u32 = u32::MAX;

/// Matching rows, as two columns of row numbers: `probe_rows[i]` matches
/// `build_rows[i]`. A build row of [`NO_ROW`] stands for a row of nulls.
///
/// ```
/// use streamjoin_kernels::Pairs;
/// use streamjoin_kernels::table::KeyTable;
///
/// let mut pairs = Pairs::default();
/// KeyTable::new(&[10, 20]).unwrap().pairs(&[20, 30], &mut pairs).unwrap();
/// assert_eq!((&pairs.probe_rows[..], &pairs.build_rows[..]), (&[0][..], &[1][..]));
/// assert_eq!(pairs.iter().next(), Some((0, 1)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Rows of the probe side.
    pub probe_rows: Vec<u32>,
    /// Rows of the build side.
    pub build_rows: Vec<u32>,
}

impl Pairs {
    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.probe_rows.len()
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.probe_rows.is_empty()
    }

    /// Appends a pair.
    #[inline]
    pub fn push(&mut self, probe_row: u32, build_row: u32) {
        self.probe_rows.push(probe_row);
        self.build_rows.push(build_row);
    }

    /// The pairs: a row of the probe side, and one of the build side.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.probe_rows.iter().copied().zip(self.build_rows.iter().copied())
    }

    /// Removes all pairs and keeps the memory.
    pub fn clear(&mut self) {
        self.probe_rows.clear();
        self.build_rows.clear();
    }

    /// Keeps the pairs from `start` on for which `keep` is set, in order;
    /// `keep[i]` speaks of pair `start + i`.
    pub fn retain_from(&mut self, start: usize, keep: &arrow::buffer::BooleanBuffer) {
        let mut kept = start;
        for i in keep.set_indices() {
            self.probe_rows[kept] = self.probe_rows[start + i];
            self.build_rows[kept] = self.build_rows[start + i];
            kept += 1;
        }
        self.probe_rows.truncate(kept);
        self.build_rows.truncate(kept);
    }
}
