//! Random runs: join types x stores x threads x batch splits x disorder x nulls
//! x watermarks.

use proptest::prelude::*;
use streamjoin_kernels::arrow::datatypes::TimeUnit;
use streamjoin_kernels::state::BlockOptions;
use streamjoin_kernels::stream_stream;
use streamjoin_kernels::time::{TimeDelta, TimeKey, WatermarkPolicy};
use streamjoin_kernels::{Isa, JoinType, KeyHasher, StoreKind};

use crate::columns::{BOOLEAN, KEY_TYPES};
use crate::driver::{Form, MicroBatch, Run, pool};
use crate::query::{End as Distance, Query, Row};

const JOINS: [JoinType; 6] = [
    JoinType::Inner,
    JoinType::LeftOuter,
    JoinType::RightOuter,
    JoinType::FullOuter,
    JoinType::LeftSemi,
    JoinType::LeftAnti,
];

/// Distances that meet each other, whole milliseconds and not.
fn distance() -> impl Strategy<Value = Distance> {
    let micros = prop::sample::select(vec![
        -40_000i64, -20_000, -5_000, -1_500, -1_000, -999, -1, 0, 1, 500, 999, 1_000, 1_001, 5_000,
        20_000, 40_000,
    ]);
    prop::option::weighted(0.8, (micros, any::<bool>()))
}

fn delay() -> impl Strategy<Value = Option<i64>> {
    prop::option::weighted(0.8, prop::sample::select(vec![0i64, 1_000, 5_000, 10_000, 30_000]))
}

pub(crate) fn query(keys: usize) -> impl Strategy<Value = Query> {
    let time = prop_oneof![
        5 => (distance(), distance()).prop_map(|(lower, upper)| (lower, upper, None)),
        1 => Just((None, None, Some(TimeKey::EventTime))),
        1 => (distance(), distance()).prop_map(|(l, u)| (l, u, Some(TimeKey::EventTime))),
        1 => prop::sample::select(vec![1_000i64, 7_000, 20_000])
            .prop_map(|width| {
                let width = TimeDelta::from_micros(width);
                (None, None, Some(TimeKey::Window { width }))
            }),
    ];
    (
        0..JOINS.len(),
        proptest::collection::vec(prop::bool::weighted(0.2), keys),
        time,
        (delay(), delay()),
        any::<bool>(),
        prop::bool::weighted(0.7),
        (prop::bool::weighted(0.3), prop::bool::weighted(0.3), prop::bool::weighted(0.3)),
    )
        .prop_map(
            |(join, null_safe, (lower, upper, time_key), delays, max, no_data, parts)| {
                let delays = [delays.0, delays.1];
                let mut query = Query {
                    join_type: JOINS[join],
                    null_safe,
                    lower,
                    upper,
                    time_key,
                    delays,
                    policy: if max { WatermarkPolicy::Max } else { WatermarkPolicy::Min },
                    no_data_batches: no_data,
                    filters: [parts.0, parts.1],
                    residual: parts.2,
                };
                make_legal(&mut query);
                query
            },
        )
}

/// Gives the query what its join type cannot do without.
fn make_legal(query: &mut Query) {
    let (left, right) = match query.join_type {
        JoinType::Inner | JoinType::Cross => return,
        JoinType::RightOuter => (false, true),
        JoinType::FullOuter => {
            let line = |i| query.line(i, 0).is_some();
            (!line(0) && !line(1), false)
        }
        _ => (true, false),
    };
    if query.time_key.is_some() {
        if query.delays == [None, None] {
            query.delays[0] = Some(0);
        }
        return;
    }
    if left {
        query.upper = query.upper.or(Some((5_000, true)));
        query.delays[1] = query.delays[1].or(Some(1_000));
    }
    if right {
        query.lower = query.lower.or(Some((-5_000, false)));
        query.delays[0] = query.delays[0].or(Some(1_000));
    }
}

/// Keys, a time before the clock is added, and a value.
type Drawn = (Vec<Option<u8>>, Option<i64>, Option<i32>);

/// Times in half milliseconds that run on with disorder.
fn rows(keys: usize, max: usize) -> impl Strategy<Value = Vec<Drawn>> {
    let key = prop_oneof![1 => Just(None), 8 => (0..4u8).prop_map(Some)];
    let time = prop_oneof![1 => Just(None), 12 => (-60i64..60).prop_map(Some)];
    let value = prop_oneof![1 => Just(None), 4 => (0..6i32).prop_map(Some)];
    proptest::collection::vec((proptest::collection::vec(key, keys), time, value), 0..max)
}

