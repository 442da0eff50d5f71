//! Random tables of every key type, through every strategy.

use std::sync::Arc;

use proptest::prelude::*;
use streamjoin_kernels::arrow::array::{ArrayRef, RecordBatch};
use streamjoin_kernels::arrow::compute::concat_batches;
use streamjoin_kernels::stream_static::{self, Beyond, BroadcastLimit, Layout, OutputOrder};
use streamjoin_kernels::{IndexKind, Isa, JoinType, KeyHasher, Side};

use crate::columns::{BOOLEAN, KEY_TYPES, KeyType, MakeColumn};
use crate::reference::{Case, Conditions, Row, nested_loop, table};

/// A legal combination of rule 34.
pub(crate) const JOINS: [(JoinType, Side); 8] = [
    (JoinType::Inner, Side::Left),
    (JoinType::LeftOuter, Side::Left),
    (JoinType::LeftSemi, Side::Left),
    (JoinType::LeftAnti, Side::Left),
    (JoinType::Cross, Side::Left),
    (JoinType::Inner, Side::Right),
    (JoinType::RightOuter, Side::Right),
    (JoinType::Cross, Side::Right),
];

fn rows(keys: usize, domain: u8, max: usize) -> impl Strategy<Value = Vec<Row>> {
    let key = prop_oneof![1 => Just(None), 6 => (0..domain).prop_map(Some)];
    let value = prop_oneof![1 => Just(None), 4 => (0..6i32).prop_map(Some)];
    proptest::collection::vec(
        (proptest::collection::vec(key, keys), value).prop_map(|(keys, value)| Row { keys, value }),
        0..max,
    )
}

/// A batch that starts `offset` rows into its buffers.
fn sliced(batch: &RecordBatch, offset: usize) -> RecordBatch {
    if batch.num_rows() == 0 {
        return batch.clone();
    }
    let filler = batch.slice(0, 1);
    let parts: Vec<_> = std::iter::repeat_n(&filler, offset).chain([batch]).collect();
    concat_batches(&batch.schema(), parts).unwrap().slice(offset, batch.num_rows())
}

fn columns(types: &[KeyType], rows: &[Row], side: fn(&KeyType) -> MakeColumn) -> Vec<ArrayRef> {
    types
        .iter()
        .enumerate()
        .map(|(i, key_type)| {
            side(key_type)(&rows.iter().map(|row| row.keys[i]).collect::<Vec<_>>())
        })
        .collect()
}

#[derive(Clone, Debug)]
struct Strategic {
    join: usize,
    null_safe: Vec<bool>,
    conditions: Conditions,
    options: stream_static::Options,
    cuts: Vec<usize>,
    offset: usize,
}

fn strategic(keys: usize) -> impl Strategy<Value = Strategic> {
    let options = (
        0..IndexKind::ALL.len(),
        0..Layout::ALL.len(),
        0..Isa::available().len() + 1,
        prop::sample::select(vec![1usize, 2, 7, 49, 50, 51, 8192]),
        prop::sample::select(vec![1usize, 3, 7, 64, 8192]),
        prop::sample::select(vec![1usize, 100, 64 << 20]),
        prop::option::of(0u32..4),
        any::<bool>(),
        prop::sample::select(vec![None, Some(0), Some(2000)]),
        prop::sample::select(OutputOrder::ALL.to_vec()),
    )
        .prop_map(
            |(index, layout, isa, probe_rows, out_rows, out_bytes, bits, pool, limit, order)| {
                stream_static::Options::default()
                    .with_index(IndexKind::ALL[index])
                    .with_layout(Layout::ALL[layout])
                    .with_broadcast_limit(
                        limit.map(|bytes| BroadcastLimit::new(bytes, Beyond::Partition)),
                    )
                    .with_hasher(match Isa::available().get(isa) {
                        Some(&isa) => KeyHasher::with_seed(isa, 11),
                        None => KeyHasher::constant(),
                    })
                    .with_probe_rows(probe_rows)
                    .with_output_order(order)
                    .with_max_output_rows(out_rows)
                    .with_max_output_bytes(out_bytes)
                    .with_partition_bits(bits)
                    .with_pool(pool.then(pool_of_two))
            },
        );
    (
        0..JOINS.len(),
        proptest::collection::vec(prop::bool::weighted(0.3), keys),
        any::<(bool, bool, bool)>(),
        options,
        proptest::collection::vec(0usize..60, 1..4).prop_map(|mut cuts| {
            cuts.push(10_000);
            cuts
        }),
        0usize..10,
    )
        .prop_map(|(join, null_safe, (stream, dimension, residual), options, cuts, offset)| {
            let conditions = Conditions { stream, dimension, residual };
            Strategic { join, null_safe, conditions, options, cuts, offset }
        })
}

