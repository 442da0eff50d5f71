use std::sync::Arc;

use arrow::array::*;

use super::*;
use crate::side::Side;

const EXTREMES: [i64; 9] =
    [i64::MIN, i64::MIN + 1, -1_000_001, -1, 0, 1, 999, i64::MAX - 1, i64::MAX];

fn times(column: impl Array + 'static) -> Vec<Option<i64>> {
    let times = EventTimes::new(&(Arc::new(column) as ArrayRef)).unwrap();
    (0..times.len()).map(|row| times.micros_at(row)).collect()
}

#[test]
fn every_unit_becomes_microseconds() {
    let values = vec![Some(-1), None, Some(1_500)];
    let micros = |a, b| vec![Some(a), None, Some(b)];
    assert_eq!(
        times(TimestampSecondArray::from(values.clone())),
        micros(-1_000_000, 1_500_000_000)
    );
    assert_eq!(times(TimestampMillisecondArray::from(values.clone())), micros(-1_000, 1_500_000));
    assert_eq!(times(TimestampMicrosecondArray::from(values.clone())), micros(-1, 1_500));
    assert_eq!(times(TimestampNanosecondArray::from(values)), micros(-1, 1), "floored");
    let day = 86_400_000_000;
    assert_eq!(times(Date32Array::from(vec![Some(-1), None, Some(2)])), micros(-day, 2 * day));
    let halves = vec![Some(-1), None, Some(86_400_001)];
    assert_eq!(times(Date64Array::from(halves)), micros(-day, day), "a date is a day");
    let zoned = TimestampMicrosecondArray::from(vec![7]).with_timezone("UTC");
    assert_eq!(times(zoned), [Some(7)]);
}

#[test]
fn times_beyond_64_bits_saturate() {
    let ends = vec![i64::MIN, i64::MAX];
    let saturated = [Some(i64::MIN), Some(i64::MAX)];
    assert_eq!(times(TimestampSecondArray::from(ends.clone())), saturated);
    assert_eq!(times(TimestampMillisecondArray::from(ends.clone())), saturated);
    assert_eq!(times(TimestampMicrosecondArray::from(ends)), saturated);
    let days = times(Date32Array::from(vec![i32::MIN, i32::MAX]));
    assert_eq!(days[1], Some(i64::from(i32::MAX).saturating_mul(86_400_000_000)));
}

#[test]
fn other_types_are_no_event_time() {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let error = EventTimes::new(&column).unwrap_err().to_string();
    assert!(error.contains("Int64") && error.contains("cast"), "{error}");
    assert!(!is_event_time(column.data_type()));
    assert_eq!(EventTimes::none(2).get(1), None);
    assert!(EventTimes::none(0).is_empty());
}

#[test]
fn windows_hold_their_times() {
    for (time, width, start, end) in [
        (0, 10, 0, 10),
        (9, 10, 0, 10),
        (10, 10, 10, 20),
        (-1, 10, -10, 0),
        (-10, 10, -10, 0),
        (i64::MAX, 10, i64::MAX - 7, i64::MAX),
        (i64::MIN, 10, i64::MIN, i64::MIN + 8),
        (5, 0, 5, 6),
    ] {
        let (at, width) = (Timestamp::from_micros(time), TimeDelta::from_micros(width));
        let window = (window_start(at, width).as_micros(), window_end(at, width).as_micros());
        assert_eq!(window, (start, end), "{time}");
    }
}

fn between(lower: i64, upper: i64) -> IntervalCondition {
    let delta = TimeDelta::from_micros;
    IntervalCondition::between(delta(lower), delta(upper))
}

fn contains(condition: &IntervalCondition, left: i64, right: i64) -> bool {
    condition.contains(Timestamp::from_micros(left), Timestamp::from_micros(right))
}

/// The condition, in 128 bits and by its definition.
fn holds(condition: &IntervalCondition, left: i64, right: i64) -> bool {
    let distance = i128::from(right) - i128::from(left);
    let above = condition.lower.is_none_or(|Bound { distance: bound, inclusive }| {
        let bound = i128::from(bound.as_micros());
        distance > bound || inclusive && distance == bound
    });
    let below = condition.upper.is_none_or(|Bound { distance: bound, inclusive }| {
        let bound = i128::from(bound.as_micros());
        distance < bound || inclusive && distance == bound
    });
    above && below
}

