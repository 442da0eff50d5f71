//! The file of `--csv`.

use std::io::Write;
use std::path::Path;

use streamjoin_datasets::{AtomicFile, DatasetError};

use crate::error::{Failure, Result};

/// A CSV file that is going to be written: whole, or not there.
#[derive(Debug)]
pub(super) struct CsvFile(AtomicFile);

impl CsvFile {
    /// Tells before the run whether it can be written.
    ///
    /// # Errors
    /// A usage failure for a file that exists, without `force`; a run failure
    /// where the system refuses.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self> {
        AtomicFile::create(path, force).map(Self).map_err(|error| match error {
            DatasetError::Exists { .. } => Failure::usage(format!("--csv: {error}")),
            error => Failure::run(format!("--csv: {error}")),
        })
    }

    /// Writes it.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub(super) fn write(mut self, text: &str) -> Result<()> {
        let written = self.0.write_all(text.as_bytes());
        written.map_err(|error| Failure::run(format!("{}: {error}", self.0.path().display())))?;
        self.0.commit().map_err(Failure::run)
    }
}
