//! Memory follows the rows that live, whatever leaves and however it does.

use super::super::MAIN;
use super::draw::Draw;
use super::twin::{Looking, Twin, row};
use crate::state::block::WordEntry;
use crate::state::{BlockOptions, StateStore, StoreKind};

/// Large batches of which nearly all rows leave at once, and no eviction.
#[test]
fn rows_that_left_from_the_middle_give_their_memory_back() {
    let twin = &mut Twin::<WordEntry>::new(64);
    let mut clock = 0;
    let mut most = 0;
    for _ in 0..12 {
        let rows: Vec<_> = (0..10_000u64)
            .map(|i| {
                clock += 1;
                row(i, clock - if i % 3 == 0 { 5000 } else { 0 })
            })
            .collect();
        twin.insert(&rows);
        // One in five stays: 2000 of a batch.
        let mut found = twin.find(&Looking::between(rows, 0, 0));
        found.retain(|found| found.number % 5 != 0);
        twin.remove(&found);
        twin.reclaim();
        let main = &twin.fast.rings[MAIN];
        let size = twin.fast.size();
        most = most.max(size.bytes() as u64 / size.rows);
        assert!(main.held < 3 * main.live + 1000, "{} rows held for {}", main.held, main.live);
        let (late, live) = (main.late.len(), main.live);
        assert!(late <= 2 * live + 1024, "{late} late rows noted, {live} live");
    }
    assert!(most < 400, "{most} bytes per row");
}

#[test]
fn one_row_that_stays_does_not_keep_the_numbers_of_all_that_left() {
    for block in [1, 7, 64] {
        let twin = &mut Twin::<WordEntry>::new(block);
        // A row that lives on, in a block of rows that leave.
        twin.insert(&[row(1_000_000, 100_000)]);
        for batch in 0..400 {
            let time = 101_000 + batch;
            twin.insert(&(0..50).map(|key| row(key, time)).collect::<Vec<_>>());
            let found = twin.check_all(0..50);
            twin.remove(&found);
            twin.reclaim();
            let main = &twin.fast.rings[MAIN];
            assert!(
                main.directory.numbers.blocks() <= 68 + 50 / block,
                "{}",
                main.directory.numbers.blocks()
            );
            assert!(
                main.due.len() <= 64 + 2 * (68 + 50 / block),
                "{} blocks are due, {batch}",
                main.due.len()
            );
            assert!(main.thin.len() <= 300 && main.empty.len() <= 300);
        }
        assert_eq!(twin.check_all([1_000_000]).len(), 1);
        assert!(twin.fast.size().bytes() < 100_000, "{:?}", twin.fast.size());
    }
}

#[test]
fn an_empty_store_is_as_small_as_a_new_one_and_grows_again() {
    let draw = &mut Draw::new(1);
    let twin = &mut Twin::<WordEntry>::new(16);
    let fresh = twin.fast.size();
    for round in 0..4i64 {
        let base = round * 1_000_000;
        for batch in 0..20 {
            let rows: Vec<_> = (0..200)
                .map(|_| {
                    let mut row = row(draw.below(3000), base + batch * 100 + draw.upto(500));
                    row.matchable = !draw.percent(5);
                    row
                })
                .collect();
            twin.insert(&rows);
            twin.reclaim();
        }
        let full = twin.fast.size().bytes();
        // Down in steps: the heads shrink on the way.
        let heads = twin.fast.rings[MAIN].heads.bytes();
        for line in (base..base + 2300).step_by(20) {
            twin.evict(line, true);
            twin.reclaim();
            let size = twin.fast.size();
            assert!(size.bytes() <= full + full / 10, "{size:?} of {full}");
        }
        let (now, main) = (twin.fast.size(), &twin.fast.rings[MAIN]);
        assert!(main.heads.bytes() < heads / 4, "{} of {heads}", main.heads.bytes());
        assert!(now.bytes() < full / 2, "{now:?} of {full}");
        twin.evict(base + 500_000, true);
        twin.reclaim();
        let empty = twin.fast.size();
        assert_eq!((empty.rows, empty.bytes() - empty.slack), (0, 0), "{empty:?}");
        assert!(empty.slack < fresh.bytes() + 4096, "{empty:?} of {fresh:?}");
    }
}

#[test]
fn a_store_that_needs_no_marks_takes_them_without_growing() {
    let mut plan = super::twin::plan(crate::key::KeyShape::Word, 16, 0);
    plan.tracks_matches = false;
    let twin = &mut Twin::<WordEntry>::with(&plan, 31, 29);
    twin.insert(&(0..100).map(|i| row(i, i as i64)).collect::<Vec<_>>());
    let before = twin.fast.size();
    let found = twin.check_all(0..100);
    twin.set_matched(&found);
    assert_eq!(twin.fast.size(), before);
    twin.evict(50, false);
    twin.reclaim();
    twin.evict(100, false);
    twin.reclaim();
}

#[test]
fn blocks_of_no_rows_and_of_too_many_are_refused() {
    let built = |rows| {
        let plan = super::twin::plan(crate::key::KeyShape::Word, rows, 0);
        StoreKind::TimeBlocks.build(&plan)
    };
    assert!(built(0).is_err() && built(BlockOptions::MAX_ROWS + 1).is_err());
    assert!(built(1).is_ok() && built(BlockOptions::MAX_ROWS).is_ok());
}