fn conditions() -> Vec<IntervalCondition> {
    let bounds: Vec<Option<Bound>> = EXTREMES
        .iter()
        .map(|&micros| TimeDelta::from_micros(micros))
        .flat_map(|distance| [Bound::inclusive(distance), Bound::strict(distance)])
        .map(Some)
        .chain([None])
        .collect();
    let pairs = bounds.iter().flat_map(|&l| bounds.iter().map(move |&u| (l, u)));
    pairs.map(|(lower, upper)| IntervalCondition { lower, upper }).collect()
}

#[test]
fn intervals_are_exact_at_the_ends_of_64_bits() {
    for condition in conditions() {
        let mut any = false;
        for left in EXTREMES {
            let around = condition.around(Side::Left, left);
            for right in EXTREMES {
                let expected = holds(&condition, left, right);
                any |= expected;
                assert_eq!(contains(&condition, left, right), expected, "{condition:?}");
                let inside = around.is_some_and(|(from, to)| from <= right && right <= to);
                assert_eq!(inside, expected, "{condition:?} {left} {right}");
                let around = condition.around(Side::Right, right);
                let inside = around.is_some_and(|(from, to)| from <= left && left <= to);
                assert_eq!(inside, expected, "{condition:?} {left} {right}");
            }
        }
        assert!(!(any && condition.matches_nothing()), "{condition:?}");
    }
}

#[test]
fn an_interval_that_can_never_match_is_told() {
    let strict = |lower, upper| IntervalCondition {
        lower: Some(Bound::strict(TimeDelta::from_micros(lower))),
        upper: Some(Bound::strict(TimeDelta::from_micros(upper))),
    };
    assert!(between(10, 5).matches_nothing());
    assert!(!between(5, 5).matches_nothing());
    assert!(strict(5, 5).matches_nothing());
    assert!(!strict(5, 6).matches_nothing(), "nanoseconds lie in between");
    assert!(!strict(5, 7).matches_nothing());
    assert!(!IntervalCondition::UNBOUNDED.matches_nothing());
    let equal = |interval| TimeCondition { interval, key: Some(TimeKey::EventTime) };
    assert!(equal(between(1, 5)).matches_nothing());
    assert!(!equal(between(0, 5)).matches_nothing());
}

#[test]
fn the_narrower_bound_wins() {
    for a in conditions() {
        let b = between(-1, 999);
        let both = a.and(b);
        for (left, right) in [(0, -2), (0, -1), (0, 0), (0, 999), (0, 1000), (5, 0)] {
            let expected = holds(&a, left, right) && holds(&b, left, right);
            assert_eq!(contains(&both, left, right), expected, "{a:?}");
        }
    }
}

const BOTH: DeclaredWatermarks = DeclaredWatermarks { left: true, right: true };
const SIDES: [Side; 2] = [Side::Left, Side::Right];

