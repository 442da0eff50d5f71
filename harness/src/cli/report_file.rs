//! The file of a report, which replaces nothing but a report.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use streamjoin_datasets::AtomicFile;

use crate::error::{Failure, Result};

/// How many bytes at the start of a file tell whether it is a report.
const REPORT_HEAD: u64 = 4096;

/// A report that is going to be written.
#[derive(Debug)]
pub(super) enum ReportFile {
    /// Whole, or not there.
    File(AtomicFile),
    /// A device or pipe, written in place.
    Special(PathBuf),
}

impl ReportFile {
    /// Tells before the run whether the report can be written.
    ///
    /// # Errors
    /// A usage failure for a folder, and without `force` for a file that is not a
    /// report; a run failure where the system refuses.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self> {
        Self::replacing(path, |path| force || is_report(path), ", or add --force to replace it")
    }

    /// The same for JUnit XML, which replaces nothing but JUnit XML.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub(super) fn junit(path: &Path) -> Result<Self> {
        Self::replacing(path, |path| head(path).contains("<testsuites"), "")
    }

    fn replacing(path: &Path, may: impl FnOnce(&Path) -> bool, or: &str) -> Result<Self> {
        if path.is_dir() || path.file_name().is_none() {
            return Err(Failure::usage(format!(
                "report path {} is a folder: name a file in it",
                path.display()
            )));
        }
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Ok(Self::Special(path.to_owned()));
        }
        if path.exists() && !may(path) {
            return Err(Failure::usage(format!(
                "report path {} exists and is not a report: choose another{or}",
                path.display()
            )));
        }
        AtomicFile::create(path, true).map(Self::File).map_err(Failure::run)
    }

    /// Writes it.
    ///
    /// # Errors
    /// A run failure that names the file.
    pub(super) fn write(self, text: &str) -> Result<()> {
        let at = |path: &Path, error| Failure::run(error).at(format!("report {}", path.display()));
        match self {
            Self::File(mut file) => {
                writeln!(file, "{text}").map_err(|error| at(file.path(), error))?;
                file.commit().map_err(Failure::run)
            }
            Self::Special(path) => {
                fs::write(&path, format!("{text}\n")).map_err(|error| at(&path, error))
            }
        }
    }
}

/// Whether a file looks like a report made before.
fn is_report(path: &Path) -> bool {
    let head = head(path);
    head.starts_with('{') && head.contains("\"schemaVersion\"")
}

/// The beginning of a file; nothing if it cannot be read.
fn head(path: &Path) -> String {
    let mut head = Vec::new();
    match File::open(path).and_then(|file| file.take(REPORT_HEAD).read_to_end(&mut head)) {
        Ok(_) => String::from_utf8_lossy(&head).into_owned(),
        Err(_) => String::new(),
    }
}
