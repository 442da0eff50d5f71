//! Rows far from the others: they are found and expire as any row does, and the
//! others cost no more for it.

use super::super::{AHEAD, MAIN};
use super::profile::{YEAR_1, YEAR_9999};
use super::twin::{Looking, TestKey, Twin, row};
use crate::state::block::{BytesEntry, WordEntry};

/// A stream of two hot keys in batches of one size, with an outlier here and
/// there; rows that a look-up at its end walks beyond what it finds, at most.
fn walked_in_vain<E: TestKey>(batch: usize, outliers: &[(usize, i64)], evict: bool) -> u64 {
    let twin = &mut Twin::<E>::new(64);
    let rows = 6000;
    let mut all: Vec<_> = (0..rows).map(|i| row(i % 2, 1_000_000 + 10 * i as i64)).collect();
    for &(at, time) in outliers {
        all[at].time = Some(time);
    }
    for part in all.chunks(batch) {
        twin.insert(part);
        if evict {
            twin.evict(part[0].time.unwrap().min(YEAR_9999 - 1).min(1_100_000) - 20_000, true);
        }
        twin.reclaim();
    }
    let probes: Vec<_> = (0..50).map(|i| row(i % 2, 1_000_000 + 10 * (rows - i) as i64)).collect();
    let found = twin.find(&Looking::between(probes, -1000, 0)).len() as u64;
    assert!(found > 50 * 40);
    let walked = twin.walked - found;
    // Outliers are found where they are.
    for &(at, time) in outliers {
        let looking = Looking::between(vec![row(at as u64 % 2, time)], 0, 0);
        assert!(evict && time < 1_000_000 || !twin.find(&looking).is_empty());
    }
    // They leave when it is time.
    let times: Vec<i64> = outliers.iter().map(|outlier| outlier.1).collect();
    for line in [1_500_000, YEAR_9999 - 10, YEAR_9999, i64::MAX] {
        twin.evict(line, true);
        twin.reclaim();
        assert_eq!(twin.rows(), times.iter().filter(|&&time| time > line).count() as u64);
    }
    walked
}

#[test]
fn an_outlier_does_not_pin_what_comes_after_it() {
    let plain = walked_in_vain::<WordEntry>(100, &[], true);
    assert!(plain < 50 * 100, "{plain}");
    let far = [YEAR_9999, YEAR_9999 - 1_000_000];
    for (batch, outliers) in [
        (100, vec![(50, far[0])]),
        (100, vec![(3000, far[0]), (3100, far[1])]),
        (5, vec![(3000, far[0]), (3001, far[1])]),
        // While the state is so small that it says nothing.
        (5, vec![(7, far[0])]),
        (5, vec![(0, far[0]), (31, far[1])]),
        (1, vec![(0, far[0]), (3, i64::MAX)]),
        (100, vec![(50, YEAR_1), (3000, YEAR_1), (3500, far[0])]),
        (5, vec![(2, YEAR_1), (9, far[0])]),
    ] {
        for evict in [true, false] {
            let walked = walked_in_vain::<WordEntry>(batch, &outliers, evict);
            assert!(walked < 2 * plain + 5000, "{walked}, {batch} {outliers:?} {evict}");
        }
    }
    walked_in_vain::<BytesEntry>(30, &[(70, far[0]), (80, YEAR_1)], true);
}

#[test]
fn a_row_far_ahead_stays_apart_when_the_others_have_left() {
    let twin = &mut Twin::<WordEntry>::new(64);
    let mut rows: Vec<_> = (0..200).map(|i| row(i % 2, i as i64)).collect();
    rows[77].time = Some(YEAR_9999);
    twin.insert(&rows);
    assert_eq!(twin.fast.rings[AHEAD].live, 1);
    // A quiet hour, after which all have expired, then the stream goes on.
    for hour in 1..4i64 {
        let start = hour * 3_600_000_000;
        twin.evict(start - 1000, true);
        twin.reclaim();
        twin.insert(&(0..200).map(|i| row(i % 2, start + i as i64)).collect::<Vec<_>>());
        twin.reclaim();
        let counts = (twin.fast.rings[AHEAD].live, twin.fast.rings[MAIN].live);
        assert_eq!(counts, (1, 200), "hour {hour}");
    }
}

#[test]
fn rows_ahead_come_in_order_when_the_others_have_come_so_far() {
    let twin = &mut Twin::<WordEntry>::new(16);
    // A source that is ahead of the other by more than the state spans.
    let mut ahead = 0;
    for batch in 0..200i64 {
        let now = batch * 100;
        let mut rows: Vec<_> = (0..20).map(|i| row(i % 5, now + i as i64)).collect();
        if batch > 10 {
            rows[3].time = Some(now + 8000);
        }
        twin.insert(&rows);
        let looking = (0..5).map(|key| row(key, now)).collect();
        twin.find(&Looking::between(looking, -200, 9000));
        twin.evict(now - 1000, batch % 2 == 0);
        twin.reclaim();
        ahead = ahead.max(twin.fast.rings[AHEAD].live);
    }
    assert!((20..150).contains(&ahead), "{ahead}");
    assert!(twin.fast.rings[AHEAD].live <= 90);
    twin.check_all(0..5);
}

#[test]
fn a_stream_that_jumps_goes_on_in_order() {
    for batch in [1, 5, 40] {
        let twin = &mut Twin::<WordEntry>::new(16);
        let mut clock = 0i64;
        for part in 0..12 {
            for _ in 0..300 / batch {
                let rows: Vec<_> = (0..batch).map(|i| row(i % 3, clock + i as i64)).collect();
                clock += batch as i64;
                twin.insert(&rows);
                twin.evict(clock - 400, true);
                twin.reclaim();
            }
            let looking = (0..3).map(|key| row(key, clock)).collect();
            twin.find(&Looking::between(looking, -300, 0));
            assert!(
                twin.fast.rings[AHEAD].live < 200,
                "{} ahead after {part} jumps, batches of {batch}",
                twin.fast.rings[AHEAD].live
            );
            clock += 1_000_000_000 * (part + 1);
        }
        twin.evict(i64::MAX, true);
        twin.reclaim();
        assert_eq!(twin.rows(), 0);
    }
}
