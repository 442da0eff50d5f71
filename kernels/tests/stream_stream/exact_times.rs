//! Nanoseconds: a pair is inside an interval by its exact times, in every store, as it is
//! with a table.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use streamjoin_kernels::arrow::array::{
    ArrayRef, AsArray, BooleanArray, Int32Array, RecordBatch, TimestampMicrosecondArray,
    TimestampNanosecondArray,
};
use streamjoin_kernels::arrow::datatypes::Int32Type;

use streamjoin_kernels::stream_stream::{Batch, End, Input, Join, Options, Spec};
use streamjoin_kernels::time::{Bound, IntervalCondition, TimeDelta};
use streamjoin_kernels::{JoinError, JoinType, Predicate, Result, SideColumn, StoreKind};

/// Rows of a key, a number and a time in nanoseconds, or in microseconds if it is coarse.
fn rows(times: &[(i32, Option<i64>)], is_coarse: bool) -> RecordBatch {
    let keys = Int32Array::from_iter_values(times.iter().map(|(key, _)| *key));
    let numbers = Int32Array::from_iter_values(0..times.len() as i32);
    let at = times.iter().map(|(_, at)| *at);
    let at: ArrayRef = if is_coarse {
        let micros = at.map(|at| at.map(|at| at / 1000));
        Arc::new(micros.collect::<TimestampMicrosecondArray>())
    } else {
        Arc::new(at.collect::<TimestampNanosecondArray>())
    };
    RecordBatch::try_from_iter([
        ("key", Arc::new(keys) as ArrayRef),
        ("number", Arc::new(numbers)),
        ("at", at),
    ])
    .unwrap()
}

/// Numbers of both sides whose sum is even; fails for a sum that it must not be asked for.
#[derive(Debug)]
struct EvenSum {
    allowed: Vec<(i32, i32)>,
}

impl Predicate for EvenSum {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        let [left, right] = [0, 1].map(|i| columns[i].as_primitive::<Int32Type>());
        left.iter()
            .zip(right)
            .map(|(left, right)| {
                let pair = (left.unwrap(), right.unwrap());
                if !self.allowed.contains(&pair) {
                    return Err(JoinError::predicate(format!("{pair:?} is outside the interval")));
                }
                Ok(Some((pair.0 + pair.1) % 2 == 0))
            })
            .collect()
    }
}

fn drain(batch: Option<Batch<'_>>, found: &mut Vec<(Option<i32>, Option<i32>)>) {
    let Some(mut batch) = batch else { return };
    while let Some(output) = batch.next_batch().unwrap() {
        let [left, right] = [0, 1].map(|i| output.column(i).as_primitive::<Int32Type>().clone());
        found.extend(left.iter().zip(right.iter()));
    }
}

fn bound() -> impl Strategy<Value = Option<Bound>> {
    let distance = (-3_i64..4, prop_oneof![Just(1), Just(1000)]);
    proptest::option::of((distance, any::<bool>()).prop_map(|((count, micros), inclusive)| Bound {
        distance: TimeDelta::from_micros(count * micros),
        inclusive,
    }))
}

fn side() -> impl Strategy<Value = Vec<(i32, Option<i64>)>> {
    // A few microseconds or milliseconds apart; none in the first microsecond of a
    // millisecond, where a row that comes in order may be late.
    let nanos = (0_i64..6, prop_oneof![1_000_i64..8_000, 990_000_i64..1_000_000]);
    let time = proptest::option::weighted(0.9, nanos.prop_map(|(ms, ns)| ms * 1_000_000 + ns));
    proptest::collection::vec((0..2, time), 0..14)
}

