//! The stream-static join as callers have it: gather (columns out), partition
//! and every other layout, and residual conditions, each next to
//! `row-at-a-time`. Only ratios between lines of one run count; see METHODOLOGY.md.

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::Int64Type;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use streamjoin::sweep::{Data, Workload};
use streamjoin_benches::{short, table_rows};
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{ColumnRef, Filter, IndexKind, JoinType, Predicate, Result};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `row` and the payload columns out.
fn spec(data: &Data, join_type: JoinType) -> stream_static::Spec {
    let (stream, table) = (&data.stream_schema, &data.table_schema);
    let keys = data.key_pairs();
    let (first, mut spec) = (
        keys.len(),
        stream_static::Spec::on(Arc::clone(stream), Arc::clone(table), join_type, keys)
            .expect("columns"),
    );
    let keys = [ColumnRef::Stream(0), ColumnRef::Table(0)];
    assert_eq!(first, 1, "keys of one column");
    spec.output.retain(|column| !keys.contains(&column.source));
    spec
}

/// Batches through a join, the next one at each call.
fn pushes<'a>(
    data: &'a Data,
    spec: stream_static::Spec,
    options: stream_static::Options,
) -> impl FnMut() -> usize + 'a {
    let join = stream_static::Join::new(spec, options).expect("a plan");
    join.swap(join.build(&data.table, 0).expect("a table")).expect("its own");
    let mut batches = data.stream.iter().cycle();
    move || {
        let mut rows = 0;
        let mut output = join.push(batches.next().expect("cycle")).expect("a batch");
        while let Some(batch) = output.next_batch().expect("rows") {
            rows += black_box(batch).num_rows();
        }
        rows
    }
}

fn of(index: IndexKind, layout: Layout) -> stream_static::Options {
    stream_static::Options::default().with_index(index).with_layout(layout)
}

/// Payload columns materialised next to the stream's.
fn gather(c: &mut Criterion) {
    for build_rows in table_rows() {
        for (hit_rate, payload, join_type) in [
            (1.0, 1, JoinType::Inner),
            (1.0, 4, JoinType::Inner),
            (0.5, 2, JoinType::Inner),
            (0.5, 2, JoinType::LeftOuter),
        ] {
            let workload = Workload { build_rows, hit_rate, payload, ..Workload::default() };
            let data = Data::generate(&workload).expect("rows");
            let hits = 100.0 * hit_rate;
            let mut group = c.benchmark_group(format!(
                "gather/{build_rows}/{payload}-columns/{hits}%/{join_type}"
            ));
            short(&mut group);
            group.throughput(Throughput::Elements(workload.batch_rows as u64));
            for index in IndexKind::ALL {
                let mut push = pushes(&data, spec(&data, join_type), of(index, Layout::Broadcast));
                group.bench_function(index.name(), |b| b.iter(&mut push));
            }
            group.finish();
        }
    }
}

/// Every layout: partitioning both sides, merging sorted ones.
fn layouts(c: &mut Criterion) {
    for build_rows in table_rows() {
        // A partition of a micro-batch should be worth the visit.
        for batch_rows in [8192, 262_144] {
            let workload = Workload { build_rows, batch_rows, ..Workload::default() };
            let data = Data::generate(&workload).expect("rows");
            let mut group = c.benchmark_group(format!("layout/{build_rows}/{batch_rows}-rows"));
            short(&mut group);
            group.throughput(Throughput::Elements(batch_rows as u64));
            for layout in Layout::ALL {
                let indexes = [IndexKind::Contiguous, IndexKind::RowAtATime];
                for index in &indexes[..if layout.has_index() { 2 } else { 1 }] {
                    let spec = spec(&data, JoinType::Inner);
                    let mut push = pushes(&data, spec, of(*index, layout));
                    let name = match layout.has_index() {
                        true => format!("{layout}/{index}"),
                        false => layout.to_string(),
                    };
                    group.bench_function(name, |b| b.iter(&mut push));
                }
            }
            group.finish();
        }
    }
}

/// Keeps a pair by the number of its table row.
#[derive(Debug)]
struct Below(i64);

impl Predicate for Below {
    fn evaluate(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanArray> {
        let values = columns[0].as_primitive::<Int64Type>().values();
        Ok(BooleanBuffer::collect_bool(rows, |row| values[row] < self.0).into())
    }
}

/// A condition on candidate pairs that keeps all, half or none of them.
fn residual(c: &mut Criterion) {
    let workload = Workload { build_rows: 100_000, duplicates: 4, ..Workload::default() };
    let data = Data::generate(&workload).expect("rows");
    let mut group = c.benchmark_group("residual/100000/4-rows-a-key");
    short(&mut group);
    group.throughput(Throughput::Elements(workload.batch_rows as u64));
    for (name, below) in
        [("none", None), ("all", Some(100_000)), ("half", Some(50_000)), ("no", Some(0))]
    {
        for index in IndexKind::ALL {
            let mut spec = spec(&data, JoinType::Inner);
            spec.residual = below.map(|below| Filter {
                predicate: Arc::new(Below(below)),
                columns: vec![ColumnRef::Table(1)],
            });
            let mut push = pushes(&data, spec, of(index, Layout::Broadcast));
            let name = match name {
                "none" => "without".to_owned(),
                kept => format!("keeps-{kept}"),
            };
            group.bench_function(format!("{name}/{index}"), |b| b.iter(&mut push));
        }
    }
    group.finish();
}

criterion_group!(benches, gather, layouts, residual);
criterion_main!(benches);
