use std::sync::Arc;

use arrow::array::{ArrayRef, TimestampMicrosecondArray};

use super::*;

#[test]
fn event_times_add_up_at_the_ends_of_64_bits() {
    for times in [
        vec![],
        vec![None],
        vec![Some(7)],
        vec![Some(-7), Some(-9), Some(5)],
        vec![Some(i64::MAX), Some(i64::MAX - 2), Some(i64::MAX - 1)],
        vec![Some(i64::MIN), Some(i64::MIN + 3)],
        vec![Some(i64::MIN), Some(-1), Some(0), Some(1)],
        vec![Some(i64::MAX), None, Some(i64::MAX), Some(i64::MAX - 1)],
        vec![None, Some(i64::MIN), Some(i64::MIN), None],
        vec![Some(3), None, Some(i64::MAX), Some(i64::MIN), Some(i64::MAX)],
    ] {
        let known: Vec<i64> = times.iter().flatten().copied().collect();
        let expected = known.iter().max().map(|&max| EventTimeStats {
            min: Timestamp::from_micros(known.iter().copied().min().unwrap_or(max)),
            max: Timestamp::from_micros(max),
            max_row: 10 + times.iter().position(|time| *time == Some(max)).unwrap() as u64,
            sum_micros: known.iter().copied().map(i128::from).sum(),
            rows: known.len() as u64,
        });
        let column: ArrayRef = Arc::new(TimestampMicrosecondArray::from(times.clone()));
        let found = EventTimeStats::of(&EventTimes::new(&column).unwrap(), |row| 10 + row as u64);
        assert_eq!(found, expected, "{times:?}");
    }
}
