//! Output by row of the stream, masks and row numbers, where batches are large, rows
//! have many matches and conditions drop rows.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::{Int64Type, UInt32Type};
use streamjoin_kernels::stream_static::{self, OutputOrder, Spec};
use streamjoin_kernels::{ColumnRef, Filter, JoinError, JoinType, OutputColumn, Predicate, Result};

use crate::random::pool_of_two;
use crate::traps::{keyed, strategies};

/// Every strategy on one thread and on two, in the stream's order.
fn in_order() -> impl Iterator<Item = stream_static::Options> {
    let both = |options: stream_static::Options| {
        let options = options.with_output_order(OutputOrder::Stream);
        [None, Some(pool_of_two())].map(|pool| options.clone().with_pool(pool))
    };
    strategies().flat_map(both)
}

/// `value % 3 > 0` of a column.
#[derive(Debug)]
struct NotThird;

impl Predicate for NotThird {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        let values = columns[0].as_primitive::<Int64Type>();
        Ok(values.iter().map(|value| Some(value? % 3 > 0)).collect())
    }
}

fn not_third(column: ColumnRef) -> Option<Filter> {
    Some(Filter { columns: vec![column], predicate: Arc::new(NotThird) })
}

fn row_and_key(spec: &mut Spec) {
    let column = |source, name: &str| OutputColumn { source, name: name.to_owned() };
    spec.output = vec![column(ColumnRef::StreamRow, "row"), column(ColumnRef::Stream(0), "k")];
}

fn loaded(spec: Spec, options: stream_static::Options, table: &RecordBatch) -> stream_static::Join {
    let join = stream_static::Join::new(spec, options).unwrap();
    join.swap(join.build(std::slice::from_ref(table), 0).unwrap()).unwrap();
    join
}

fn numbers(join: &stream_static::Join, stream: &RecordBatch) -> Vec<u32> {
    let mut rows = Vec::new();
    for batch in join.push(stream).unwrap() {
        let batch = batch.unwrap();
        let of_batch = batch.column(0).as_primitive::<UInt32Type>().values();
        let keys = batch.column(1).as_primitive::<Int64Type>().values();
        let stream = stream.column(0).as_primitive::<Int64Type>();
        for (&row, &key) in of_batch.iter().zip(keys) {
            assert_eq!(stream.value(row as usize), key);
        }
        rows.extend_from_slice(of_batch);
    }
    rows
}

/// Keys with no match, one, a few, and more than a batch of output holds; in
/// changing proportions, so that blocks shrink and grow again.
#[test]
fn rows_come_out_in_the_order_of_the_stream_whatever_their_matches() {
    let copies = |key: i64| match key % 100 {
        0 => 3000,
        1..20 => 0,
        20..40 => 5,
        _ => 1,
    };
    let table = (0..400).flat_map(|key| std::iter::repeat_n(key, copies(key)));
    let table = keyed("d", table);
    let keys: Vec<i64> =
        (0..6000).map(|i| if i < 3000 { i * 7 % 400 } else { i % 40 + 40 }).collect();
    let stream = keyed("k", keys.iter().copied());
    for (join_type, residual) in [
        (JoinType::Inner, false),
        (JoinType::Inner, true),
        (JoinType::LeftOuter, false),
        (JoinType::LeftOuter, true),
        (JoinType::LeftSemi, true),
        (JoinType::LeftAnti, false),
    ] {
        let mut spec = Spec::on(stream.schema(), table.schema(), join_type, [(0, 0)]).unwrap();
        row_and_key(&mut spec);
        spec.residual = if residual { not_third(ColumnRef::Table(0)) } else { None };
        let matches = |key: i64| if residual && key % 3 == 0 { 0 } else { copies(key) };
        let times = |key: i64| match join_type {
            JoinType::Inner => matches(key),
            JoinType::LeftOuter => matches(key).max(1),
            JoinType::LeftSemi => usize::from(matches(key) > 0),
            _ => usize::from(matches(key) == 0),
        };
        let expected: Vec<u32> =
            (0..).zip(&keys).flat_map(|(row, &key)| std::iter::repeat_n(row, times(key))).collect();
        for options in in_order() {
            let name = format!("{join_type} {options:?}");
            let limits = [(8192, 8192), (100, 700)];
            for (probe_rows, max_output_rows) in limits {
                let options = options
                    .clone()
                    .with_probe_rows(probe_rows)
                    .with_max_output_rows(max_output_rows);
                let join = loaded(spec.clone(), options, &table);
                for batch in join.push(&stream).unwrap() {
                    assert!((1..=max_output_rows).contains(&batch.unwrap().num_rows()));
                }
                assert!(numbers(&join, &stream) == expected, "{name}");
            }
        }
    }
}

/// Four million pairs of one key: each row's two thousand come out together, and
/// no batch is larger than it may be.
#[test]
fn a_hot_key_keeps_the_order_in_bounded_batches() {
    let (stream, table) = (keyed("k", [7; 2000]), keyed("d", [7; 2000]));
    let mut spec = Spec::on(stream.schema(), table.schema(), JoinType::Inner, [(0, 0)]).unwrap();
    row_and_key(&mut spec);
    for options in in_order() {
        let join = loaded(spec.clone(), options, &table);
        let mut next = 0u64;
        for batch in join.push(&stream).unwrap() {
            let batch = batch.unwrap();
            assert!(batch.num_rows() <= 8192);
            for &row in batch.column(0).as_primitive::<UInt32Type>().values() {
                assert_eq!(u64::from(row), next / 2000);
                next += 1;
            }
        }
        assert_eq!(next, 4_000_000);
    }
}

