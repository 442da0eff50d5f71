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
    /// JSON lines: one a batch and one a strategy, as they are done
    Jsonl,
    /// CSV: one line a run, or with --find-rate a strategy
    Csv,
}
