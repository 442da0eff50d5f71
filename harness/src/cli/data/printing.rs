//! How the commands on data print.

use clap::ValueEnum;

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DataFormat {
    /// Tables.
    #[default]
    Human,
    /// One JSON object.
    Json,
}

pub(super) fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
