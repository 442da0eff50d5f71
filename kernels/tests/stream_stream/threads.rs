//! Threads and partitions: the same counts and rows as one, in an order that is
//! not a matter of timing.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::Int32Type;
use streamjoin_kernels::stream_stream::{self, End};
use streamjoin_kernels::{Filter, JoinError, JoinType, Predicate, Result, SideColumn, StoreKind};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, MicroBatch, Run, between, pool};
use crate::oracle::Executed;
use crate::query::{Query, Row};

const MS: i64 = 1_000;

/// A run whose rows have three hot keys and many cold ones, some of them null,
/// and times in disorder.
fn batches(count: i64, rows: i64) -> Vec<MicroBatch> {
    let mut seed = 7u64;
    let mut draw = move |below: u64| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) % below
    };
    let mut id = 0;
    let mut side = |batch: i64| -> Vec<Row> {
        let row = |_| {
            id += 1;
            let key = match draw(10) {
                0..4 => Some(draw(3) as u8),
                4 => None,
                _ => Some(draw(250) as u8),
            };
            let time = batch * 10 * MS + draw(40) as i64 * MS - 20 * MS;
            let value = Some(draw(6) as i32);
            Row { id, keys: vec![key], time: Some(time).filter(|_| draw(20) > 0), value }
        };
        (0..rows).map(row).collect()
    };
    (10..10 + count).map(|batch| [side(batch), side(batch)]).collect()
}

/// Filters, a residual, and rows that wait for longer than a batch.
fn query(join_type: JoinType) -> Query {
    let mut query = between(join_type, -15 * MS, 25 * MS);
    query.delays = [Some(10 * MS), Some(15 * MS)];
    (query.filters, query.residual) = ([true, false], join_type != JoinType::Inner);
    query
}

fn executed(run: &Run<'_>, batches: &[MicroBatch]) -> Vec<Executed> {
    let mut join = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap();
    let mut executed = Vec::new();
    for [left, right] in batches {
        let batch = join.push(&run.chunks(0, left), &run.chunks(1, right)).unwrap();
        executed.extend(batch.map(|mut batch| run.executed(&mut batch)));
        executed.extend(join.advance().unwrap().map(|mut batch| run.executed(&mut batch)));
    }
    executed.extend(join.finish(End::Flush).unwrap().map(|mut batch| run.executed(&mut batch)));
    executed
}

fn run(query: Query, options: stream_stream::Options) -> Run<'static> {
    Run { query, types: &KEY_TYPES[..1], form: Form { options, ..Form::default() } }
}

#[test]
fn any_number_of_threads_gives_the_counts_and_rows_of_one() {
    let input = batches(12, 150);
    for store in StoreKind::ALL {
        for join_type in [
            JoinType::Inner,
            JoinType::LeftOuter,
            JoinType::RightOuter,
            JoinType::FullOuter,
            JoinType::LeftSemi,
            JoinType::LeftAnti,
        ] {
            let form = |threads, max_output_rows| {
                let pool = pool(threads);
                let options = stream_stream::Options::default()
                    .with_store(store)
                    .with_max_output_rows(max_output_rows)
                    .with_pool(pool);
                run(query(join_type), options)
            };
            let one = executed(&form(1, 8192), &input);
            let rows: usize = one.iter().map(|batch| batch.rows.len()).sum();
            assert!(rows > 150, "{join_type}: {rows} rows");
            for threads in 1..=4 {
                for max_output_rows in [3, 8192] {
                    let found = executed(&form(threads, max_output_rows), &input);
                    assert_eq!(found, one, "{store} {join_type} {threads} {max_output_rows}");
                }
            }
        }
    }
}

#[test]
fn the_order_depends_on_the_partitions_alone() {
    let input = batches(6, 150);
    let ordered = |partitions, threads| {
        let options = stream_stream::Options::default()
            .with_max_output_rows(5)
            .with_partitions(partitions)
            .with_pool(pool(threads));
        let run = run(query(JoinType::FullOuter), options.clone());
        let mut join = stream_stream::Join::new(run.spec(), options).unwrap();
        let mut output = Vec::new();
        for [left, right] in &input {
            let batch = join.push(&run.chunks(0, left), &run.chunks(1, right)).unwrap();
            let Some(mut batch) = batch else { continue };
            while let Some(rows) = batch.next_batch().unwrap() {
                output.push(rows);
            }
            output.extend(batch.outer_times().iter().map(|time| {
                RecordBatch::try_from_iter([(
                    "waited",
                    Arc::new(Int64Array::from(vec![time.as_micros()])) as _,
                )])
                .unwrap()
            }));
        }
        output
    };
    for partitions in 1..=5 {
        let alone = ordered(partitions, 1);
        for threads in 2..=4 {
            assert_eq!(ordered(partitions, threads), alone, "{partitions} by {threads}");
        }
    }
}

/// Fails on values from 4 on.
#[derive(Debug)]
struct Fails;

impl Predicate for Fails {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        let values = columns[0].as_primitive::<Int32Type>();
        match values.iter().flatten().find(|&value| value >= 4) {
            Some(value) => Err(JoinError::InvalidPlan(format!("the value {value}"))),
            None => Ok(BooleanArray::from(vec![true; rows])),
        }
    }
}

#[test]
fn a_predicate_that_fails_in_any_partition_fails_the_batch() {
    let mut of_one_thread = None;
    for threads in 1..=4 {
        let options = stream_stream::Options::default()
            .with_max_output_rows(2)
            .with_pool(pool(threads))
            .with_partitions(4);
        let run = run(between(JoinType::Inner, -MS, MS), options.clone());
        let value = 2;
        let mut spec = run.spec();
        spec.residual =
            Some(Filter { columns: vec![SideColumn::left(value)], predicate: Arc::new(Fails) });
        let mut join = stream_stream::Join::new(spec, options).unwrap();
        // Every key has its own value: 0 to 3 pass, the others fail.
        let rows = |keys: std::ops::Range<u8>| -> Vec<Row> {
            let time = Some(50 * MS);
            let value = |key: u8| Some(i32::from(key));
            keys.map(|key| Row { id: key.into(), keys: vec![Some(key)], time, value: value(key) })
                .collect()
        };
        let mut errors = Vec::new();
        let keys = rows(0..40);
        {
            let mut batch =
                join.push(&run.chunks(0, &keys), &run.chunks(1, &keys)).unwrap().unwrap();
            while errors.len() < 2 {
                errors.extend(batch.next_batch().err());
            }
        }
        errors.extend(join.push(&run.chunks(0, &keys), &[]).err());
        errors.extend(join.advance().err());
        errors.extend(join.finish(End::Flush).err());
        let [first, then @ ..] = &errors[..] else { unreachable!() };
        let first = first.to_string();
        assert!(first.contains("the value"), "{first}");
        // Of the partitions, all of which fail, it is always the same one.
        assert_eq!(of_one_thread.get_or_insert(first.clone()), &first, "{threads} threads");
        assert_eq!(then.len(), 4);
        assert!(then.iter().all(|error| matches!(error, JoinError::Unfinished)), "{then:?}");
    }
}
