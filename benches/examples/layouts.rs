//! Layouts of the stream-static join side by side, interleaved, medians: build
//! and materialised micro-batches, on one thread and more.
//!
//! `cargo run --release -p streamjoin-benches --example layouts -- --rows 1e6
//! --batch 8192,65536 --threads 1,2`

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use clap::Parser;
use streamjoin::machine::Repeated;
use streamjoin_benches::count;
use streamjoin_kernels::arch::mix;
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{IndexKind, JoinType};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures layouts.
#[derive(Debug, Parser)]
struct Arguments {
    /// Rows of the table, unique sparse keys.
    #[arg(long, default_value = "1e6", value_parser = count, value_delimiter = ',')]
    rows: Vec<usize>,
    /// Rows of a micro-batch.
    #[arg(long, default_value = "8192,65536", value_parser = count, value_delimiter = ',')]
    batch: Vec<usize>,
    /// Indexes of the layouts that have one.
    #[arg(long, default_value = "chained", value_delimiter = ',')]
    index: Vec<IndexKind>,
    /// Layouts; all by default.
    #[arg(long, value_delimiter = ',')]
    layout: Vec<Layout>,
    /// Numbers of threads.
    #[arg(long, default_value = "1,2", value_delimiter = ',')]
    threads: Vec<usize>,
    /// log2 of the number of partitions; the library's choice by default.
    #[arg(long)]
    partition_bits: Option<u32>,
    /// Rows in a unit of work.
    #[arg(long, default_value = "8192", value_parser = count)]
    unit: usize,
    /// Whether table and batches come sorted by key.
    #[arg(long)]
    sorted: bool,
    /// Repetitions.
    #[arg(long, default_value_t = 7)]
    repeat: usize,
}

/// Rows that a repetition pushes.
const PUSHED: usize = 1 << 20;

struct Contender {
    name: String,
    join: stream_static::Join,
    build: Vec<f64>,
    push: Vec<f64>,
}

fn main() {
    let arguments = Arguments::parse();
    for &rows in &arguments.rows {
        for &batch in &arguments.batch {
            measure(&arguments, rows, batch);
        }
    }
}

fn measure(arguments: &Arguments, rows: usize, batch_rows: usize) {
    let mut keys: Vec<i64> = (0..rows as u64).map(|i| (mix(i ^ 0xabcd) >> 1) as i64).collect();
    let mut pushed: Vec<i64> =
        (0..PUSHED.max(batch_rows) as u64).map(|i| keys[mix(i) as usize % rows]).collect();
    if arguments.sorted {
        keys.sort_unstable();
        pushed.chunks_mut(batch_rows).for_each(<[i64]>::sort_unstable);
    }
    let column = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let table = RecordBatch::try_from_iter([
        ("d", column(keys)),
        ("d0", column((0..rows as i64).collect())),
        ("d1", column((0..rows as i64).map(|i| i * 3).collect())),
    ])
    .expect("columns of one length");
    let payload = column((0..pushed.len() as i64).collect());
    let stream = RecordBatch::try_from_iter([("k", column(pushed)), ("v", payload)])
        .expect("columns of one length");
    let mut contenders = Vec::new();
    let layouts = match &arguments.layout[..] {
        [] => &Layout::ALL[..],
        some => some,
    };
    for &threads in &arguments.threads {
        let pool = (threads > 1).then(|| {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Arc::new(builder.build().expect("threads"))
        });
        for &layout in layouts {
            for &index in &arguments.index {
                if !layout.has_index() && index != arguments.index[0] {
                    continue;
                }
                let options = stream_static::Options::default()
                    .with_layout(layout)
                    .with_index(index)
                    .with_partition_bits(arguments.partition_bits)
                    .with_probe_rows(arguments.unit)
                    .with_pool(pool.clone());
                let mut spec = stream_static::Spec::on(
                    stream.schema(),
                    table.schema(),
                    JoinType::Inner,
                    [(0, 0)],
                )
                .expect("columns");
                spec.output.remove(2);
                let join = stream_static::Join::new(spec, options).expect("a plan");
                let name = if layout.has_index() {
                    format!("{layout}/{index} x{threads}")
                } else {
                    format!("{layout} x{threads}")
                };
                contenders.push(Contender { name, join, build: vec![], push: vec![] });
            }
        }
    }
    for _ in 0..arguments.repeat {
        for contender in &mut contenders {
            let started = Instant::now();
            let snapshot = contender.join.build(std::slice::from_ref(&table), 0).expect("a table");
            contender.build.push(started.elapsed().as_secs_f64() * 1e9 / rows as f64);
            contender.join.swap(snapshot).expect("its own");
        }
        for contender in &mut contenders {
            let started = Instant::now();
            let mut at = 0;
            while at + batch_rows <= stream.num_rows() {
                let batch = stream.slice(at, batch_rows);
                let mut cursor = contender.join.push(&batch).expect("a batch");
                while let Some(output) = cursor.next_batch().expect("rows") {
                    black_box(output);
                }
                at += batch_rows;
            }
            contender.push.push(started.elapsed().as_secs_f64() * 1e9 / at as f64);
        }
    }
    let median = |times: &[f64]| Repeated::of(times).median;
    println!(
        "table {rows} rows, batches of {batch_rows}: ns per row, and the speed relative to the first"
    );
    println!("{:<28}{:>10}{:>10}{:>8}{:>12}{:>12}", "", "build", "push", "x", "bytes", "peak");
    let base = median(&contenders[0].push);
    for contender in &contenders {
        let (build, push) = (median(&contender.build), median(&contender.push));
        let snapshot = contender.join.snapshot().expect("swapped in");
        println!(
            "{:<28}{build:>10.2}{push:>10.2}{:>8.2}{:>12}{:>12}  {}",
            contender.name,
            base / push,
            snapshot.bytes(),
            snapshot.peak_build_bytes(),
            snapshot.notes().join("; "),
        );
    }
}
