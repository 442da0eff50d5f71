//! `sweep`: what each index and layout costs, over a grid of workloads.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;
use streamjoin_kernels::Isa;
use streamjoin_kernels::stream_static::Layout;

use super::output::{Results, allocator};
use super::progress_bar::Bar;
use super::sweep_table;
use crate::costs;
use crate::error::{Failure, Result};
use crate::plan::default_isa;
use crate::record::{Environment, csv};
use crate::sweep::{
    CostCell, Effort, Grid, KeyKind, SCHEMA_VERSION, SweepIndex, SweepLine, measure,
};
use crate::text::number::parse_count;

/// Measure what each index and layout costs, over a grid of workloads
///
/// The rows are generated. For every combination of the lists it measures the cost per row of
/// building and of probing (pairs out, a column summed, columns materialised, existence), next to
/// the time of `row-at-a-time` and to what memory allows, all interleaved in one run. The answer of
/// each strategy is checked first. Lists are separated by commas; numbers may be written 1e6 or
/// 1_000_000.
#[derive(Debug, Args)]
pub(super) struct SweepArgs {
    /// Rows of the table
    #[arg(long, value_name = "ROWS", value_delimiter = ',', value_parser = parse_count, default_value = "1e3,1e5,1e6")]
    build_rows: Vec<usize>,

    /// Share of the probes with a non-null key that have a match
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_value = "1")]
    hit_rate: Vec<f64>,

    /// Table rows per key
    #[arg(long, value_name = "ROWS", value_delimiter = ',', value_parser = parse_count, default_value = "1")]
    duplicates: Vec<usize>,

    /// Exponent of the Zipf law of the probes that have a match; 0 is uniform
    #[arg(long, value_name = "EXPONENT", value_delimiter = ',', default_value = "0")]
    zipf: Vec<f64>,

    /// Share of the probes whose key is null
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_value = "0")]
    null_share: Vec<f64>,

    /// Key columns: i64, i64-dense, i32, i32-dense, i64-pair (two columns), utf8-8, utf8-16,
    /// utf8-32 or of another length
    #[arg(long, value_name = "KEY", value_delimiter = ',', default_value = "i64")]
    key: Vec<KeyKind>,

    /// 8-byte columns of the table in addition to the key
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = parse_count, default_value = "1")]
    payload: Vec<usize>,

    /// Rows of a micro-batch
    #[arg(long, value_name = "ROWS", value_delimiter = ',', value_parser = parse_count, default_value = "8192")]
    batch_rows: Vec<usize>,

    /// How the table is looked up: an index, one behind a Bloom filter (`perfect+bloom`), or
    /// `auto` for what the cost model chooses [default: every index]
    #[arg(long, value_name = "INDEX", value_delimiter = ',')]
    index: Vec<SweepIndex>,

    /// How the table is laid out
    #[arg(long, value_name = "LAYOUT", value_delimiter = ',', default_value = "broadcast")]
    layout: Vec<Layout>,

    /// Instruction set: portable, avx2 or avx512 [default: $STREAMJOIN_ISA, or the machine's best]
    #[arg(long, value_name = "ISA", value_delimiter = ',')]
    isa: Vec<Isa>,

    /// Threads that join
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1")]
    threads: Vec<NonZeroUsize>,

    /// Interleaved repetitions; their median is reported
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: u32,

    /// Milliseconds per measurement
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    slice: u64,

    /// Instead, measure what every index costs on this machine, over a fixed set of tables, and write
    /// a cost file, which `auto` uses where STREAMJOIN_COSTS names it
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "build_rows", "hit_rate", "duplicates", "zipf", "null_share", "key", "payload",
        "batch_rows", "index", "layout", "isa", "threads", "format",
    ])]
    write_costs: Option<PathBuf>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: SweepFormat,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// How to print the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SweepFormat {
    /// One table per workload.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// One JSON line per strategy and workload.
    Jsonl,
    /// One line per strategy and workload.
    Csv,
}

/// All of a sweep.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SweepReport {
    schema_version: u32,
    environment: Environment,
    cells: Vec<SweepLine>,
}

