//! An index of one's own, used by a join: a sorted array that is bisected, for
//! keys of up to eight bytes.
//!
//! `cargo run --release -p streamjoin-kernels --example own_index`

use std::sync::Arc;

use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use streamjoin_kernels::key::KeyView;
use streamjoin_kernels::stream_static;
use streamjoin_kernels::table::{
    BuildInput, BuiltIndex, FindCursor, IndexBuilder, JoinIndex, Probe,
};
use streamjoin_kernels::{IndexChoice, IndexKind, JoinType, NO_ROW, Pairs, Result};

/// Builds a [`Bisected`].
#[derive(Debug)]
struct BisectedBuilder;

/// The keys in ascending order; a position is a rank.
#[derive(Debug)]
struct Bisected {
    keys: Vec<u64>,
    unique: bool,
}

impl IndexBuilder for BisectedBuilder {
    fn name(&self) -> &'static str {
        "bisected"
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        let KeyView::Words(words) = input.keys() else {
            // Keys that it cannot serve go to an index that can.
            let built = IndexKind::Chained.build(input)?;
            let why = "`bisected` takes keys of up to 8 bytes; `chained` is used";
            return Ok(built.with_fallback(why));
        };
        let mut order: Vec<u32> = (0..words.len() as u32).collect();
        order.sort_by_key(|&row| words[row as usize]);
        let keys: Vec<u64> = order.iter().map(|&row| words[row as usize]).collect();
        let unique = keys.windows(2).all(|pair| pair[0] != pair[1]);
        // With its order, the join lays out columns by rank: no need to go from
        // ranks to rows for each match.
        Ok(BuiltIndex::ordered(Bisected { keys, unique }, order))
    }
}

impl Bisected {
    /// Calls `found` with each row from `from` on that has matches and with the
    /// first of them, until it returns false.
    fn look_up(&self, probe: Probe<'_>, from: usize, mut found: impl FnMut(u32, u32) -> bool) {
        let KeyView::Words(words) = probe.keys() else {
            panic!("keys of another shape than the index was built with")
        };
        for (row, &word) in words.iter().enumerate().skip(from) {
            let first = self.keys.partition_point(|&key| key < word);
            let hit = probe.is_matchable(row) && self.keys.get(first) == Some(&word);
            if hit && !found(row as u32, first as u32) {
                break;
            }
        }
    }
}

impl JoinIndex for Bisected {
    fn name(&self) -> &'static str {
        "bisected"
    }

    fn rows(&self) -> usize {
        self.keys.len()
    }

    fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
    }

    fn unique(&self) -> Option<bool> {
        Some(self.unique)
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        assert_eq!(probe.len(), matches.len(), "one match a probe row");
        matches.fill(NO_ROW);
        self.look_up(probe, 0, |row, position| {
            matches[row as usize] = position;
            true
        });
        // How much work that was is for the index to say: here, one look-up per row.
        probe.len() as u64
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        // Lists the matches of a row from `position` on, and leaves in the cursor
        // what finds no room.
        let list = |cursor: &mut FindCursor, pairs: &mut Pairs, row: u32, mut position: u32| {
            let key = self.keys[position as usize];
            while self.keys.get(position as usize) == Some(&key) {
                if pairs.len() >= limit && !pairs.is_empty() {
                    cursor.rows.push(row);
                    cursor.candidates.push(position);
                    return false;
                }
                pairs.push(row, position);
                position += 1;
            }
            true
        };
        if let (Some(row), Some(position)) = (cursor.rows.pop(), cursor.candidates.pop())
            && !list(cursor, pairs, row, position)
        {
            return 0;
        }
        let from = cursor.next_row;
        cursor.next_row = probe.len();
        self.look_up(probe, from, |row, position| {
            let whole = list(cursor, pairs, row, position);
            if !whole {
                cursor.next_row = row as usize + 1;
            }
            whole
        });
        (cursor.next_row - from) as u64
    }
}

fn main() -> Result<()> {
    let batch = |ids: Vec<i64>, name: &str| -> Result<RecordBatch> {
        let names = ids.iter().map(|id| format!("{name} {id}"));
        let names = Arc::new(StringArray::from_iter_values(names)) as ArrayRef;
        Ok(RecordBatch::try_from_iter([
            ("id", Arc::new(Int64Array::from(ids)) as ArrayRef),
            ("name", names),
        ])?)
    };
    let table = batch((0..3000).rev().map(|i| i % 1000).collect(), "row")?;
    let stream = batch((0..2000).collect(), "event")?;
    let mut rows_out = Vec::new();
    for index in [IndexChoice::Own(Arc::new(BisectedBuilder)), IndexKind::Chained.into()] {
        let options = stream_static::Options::default().with_index(index).with_max_output_rows(100);
        let keys = [(0, 0)];
        let spec =
            stream_static::Spec::on(stream.schema(), table.schema(), JoinType::LeftOuter, keys)?;
        let join = stream_static::Join::new(spec, options)?;
        join.swap(join.build(std::slice::from_ref(&table), 1)?)?;
        let mut output = join.push(&stream)?;
        while let Some(rows) = output.next_batch()? {
            assert!(rows.num_rows() <= 100);
        }
        let (stats, snapshot) = (output.stats(), join.snapshot().expect("swapped in"));
        println!(
            "`{}`: {} bytes, {} of {} rows matched, {} rows out, probe {:?}",
            snapshot.index_name(),
            snapshot.index_bytes(),
            stats.rows_matched,
            stats.rows_in,
            stats.rows_out,
            stats.probe
        );
        rows_out.push(stats.rows_out);
    }
    assert_eq!(rows_out, [4000, 4000]);
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
