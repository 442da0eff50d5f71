use std::sync::Arc;

use arrow::array::{ArrayRef, TimestampMicrosecondArray};

use super::*;

fn limit(front: &mut Front, span: Span, times: Vec<i64>) -> i64 {
    let rows: Vec<u32> = (0..times.len() as u32).collect();
    let times = TimestampMicrosecondArray::from(times);
    front.limit(span, &EventTimes::new(&(Arc::new(times) as ArrayRef)).unwrap(), &rows)
}

#[test]
fn a_poison_time_is_ahead_and_a_jump_of_the_stream_is_not() {
    let mut front = Front::default();
    let span = Span { rows: 1000, from: 0, to: 1000 };
    let mut times: Vec<i64> = (1000..1100).collect();
    times[50] = 1 << 50;
    let found = limit(&mut front, span, times);
    assert!((1100..10_000).contains(&found), "{found}");
    assert_eq!(limit(&mut front, span, vec![1001]), 9000);
    let jump: Vec<i64> = (1 << 40..(1 << 40) + 100).collect();
    assert!(limit(&mut front, span, jump) > 1 << 40);
    // Row by row too, if it goes on.
    let found: Vec<i64> =
        (0..100).map(|i| limit(&mut front, span, vec![1 << (40 + i % 2)])).collect();
    assert_eq!(found[0], 9000);
    let reached: Vec<&i64> = found.iter().filter(|&&limit| limit > 1 << 40).collect();
    assert!(reached.len() == 1 && *reached[0] < 1 << 42, "once: the state has come so far");
    let empty = Span { rows: 0, from: i64::MAX, to: i64::MIN };
    assert_eq!(limit(&mut front, empty, vec![5]), i64::MAX);
}

#[test]
fn what_was_let_in_when_nothing_was_known_is_looked_at_again() {
    let mut front = Front::default();
    let span = |rows| Span { rows, from: 0, to: 1 << 50 };
    let times = |_| [(0..90).collect(), vec![1 << 50]].concat();
    assert_eq!(front.settle(span(1000), times), None);
    limit(&mut front, span(3), vec![1]);
    assert_eq!(front.settle(span(63), times), None);
    let found = front.settle(span(64), times).unwrap();
    assert!((90..1000).contains(&found), "{found}");
    assert_eq!(front.settle(span(64), times), None, "once");
}
