//! What the first pass notices in addition to its counts; findings use it.

use arrow::array::{Array, Int64Array, RecordBatch};
use arrow::compute::{max, min};
use streamjoin_kernels::{Side, TableSnapshot};

use crate::replay::clock::Backlog;

/// What the first pass noticed; empty after other passes.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Joined rows before the output's `where`.
    pub rows_joined: u64,
    /// Of each join with a table.
    pub joins: Vec<TableJoinEvidence>,
    /// Of a join of two streams.
    pub stream_stream: Option<StreamStreamEvidence>,
    /// Event times of one stream joined with tables; none where no one looks at
    /// them.
    pub times: Option<TimesSeen>,
    /// How far a paced pass was behind at its end; none of one without a pace.
    pub backlog: Option<Backlog>,
}

impl Evidence {
    /// Looks at event times of the one stream, in microseconds.
    pub(crate) fn see(&mut self, times: &Int64Array) {
        let (Some(min), Some(max)) = (min(times), max(times)) else { return };
        let rows = (times.len() - times.null_count()) as u64;
        let seen = TimesSeen { min, max, rows };
        self.times = Some(self.times.map_or(seen, |before| before.and(seen)));
    }
}

/// What was noticed of a join with a table.
#[derive(Clone, Debug, Default)]
pub struct TableJoinEvidence {
    /// Rows that reached the join with a null in a key that null does not equal.
    pub null_keys: u64,
    /// Keys of some rows that found nothing, one column per key, before coercion.
    pub missing: Vec<RecordBatch>,
    /// The table.
    pub table: TableSeen,
}

/// What was loaded of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSeen {
    /// Contents that were loaded.
    pub loads: u64,
    /// Most rows that one of them had, after the dimension's `where`.
    pub most_rows: u64,
    /// Rows of the last one that a key finds.
    pub findable_rows: u64,
    /// Whether no key occurs twice in the last one.
    pub unique: bool,
    /// The version that was loaded last.
    pub last_version: usize,
    /// The first batch that met an empty table.
    pub empty_from: Option<u64>,
    /// Bytes of the largest one that was broadcast.
    pub broadcast_bytes: u64,
}

impl TableSeen {
    /// A content of the table that batch `batch` is the first to meet.
    pub(crate) fn loaded(
        &mut self,
        snapshot: &TableSnapshot,
        loads: u64,
        version: usize,
        batch: u64,
    ) {
        let rows = snapshot.rows() as u64;
        self.loads = loads;
        self.most_rows = self.most_rows.max(rows);
        self.findable_rows = snapshot.indexed_rows() as u64;
        self.unique = snapshot.unique_keys();
        self.last_version = version;
        if rows == 0 {
            self.empty_from = self.empty_from.or(Some(batch));
        }
    }

    /// An index was built.
    pub(crate) fn built(&mut self, snapshot: &TableSnapshot) {
        // A sorted table is shared as well, but nobody calls that a broadcast.
        if snapshot.partitions() == 1 && snapshot.index_name() != "sort-merge" {
            self.broadcast_bytes = self.broadcast_bytes.max(snapshot.bytes() as u64);
        }
    }
}

/// What was noticed of a join of two streams.
#[derive(Clone, Debug, Default)]
pub struct StreamStreamEvidence {
    /// Left, right.
    pub sides: [SideEvidence; 2],
    /// Data batches.
    pub batches: u64,
    /// The global watermark after the last batch, in milliseconds; none without
    /// one.
    pub watermark: Option<i64>,
    /// Data batches since it moved last.
    pub batches_since_move: u64,
    /// Rows that the join emitted, and those of them that nothing matched.
    pub joined: u64,
    /// Rows that nothing matched, among those.
    pub unmatched: u64,
    /// State after data batches while both streams ran, thinned out.
    pub state: Vec<StatePoint>,
    /// Whether a warning named a row far ahead of the others.
    pub warned_of_outlier: bool,
    /// Rows that were emitted unmatched at the end, though their time was over
    /// by the watermark of the other stream; none where nothing says so.
    pub held: Option<Held>,
}

/// One stream of two.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideEvidence {
    /// Rows read.
    pub rows: u64,
    /// Rows that the stream's `where` left out.
    pub left_out: u64,
    /// Rows that reached the join.
    pub came: u64,
    /// Rows that were late.
    pub late: u64,
    /// Rows without a key, where they can match nothing and are dropped.
    pub null_key: u64,
    /// Rows that failed the condition on their side alone.
    pub filtered: u64,
    /// Rows without an event time that were dropped.
    pub null_time: u64,
    /// Event times.
    pub times: Option<TimesSeen>,
    /// By how much the watermark was ahead of the latest row that was late, at
    /// most, in milliseconds; none without a late row.
    pub lateness_ms: Option<i64>,
    /// Its own watermark in milliseconds; none without one.
    pub watermark: Option<i64>,
    /// Data batches since its greatest event time grew last.
    pub batches_since_time: u64,
    /// Whether it had ended before the last batch.
    pub ended: bool,
    /// The row that is far ahead of all others, if there is one.
    pub ahead: Option<Ahead>,
    /// Whether its rows never leave the state.
    pub never_leaves: bool,
}

/// A row far ahead of the others in event time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Its event time in microseconds.
    pub time: i64,
    /// The greatest event time that came after it.
    pub others: i64,
    /// Number of its file in the recording.
    pub file: usize,
    /// Row of the file, from 0.
    pub row: u64,
}

/// Event times of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimesSeen {
    /// The least, in microseconds.
    pub min: i64,
    /// The greatest.
    pub max: i64,
    /// Rows that have one.
    pub rows: u64,
}

impl TimesSeen {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            rows: self.rows + other.rows,
        }
    }
}

/// The state after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatePoint {
    /// The data batch, from 0.
    pub batch: u64,
    /// The greatest event time so far, in microseconds.
    pub time: Option<i64>,
    /// Rows held, left and right.
    pub rows: [u64; 2],
    /// Bytes held.
    pub bytes: u64,
    /// Whether each side that can evict has evicted.
    pub warm: bool,
}

/// Rows that waited for a stream which said nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The stream that they waited for.
    pub by: Side,
    /// How many there were.
    pub rows: u64,
    /// The least of their event times, in microseconds.
    pub since: i64,
}