/// Rows that the stream's own condition drops keep their numbers, and have a bit
/// in the mask.
#[test]
fn row_numbers_and_masks_count_rows_that_a_filter_drops() {
    let (stream, table) = (keyed("k", 0..5000), keyed("d", (0..5000).filter(|key| key % 2 == 0)));
    for options in strategies().chain(in_order()) {
        for (join_type, residual) in [
            (JoinType::Inner, None),
            (JoinType::LeftOuter, None),
            (JoinType::LeftSemi, None),
            (JoinType::LeftSemi, not_third(ColumnRef::Stream(0))),
            (JoinType::LeftAnti, None),
            (JoinType::LeftAnti, not_third(ColumnRef::Table(0))),
        ] {
            let keys = [(0, 0)];
            let mut spec = Spec::on(stream.schema(), table.schema(), join_type, keys).unwrap();
            row_and_key(&mut spec);
            spec.stream_filter = not_third(ColumnRef::Stream(0));
            spec.residual = residual;
            let join = loaded(spec, options.clone(), &table);
            let mut found = numbers(&join, &stream);
            if options.output_order == OutputOrder::Any {
                found.sort_unstable();
            }
            let is_out = |row: &u32| match join_type {
                JoinType::LeftOuter => true,
                JoinType::LeftAnti => row.is_multiple_of(3) || !row.is_multiple_of(2),
                _ => !row.is_multiple_of(3) && row.is_multiple_of(2),
            };
            let expected: Vec<u32> = (0..5000).filter(is_out).collect();
            assert!(found == expected, "{join_type} {options:?}");
            if join_type.is_existence() {
                let mask = join.mask(&stream).unwrap();
                assert_eq!(mask.len(), 5000);
                let of_mask: Vec<u32> = mask.set_indices().map(|row| row as u32).collect();
                assert!(of_mask == expected, "{join_type} {options:?}");
                let snapshot = join.snapshot().unwrap();
                assert_eq!(join.mask_with(&stream, &snapshot).unwrap(), mask);
            }
        }
    }
}

#[test]
fn only_semi_and_anti_joins_have_a_mask() {
    let (stream, table) = (keyed("k", 0..10), keyed("d", 0..10));
    for join_type in [JoinType::Inner, JoinType::LeftOuter] {
        let spec = Spec::on(stream.schema(), table.schema(), join_type, [(0, 0)]).unwrap();
        let join = loaded(spec, stream_static::Options::default(), &table);
        let error = join.mask(&stream).unwrap_err();
        assert!(matches!(error, JoinError::InvalidPlan(_)));
        assert!(error.to_string().contains("StreamRow"), "{error}");
    }
    let keys = [(0, 0)];
    let spec = Spec::on(stream.schema(), table.schema(), JoinType::LeftSemi, keys).unwrap();
    let join = stream_static::Join::new(spec.clone(), stream_static::Options::default()).unwrap();
    assert!(matches!(join.mask(&stream), Err(JoinError::NotLoaded)));
    let join = loaded(spec, stream_static::Options::default(), &table);
    assert!(matches!(join.mask(&keyed("x", []).project(&[]).unwrap()), Err(JoinError::Schema(_))));
    assert_eq!(join.mask(&stream.slice(0, 0)).unwrap().len(), 0);
}

/// The row number may also be all there is in the output, or nothing at all, and
/// conditions may read it.
#[test]
fn the_output_may_have_the_row_number_alone_or_no_columns() {
    let (stream, table) = (keyed("k", 0..1000), keyed("d", 0..500));
    #[derive(Debug)]
    struct Late;
    impl Predicate for Late {
        fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
            let rows = columns[0].as_primitive::<UInt32Type>();
            Ok(rows.iter().map(|row| Some(row? >= 100)).collect())
        }
    }
    let late = Filter { columns: vec![ColumnRef::StreamRow], predicate: Arc::new(Late) };
    for options in strategies().chain(in_order()) {
        let keys = [(0, 0)];
        let mut spec = Spec::on(stream.schema(), table.schema(), JoinType::Inner, keys).unwrap();
        spec.stream_filter = Some(late.clone());
        spec.output = vec![OutputColumn { source: ColumnRef::StreamRow, name: "row".to_owned() }];
        let join = loaded(spec.clone(), options.clone(), &table);
        assert!(!join.output_schema().field(0).is_nullable());
        let rows = join.push(&stream).unwrap().map(|batch| batch.unwrap().num_rows());
        assert_eq!(rows.sum::<usize>(), 400);
        spec.stream_filter = None;
        spec.residual = Some(late.clone());
        spec.output.clear();
        let rows = loaded(spec.clone(), options.clone(), &table).push(&stream).unwrap();
        assert_eq!(rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 400);
        spec.table_filter = spec.residual.take();
        let error = stream_static::Join::new(spec, options).unwrap_err();
        assert!(error.to_string().contains("residual"), "{error}");
    }
}

#[test]
fn orders_have_names() {
    for order in OutputOrder::ALL {
        assert_eq!(order.name().parse::<OutputOrder>().unwrap(), order);
    }
}
