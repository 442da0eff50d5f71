//! `--format` of `run`.

use clap::ValueEnum;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Tables for people
    #[default]
    Human,
    /// One JSON object: the report
    Json,
    /// JSON lines: one per batch and one per strategy, as they are done
    Jsonl,
    /// CSV: one line per run, or per strategy with --find-rate
    Csv,
}
