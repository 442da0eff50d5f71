//! Indexes by themselves, by phase: hash, build, pairs, sum, exists, next to both
//! hashbrown baselines and the memory limit. Only ratios between lines of one run
//! count; see METHODOLOGY.md.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use streamjoin::machine::TouchMeter;
use streamjoin::sweep::{Data, KeyKind, Lookup, ProbeBatch, Scratch, Workload};
use streamjoin_benches::{short, table_rows};
use streamjoin_kernels::{IndexKind, Isa, KeyHasher};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn hash(c: &mut Criterion) {
    let mut group = c.benchmark_group("hash");
    short(&mut group);
    for key in [KeyKind::I64, KeyKind::I64Pair, KeyKind::Utf8(16)] {
        let workload = Workload { build_rows: 1000, key, ..Workload::default() };
        let data = Data::generate(&workload).expect("rows");
        group.throughput(Throughput::Elements(workload.batch_rows as u64));
        for isa in Isa::available() {
            let hasher = KeyHasher::with_seed(isa, 1);
            let (mut hashes, mut batches) = (Vec::new(), data.batches.iter().cycle());
            group.bench_function(format!("{key}/{isa}"), |b| {
                b.iter(|| {
                    hasher.hash(&batches.next().expect("cycle").keys, &mut hashes);
                    black_box(hashes.len())
                });
            });
        }
    }
    group.finish();
}

fn build(c: &mut Criterion) {
    for build_rows in table_rows() {
        let workload = Workload { build_rows, ..Workload::default() };
        let data = Data::with_batches(&workload, 1).expect("rows");
        let mut group = c.benchmark_group(format!("build/{build_rows}"));
        short(&mut group);
        group.throughput(Throughput::Elements(build_rows as u64));
        for index in IndexKind::ALL {
            group.bench_function(index.name(), |b| {
                b.iter_with_large_drop(|| {
                    Lookup::build(index, &data.keys, Isa::detect()).expect("an index")
                });
            });
        }
        group.finish();
    }
}

type Form = fn(&Lookup, &ProbeBatch, &mut Scratch) -> u64;

/// The forms of a probe, and whether each gathers the payload.
const FORMS: [(&str, Form, bool); 3] = [
    ("pairs", Lookup::pairs, false),
    ("sum", Lookup::sum, true),
    ("exists", Lookup::exists, false),
];

fn probe(c: &mut Criterion) {
    for build_rows in table_rows() {
        for hit_rate in [1.0, 0.1] {
            let workload = Workload { build_rows, hit_rate, ..Workload::default() };
            let data = Data::generate(&workload).expect("rows");
            let lookups = IndexKind::ALL.map(|index| {
                let mut lookup = Lookup::build(index, &data.keys, Isa::detect()).expect("an index");
                lookup.lay_out(&data);
                lookup.verify(&data, index.name()).expect("the right answer");
                (index, lookup)
            });
            for (form, probe, gathers) in FORMS {
                let name = format!("{form}/{build_rows}/{}%", 100.0 * hit_rate);
                let mut group = c.benchmark_group(name);
                short(&mut group);
                group.throughput(Throughput::Elements(workload.batch_rows as u64));
                for (index, lookup) in &lookups {
                    let (mut scratch, mut batches) =
                        (Scratch::default(), data.batches.iter().cycle());
                    group.bench_function(index.name(), |b| {
                        b.iter(|| probe(lookup, batches.next().expect("cycle"), &mut scratch));
                    });
                }
                let meter = TouchMeter::new(8 * build_rows as u64);
                group.bench_function("memory-limit", |b| {
                    b.iter_custom(|iterations| limit(&meter, &workload, iterations, gathers));
                });
                group.finish();
            }
        }
    }
}

/// The least time of this many batches: one touch of an array with every key in
/// it, and one of the payload where a row is found.
fn limit(meter: &TouchMeter, workload: &Workload, batches: u64, gathers: bool) -> Duration {
    let array = 8 * workload.build_rows as u64;
    let probes = batches * workload.batch_rows as u64;
    let keys = meter.time(array, probes);
    let found = (probes as f64 * workload.hit_rate) as u64;
    keys + if gathers { meter.time(array, found) } else { Duration::ZERO }
}

criterion_group!(benches, hash, build, probe);
criterion_main!(benches);
