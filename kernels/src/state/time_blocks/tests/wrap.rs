//! Row numbers come round: what names a row that is gone must never name the
//! one that has its number now.

use super::super::{MAIN, UNTIMED};
use super::draw::Draw;
use super::twin::{Looking, Row, TestKey, Twin, plan, row};
use crate::hash::KeyHasher;
use crate::state::block::WordEntry;

/// Keys whose buckets, in a small table, are all different.
fn apart(count: usize) -> Vec<u64> {
    let hasher = KeyHasher::with_seed(crate::Isa::Portable, 1);
    let mut keys: Vec<u64> = Vec::new();
    let mut taken = vec![];
    for key in 0..1000 {
        let bucket = hasher.hash_word(key) >> 58;
        if keys.len() < count && !taken.contains(&bucket) {
            taken.push(bucket);
            keys.push(key);
        }
    }
    keys
}

fn untimed(key: u64) -> Row {
    Row { time: None, ..row(key, 0) }
}

#[test]
fn a_key_that_is_absent_for_a_whole_cycle_finds_nothing_of_it() {
    // Numbers of 10 bits: 1024 of them. Blocks of 5 rows take 8 numbers each.
    for (block, cycle) in [(1usize, 1024i64), (4, 1024), (5, 640), (8, 1024)] {
        let keys = apart(30);
        let (filler, absent) = keys.split_first().unwrap();
        let twin = &mut Twin::<WordEntry>::with(&plan(WordEntry::SHAPE, block, 0), 10, 10);
        let mut clock = 0i64;
        let mut step = |twin: &mut Twin<WordEntry>, key: u64| {
            clock += 1;
            twin.insert(&[row(key, clock)]);
            twin.evict(clock - 20, false);
            twin.reclaim();
            clock
        };
        // Each is seen again after a cycle, and a little more or less.
        let mut due: Vec<(i64, u64)> = Vec::new();
        for (i, &key) in absent.iter().enumerate() {
            let now = step(twin, key);
            due.push((now + cycle - 14 + i as i64, key));
        }
        for _ in 0..3 * cycle {
            let now = step(twin, *filler);
            if now % 64 == 0 {
                // Those of which no block is left.
                for &(_, key) in due.iter().filter(|due| now < due.0 && due.0 < now + cycle - 50) {
                    let seen = twin.find(&Looking::keys([key])).len();
                    assert_eq!((seen, twin.walked), (0, 0), "key {key} at {now}");
                }
            }
            for (i, (at, key)) in due.iter_mut().enumerate() {
                if *at == now {
                    let key = *key;
                    let found = twin.find(&Looking::keys([key])).len();
                    assert_eq!((found, twin.walked), (0, 0), "key {key} at {now}");
                    let then = step(twin, key);
                    twin.find(&Looking::keys([key]));
                    assert_eq!(twin.walked, 1, "its older row is gone, at {then}");
                    *at = then + cycle + i as i64 % 3;
                }
            }
        }
        assert!(clock > 3 * cycle);
    }
}

#[test]
fn rows_without_a_time_come_and_go_for_many_cycles() {
    let draw = &mut Draw::new(3);
    for block in [1, 3, 4] {
        let twin = &mut Twin::<WordEntry>::with(&plan(WordEntry::SHAPE, block, 0), 12, 12);
        // Some that stay hold on to old numbers, until they are moved.
        twin.insert(&(0..5).map(|i| untimed(500 + i)).collect::<Vec<_>>());
        let mut moved = 0;
        for _ in 0..900 {
            let key = draw.below(40);
            twin.insert(&(0..12).map(|i| untimed(key + i)).collect::<Vec<_>>());
            let found = twin.check_all(draw.below(20)..50);
            twin.remove(&found);
            let before = twin.fast.rings[UNTIMED].directory.numbers.next();
            twin.reclaim();
            let ring = &twin.fast.rings[UNTIMED];
            moved += usize::from(ring.directory.numbers.next() != before);
            assert!(twin.rows() < 400);
        }
        assert!(moved > 20);
        assert!(twin.check_all(500..505).len() >= 5);
    }
}

#[test]
fn a_start_near_the_end_of_the_numbers() {
    for first in [u32::MAX, u32::MAX - 100, (1 << 31) - 1, (1 << 31) - 300, (1 << 29) - 40] {
        for block in [1, 7, 64] {
            let twin = &mut Twin::<WordEntry>::with(&plan(WordEntry::SHAPE, block, first), 31, 29);
            let mut wrapped = false;
            for time in 0..40i64 {
                let last = twin.fast.rings[MAIN].directory.numbers.next();
                let mut rows: Vec<_> = (0..40).map(|i| row(i % 13, time)).collect();
                rows.extend((0..3).map(untimed));
                twin.insert(&rows);
                let looking = (0..13).map(|key| row(key, time)).collect();
                twin.find(&Looking::between(looking, -2, 0));
                let mut found = twin.check_all(0..13);
                twin.set_matched(&found);
                found.retain(|found| found.number % 11 == 0);
                twin.remove(&found);
                twin.evict(time - 5, true);
                twin.reclaim();
                wrapped |= twin.fast.rings[MAIN].directory.numbers.next() < last;
            }
            assert!(wrapped || first < 1 << 30, "the numbers came round");
            assert!(twin.drain().len() < 200);
        }
    }
}

#[test]
fn late_rows_that_were_moved_long_ago_do_not_expire_in_the_name_of_others() {
    // Rows of a far time, late in their block, are moved; their old numbers come
    // round while they still wait.
    for block in [4, 8] {
        let twin = &mut Twin::<WordEntry>::with(&plan(WordEntry::SHAPE, block, 0), 12, 12);
        let wait = 10_000i64;
        let stay: Vec<_> = (0..8).map(|i| row(1000 + i as u64, 2 * wait - i)).collect();
        twin.insert(&stay);
        for now in 0..wait {
            // Ten rows per step, which leave at once; every fifth is late.
            let rows: Vec<_> =
                (0..10).map(|i| row(i, wait + now - if i % 5 == 4 { 9 } else { 0 })).collect();
            twin.insert(&rows);
            let found = twin.check_all(0..10);
            twin.remove(&found);
            if now % 10 == 0 {
                twin.insert(&[row(2000, wait + now), row(2000, wait + now - 2)]);
            }
            twin.evict(wait + now - 100, now % 3 == 0);
            twin.reclaim();
        }
        assert_eq!(twin.check_all(1000..1008).len(), 8);
        for line in (2 * wait - 110..2 * wait + 10).step_by(3) {
            twin.evict(line, true);
            twin.reclaim();
        }
        assert_eq!(twin.rows(), 0);
    }
}
