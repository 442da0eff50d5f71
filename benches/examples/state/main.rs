//! State stores side by side: interleaved repetitions, medians.
//!
//! `cargo run --release -p streamjoin-benches --example state -- --live 1e6
//! --interval 0.05 --store ordered-map,full-scan`

mod report;
mod run;
mod targets;

use clap::Parser;
use streamjoin_benches::state_workload::{BATCH_ROWS, KeyChoice, Setting};
use streamjoin_benches::{count, number};
use streamjoin_kernels::StoreKind;

use run::{Comparison, Contender};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures state stores; shares are from 0 to 1.
#[derive(Debug, Parser)]
struct Arguments {
    /// Live rows of each side.
    #[arg(long, default_value = "1e6", value_parser = count)]
    live: usize,
    /// Width of the interval, as a share of the retention.
    #[arg(long, default_value_t = 1.0)]
    interval: f64,
    /// How far the interval is away from a row's own time.
    #[arg(long, default_value_t = 0.0)]
    shift: f64,
    /// Share of late rows.
    #[arg(long, default_value_t = 0.0)]
    disorder: f64,
    /// How late they are at most, as a share of the retention.
    #[arg(long, default_value_t = 0.1)]
    late: f64,
    /// Matches per look-up; with --zipf, at most.
    #[arg(long, default_value_t = 1.5)]
    matches: f64,
    /// Live rows per key, instead of matches per look-up.
    #[arg(long, value_parser = number, conflicts_with = "zipf")]
    rows_a_key: Option<f64>,
    /// Exponent of hot keys; narrows the interval to --matches.
    #[arg(long)]
    zipf: Option<f64>,
    /// Left outer, not inner.
    #[arg(long)]
    left_outer: bool,
    /// The stores; all by default.
    #[arg(long, value_delimiter = ',')]
    store: Vec<StoreKind>,
    /// Numbers of threads. Without --operator, each has its own part of the
    /// keys and nothing is exchanged: what the machine allows at most.
    #[arg(long, value_delimiter = ',', default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    threads: Vec<u32>,
    /// The whole operator, record batches in and out, not only the stores.
    #[arg(long)]
    operator: bool,
    /// The settings that have target rates, one after the other.
    #[arg(long, conflicts_with_all = ["live", "interval", "shift", "disorder", "matches",
                                      "rows_a_key", "zipf", "left_outer"])]
    targets: bool,
    /// Repetitions.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Input rows of a repetition.
    #[arg(long, default_value = "4e6", value_parser = count)]
    rows: usize,
    /// Input rows of a batch, both sides together.
    #[arg(long, default_value_t = BATCH_ROWS)]
    batch: usize,
    /// Also compare a checksum of all pairs; do not trust the times then.
    #[arg(long)]
    check: bool,
}

impl Arguments {
    fn setting(&self) -> Setting {
        Setting {
            live: self.live,
            interval: self.interval,
            shift: self.shift,
            disorder: self.disorder,
            late: self.late,
            keys: match (self.zipf, self.rows_a_key) {
                (Some(exponent), _) => KeyChoice::Zipf { exponent, matches: self.matches },
                (None, Some(rows)) => KeyChoice::RowsPerKey(rows),
                (None, None) => KeyChoice::Matches(self.matches),
            },
            left_outer: self.left_outer,
        }
    }

    fn comparison(&self, setting: Setting) -> Comparison {
        let stores = match &self.store[..] {
            [] => StoreKind::ALL.to_vec(),
            some => some.to_vec(),
        };
        let contender = |store, &threads: &u32| Contender {
            store,
            threads: threads as usize,
            operator: self.operator,
        };
        Comparison {
            setting,
            contenders: (stores.into_iter())
                .flat_map(|store| self.threads.iter().map(move |threads| contender(store, threads)))
                .collect(),
            repeat: self.repeat as usize,
            rows: self.rows,
            batch: self.batch,
            check: self.check,
        }
    }
}

fn measure(comparison: &Comparison) -> Result<(), String> {
    report::print_heading(comparison)?;
    report::print(&run::run(comparison)?);
    Ok(())
}

fn main() -> Result<(), String> {
    let arguments = Arguments::parse();
    if !arguments.targets {
        return measure(&arguments.comparison(arguments.setting()));
    }
    for target in targets::targets() {
        println!("asked: {}", target.asked);
        let setting = Setting { late: arguments.late, ..target.setting };
        measure(&arguments.comparison(setting))?;
    }
    Ok(())
}
