//! The registry of sinks by name.

use std::fmt;
use std::str::FromStr;

use streamjoin_datasets::FileFormat;

use crate::error::{Failure, Result};
use crate::text::nearest::did_you_mean;

/// The kinds of sink, as `format` and `--output-format` name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkFormat {
    /// Counts are kept, rows are not.
    None,
    /// Spark-style tables on standard output.
    Console,
    /// A file, or standard output as `-`.
    File(FileFormat),
}

impl SinkFormat {
    /// Every sink.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Console,
        Self::File(FileFormat::Parquet),
        Self::File(FileFormat::ArrowFile),
        Self::File(FileFormat::ArrowStream),
        Self::File(FileFormat::Csv),
        Self::File(FileFormat::JsonLines),
    ];
}

impl fmt::Display for SinkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Console => f.write_str("console"),
            Self::File(format) => write!(f, "{format}"),
        }
    }
}

impl FromStr for SinkFormat {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(found) = Self::ALL.into_iter().find(|format| format.to_string() == text) {
            return Ok(found);
        }
        let known: Vec<String> = Self::ALL.iter().map(ToString::to_string).collect();
        let hint = did_you_mean(text, known.iter().map(String::as_str));
        let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
        let known = known.join(", ");
        Err(Failure::usage(format!("unknown output format `{text}`{hint} (known: {known})")))
    }
}
