//! Every build row is a candidate: joins without an equality, and cross joins.

use super::{FindCursor, JoinIndex, Probe};
use crate::pairs::{NO_ROW, Pairs};

/// Pairs each probe row with all build rows, in bounded steps.
///
/// ```
/// use streamjoin_kernels::Pairs;
/// use streamjoin_kernels::table::{FindCursor, JoinIndex, NestedLoop, Probe};
///
/// let probe = Probe::new(&[0, 0], &[0, 0], None);
/// let mut pairs = Pairs::default();
/// NestedLoop::new(2).unwrap().find(probe, &mut FindCursor::default(), &mut pairs, 100);
/// assert_eq!(pairs.iter().collect::<Vec<_>>(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NestedLoop {
    rows: u32,
}

impl NestedLoop {
    /// All of `rows` build rows are candidates.
    ///
    /// # Errors
    /// [`JoinError::TooManyBuildRows`](crate::JoinError::TooManyBuildRows) for
    /// 2^32 - 2 rows and more.
    pub fn new(rows: usize) -> crate::Result<Self> {
        super::check_build_rows(rows as u64)?;
        Ok(Self { rows: rows as u32 })
    }
}

impl JoinIndex for NestedLoop {
    fn name(&self) -> &'static str {
        "nested-loop"
    }

    fn rows(&self) -> usize {
        self.rows as usize
    }

    fn bytes(&self) -> usize {
        0
    }

    fn unique(&self) -> Option<bool> {
        Some(self.rows <= 1)
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match per probe row");
        for (row, found) in matches.iter_mut().enumerate() {
            *found = if self.rows > 0 && probe.is_matchable(row) { 0 } else { NO_ROW };
        }
        probe.len() as u64
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        assert_eq!(cursor.rows.len(), cursor.candidates.len(), "cursor of another index");
        let mut looked_at = 0;
        loop {
            // At most one row is in the cursor: the one that is being paired.
            let (row, from) = match (cursor.rows.pop(), cursor.candidates.pop()) {
                (Some(row), Some(from)) => (row, from.min(self.rows)),
                _ if cursor.next_row >= probe.len() => return looked_at,
                _ => {
                    let row = cursor.next_row;
                    cursor.next_row += 1;
                    if self.rows == 0 || !probe.is_matchable(row) {
                        continue;
                    }
                    (row as u32, 0)
                }
            };
            let room = limit.saturating_sub(pairs.len()).max(usize::from(pairs.is_empty()));
            let to = self.rows.min(from.saturating_add(u32::try_from(room).unwrap_or(u32::MAX)));
            looked_at += u64::from(to - from);
            pairs.push_run(row, from..to);
            if to < self.rows {
                cursor.rows.push(row);
                cursor.candidates.push(to);
                return looked_at;
            }
        }
    }
}