pub(crate) fn batches(keys: usize) -> impl Strategy<Value = Vec<MicroBatch>> {
    let step = prop::sample::select(vec![0i64, 5, 20, 60, 200]);
    proptest::collection::vec((rows(keys, 7), rows(keys, 7), step), 1..9).prop_map(|batches| {
        let (mut clock, mut id) = (0, 0);
        let mut result = Vec::new();
        for (left, right, step) in batches {
            clock += step;
            let mut side = |rows: Vec<Drawn>| -> Vec<Row> {
                rows.into_iter()
                    .map(|(keys, time, value)| {
                        id += 1;
                        let time = time.map(|time| (clock + time) * 500 + i64::from(id % 7 == 0));
                        Row { id, keys, time, value }
                    })
                    .collect()
            };
            result.push([side(left), side(right)]);
        }
        result
    })
}

/// Threads and parts, blocks, and where the numbers of rows begin: near their
/// end, so that they soon wrap around.
fn options() -> impl Strategy<Value = stream_stream::Options> {
    (
        0..StoreKind::ALL.len(),
        (1usize..=4, prop::option::weighted(0.3, 1usize..=5)),
        prop::sample::select(vec![1usize, 2, 7, BlockOptions::default().rows]),
        prop_oneof![Just(0), (0u32..100).prop_map(|before| u32::MAX - before)],
        (prop::sample::select(Isa::available()), prop::bool::weighted(0.2)),
    )
        .prop_map(|(store, (threads, partitions), rows, first_row, (isa, constant))| {
            let mut hasher = KeyHasher::with_seed(isa, 0x5eed);
            if constant {
                hasher = KeyHasher::constant();
            }
            stream_stream::Options::default()
                .with_store(StoreKind::ALL[store])
                .with_blocks(BlockOptions::default().with_rows(rows).with_first_row(first_row))
                .with_hasher(hasher)
                .with_partitions(partitions)
                .with_pool(pool(threads))
        })
}

pub(crate) fn form() -> impl Strategy<Value = Form> {
    (
        options(),
        prop::sample::select(vec![1usize, 2, 5, 8192]),
        prop::sample::select(vec![1usize, 100, 64 << 20]),
        prop::sample::select(vec![1usize, 3, 1000]),
        0usize..10,
        prop::sample::select(vec![TimeUnit::Microsecond, TimeUnit::Nanosecond]),
    )
        .prop_map(|(mut options, rows, bytes, chunk, offset, unit)| {
            (options.max_output_rows, options.max_output_bytes) = (rows, bytes);
            Form { options, chunk, offset, unit }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_batch_of_a_random_run(
        key_type in 0..KEY_TYPES.len(),
        query in query(1),
        form in form(),
        batches in batches(1),
    ) {
        Run { query, types: &KEY_TYPES[key_type..=key_type], form }.check(&batches);
    }

    #[test]
    fn composite_keys(
        key_types in (0..KEY_TYPES.len(), 0..KEY_TYPES.len()),
        query in query(2),
        form in form(),
        batches in batches(2),
    ) {
        let types = [KEY_TYPES[key_types.0], KEY_TYPES[key_types.1]];
        Run { query, types: &types, form }.check(&batches);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn boolean_keys(query in query(2), form in form(), mut batches in batches(2)) {
        for row in batches.iter_mut().flatten().flatten() {
            row.keys.iter_mut().flatten().for_each(|key| *key %= 2);
        }
        Run { query, types: &[BOOLEAN, BOOLEAN], form }.check(&batches);
    }

    /// Longer runs, so that stores grow, shrink and use ids again.
    #[test]
    fn long_runs(
        query in query(1),
        form in form(),
        batches in proptest::collection::vec(batches(1), 8..12),
    ) {
        let mut clock = 0;
        let mut all = Vec::new();
        for (i, part) in batches.into_iter().enumerate() {
            for mut batch in part {
                for row in batch.iter_mut().flatten() {
                    row.id += 1000 * i as i64;
                    row.time = row.time.map(|time| time + clock);
                }
                all.push(batch);
            }
            clock += 60_000;
        }
        Run { query, types: &KEY_TYPES[..1], form }.check(&all);
    }
}
