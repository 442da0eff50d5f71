//! The stream-static join by phase: build, probe to pairs, materialised output,
//! beside `row-at-a-time` in the same run. Ratios between lines of one run are
//! what counts; see METHODOLOGY.md.

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::*;
use criterion::*;
use streamjoin_kernels::arch::mix;
use streamjoin_kernels::key::Keys;
use streamjoin_kernels::pairs::Pairs;
use streamjoin_kernels::table::{BuildInput, FindCursor, IndexBuilder, IndexKind, Probe};
use streamjoin_kernels::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rows of a micro-batch, and of the output batches.
const BATCH: usize = 8192;
/// Distinct micro-batches, so that no branch predictor learns them.
const BATCHES: usize = 64;
const TABLE_ROWS: [usize; 4] = [1_000, 100_000, 1_000_000, 10_000_000];

/// Sparse unique keys: a bijection of the ordinal.
fn key(ordinal: u64) -> u64 {
    mix(ordinal ^ 0xabcd)
}

/// Random ordinals below `rows`; of `hits` in a hundred the key exists.
fn probe_keys(rows: usize, hits: u64) -> Vec<u64> {
    (0..(BATCH * BATCHES) as u64)
        .map(|i| {
            let random = mix(i);
            let ordinal = random % rows as u64;
            key(if mix(random) % 100 < hits { ordinal } else { ordinal + (1 << 40) })
        })
        .collect()
}

fn kernels(c: &mut Criterion) {
    for rows in TABLE_ROWS {
        let keys = Keys::Words((0..rows as u64).map(key).collect());
        let hasher = KeyHasher::with_seed(Isa::detect(), 1);
        let mut hashes = Vec::new();
        hasher.hash(&keys, &mut hashes);
        let mut group = c.benchmark_group(format!("build/{rows}"));
        group.throughput(Throughput::Elements(rows as u64)).sample_size(10);
        for kind in IndexKind::ALL {
            group.bench_function(kind.name(), |b| {
                let input = BuildInput::new(&keys, &hashes, Isa::detect()).unwrap();
                b.iter_with_large_drop(|| kind.build(input).unwrap());
            });
        }
        group.finish();
        for hits in [100, 10] {
            let probe = Keys::Words(probe_keys(rows, hits).into());
            let mut group = c.benchmark_group(format!("pairs/{rows}/{hits}%"));
            group.throughput(Throughput::Elements(BATCH as u64));
            for kind in IndexKind::ALL {
                let input = BuildInput::new(&keys, &hashes, Isa::detect()).unwrap();
                let index = kind.build(input).unwrap().index;
                let (mut hashes, mut pairs, mut at) = (Vec::new(), Pairs::default(), 0);
                group.bench_function(kind.name(), |b| {
                    b.iter(|| {
                        at = (at + 1) % BATCHES;
                        let keys = probe.slice(at * BATCH, BATCH);
                        hasher.hash(&keys, &mut hashes);
                        pairs.clear();
                        let probe = Probe::new(&keys, &hashes, None);
                        let mut cursor = FindCursor::default();
                        index.find(probe, &mut cursor, &mut pairs, usize::MAX);
                        black_box(pairs.len())
                    });
                });
            }
            group.finish();
        }
    }
}

fn table(rows: usize) -> RecordBatch {
    let ordinals = 0..rows as i64;
    let keys = Int64Array::from_iter_values(ordinals.clone().map(|i| key(i as u64) as i64));
    RecordBatch::try_from_iter([
        ("key", Arc::new(keys) as ArrayRef),
        ("d0", Arc::new(Int64Array::from_iter_values(ordinals.clone()))),
        ("d1", Arc::new(Int64Array::from_iter_values(ordinals.map(|i| i * 3)))),
    ])
    .unwrap()
}

/// Probe key and payload and two dimension columns, materialised.
fn materialised(c: &mut Criterion) {
    for rows in TABLE_ROWS {
        let table = table(rows);
        for (hits, join_type) in
            [(100, JoinType::Inner), (50, JoinType::Inner), (50, JoinType::LeftOuter)]
        {
            let keys: Int64Array =
                probe_keys(rows, hits).into_iter().map(|key| Some(key as i64)).collect();
            let payload = Int64Array::from_iter_values(0..keys.len() as i64);
            let stream = RecordBatch::try_from_iter([
                ("key", Arc::new(keys) as ArrayRef),
                ("payload", Arc::new(payload)),
            ])
            .unwrap();
            let mut group = c.benchmark_group(format!("materialised/{rows}/{hits}%/{join_type}"));
            group.throughput(Throughput::Elements(BATCH as u64));
            for index in IndexKind::ALL {
                for layout in Layout::ALL {
                    let mut spec = StreamStaticSpec::on(
                        stream.schema(),
                        table.schema(),
                        join_type,
                        vec![KeyPair::equal(0, 0)],
                    );
                    spec.output.remove(2);
                    let options =
                        JoinOptions { index: index.into(), layout, ..JoinOptions::default() };
                    let mut join = StreamStaticJoin::new(spec, options).unwrap();
                    join.swap(join.build(std::slice::from_ref(&table), 0).unwrap());
                    let mut at = 0;
                    group.bench_function(format!("{layout}/{index}"), |b| {
                        b.iter(|| {
                            at = (at + 1) % BATCHES;
                            let mut cursor = join.push(&stream.slice(at * BATCH, BATCH)).unwrap();
                            while let Some(batch) = cursor.next_batch().unwrap() {
                                black_box(batch);
                            }
                        });
                    });
                }
            }
            group.finish();
        }
    }
}

criterion_group!(benches, kernels, materialised);
criterion_main!(benches);
