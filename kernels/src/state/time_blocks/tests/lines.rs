//! Eviction lines: rows at or before them, whichever ring they are in.

use super::super::{AHEAD, MAIN, OVERDUE};
use super::profile::{YEAR_1, YEAR_9999};
use super::twin::{Looking, Twin, row};
use crate::state::block::WordEntry;

#[test]
fn ids_live_on_when_all_rows_left_and_others_come() {
    // As in a semi join: rows leave, then the new ones of the batch come.
    let twin = &mut Twin::<WordEntry>::new(4);
    twin.insert(&(0..10).map(|i| row(i, 100 + i as i64)).collect::<Vec<_>>());
    twin.evict(50, true);
    let found = twin.check_all(0..10);
    twin.remove(&found);
    twin.insert(&[row(3, 200), row(3, 30)]);
    // The removed ones can still be gathered: `remove` looks at that.
    assert_eq!(twin.remove(&found), 0);
    twin.evict(60, true);
    twin.reclaim();
    assert_eq!(twin.check_all(0..10).len(), 1);
}

#[test]
fn expired_rows_do_not_come_back_when_others_come_before_the_reclaim() {
    let twin = &mut Twin::<WordEntry>::new(4);
    twin.insert(&(0..10).map(|i| row(i % 2, i as i64)).collect::<Vec<_>>());
    twin.evict(9, true);
    twin.insert(&[row(0, 5), row(0, 20)]);
    assert_eq!(twin.check_all(0..2).len(), 2);
    twin.evict(9, false);
    twin.reclaim();
    assert_eq!(twin.check_all(0..2).len(), 1);
}

#[test]
fn rows_under_the_line_meet_this_batch_while_a_row_far_ahead_holds_on() {
    // All others have left: the main ring knows of no line any more.
    let twin = &mut Twin::<WordEntry>::new(4);
    twin.insert(&(0..40).map(|i| row(i, i as i64)).collect::<Vec<_>>());
    twin.insert(&(0..40).map(|i| row(i, if i == 7 { YEAR_9999 } else { 40 })).collect::<Vec<_>>());
    assert_eq!(twin.fast.rings[AHEAD].live, 1);
    twin.evict(100, true);
    twin.reclaim();
    assert_eq!(twin.rows(), 1);
    // Nine rows of one time and one a little later, all overdue.
    twin.insert(&(0..10).map(|i| row(i, if i == 9 { 50 } else { 0 })).collect::<Vec<_>>());
    assert_eq!(twin.check_all(0..40).len(), 11);
    twin.evict(100, true);
    assert_eq!(twin.rows(), 1);
    twin.reclaim();
    twin.evict(i64::MAX, true);
    twin.reclaim();
    assert_eq!(twin.rows(), 0);
}

#[test]
fn overdue_rows_leave_with_the_next_eviction_even_by_the_same_line() {
    let twin = &mut Twin::<WordEntry>::new(4);
    twin.insert(&(0..30).map(|i| row(i % 3, i as i64)).collect::<Vec<_>>());
    twin.evict(10, true);
    twin.reclaim();
    twin.insert(&[row(0, 10), row(0, 11), row(0, YEAR_1), row(1, i64::MIN)]);
    assert_eq!(twin.fast.rings[OVERDUE].live, 3);
    assert_eq!(twin.evict(10, true).len(), 3);
    assert_eq!(twin.fast.rings[MAIN].live, 20);
    twin.insert(&[row(0, 8), row(0, 9)]);
    // A line before the last one takes what it reaches.
    assert_eq!(twin.evict(8, true).len(), 1);
    assert_eq!(twin.evict(7, true).len(), 0);
    assert_eq!(twin.evict(9, true).len(), 1);
    twin.reclaim();
    twin.check_all(0..3);
}

#[test]
fn the_last_time_there_is_expires_and_is_not_found_after_that() {
    let twin = &mut Twin::<WordEntry>::new(2);
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX];
    let rows: Vec<_> = ends.iter().map(|&time| row(1, time)).collect();
    twin.insert(&rows);
    for (from, to) in [(i64::MIN, i64::MAX), (-1, 1), (0, 0), (i64::MAX, i64::MAX)] {
        twin.find(&Looking::between(rows.clone(), from, to));
    }
    for line in [i64::MIN, -1, i64::MAX - 1, i64::MAX] {
        twin.evict(line, true);
        twin.find(&Looking::between(rows.clone(), -1, 1));
        twin.check_all(0..2);
    }
    twin.reclaim();
    assert_eq!(twin.rows(), 0);
}

#[test]
fn partners_that_left_first_leave_the_mark_behind() {
    // A row that matched, and whose partner was evicted, still matched.
    for block in [1, 2, 7, 1024] {
        let twin = &mut Twin::<WordEntry>::new(block);
        twin.insert(&(0..20).map(|i| row(i, 100 + i as i64)).collect::<Vec<_>>());
        let found = twin.check_all(5..10);
        twin.set_matched(&found);
        for line in [99, 104, 107] {
            twin.evict(line, true);
            twin.reclaim();
        }
        let mut left = twin.evict(115, true);
        left.extend(twin.drain());
        assert_eq!(left, (10..20).collect::<Vec<i64>>());
    }
}
