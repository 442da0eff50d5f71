//! What went wrong elsewhere, and other ends of the operator's interface.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::{DataType, Field, Int8Type, Int32Type};
use streamjoin_kernels::stream_stream::{self, BatchKind, End, StateLimit};
use streamjoin_kernels::time::{IntervalCondition, TimeDelta, Timestamp};
use streamjoin_kernels::{JoinError, JoinType, Side};

use crate::driver::{MicroBatch, between, row, rows_of, run};
use crate::query::Row;

const S: i64 = 1_000_000;
const SECOND: TimeDelta = TimeDelta::from_secs(1);

/// The input whose batches are like this one: its second column is the event
/// time, of which the watermark is.
fn timed(batch: &RecordBatch) -> stream_stream::Input {
    let input = stream_stream::Input::new(batch.schema());
    input.with_event_time(1).unwrap().with_watermark_delay(TimeDelta::ZERO)
}

fn tick(id: i64, time: i64) -> MicroBatch {
    [vec![row(id, 90, time)], vec![row(id + 1, 91, time)]]
}

fn left(rows: Vec<Row>) -> MicroBatch {
    [rows, vec![]]
}

fn right(rows: Vec<Row>) -> MicroBatch {
    [vec![], rows]
}

#[test]
fn a_row_whose_partner_left_first_is_still_matched() {
    // 33: the right row leaves long before the left one.
    let query = between(JoinType::LeftOuter, 0, 100 * S);
    let batches = [
        left(vec![row(1, 1, S)]),
        right(vec![row(2, 1, 2 * S)]),
        tick(10, 20 * S),
        tick(12, 300 * S),
    ];
    assert_eq!(
        rows_of(&run(&query, &batches)).iter().filter(|r| r.0 == Some(1)).count(),
        1,
        "the pair, and no null-extended row"
    );
}

#[test]
fn rows_that_can_leave_on_arrival_are_joined_first_and_then_come_out() {
    // 34: the left line lies 20 s above the watermark.
    for join_type in [JoinType::FullOuter, JoinType::LeftSemi, JoinType::LeftAnti] {
        let query = between(join_type, -40 * S, -20 * S);
        let batches = [
            tick(1, 100 * S),
            [vec![row(5, 1, 110 * S), row(6, 2, 111 * S)], vec![row(7, 1, 101 * S)]],
            right(vec![row(8, 2, 101 * S)]),
        ];
        let executed = run(&query, &batches);
        assert!(executed[2].sides[0].removed > 0, "{join_type}");
    }
}

#[test]
fn a_pair_and_a_null_row_never_both_nor_early() {
    // 39, 47: one null-extended row, in the batch whose watermark passes.
    let query = between(JoinType::LeftOuter, 0, 10 * S);
    let batches: Vec<MicroBatch> = [left(vec![row(1, 1, S), row(2, 2, S)])]
        .into_iter()
        .chain((1..14).map(|i| tick(i * 10, i * S)))
        .chain([right(vec![row(500, 2, 11 * S)])])
        .collect();
    let executed = run(&query, &batches);
    let out = executed.iter().filter(|batch| batch.rows.contains(&(Some(1), None)));
    let marks: Vec<_> = out.map(|batch| batch.watermark).collect();
    assert_eq!(marks, [Some(12_000)]);
}

#[test]
fn unequal_bounds_are_not_swapped() {
    // 40.
    let query = between(JoinType::Inner, -S, 5 * S);
    let batch = [vec![row(1, 1, 10 * S)], vec![row(2, 1, 5 * S), row(3, 1, 15 * S)]];
    assert_eq!(rows_of(&run(&query, &[batch])), [(Some(1), Some(3))]);
}

#[test]
fn idle_keys_leave_and_state_levels_off() {
    // 43, 44: every batch brings a key that never comes again.
    let query = between(JoinType::FullOuter, -2 * S, 2 * S);
    let batches: Vec<MicroBatch> = (1..200)
        .map(|i| [vec![row(i * 2, (i % 250) as u8, i * S)], vec![row(i * 2 + 1, 251, i * S)]])
        .collect();
    for batch in run(&query, &batches).iter().skip(20) {
        assert!(batch.sides.iter().all(|side| side.state <= 6), "{batch:?}");
    }
}

