//! Probes an index so that callgrind can count instructions: only those inside
//! `probe_batches` are of interest. `scripts/instruction-counts.sh` runs it.

use clap::{Parser, ValueEnum};
use streamjoin::sweep::{Data, KeyKind, Lookup, ProbeBatch, Scratch, Workload};
use streamjoin_kernels::{IndexKind, Isa};

/// Probes an index with a few batches of generated keys.
#[derive(Debug, Parser)]
struct Options {
    /// The index; without it the names of all are printed.
    #[arg(long)]
    index: Option<IndexKind>,
    /// The instruction set.
    #[arg(long, default_value = "portable")]
    isa: Isa,
    /// What is asked of it.
    #[arg(long, value_enum, default_value = "pairs")]
    form: Form,
    /// Rows of the table.
    #[arg(long, default_value_t = 100_000)]
    build_rows: usize,
    /// Share of the probes that have a match.
    #[arg(long, default_value_t = 1.0)]
    hit_rate: f64,
    /// The key columns.
    #[arg(long, default_value = "i64")]
    key: KeyKind,
    /// Batches of 8,192 rows.
    #[arg(long, default_value_t = 8)]
    batches: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Pairs,
    Sum,
    Exists,
}

/// What is counted. Never inlined: callgrind knows it by its name.
#[inline(never)]
fn probe_batches(
    lookup: &Lookup,
    form: Form,
    batches: &[ProbeBatch],
    scratch: &mut Scratch,
) -> u64 {
    let mut total = 0_u64;
    for batch in batches {
        total = total.wrapping_add(match form {
            Form::Pairs => lookup.pairs(batch, scratch),
            Form::Sum => lookup.sum(batch, scratch),
            Form::Exists => lookup.exists(batch, scratch),
        });
    }
    total
}

fn main() {
    let options = Options::parse();
    let Some(index) = options.index else {
        IndexKind::ALL.iter().for_each(|index| println!("{index}"));
        return;
    };
    let workload = Workload {
        build_rows: options.build_rows,
        hit_rate: options.hit_rate,
        key: options.key,
        ..Workload::default()
    };
    // The first batch is not counted: it makes the scratch large enough.
    let data = Data::with_batches(&workload, options.batches + 1).expect("rows");
    let isa = options.isa.require().expect("an instruction set of this machine");
    let mut lookup = Lookup::build(index, &data.keys, isa).expect("an index");
    lookup.lay_out(&data);
    let mut scratch = Scratch::default();
    let (first, rest) = data.batches.split_at(1);
    let warm = match options.form {
        Form::Pairs => lookup.pairs(&first[0], &mut scratch),
        Form::Sum => lookup.sum(&first[0], &mut scratch),
        Form::Exists => lookup.exists(&first[0], &mut scratch),
    };
    let total = probe_batches(&lookup, options.form, rest, &mut scratch);
    println!("{} probes, {}", rest.len() * workload.batch_rows, warm.wrapping_add(total));
}