pub(crate) fn pool_of_two() -> Arc<rayon::ThreadPool> {
    static POOL: std::sync::OnceLock<Arc<rayon::ThreadPool>> = std::sync::OnceLock::new();
    let build = || Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    Arc::clone(POOL.get_or_init(build))
}

fn check(types: &[KeyType], strategic: &Strategic, stream: &[Row], dimension: &[Row]) {
    let (join_type, stream_side) = JOINS[strategic.join];
    let case = Case {
        join_type,
        stream_side,
        null_safe: &strategic.null_safe,
        conditions: strategic.conditions,
        stream: sliced(&table(columns(types, stream, |t| t.stream), stream), strategic.offset),
        dimension: sliced(
            &table(columns(types, dimension, |t| t.dimension), dimension),
            strategic.offset,
        ),
        options: strategic.options.clone(),
        cuts: &strategic.cuts,
    };
    let expected =
        nested_loop(join_type, &strategic.null_safe, strategic.conditions, stream, dimension);
    let names: Vec<_> = types.iter().map(|key_type| key_type.name).collect();
    let mut unmatched = Vec::new();
    assert_eq!(case.run_noting(&mut unmatched), expected, "{names:?} {case:?}");
    let alone = nested_loop(
        JoinType::LeftAnti,
        &strategic.null_safe,
        strategic.conditions,
        stream,
        dimension,
    );
    let alone: Vec<i64> = alone.into_iter().filter_map(|(row, _)| row).collect();
    assert_eq!(unmatched, alone, "{names:?} {case:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn one_key_of_every_type(
        key_type in 0..KEY_TYPES.len(),
        strategic in strategic(1),
        stream in rows(1, 9, 120),
        dimension in rows(1, 12, 40),
    ) {
        check(&KEY_TYPES[key_type..=key_type], &strategic, &stream, &dimension);
    }

    #[test]
    fn composite_keys(
        key_types in proptest::collection::vec(0..KEY_TYPES.len(), 2..4),
        strategic in strategic(3),
        stream in rows(3, 3, 80),
        dimension in rows(3, 3, 40),
    ) {
        let types: Vec<KeyType> = key_types.iter().map(|&i| KEY_TYPES[i]).collect();
        let cut = |rows: &[Row]| -> Vec<Row> {
            rows.iter()
                .map(|row| Row { keys: row.keys[..types.len()].to_vec(), value: row.value })
                .collect()
        };
        let mut strategic = strategic;
        strategic.null_safe.truncate(types.len());
        check(&types, &strategic, &cut(&stream), &cut(&dimension));
    }

    #[test]
    fn boolean_keys(strategic in strategic(2), stream in rows(2, 2, 60), dimension in rows(2, 2, 30)) {
        check(&[BOOLEAN, BOOLEAN], &strategic, &stream, &dimension);
    }

    #[test]
    fn no_key_at_all(strategic in strategic(0), stream in rows(0, 1, 40), dimension in rows(0, 1, 30)) {
        check(&[], &strategic, &stream, &dimension);
    }
}