#[test]
fn equal_times_and_repeated_rows() {
    // 46.
    let mut query = between(JoinType::FullOuter, 0, 0);
    query.delays = [Some(1_000), Some(1_000)];
    let same = |ids: std::ops::Range<i64>| ids.map(|id| row(id, 1, 5 * S)).collect::<Vec<_>>();
    let batches = [[same(0..4), same(10..13)], [same(20..22), same(30..33)]];
    assert_eq!(rows_of(&run(&query, &batches)).len(), 6 * 6);
}

#[test]
fn nulls_everywhere() {
    for join_type in [JoinType::Inner, JoinType::FullOuter, JoinType::LeftSemi, JoinType::LeftAnti]
    {
        let mut query = between(join_type, -S, S);
        (query.filters, query.residual) = ([true, true], true);
        let null = |id| Row { id, keys: vec![None], time: None, value: None };
        let batches = [[vec![null(1), row(2, 1, S)], vec![null(3), null(4)]], tick(5, 100 * S)];
        run(&query, &batches);
    }
}

/// A batch of `id`, `at` and `payload`.
fn events<const N: usize>(
    ids: [Option<i64>; N],
    seconds: [Option<i64>; N],
    payload: ArrayRef,
) -> RecordBatch {
    let times: TimestampMicrosecondArray = seconds.iter().map(|s| s.map(|s| s * S)).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from(ids.to_vec()))),
        ("at", Arc::new(times)),
        ("payload", payload),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn outer_join(batch: &RecordBatch, options: stream_stream::Options) -> stream_stream::Join {
    let input = timed(batch);
    let spec = stream_stream::Spec::on(
        input.clone(),
        input,
        JoinType::FullOuter,
        [(0, 0)],
        IntervalCondition::between(-SECOND, SECOND),
    )
    .unwrap();
    stream_stream::Join::new(spec, options).unwrap()
}

fn all(batch: Option<stream_stream::Batch<'_>>) -> Vec<RecordBatch> {
    let mut output = Vec::new();
    if let Some(mut batch) = batch {
        while let Some(rows) = batch.next_batch().unwrap() {
            output.push(rows);
        }
    }
    output
}

#[test]
fn nested_payloads_are_null_on_the_extended_side() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None])]);
    let field = Arc::new(Field::new("list", list.data_type().clone(), true));
    let nested = StructArray::new(vec![field].into(), vec![Arc::new(list)], None);
    let batch = events([Some(1)], [Some(5)], Arc::new(nested));
    let mut join = outer_join(&batch, stream_stream::Options::default());
    assert!(all(join.push(std::slice::from_ref(&batch), &[]).unwrap()).is_empty());
    let output = all(join.finish(End::Flush).unwrap());
    assert_eq!(output[0].column(2), batch.column(2));
    assert_eq!((output[0].column(5).null_count(), output[0].column(5).len()), (1, 1));
    assert_eq!(output[0].column(5).data_type(), batch.column(2).data_type());
}

#[test]
fn dictionaries_that_differ_from_batch_to_batch_come_out_by_value() {
    let dictionary = |value: &str| -> ArrayRef {
        Arc::new(vec![Some(value)].into_iter().collect::<DictionaryArray<Int32Type>>())
    };
    let first = events([Some(1)], [Some(5)], dictionary("a"));
    let second = events([Some(2)], [Some(5)], dictionary("b"));
    let mut join = outer_join(&first, stream_stream::Options::default());
    assert_eq!(*join.output_schema().field(2).data_type(), DataType::Utf8);
    all(join.push(&[first, second], &[]).unwrap());
    let output = all(join.finish(End::Flush).unwrap());
    let values: Vec<_> = output[0].column(2).as_string::<i32>().iter().flatten().collect();
    assert_eq!(values.len(), 2);
    assert!(values.contains(&"a") && values.contains(&"b"));
}

#[test]
fn batches_whose_dictionaries_together_exceed_their_indices_come_out_by_value() {
    let batch = |first: usize| {
        let texts = (first..first + 100).map(|i| Some(format!("value {i}")));
        let texts: Vec<Option<String>> = texts.collect();
        let values: DictionaryArray<Int8Type> = texts.iter().map(Option::as_deref).collect();
        events([Some(1); 100], [Some(5); 100], Arc::new(values))
    };
    let batches = [batch(0), batch(100), batch(200)];
    let mut join = outer_join(&batches[0], stream_stream::Options::default());
    all(join.push(&batches, &[]).unwrap());
    let output = all(join.finish(End::Flush).unwrap());
    let mut values: Vec<String> = output
        .iter()
        .flat_map(|rows| rows.column(2).as_string::<i32>().iter().flatten().map(str::to_owned))
        .collect();
    values.sort();
    let mut expected: Vec<String> = (0..300).map(|i| format!("value {i}")).collect();
    expected.sort();
    assert_eq!(values, expected);
}

