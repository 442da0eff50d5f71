//! Entry points into long chains: what they save, and that they lose nothing.

use super::super::MAIN;
use super::draw::Draw;
use super::twin::{Looking, TestKey, Twin, plan, row};
use crate::state::block::{BytesEntry, EntryKey, WordEntry};

/// Rows of a few keys in turns, in the order of time, of which the last
/// `rows` are there: those that came while the state was small have left.
fn filled(rows: u64, keys: u64) -> Twin<WordEntry> {
    let mut twin = Twin::new(64);
    let all = rows + 10_000;
    for from in (0..all).step_by(500) {
        twin.insert(&(from..from + 500).map(|i| row(i % keys, i as i64)).collect::<Vec<_>>());
    }
    twin.evict((all - rows) as i64 - 1, false);
    twin.reclaim();
    assert_eq!(twin.rows(), rows);
    twin
}

#[test]
fn a_look_up_far_behind_the_newest_rows_walks_what_it_finds() {
    // 1e4 rows per key.
    let (rows, keys) = (20_000, 2);
    let twin = &mut filled(rows, keys);
    let newest = rows + 10_000;
    let widths = 200;
    for shift in [0, 5000, 10_000, 19_000] {
        let late = newest as i64 - shift;
        let probes: Vec<_> = (0..20).map(|i| row(i % keys, late - i as i64)).collect();
        let found = twin.find(&Looking::between(probes, -widths, 0)).len() as u64;
        // Two entry points lie 64 rows of the key apart, and a block is 64 rows.
        assert!(found >= 20 * 90, "{found}");
        let walked = twin.walked;
        assert!(walked <= found + 20 * 300, "{walked} rows for {found} pairs, {shift} back");
    }
    // A condition that lies far behind, as in BETWEEN l + 10 h AND l + 11 h.
    let probes: Vec<_> = (0..20).map(|i| row(i % keys, (newest - i) as i64)).collect();
    let found = twin.find(&Looking::between(probes, -15_200, -15_000)).len() as u64;
    assert!(twin.walked <= found + 20 * 300, "{} rows for {found} pairs", twin.walked);
}

/// Hot keys whose rows leave from the middle, move, and come again; looked up
/// at every age.
fn churned<E: TestKey + EntryKey>(seed: u64, removal: u64, disorder: u64) -> (usize, u64) {
    let draw = &mut Draw::new(seed);
    let twin = &mut Twin::<E>::with(&plan(E::SHAPE, draw.one_of(&[8, 16, 64]), 0), 17, 14);
    let (mut clock, mut used, mut saved) = (0i64, 0, 0);
    let keys = draw.one_of(&[2, 6, 20]);
    for batch in 0..60 {
        let rows: Vec<_> = (0..400)
            .map(|_| {
                clock += 10;
                let late = if draw.percent(disorder) { draw.upto(30_000) } else { 0 };
                row(draw.below(keys), clock - late)
            })
            .collect();
        twin.insert(&rows);
        if batch % 3 == 2 {
            let at: Vec<_> =
                (0..30).map(|_| row(draw.below(keys), clock - draw.upto(70_000))).collect();
            let mut found = twin.find(&Looking::between(at, 0, 500));
            saved = saved.max(found.len() as u64);
            used += usize::from(twin.fast.rings[MAIN].hot_keys.is_used());
            found.retain(|_| draw.percent(removal));
            found.sort_unstable_by_key(|found| found.number);
            found.dedup_by_key(|found| found.number);
            twin.remove(&found);
        }
        // Live rows: 7000 of them, more in the end.
        twin.evict(clock - 70_000, false);
        twin.reclaim();
    }
    (used, saved)
}

#[test]
fn entry_points_lose_nothing_while_rows_leave_and_move() {
    for (seed, (removal, disorder)) in (0..).zip([(0, 0), (90, 0), (60, 5), (0, 50), (95, 50)]) {
        let (used, found) = churned::<WordEntry>(seed, removal, disorder);
        assert!(used > 3 && found > 0, "entry points are used");
    }
    churned::<BytesEntry>(9, 60, 5);
}

#[test]
fn entry_points_of_keys_that_are_seen_no_more_do_not_come_round() {
    // Numbers of 16 bits come round after 65 536 rows: key 0 is hot, then gone
    // for one cycle and more, while the others keep its numbers in use.
    let twin = &mut Twin::<WordEntry>::with(&plan(WordEntry::SHAPE, 16, 0), 16, 14);
    let mut clock = 0;
    let mut push = |twin: &mut Twin<WordEntry>, hot: &[u64], batches: usize| {
        for _ in 0..batches {
            let rows: Vec<_> = (0..500)
                .map(|i| {
                    clock += 1;
                    row(hot[i % hot.len()], clock)
                })
                .collect();
            twin.insert(&rows);
            twin.evict(clock - 6000, false);
            twin.reclaim();
        }
        clock
    };
    push(twin, &[0], 20);
    for round in 0..6 {
        // Most of a cycle without key 0, a little shifted each time.
        push(twin, &[1, 2], 118);
        let clock = push(twin, &[0, 1, 2, 3], 13);
        for key in 0..4 {
            let probes: Vec<_> = (0..60).map(|i| row(key, clock - 100 * i)).collect();
            let found = twin.find(&Looking::between(probes, -40, 0));
            assert!(found.len() > 60, "round {round}");
        }
    }
}

#[test]
fn forgotten_entry_points_cost_what_they_save() {
    // Most rows of all keys leave from the middle: what is noted must not be
    // gone through again and again.
    let twin = &mut Twin::<WordEntry>::new(64);
    let mut clock = 0;
    for _ in 0..60 {
        let rows: Vec<_> = (0..500u64).map(|i| row(i % 20, clock + i as i64)).collect();
        clock += 500;
        twin.insert(&rows);
        let probes = (0..20).map(|key| row(key, clock - 250)).collect();
        let mut found = twin.find(&Looking::between(probes, -250, 250));
        found.retain(|found| found.number % 8 != 0);
        twin.remove(&found);
        twin.reclaim();
    }
    let hot = &twin.fast.rings[MAIN].hot_keys;
    assert!(hot.is_used());
    assert!(hot.forgotten() < 20, "{} times in 30 000 rows", hot.forgotten());
}
