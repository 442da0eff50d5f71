//! Tests of `time`.

use std::sync::Arc;

use arrow::array::{Date32Array, StringArray, TimestampSecondArray};

use super::*;

fn of_text(values: &[&str]) -> Option<TimeGuess> {
    let values: ArrayRef = Arc::new(StringArray::from(values.to_vec()));
    guess("ts", &values)
}

fn of_numbers(name: &str, values: &[i64]) -> Option<TimeUnitName> {
    let values: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
    guess(name, &values)?.spec.unit
}

#[test]
fn epochs_are_told_by_their_size() {
    assert_eq!(of_numbers("ts", &[1_700_000_000, 1_700_000_060]), Some(TimeUnitName::Second));
    assert_eq!(of_numbers("t", &[1_700_000_000_000]), Some(TimeUnitName::Millisecond));
    assert_eq!(of_numbers("t", &[1_700_000_000_000_000]), Some(TimeUnitName::Microsecond));
    let nanos = [1_700_000_000_000_000_000];
    assert_eq!(of_numbers("t", &nanos), Some(TimeUnitName::Nanosecond));
    // A phone number, a snowflake id, a count, one that is no time among times.
    assert_eq!(of_numbers("phone", &[1_700_000_000]), None);
    assert_eq!(of_numbers("tweet_id", &nanos), None);
    assert_eq!(of_numbers("time", &[1, 2, 3]), None);
    assert_eq!(of_numbers("time", &[1_700_000_000, 0]), None);
}

#[test]
fn a_few_numbers_may_be_no_times() {
    let mut millis: Vec<i64> = (0..1_000).map(|i| 1_700_000_000_000 + i).collect();
    millis[500] = 8_204_932_800_000;
    assert_eq!(of_numbers("t", &millis), Some(TimeUnitName::Millisecond));
    millis[501] = i64::MAX;
    assert_eq!(of_numbers("t", &millis), None);
}

#[test]
fn every_pattern_has_one_in_sql() {
    for pattern in PATTERNS {
        for padded in [false, true] {
            assert!(streamjoin_sql::pattern_of_strftime(pattern, padded).is_some(), "{pattern}");
        }
    }
}

#[test]
fn text_is_told_by_its_pattern() {
    let pattern = |values: &[&str]| of_text(values).and_then(|guess| guess.spec.format);
    let text = |pattern: &str| Some(pattern.to_owned());
    assert_eq!(pattern(&["2024-01-31 10:00:00"]), text("%Y-%m-%d %H:%M:%S%.f"));
    assert_eq!(pattern(&["2024-01-31T10:00:00.5Z"]), text("%Y-%m-%dT%H:%M:%S%.fZ"));
    assert_eq!(pattern(&["31.01.2024 10:00"]), text("%d.%m.%Y %H:%M"));
    assert_eq!(pattern(&["01/02/2024", "13/02/2024"]), text("%d/%m/%Y"));
    assert_eq!(pattern(&["10/Oct/2024:13:55:36 +0000"]), text("%d/%b/%Y:%H:%M:%S +0000"));
    assert_eq!(pattern(&["2024-01-31", "yesterday"]), None);
    // Days and months that can be taken for each other.
    assert_eq!(of_text(&["01/02/2024"]).unwrap().rival, Some("%d/%m/%Y"));
    assert_eq!(of_text(&["2024-01-31"]).unwrap().rival, None);
}

#[test]
fn names_decide_between_times() {
    let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1]));
    let likelihood = |name: &str| guess(name, &times).unwrap().likelihood;
    assert!(likelihood("click_ts") > likelihood("x"));
    assert!(likelihood("x") > likelihood("created"));
    assert!(likelihood("event_time") > likelihood("created_at"));
    let days: ArrayRef = Arc::new(Date32Array::from(vec![1]));
    assert!(likelihood("x") > guess("x", &days).unwrap().likelihood);
    let nothing: ArrayRef = Arc::new(Date32Array::from(vec![None]));
    assert!(guess("ts", &nothing).is_none());
}
