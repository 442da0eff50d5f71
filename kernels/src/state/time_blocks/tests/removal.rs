//! Rows leave from the middle, as in semi and anti joins: they are not walked
//! again and again.

use super::super::MAIN;
use super::draw::Draw;
use super::twin::{Looking, Twin, row};
use crate::state::block::RowNumber;
use crate::state::block::WordEntry;

#[test]
fn rows_that_matched_are_passed_at_once() {
    for (block, others) in [(1024usize, 0u64), (1024, 1), (64, 1), (64, 10), (4, 30)] {
        let twin = &mut Twin::<WordEntry>::new(block);
        let draw = &mut Draw::new(1);
        let mut clock = 0i64;
        let (mut walked, mut found, mut most) = (0, 0, 0);
        for batch in 0..60 {
            // One key that mostly matches, and others that stay for some time.
            let rows: Vec<_> = (0..100)
                .map(|_| {
                    clock += 1;
                    let key = if draw.percent(others) { 1 + draw.below(1000) } else { 0 };
                    row(key, clock)
                })
                .collect();
            twin.insert(&rows);
            let looking: Vec<_> = (0..10).map(|i| row(0, clock - i * 10)).collect();
            let mut partners = twin.find(&Looking::between(looking, -5000, 5000));
            if batch > 20 {
                (walked, found) = (walked + twin.walked, found + partners.len() as u64);
            }
            partners.sort_unstable_by_key(|found| found.number);
            partners.dedup_by_key(|found| found.number);
            partners.retain(|_| !draw.percent(2));
            twin.remove(&partners);
            twin.evict(clock - 10_000, false);
            twin.reclaim();
            let main = &twin.fast.rings[MAIN];
            let is_hole = |&first: &RowNumber| main.directory.block(first).is_none();
            most = most.max(main.directory.numbers.firsts().filter(is_hole).count());
        }
        assert!(walked < found + found / 4, "{walked} walked for {found}, blocks of {block}");
        assert!(most > 0 || block == 1024, "rows lead over blocks that are gone");
        twin.check_all(0..1001);
    }
}

#[test]
fn entry_points_that_left_are_no_entry_points() {
    // Hot keys, of which rows are noted; then these leave, and chains are cut
    // again while the state shrinks.
    for seed in 0..4 {
        let draw = &mut Draw::new(seed);
        let twin = &mut Twin::<WordEntry>::new(64);
        let mut clock = 0i64;
        let mut push = |twin: &mut Twin<WordEntry>, rows: i64| {
            let rows: Vec<_> =
                (clock..clock + rows).map(|time| row(time as u64 % 3, time)).collect();
            clock += rows.len() as i64;
            twin.insert(&rows);
            clock
        };
        for _ in 0..16 {
            push(twin, 500);
        }
        assert!(twin.fast.rings[MAIN].hot_keys.is_used());
        for round in 0..6 {
            let clock = push(twin, 500);
            let mut all = twin.check_all(0..3);
            all.retain(|_| draw.percent(if round % 2 == 0 { 60 } else { 5 }));
            twin.remove(&all);
            twin.reclaim();
            twin.reclaim();
            let probes: Vec<_> = (0..60).map(|i| row(i % 3, clock - draw.upto(clock))).collect();
            twin.find(&Looking::between(probes, -30, 300));
        }
    }
}
