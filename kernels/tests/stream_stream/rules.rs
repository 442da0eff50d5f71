//! Borders: at the watermark, at the ends of the interval, and one unit to each
//! side. What is right is written down here, in addition to what the oracle says.

use streamjoin_kernels::JoinType;
use streamjoin_kernels::time::{TimeDelta, TimeKey, WatermarkPolicy};

use crate::driver::{between, row, rows_of, run};
use crate::oracle::Executed;
use crate::query::{Query, Row};

const S: i64 = 1_000_000;

/// Both sides at `time`, under a key of their own, to move the watermark.
fn tick(id: i64, time: i64) -> [Vec<Row>; 2] {
    [vec![row(id, 90, time)], vec![row(id + 1, 91, time)]]
}

#[test]
fn at_the_watermark_is_late_and_a_microsecond_after_it_is_not() {
    let query = between(JoinType::Inner, 0, 0);
    let probe = [vec![row(10, 1, 5 * S), row(11, 1, 5 * S + 1), row(12, 1, 5 * S - 1)], vec![]];
    let executed = run(&query, &[tick(1, 5 * S), probe]);
    let last = executed.last().unwrap();
    assert_eq!((last.late_watermark, last.sides[0].late, last.sides[0].added), (Some(5000), 2, 1));
}

#[test]
fn the_watermark_counts_whole_milliseconds() {
    let query = between(JoinType::Inner, 0, 0);
    let probe = [vec![row(10, 1, 5 * S + 1), row(11, 1, 5 * S)], vec![]];
    let executed = run(&query, &[tick(1, 5 * S + 999), probe]);
    assert_eq!(executed.last().unwrap().sides[0].late, 1);
}

#[test]
fn the_first_batch_drops_the_epoch_and_what_is_before() {
    let query = between(JoinType::FullOuter, -S, S);
    let executed = run(&query, &[[vec![row(1, 1, 0), row(2, 1, -1), row(3, 1, 1)], vec![]]]);
    assert_eq!((executed[0].sides[0].late, executed[0].sides[0].added), (2, 1));
}

#[test]
fn both_ends_of_the_interval_match_and_a_microsecond_beyond_does_not() {
    for (lower, upper) in [(-3 * S, 2 * S), (-7, 5), (S, 2 * S), (-2 * S, -S), (0, 0)] {
        let query = between(JoinType::Inner, lower, upper);
        let right = [lower - 1, lower, upper, upper + 1];
        let right = right.iter().zip(10..).map(|(at, id)| row(id, 1, 10 * S + at)).collect();
        let found = rows_of(&run(&query, &[[vec![row(1, 1, 10 * S)], right]]));
        assert_eq!(found, [(Some(1), Some(11)), (Some(1), Some(12))], "{lower} {upper}");
        let strict = Query { lower: Some((lower, false)), upper: Some((upper, false)), ..query };
        let right = [lower, lower + 1, upper - 1, upper].into_iter().zip(10..);
        let right: Vec<Row> = right.map(|(at, id)| row(id, 1, 10 * S + at)).collect();
        let found = rows_of(&run(&strict, &[[vec![row(1, 1, 10 * S)], right]]));
        let inside = if upper - lower >= 2 { 2 } else { 0 };
        assert_eq!(found.len(), inside, "strict {lower} {upper}");
    }
}

/// The watermark, in milliseconds, at which the only row of a side leaves.
fn leaves_at(query: &Query, side: usize, time: i64, from: i64) -> i64 {
    let only = |r: Row| if side == 0 { [vec![r], vec![]] } else { [vec![], vec![r]] };
    // Rows of the other key that move the watermark a millisecond at a time.
    let mut batches = vec![only(row(1, 1, time))];
    batches.extend((from..from + 8).map(|ms| tick(ms * 10, ms * 1000)));
    let executed = run(query, &batches);
    let out = |batch: &&Executed| batch.rows.iter().any(|r| r.0 == Some(1) || r.1 == Some(1));
    executed.iter().find(out).expect("it leaves").watermark.unwrap()
}

#[test]
fn rows_leave_a_millisecond_after_an_inclusive_bound_has_passed() {
    // A left row at 100 ms waits for right rows up to 100 ms + upper.
    for (upper, inclusive, at) in [
        (4_000, true, 105),
        (4_000, false, 104),
        (3_500, true, 105),
        (3_500, false, 104),
        (0, true, 101),
        (-10_000, true, 91),
        (-10_000, false, 90),
    ] {
        let mut query = between(JoinType::LeftOuter, -50_000, 0);
        query.upper = Some((upper, inclusive));
        assert_eq!(leaves_at(&query, 0, 100_000, at - 4), at, "left, {upper} {inclusive}");
        // And a right row for left rows down to 100 ms - lower.
        let mut query = between(JoinType::RightOuter, 0, 50_000);
        query.lower = Some((-upper, inclusive));
        assert_eq!(leaves_at(&query, 1, 100_000, at - 4), at, "right, {upper} {inclusive}");
    }
}

