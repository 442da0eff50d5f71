//! Event times of every unit, far away, and at the ends of 64 bits.

use std::sync::Arc;

use streamjoin_kernels::arrow;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::{Schema, TimeUnit};
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeDelta, Timestamp};
use streamjoin_kernels::{JoinType, stream_stream};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, MicroBatch, Run, between, row, rows_of, run};

const S: i64 = 1_000_000;

#[test]
fn every_unit_gives_the_same_answer() {
    let batches: Vec<MicroBatch> = (1..30)
        .map(|i| {
            let side = |side: i64| {
                (0..4)
                    .map(|j| row(i * 10 + side * 5 + j, (j % 2) as u8, (i * 3 - j * side) * S))
                    .collect()
            };
            [side(0), side(1)]
        })
        .collect();
    for join_type in [JoinType::FullOuter, JoinType::LeftSemi, JoinType::LeftAnti] {
        let query = between(join_type, -2 * S, 5 * S);
        let units =
            [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
        let mut answers = units.map(|unit| {
            let form = Form { unit, ..Form::default() };
            Run { query: query.clone(), types: &KEY_TYPES[..1], form }.check(&batches)
        });
        answers.sort_by_key(Vec::len);
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{join_type}");
    }
}

#[test]
fn years_1_and_9999() {
    let (first, last) = (-62_135_596_800 * S, 253_402_300_799 * S);
    for join_type in [JoinType::FullOuter, JoinType::LeftAnti] {
        let query = between(join_type, -S, S);
        let batches = [
            [vec![row(1, 1, last), row(2, 1, first)], vec![row(3, 1, last), row(4, 1, first)]],
            [vec![row(5, 2, last)], vec![row(6, 2, S)]],
        ];
        let executed = run(&query, &batches);
        assert_eq!(executed[0].sides.map(|side| side.late), [1, 1], "before 1970");
        assert_eq!(executed.last().unwrap().sides[1].late, 1);
    }
    // Without a watermark nothing is late, and distances are exact.
    let mut query = between(JoinType::Inner, last - first, last - first);
    query.delays = [None, None];
    let found = rows_of(&run(&query, &[[vec![row(1, 1, first)], vec![row(2, 1, last)]]]));
    assert_eq!(found, [(Some(1), Some(2))]);
}

#[test]
fn the_ends_of_64_bits() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let side = |ids: i64| ends.iter().zip(ids..).map(|(&time, id)| row(id, 1, time)).collect();
    for bounds in [(i64::MIN, i64::MAX), (-1, 1), (i64::MAX, i64::MAX), (i64::MIN, i64::MIN)] {
        for join_type in [JoinType::Inner, JoinType::FullOuter, JoinType::LeftSemi] {
            for delays in [[Some(0), Some(i64::MAX)], [Some(0), Some(0)], [None, Some(0)]] {
                let mut query = between(join_type, bounds.0, bounds.1);
                query.delays = delays;
                // Not held against the plain join: with one watermark, lines
                // before 1970 are Spark's, which are cut upwards.
                run(&query, &[[side(10), side(20)], [side(30), side(40)]]);
            }
        }
    }
}

#[test]
fn an_interval_that_can_never_match_is_accepted_and_told() {
    let schema = Arc::new(Schema::new(vec![
        arrow::datatypes::Field::new("k", arrow::datatypes::DataType::Int64, true),
        arrow::datatypes::Field::new(
            "t",
            arrow::datatypes::DataType::Timestamp(TimeUnit::Microsecond, None),
            true,
        ),
    ]));
    let join = |lower, upper| {
        let input = stream_stream::Input::new(schema.clone());
        let input = input.with_event_time(1).unwrap().with_watermark_delay(TimeDelta::ZERO);
        let interval = IntervalCondition {
            lower: Some(Bound::inclusive(TimeDelta::from_micros(lower))),
            upper: Some(Bound::inclusive(TimeDelta::from_micros(upper))),
        };
        let spec =
            stream_stream::Spec::on(input.clone(), input, JoinType::LeftOuter, [(0, 0)], interval)
                .unwrap();
        stream_stream::Join::new(spec, stream_stream::Options::default()).unwrap()
    };
    assert!(join(10, 5).matches_nothing());
    assert!(!join(5, 10).matches_nothing());
    let query = between(JoinType::LeftOuter, 10 * S, 5 * S);
    let batches = [
        [vec![row(1, 1, S)], vec![row(2, 1, 8 * S)]],
        [vec![row(3, 2, 90 * S)], vec![row(4, 3, 90 * S)]],
    ];
    assert_eq!(rows_of(&run(&query, &batches)), [(Some(1), None)]);
}

#[test]
fn dates_are_event_times() {
    let table = |name: &str, ids: Vec<i64>, days: Vec<i32>| {
        RecordBatch::try_from_iter([
            (name, Arc::new(Int64Array::from(ids)) as ArrayRef),
            ("day", Arc::new(Date32Array::from(days)) as ArrayRef),
        ])
        .unwrap()
    };
    let day = 86_400 * S;
    let (left, right) =
        (table("l", vec![1, 1], vec![10, 20]), table("r", vec![1, 1], vec![12, 30]));
    let input = |batch: &RecordBatch| {
        let input = stream_stream::Input::new(batch.schema()).with_event_time(1).unwrap();
        input.with_watermark_delay(TimeDelta::from_micros(day))
    };
    let spec = stream_stream::Spec::on(
        input(&left),
        input(&right),
        JoinType::Inner,
        [(0, 0)],
        IntervalCondition::between(TimeDelta::ZERO, TimeDelta::from_micros(2 * day)),
    )
    .unwrap();
    let mut join = stream_stream::Join::new(spec, stream_stream::Options::default()).unwrap();
    let mut output = join.push(&[left], &[right]).unwrap().unwrap();
    assert_eq!(output.next_batch().unwrap().unwrap().num_rows(), 1);
    assert!(output.next_batch().unwrap().is_none());
    assert_eq!(join.watermarks().global(), Some(Timestamp::from_micros(19 * day)));
}
