//! What look-ups and evictions look at: what they find, and little more.

use super::draw::Draw;
use super::twin::{Looking, Row, TestKey, Twin, row};
use crate::state::block::{BytesEntry, WideEntry, WordEntry};

/// Rows of a stream, one per microsecond, of `keys` keys; one in twenty comes up
/// to `late` microseconds late.
fn stream(rows: std::ops::Range<i64>, keys: u64, late: i64) -> Vec<Row> {
    let draw = &mut Draw::new(rows.start as u64);
    rows.map(|time| {
        let back = if late > 0 && draw.percent(5) { draw.upto(late) } else { 0 };
        row(draw.below(keys), time - back)
    })
    .collect()
}

fn looks_at_what_it_finds<E: TestKey>(batch: usize, keys: u64, late: i64) {
    let twin = &mut Twin::<E>::new(256);
    let rows = 20_000;
    for part in stream(0..rows, keys, late).chunks(batch) {
        twin.insert(part);
    }
    let probes = stream(rows..rows + 1000, keys, 0);
    for width in [0, 100, 5000] {
        let found = twin.find(&Looking::between(probes.clone(), -1000 - width, 0)).len() as u64;
        // About one row per bucket, and what lies in the block where the window
        // begins, which late rows of newer blocks make longer.
        let blocks = if late > 0 { 4 } else { 2 };
        let most = found + 3 * 1000 + 1000 * blocks * 256 / keys;
        assert!(twin.walked <= most, "{} walked for {found} pairs, {width}", twin.walked);
    }
    // Keys that are not there, times that are not.
    let strangers: Vec<_> = (0..1000).map(|i| row(keys + 1 + i, rows)).collect();
    twin.find(&Looking::between(strangers, -2000, 0));
    assert!(twin.walked <= 2000, "{} for strangers", twin.walked);
    twin.find(&Looking::between(probes, 1, 5000));
    assert!(twin.walked <= 1000, "{} for later times", twin.walked);
}

#[test]
fn a_look_up_walks_what_it_finds() {
    looks_at_what_it_finds::<WordEntry>(1000, 2000, 0);
    looks_at_what_it_finds::<BytesEntry>(1000, 200, 0);
    looks_at_what_it_finds::<WideEntry>(77, 2000, 300);
}

#[test]
fn a_large_first_batch_is_looked_up_at_once() {
    looks_at_what_it_finds::<WordEntry>(20_000, 20_000, 0);
}

#[test]
fn an_eviction_looks_at_what_expires_however_many_live() {
    for late in [0, 400] {
        let mut visited = [(0, 0); 2];
        for (visited, live) in visited.iter_mut().zip([1000i64, 60_000]) {
            let twin = &mut Twin::<WordEntry>::new(64);
            for from in (0..live).step_by(1000) {
                twin.insert(&stream(from..from + 1000, 500, late));
            }
            for line in (0..600).step_by(50) {
                twin.evict(line, line % 100 == 0);
                let evicted = twin.evicted;
                // Late rows lie where their blocks' rows have not expired yet.
                let most = evicted.rows + 64;
                assert!(evicted.visited <= most, "{evicted:?} of {live}, {late}");
                // Blocks that begin with a late row are due early.
                let due = if late > 0 { evicted.rows } else { evicted.rows / 64 };
                assert!(evicted.blocks <= due + 2, "{evicted:?} of {live}");
                visited.0 += evicted.visited;
                visited.1 += evicted.blocks;
            }
            twin.evict(600, false);
            assert!(twin.evicted.rows > 30 && twin.evicted.blocks <= 5, "{:?}", twin.evicted);
        }
        assert_eq!(visited[0], visited[1], "the same, of few and of many");
    }
}

#[test]
fn an_eviction_that_takes_nothing_looks_at_nothing() {
    let twin = &mut Twin::<WordEntry>::new(64);
    twin.insert(&stream(1000..5000, 500, 300));
    for line in [0, 100, 200, 690] {
        twin.evict(line, true);
        assert_eq!((twin.evicted.visited, twin.evicted.blocks), (0, 0));
    }
    // All of it: blocks as a whole.
    twin.evict(10_000, false);
    assert_eq!(twin.evicted.rows, 4000);
    assert!(twin.evicted.blocks <= 64 && twin.evicted.visited <= 4200, "{:?}", twin.evicted);
}

#[test]
fn an_eviction_of_a_stream_in_disorder_looks_at_what_expires() {
    // Half of the rows come late, by up to half of what is in state.
    let mut cost = Vec::new();
    for live in [4000i64, 32_000] {
        let twin = &mut Twin::<WordEntry>::new(64);
        let draw = &mut Draw::new(7);
        let (mut visited, mut expired) = (0, 0);
        for from in (0..3 * live).step_by(500) {
            let rows: Vec<_> = (from..from + 500)
                .map(|time| row(draw.below(500), time - draw.upto(1) * draw.upto(live / 2)))
                .collect();
            twin.insert(&rows);
            for part in 1..=5 {
                twin.evict(from - live + 100 * part, from % 1000 == 0);
                if from > 2 * live {
                    visited += twin.evicted.visited;
                    expired += twin.evicted.rows;
                }
            }
            twin.reclaim();
        }
        cost.push(visited as f64 / expired as f64);
    }
    assert!(cost.iter().all(|&cost| cost < 10.0), "{cost:?} looks at a row that expires");
}