#[test]
fn rows_of_an_event_time_key_leave_at_the_watermark() {
    let mut query = between(JoinType::FullOuter, 0, 0);
    (query.lower, query.upper, query.time_key) = (None, None, Some(TimeKey::EventTime));
    for side in 0..2 {
        assert_eq!(leaves_at(&query, side, 100_000, 97), 100);
        assert_eq!(leaves_at(&query, side, 100_001, 97), 101);
    }
    query.time_key = Some(TimeKey::Window { width: TimeDelta::from_millis(6) });
    for side in 0..2 {
        assert_eq!(leaves_at(&query, side, 96_000, 98), 102);
        assert_eq!(leaves_at(&query, side, 101_999, 98), 102);
    }
}

#[test]
fn an_open_bound_leaves_its_side_without_end() {
    let mut query = between(JoinType::FullOuter, 0, S);
    query.lower = None;
    let batches = [[vec![row(1, 1, S)], vec![row(2, 2, S)]], tick(5, 100 * S), tick(7, 200 * S)];
    let executed = run(&query, &batches);
    assert!(rows_of(&executed).contains(&(Some(1), None)));
    assert!(!rows_of(&executed).contains(&(None, Some(2))));
    assert_eq!(executed.last().unwrap().sides.map(|side| side.state), [1, 3]);
}

#[test]
fn one_watermark_lets_the_other_side_leave() {
    // D4 put right: the right watermark says when no right row is to come.
    let mut query = between(JoinType::Inner, -S, S);
    query.delays = [None, Some(0)];
    let executed = run(&query, &[[vec![row(1, 1, S)], vec![row(2, 2, S)]], tick(5, 100 * S)]);
    assert_eq!(executed.last().unwrap().sides.map(|side| side.state), [1, 2]);
    assert!(executed.last().unwrap().no_data);
    // And its own rows are dropped as late, the other side's never.
    let late = [vec![row(8, 3, S)], vec![row(9, 3, S)]];
    let executed = run(&query, &[tick(1, 100 * S), late]);
    assert_eq!(executed.last().unwrap().sides.map(|side| side.late), [0, 1]);
}

#[test]
fn between_the_two_watermarks_a_row_still_matches() {
    for join_type in [JoinType::Inner, JoinType::LeftOuter, JoinType::LeftSemi, JoinType::LeftAnti]
    {
        let mut query = between(join_type, 0, 0);
        query.no_data_batches = false;
        let batches =
            [tick(1, 10 * S), tick(3, 20 * S), [vec![row(5, 1, 15 * S)], vec![row(6, 1, 15 * S)]]];
        let executed = run(&query, &batches);
        let last = executed.last().unwrap();
        assert_eq!((last.late_watermark, last.watermark), (Some(10_000), Some(20_000)));
        let expected = match join_type {
            JoinType::LeftSemi => Some((Some(5), None)),
            JoinType::LeftAnti => None,
            _ => Some((Some(5), Some(6))),
        };
        let found = last.rows.iter().find(|r| r.0 == Some(5)).copied();
        assert_eq!(found, expected, "{join_type}");
    }
}

#[test]
fn no_batch_runs_without_input_where_nothing_can_leave() {
    let mut query = between(JoinType::Inner, 0, 0);
    (query.lower, query.upper) = (None, None);
    let executed = run(&query, &[tick(1, 10 * S), tick(3, 20 * S)]);
    assert!(executed.iter().all(|batch| !batch.no_data));
    assert_eq!(executed[1].watermark, Some(10_000), "but the watermark moves");
    let mut query = between(JoinType::Inner, 0, 0);
    query.no_data_batches = false;
    assert_eq!(run(&query, &[tick(1, 10 * S), tick(3, 20 * S)]).len(), 2);
    query.no_data_batches = true;
    assert_eq!(run(&query, &[tick(1, 10 * S), [vec![], vec![]], tick(3, 10 * S)]).len(), 3);
}

#[test]
fn a_row_of_the_year_9999_makes_later_rows_late_when_its_side_decides() {
    let far = 253_402_300_799 * S;
    for (policy, late) in [(WatermarkPolicy::Min, 0), (WatermarkPolicy::Max, 2)] {
        let mut query = between(JoinType::Inner, -S, S);
        query.policy = policy;
        let batches = [
            [vec![row(1, 1, 10 * S)], vec![row(2, 1, 10 * S)]],
            [vec![row(3, 2, far)], vec![row(4, 2, 11 * S)]],
            [vec![row(5, 3, 12 * S)], vec![row(6, 3, 12 * S)]],
        ];
        let executed = run(&query, &batches);
        let all: u64 = executed.iter().flat_map(|batch| batch.sides).map(|side| side.late).sum();
        assert_eq!(all, late, "{policy}");
    }
}
