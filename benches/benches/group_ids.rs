//! Dense ids for distinct keys: `KeyInterner` next to a loop over a hashbrown table by
//! hand, with all room reserved and without. Only ratios between lines of one run count;
//! see METHODOLOGY.md. The system allocator serves both.

use std::hint::black_box;

use ahash::RandomState;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hashbrown::HashTable;
use streamjoin_benches::{full_grid, short};
use streamjoin_kernels::table::KeyInterner;

const ROWS: usize = 10_000_000;
/// Rows of a batch.
const BATCH: usize = 65_536;

fn distinct() -> Vec<usize> {
    let mut distinct = vec![1_000, 100_000];
    distinct.extend(full_grid().then_some(10_000_000));
    distinct
}

/// Keys of `ROWS` rows in no order, each of `distinct` about as often.
fn keys(distinct: usize) -> Vec<u64> {
    let scattered = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    (0..ROWS as u64)
        .map(|row| {
            let ordinal = if distinct < ROWS {
                ((u128::from(scattered(row).wrapping_mul(0xbf58_476d_1ce4_e5b9))
                    * distinct as u128)
                    >> 64) as u64
            } else {
                row
            };
            scattered(ordinal ^ 0x5555)
        })
        .collect()
}

/// One id per row, by hand.
fn by_hand<K: Copy + Eq + std::hash::Hash>(keys: &[K], room: usize, ids: &mut Vec<u32>) -> usize {
    let hasher = RandomState::with_seeds(1, 2, 3, 4);
    let hash = |key: &K| hasher.hash_one(key);
    let mut table = HashTable::<(K, u32)>::with_capacity(room);
    ids.clear();
    for key in keys {
        let next = table.len() as u32;
        let entry = table.entry(hash(key), |(other, _)| other == key, |(other, _)| hash(other));
        ids.push(entry.or_insert((*key, next)).get().1);
    }
    table.len()
}

/// One id per row, batch by batch.
fn interned<K: streamjoin_kernels::key::KeyValue>(
    keys: &[K],
    room: usize,
    ids: &mut Vec<u32>,
) -> usize {
    let mut interner = KeyInterner::new().with_room(room);
    ids.clear();
    for batch in keys.chunks(BATCH) {
        interner.intern(batch, ids).expect("numbers of one kind");
    }
    interner.len()
}

fn numbers(c: &mut Criterion) {
    for distinct in distinct() {
        let keys = keys(distinct);
        let narrow: Vec<u32> = keys.iter().map(|&key| (key >> 32) as u32).collect();
        let mut ids = Vec::with_capacity(ROWS);
        let mut group = c.benchmark_group(format!("u64/{distinct}"));
        short(&mut group);
        group.throughput(Throughput::Elements(ROWS as u64));
        for (name, room) in [("", 0), (", reserved", distinct)] {
            group.bench_function(format!("hashbrown{name}"), |b| {
                b.iter(|| black_box(by_hand(&keys, room, &mut ids)));
            });
            group.bench_function(format!("interner{name}"), |b| {
                b.iter(|| black_box(interned(&keys, room, &mut ids)));
            });
        }
        group.finish();
        let mut group = c.benchmark_group(format!("u32/{distinct}"));
        short(&mut group);
        group.throughput(Throughput::Elements(ROWS as u64));
        group.bench_function("hashbrown", |b| {
            b.iter(|| black_box(by_hand(&narrow, 0, &mut ids)));
        });
        group.bench_function("interner", |b| {
            b.iter(|| black_box(interned(&narrow, 0, &mut ids)));
        });
        group.finish();
    }
}

fn texts(c: &mut Criterion) {
    for distinct in distinct() {
        let rows = ROWS / 5;
        let texts: Vec<String> =
            keys(distinct)[..rows].iter().map(|key| format!("{key:016x}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut ids = Vec::with_capacity(rows);
        let mut group = c.benchmark_group(format!("text/{distinct}"));
        short(&mut group);
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_function("hashbrown", |b| {
            b.iter(|| black_box(by_hand(&texts, 0, &mut ids)));
        });
        group.bench_function("interner", |b| {
            b.iter(|| black_box(interned(&texts, 0, &mut ids)));
        });
        group.finish();
    }
}

criterion_group!(benches, numbers, texts);
criterion_main!(benches);