proptest! {
    #[test]
    fn pairs_are_those_of_nested_loops(
        left in side(),
        right in side(),
        (left_coarse, right_coarse) in any::<(bool, bool)>(),
        (lower, upper) in (bound(), bound()),
        (with_residual, is_outer, watermarks) in any::<(bool, bool, bool)>(),
    ) {
        let interval = IntervalCondition { lower, upper };
        let floored = |times: &[(i32, Option<i64>)], is_coarse: bool| -> Vec<(i32, Option<i64>)> {
            let floor = |at: i64| if is_coarse { at / 1000 * 1000 } else { at };
            times.iter().map(|&(key, at)| (key, at.map(floor))).collect()
        };
        let (exact_left, exact_right) = (floored(&left, left_coarse), floored(&right, right_coarse));
        let mut inside = Vec::new();
        for (i, (left_key, left_at)) in exact_left.iter().enumerate() {
            for (j, (right_key, right_at)) in exact_right.iter().enumerate() {
                let within = match (left_at, right_at) {
                    (Some(left_at), Some(right_at)) => {
                        let distance = right_at - left_at;
                        lower.is_none_or(|b| {
                            let end = b.distance.as_micros() * 1000;
                            distance > end || b.inclusive && distance == end
                        }) && upper.is_none_or(|b| {
                            let end = b.distance.as_micros() * 1000;
                            distance < end || b.inclusive && distance == end
                        })
                    }
                    _ => lower.is_none() && upper.is_none(),
                };
                if left_key == right_key && within {
                    inside.push((i as i32, j as i32));
                }
            }
        }
        let mut expected: Vec<(Option<i32>, Option<i32>)> = inside
            .iter()
            .filter(|(i, j)| !with_residual || (i + j) % 2 == 0)
            .map(|&(i, j)| (Some(i), Some(j)))
            .collect();
        if is_outer {
            let matched: Vec<_> = expected.iter().map(|pair| pair.0).collect();
            let unmatched = (0..left.len() as i32).map(Some).filter(|i| !matched.contains(i));
            expected.extend(unmatched.map(|i| (i, None)));
        }
        expected.sort_unstable();
        // A row at a time, in the order of time: both sides are looked up in the state, none
        // is late, and rows leave the state as soon as they may.
        let of = |times: &[(i32, Option<i64>)], is_left: bool| {
            let at = |(row, (_, at)): (usize, &(i32, Option<i64>))| (*at, is_left, row);
            times.iter().enumerate().map(at).collect::<Vec<_>>()
        };
        let mut order = [of(&exact_left, true), of(&exact_right, false)].concat();
        order.sort_unstable();
        let (left, right) = (rows(&left, left_coarse), rows(&right, right_coarse));
        let join_type = if is_outer { JoinType::LeftOuter } else { JoinType::Inner };
        // Outer joins need a watermark and an interval to say when nothing can match.
        prop_assume!(!is_outer || watermarks && upper.is_some() && lower.is_some());
        for store in StoreKind::ALL {
            let input = |schema| {
                let input = Input::new(schema).with_event_time("at").unwrap();
                if watermarks { input.with_watermark_delay(Duration::ZERO) } else { input }
            };
            let keys = [("key", "key")];
            let inputs = (input(left.schema()), input(right.schema()));
            let spec = Spec::on(inputs.0, inputs.1, join_type, keys, interval).unwrap();
            let outputs = [SideColumn::left("number"), SideColumn::right("number")];
            let mut spec = spec.select([("left", outputs[0]), ("right", outputs[1])]).unwrap();
            if with_residual {
                let even = EvenSum { allowed: inside.clone() };
                spec = spec.with_residual(outputs, Arc::new(even)).unwrap();
            }
            let mut join = Join::new(spec, Options::default().with_store(store)).unwrap();
            let mut found = Vec::new();
            for &(_, is_left, row) in &order {
                let batch = [if is_left { &left } else { &right }.slice(row, 1)];
                let (left, right) = if is_left { (&batch[..], &[][..]) } else { (&[][..], &batch[..]) };
                drain(join.push(left, right).unwrap(), &mut found);
                drain(join.advance().unwrap(), &mut found);
            }
            drain(join.finish(End::Flush).unwrap(), &mut found);
            found.sort_unstable();
            prop_assert_eq!(&found, &expected, "{}", store);
        }
    }
}