#[test]
fn lines_are_those_of_the_rules_at_the_ends_of_64_bits() {
    for condition in conditions() {
        let time = TimeCondition { interval: condition, key: None };
        for side in SIDES {
            let expiry = time.expiry(side, BOTH);
            // The bound that limits this side, as a sum with the watermark.
            let (bound, sign) = match side {
                Side::Left => (condition.upper, -1),
                Side::Right => (condition.lower, 1),
            };
            for watermark in [0, 1, 86_400_000, i64::MAX / 1000] {
                let expected = bound.map(|Bound { distance, inclusive }| {
                    let bound = i128::from(distance.as_micros());
                    let exact = i128::from(watermark) * 1000 + sign * bound;
                    let towards_zero = exact.signum() * (exact.abs() / 1000);
                    (towards_zero - i128::from(inclusive)) * 1000
                });
                let line = expiry.line(Timestamp::from_millis(watermark));
                for row in EXTREMES {
                    assert_eq!(
                        line.is_some_and(|line| row <= line.as_micros()),
                        expected.is_some_and(|line| i128::from(row) <= line),
                        "{condition:?} {side} {watermark} {row}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_row_under_its_line_can_match_nothing_to_come() {
    // Rows to come are above the watermark. Before 1970 every row is late, so
    // lines there, which Spark cuts upwards, do no harm.
    for condition in conditions() {
        let time = TimeCondition { interval: condition, key: None };
        for watermark in [0, 7, 5_000] {
            let to_come = watermark * 1000 + 1;
            let line = |side| {
                let line = time.expiry(side, BOTH).line(Timestamp::from_millis(watermark));
                line.map(Timestamp::as_micros).filter(|&line| line > 0)
            };
            if let Some(line) = line(Side::Left) {
                assert!(!contains(&condition, line, to_come), "{condition:?}");
            }
            if let Some(line) = line(Side::Right) {
                assert!(!contains(&condition, to_come, line), "{condition:?}");
            }
        }
    }
}

#[test]
fn who_may_leave_and_why_not() {
    let line = |interval, key, left, right, side| {
        TimeCondition { interval, key }.expiry(side, DeclaredWatermarks { left, right })
    };
    let between = between(-5, 30);
    let (upper, lower) = (
        IntervalCondition { lower: None, ..between },
        IntervalCondition { upper: None, ..between },
    );
    use Side::{Left, Right};
    // The watermark of the other side is the one that counts.
    for (left, right) in [(true, true), (true, false), (false, true), (false, false)] {
        assert_eq!(line(between, None, left, right, Left).is_bounded(), right);
        assert_eq!(line(between, None, left, right, Right).is_bounded(), left);
        for side in SIDES {
            let keyed = line(between, Some(TimeKey::EventTime), left, right, side);
            assert_eq!(keyed.is_bounded(), left || right);
        }
    }
    assert!(line(upper, None, true, true, Left).is_bounded());
    assert_eq!(
        line(upper, None, true, true, Right),
        Expiry::Never(Unbounded::OpenInterval { side: Right })
    );
    assert!(line(lower, None, true, true, Right).is_bounded());
    assert_eq!(
        line(between, None, true, false, Left),
        Expiry::Never(Unbounded::NoWatermark { side: Right })
    );
    assert_eq!(
        line(IntervalCondition::UNBOUNDED, None, true, true, Left),
        Expiry::Never(Unbounded::NoTimeCondition)
    );
    let window = Some(TimeKey::Window { width: TimeDelta::from_micros(10) });
    let at = Timestamp::from_millis(7);
    assert_eq!(line(IntervalCondition::UNBOUNDED, window, true, false, Left).line(at), Some(at));
}

#[test]
fn lines_read_as_formulas() {
    let hour = 3_600_000_000;
    let time = |interval| TimeCondition { interval, key: None };
    let between = time(between(-500, hour));
    assert_eq!(between.expiry(Side::Left, BOTH).to_string(), "at or before W - 1 h - 1 ms");
    assert_eq!(between.expiry(Side::Right, BOTH).to_string(), "at or before W - 500 us - 1 ms");
    let strict =
        IntervalCondition { lower: Some(Bound::strict(TimeDelta::from_secs(90))), upper: None };
    assert_eq!(time(strict).expiry(Side::Right, BOTH).to_string(), "at or before W + 90 s");
    assert_eq!(strict.to_string(), "90 s < right - left");
    let never = time(strict).expiry(Side::Left, BOTH).to_string();
    assert!(never.starts_with("never: ") && never.contains("left row"), "{never}");
    assert_eq!(between.interval.to_string(), "-500 us <= right - left <= 1 h");
}

fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

fn millis(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn batch(in_force: i64, late: i64) -> BatchWatermarks {
    BatchWatermarks { in_force: millis(in_force), late: millis(late) }
}

#[test]
fn a_watermark_is_floored_starts_at_zero_and_never_falls() {
    let delay = Some(TimeDelta::from_micros(2_999));
    let mut watermarks = Watermarks::new(WatermarkPolicy::Min, delay, None);
    assert_eq!(watermarks.begin_batch(), batch(0, 0));
    watermarks.see(Side::Left, micros(10_999));
    assert!(!watermarks.has_advanced(), "only at the end of the batch");
    watermarks.end_batch();
    assert_eq!((watermarks.global(), watermarks.has_advanced()), (Some(millis(8)), true));
    assert_eq!(watermarks.begin_batch(), batch(8, 0));
    watermarks.see(Side::Left, millis(4));
    watermarks.see(Side::Right, Timestamp::MAX);
    watermarks.end_batch();
    assert_eq!((watermarks.global(), watermarks.has_advanced()), (Some(millis(8)), false));
    assert_eq!(watermarks.begin_batch(), batch(8, 8));
    let none = Some(TimeDelta::ZERO);
    let mut early = Watermarks::new(WatermarkPolicy::Max, none, none);
    early.see(Side::Left, micros(-5));
    early.see(Side::Right, Timestamp::MIN);
    early.end_batch();
    assert_eq!(early.global(), Some(Timestamp::EPOCH));
    early.see(Side::Right, Timestamp::MAX);
    early.end_batch();
    assert_eq!(early.global(), Some(millis(i64::MAX / 1000)));
    assert_eq!(Watermarks::new(WatermarkPolicy::Min, None, None).global(), None);
}

#[test]
fn min_waits_for_the_slowest_max_for_the_fastest() {
    for (policy, first, both) in [(WatermarkPolicy::Min, 0, 3), (WatermarkPolicy::Max, 7, 7)] {
        let mut watermarks = Watermarks::new(policy, Some(TimeDelta::ZERO), Some(TimeDelta::ZERO));
        watermarks.see(Side::Left, millis(7));
        watermarks.end_batch();
        assert_eq!(
            watermarks.global(),
            Some(millis(first)),
            "{policy}: an unseen side counts as 0"
        );
        watermarks.see(Side::Right, millis(3));
        watermarks.end_batch();
        assert_eq!(watermarks.global(), Some(millis(both)), "{policy}");
        assert_eq!(policy.name().parse::<WatermarkPolicy>().unwrap(), policy);
    }
}

#[test]
fn a_side_may_leave_and_come_back() {
    let none = Some(TimeDelta::ZERO);
    let mut watermarks = Watermarks::new(WatermarkPolicy::Min, none, none);
    watermarks.see(Side::Left, millis(7));
    watermarks.end_batch();
    watermarks.set_taking_part(Side::Right, false);
    assert_eq!((watermarks.global(), watermarks.has_advanced()), (Some(millis(7)), true));
    watermarks.set_taking_part(Side::Left, false);
    assert_eq!(watermarks.global(), Some(millis(7)), "no side left: it stays");
    watermarks.set_taking_part(Side::Right, true);
    watermarks.see(Side::Right, millis(9));
    watermarks.end_batch();
    assert_eq!(watermarks.global(), Some(millis(9)));
    watermarks.set_taking_part(Side::Left, true);
    assert_eq!(watermarks.global(), Some(millis(9)), "it never falls");
}

#[test]
fn equal_is_late_and_null_is_not() {
    let watermarks = batch(9, 5);
    assert!(watermarks.is_late(Some(micros(5_000))));
    assert!(!watermarks.is_late(Some(micros(5_001))));
    assert!(watermarks.is_late(Some(Timestamp::MIN)));
    assert!(!watermarks.is_late(None));
    assert!(batch(0, 0).is_late(Some(Timestamp::EPOCH)), "the epoch is late at first");
    assert!(batch(0, i64::MAX).is_late(Some(Timestamp::MAX)));
}

#[test]
fn units_saturate_and_are_floored() {
    let (deltas, times) = (TimeDelta::from_millis, Timestamp::from_millis);
    assert_eq!((deltas(i64::MAX), deltas(i64::MIN)), (TimeDelta::MAX, TimeDelta::MIN));
    assert_eq!((times(i64::MAX), times(i64::MIN)), (Timestamp::MAX, Timestamp::MIN));
    assert_eq!(TimeDelta::from_secs(i64::MIN), TimeDelta::MIN);
    assert_eq!(Timestamp::from_secs(-2), Timestamp::from_millis(-2000));
    assert_eq!(TimeDelta::from_micros(-1).as_millis(), -1);
    assert_eq!(Timestamp::from_micros(-1).as_millis(), -1);
    assert_eq!(-TimeDelta::MIN, TimeDelta::MAX);
    assert_eq!(Timestamp::MAX - Timestamp::MIN, TimeDelta::MAX);
    assert_eq!(Timestamp::MIN - TimeDelta::from_micros(1), Timestamp::MIN);
    assert_eq!(Timestamp::MAX + TimeDelta::from_micros(1), Timestamp::MAX);
}

#[test]
fn a_duration_is_cut_to_microseconds() {
    use std::time::Duration;
    assert_eq!(TimeDelta::from(Duration::from_nanos(1_999)), TimeDelta::from_micros(1));
    assert_eq!(TimeDelta::from(Duration::MAX), TimeDelta::MAX);
    let minute = IntervalCondition::between(Duration::ZERO, Duration::from_secs(60));
    assert_eq!(minute, between(0, 60_000_000));
}

#[test]
fn times_are_readable() {
    assert_eq!(Timestamp::EPOCH.to_string(), "1970-01-01T00:00:00Z");
    assert_eq!(Timestamp::from_micros(-1).to_string(), "1969-12-31T23:59:59.999999Z");
    assert_eq!(Timestamp::MAX.to_string(), "9223372036854775807 us");
    let texts =
        [(0, "0 s"), (-1_500, "-1500 us"), (1_500_000, "1500 ms"), (172_800_000_000, "2 d")];
    for (micros, text) in texts {
        assert_eq!(TimeDelta::from_micros(micros).to_string(), text);
    }
}