#[test]
fn run_end_encoded_columns_come_out_by_value() {
    let runs = RunArray::<Int32Type>::try_new(
        &Int32Array::from(vec![2, 3]),
        &StringArray::from(vec!["a", "b"]),
    );
    let batch = events([Some(1); 3], [Some(5); 3], Arc::new(runs.unwrap()));
    let mut join = outer_join(&batch, stream_stream::Options::default());
    let output = all(join.push(&[batch.slice(1, 2)], std::slice::from_ref(&batch)).unwrap());
    assert_eq!(output[0].num_rows(), 6);
    let values: Vec<_> = output[0].column(2).as_string::<i32>().iter().flatten().collect();
    assert_eq!(values.iter().filter(|&&value| value == "b").count(), 3);
}

#[test]
fn a_large_payload_splits_the_output_and_input_is_not_kept() {
    let long = "x".repeat(1000);
    let batch = events([Some(1); 3], [Some(5); 3], texts(&[&long, &long, &long]));
    let options = stream_stream::Options::default().with_max_output_bytes(4000);
    let mut join = outer_join(&batch, options);
    let output =
        all(join.push(std::slice::from_ref(&batch), std::slice::from_ref(&batch)).unwrap());
    assert_eq!(output.iter().map(RecordBatch::num_rows).sum::<usize>(), 9);
    assert!(output.iter().all(|rows| rows.num_rows() <= 2), "of 2,000 bytes per row");
    let size = join.state(Side::Left);
    assert!(size.payload >= 3000 && size.payload < 4500, "{size:?}");
}

#[test]
fn only_selected_columns_are_kept() {
    let batch = events([Some(1)], [Some(5)], texts(&["a long text that nobody selects"]));
    let input = timed(&batch);
    let mut spec = stream_stream::Spec::on(
        input.clone(),
        input,
        JoinType::LeftSemi,
        [(0, 0)],
        IntervalCondition::between(-SECOND, SECOND),
    )
    .unwrap();
    spec.output.truncate(1);
    let mut join = stream_stream::Join::new(spec, stream_stream::Options::default()).unwrap();
    assert_eq!(join.kept_columns(Side::Left), [0]);
    assert!(join.kept_columns(Side::Right).is_empty());
    assert_eq!(join.read_columns(Side::Right), [0, 1]);
    all(join.push(&[], std::slice::from_ref(&batch)).unwrap());
    assert_eq!(join.state(Side::Right).payload, 0, "{:?}", join.state(Side::Right));
    assert_eq!(all(join.push(&[batch], &[]).unwrap())[0].num_rows(), 1);
}

#[test]
fn an_abandoned_or_failed_batch_is_not_joined_on() {
    let batch = events([Some(1), Some(1)], [Some(5), Some(5)], texts(&["a", "b"]));
    let options = stream_stream::Options::default().with_max_output_rows(1);
    let mut join = outer_join(&batch, options.clone());
    let both = std::slice::from_ref(&batch);
    assert!(join.push(both, both).unwrap().unwrap().next_batch().unwrap().is_some());
    let error = join.push(both, both).unwrap_err();
    assert!(matches!(error, JoinError::Unfinished), "{error}");
    assert!(join.advance().is_err() && join.finish(End::Flush).is_err());

    let other = RecordBatch::try_from_iter([("id", texts(&["a"]))]).unwrap();
    let mut join = outer_join(&batch, options);
    let error = join.push(&[other], &[]).unwrap_err().to_string();
    assert!(error.contains("the left batch has 1 columns, 3 were planned"), "{error}");
}

#[test]
fn a_limit_gives_a_clear_error() {
    // 45.
    let batch = events([Some(1), Some(2)], [Some(5), Some(5)], texts(&["a", "b"]));
    for (limit, what) in [
        (StateLimit::default().with_rows(1), "2 rows, more than the limit of 1"),
        (StateLimit::default().with_bytes(10), "bytes, more than the limit of 10"),
    ] {
        let options = stream_stream::Options::default().with_limit(limit);
        let mut join = outer_join(&batch, options);
        let error = join.push(std::slice::from_ref(&batch), &[]).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("raise the limit"), "{error}");
    }
    let limit = StateLimit::default().with_rows(2).with_bytes(1 << 20);
    let mut join = outer_join(&batch, stream_stream::Options::default().with_limit(limit));
    all(join.push(std::slice::from_ref(&batch), &[]).unwrap());
}