impl SweepArgs {
    pub(super) fn execute(self) -> Result<()> {
        let effort =
            Effort { repetitions: self.repetitions, slice: Duration::from_millis(self.slice) };
        if let Some(path) = &self.write_costs {
            return write_costs(path, effort, self.quiet);
        }
        let (format, quiet) = (self.format, self.quiet);
        let grid = self.grid()?;
        grid.check()?;
        let (workloads, contenders) = (grid.workloads(), grid.contenders());
        let total = (workloads.len() * contenders.len()) as u64 * effort.ticks();
        let bar = Bar::counting("measurements", "sweep", Some(total), quiet);
        let mut results = Printer { format, results: Results::new(false), lines: Vec::new() };
        for workload in &workloads {
            let lines = measure(workload, &contenders, effort, &mut |done| bar.add(done))?;
            let mut printed = Ok(());
            bar.aside(|| printed = results.add(lines));
            printed?;
        }
        drop(bar);
        let isas: Vec<&str> = grid.isa.iter().map(|isa| isa.name()).collect();
        results.finish(&Environment::detect(&isas.join(","), allocator(), None))
    }

    fn grid(self) -> Result<Grid> {
        Ok(Grid {
            build_rows: self.build_rows,
            hit_rate: self.hit_rate,
            duplicates: self.duplicates,
            zipf: self.zipf,
            null_share: self.null_share,
            key: self.key,
            payload: self.payload,
            batch_rows: self.batch_rows,
            index: if self.index.is_empty() { SweepIndex::all() } else { self.index },
            layout: self.layout,
            isa: if self.isa.is_empty() { vec![default_isa()?] } else { self.isa },
            threads: self.threads,
        })
    }
}

/// Measures the cells of a cost file and writes it.
fn write_costs(path: &Path, effort: Effort, quiet: bool) -> Result<()> {
    let cells = CostCell::all(default_isa()?);
    let contenders: usize = cells.iter().map(|cell| 2 * cell.contenders.len()).sum();
    let total = contenders as u64 * effort.ticks();
    let bar = Bar::counting("measurements", "costs", Some(total), quiet);
    let mut points = Vec::new();
    for cell in &cells {
        let mut tick = |done| bar.add(done);
        let hits = measure(&cell.hits, &cell.contenders, effort, &mut tick)?;
        let misses = measure(&cell.misses, &cell.contenders, effort, &mut tick)?;
        points.extend(cell.points(&hits, &misses));
    }
    drop(bar);
    costs::write(path, &points)?;
    let mut results = Results::new(false);
    let (path, variable) = (path.display(), costs::VARIABLE);
    results
        .line(&format!("{} costs in {path}: `auto` uses them with {variable}={path}", points.len()))
}

/// Prints lines as they come.
struct Printer {
    format: SweepFormat,
    results: Results,
    /// All so far.
    lines: Vec<SweepLine>,
}

impl Printer {
    fn add(&mut self, lines: Vec<SweepLine>) -> Result<()> {
        match self.format {
            SweepFormat::Human => {
                for text in sweep_table::lines(&lines) {
                    self.results.line(&text)?;
                }
            }
            SweepFormat::Json => {}
            SweepFormat::Jsonl => {
                for line in &lines {
                    self.results.line(&serde_json::to_string(line).map_err(Failure::run)?)?;
                }
            }
            SweepFormat::Csv => {
                let text = csv::of_structs(&lines, self.lines.is_empty())?;
                self.results.line(text.trim_end())?;
            }
        }
        self.lines.extend(lines);
        Ok(())
    }

    fn finish(mut self, environment: &Environment) -> Result<()> {
        // Where there was room for nothing, nothing was measured: no success.
        if let Some(first) =
            self.lines.first().filter(|_| self.lines.iter().all(|line| line.skipped.is_some()))
        {
            let why = first.skipped.as_deref().unwrap_or_default();
            return Err(Failure::usage(format!(
                "{} build rows: {why}; ask for fewer rows",
                first.build_rows
            )));
        }
        match self.format {
            SweepFormat::Human => self.results.line(&sweep_table::footer(environment)),
            SweepFormat::Json => {
                let report = SweepReport {
                    schema_version: SCHEMA_VERSION,
                    environment: environment.clone(),
                    cells: self.lines,
                };
                self.results.line(&serde_json::to_string_pretty(&report).map_err(Failure::run)?)
            }
            SweepFormat::Jsonl | SweepFormat::Csv => Ok(()),
        }
    }
}