#[test]
fn a_side_that_is_idle_or_finished_can_leave() {
    // 44: it does not hold the state for ever, and does not jump the watermark.
    let batch = events([Some(1), Some(2)], [Some(5), Some(60)], texts(&["a", "b"]));
    let mut join = outer_join(&batch, stream_stream::Options::default());
    all(join.push(std::slice::from_ref(&batch), &[]).unwrap());
    assert!(join.advance().unwrap().is_none(), "the right side has not begun");
    join.set_taking_part(Side::Right, false);
    let mut output = join.advance().unwrap().unwrap();
    assert_eq!(output.next_batch().unwrap().unwrap().num_rows(), 1);
    assert!(output.next_batch().unwrap().is_none());
    assert_eq!(output.outer_times(), [Timestamp::from_secs(5)]);
    let report = output.report();
    assert_eq!(
        (report.kind, report.watermark),
        (BatchKind::NoData, Some(Timestamp::from_secs(60)))
    );
    assert_eq!((report.rows_unmatched, report.left.removed), (1, 1));
    assert!(join.advance().unwrap().is_none());
}

#[test]
fn reports_tell_where_the_greatest_event_time_came_from() {
    // 53: dropped and evicted are two numbers, rows are logical.
    let batch = events(
        [Some(1), None, Some(3), Some(4)],
        [Some(5), Some(7), Some(900), None],
        texts(&["a", "b", "c", "d"]),
    );
    let mut join = outer_join(&batch, stream_stream::Options::default());
    let parts = [batch.slice(0, 1), batch.slice(1, 3)];
    let mut output = join.push(&parts, &[]).unwrap().unwrap();
    assert!(output.next_batch().unwrap().is_none());
    let left = output.report().left;
    let times = left.event_time.unwrap();
    let at = Timestamp::from_secs;
    assert_eq!((times.min, times.max, times.max_row, times.rows), (at(5), at(900), 2, 3));
    assert_eq!(times.mean(), at(304));
    assert_eq!((left.rows_in, left.added, left.dropped()), (4, 4, 0));
}

#[test]
fn a_malformed_key_fails_the_batch_that_holds_it() {
    let strings = |values: &[&str], seconds: Vec<i64>| {
        let times = TimestampMicrosecondArray::from_iter_values(seconds.iter().map(|s| s * S));
        RecordBatch::try_from_iter([("id", texts(values)), ("at", Arc::new(times) as ArrayRef)])
            .unwrap()
    };
    let numbers = events([Some(7)], [Some(5)], texts(&["a"]));
    let (good, bad) = (strings(&["7"], vec![5]), strings(&["x7"], vec![6]));
    let spec = stream_stream::Spec::on(
        timed(&good),
        timed(&numbers),
        JoinType::LeftOuter,
        [(0, 0)],
        IntervalCondition::between(-SECOND, SECOND),
    )
    .unwrap();
    let mut join = stream_stream::Join::new(spec, stream_stream::Options::default()).unwrap();
    assert_eq!(all(join.push(&[good], &[numbers]).unwrap())[0].num_rows(), 1);
    let error = join.push(&[bad], &[]).unwrap_err().to_string();
    assert!(error.contains("'x7'") && error.contains("malformed"), "{error}");
}

#[test]
fn a_late_row_is_dropped_before_its_key_is_read() {
    let strings = |values: &[&str], seconds: Vec<i64>| {
        let times = TimestampMicrosecondArray::from_iter_values(seconds.iter().map(|s| s * S));
        RecordBatch::try_from_iter([("id", texts(values)), ("at", Arc::new(times) as ArrayRef)])
            .unwrap()
    };
    let numbers = events([Some(7)], [Some(50)], texts(&["a"]));
    let spec = stream_stream::Spec::on(
        timed(&strings(&[], vec![])),
        timed(&numbers),
        JoinType::LeftOuter,
        [(0, 0)],
        IntervalCondition::between(-SECOND, SECOND),
    )
    .unwrap();
    let mut join = stream_stream::Join::new(spec, stream_stream::Options::default()).unwrap();
    all(join.push(&[strings(&["7"], vec![50])], &[numbers]).unwrap());
    all(join.advance().unwrap());
    let mut output = join.push(&[strings(&["x7"], vec![5])], &[]).unwrap().unwrap();
    assert!(output.next_batch().unwrap().is_none());
    assert_eq!(output.report().left.late, 1);
}
