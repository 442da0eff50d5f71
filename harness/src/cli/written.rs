//! Files that a run writes: none of them may be one that it reads, and a report
//! replaces nothing but a report.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use streamjoin_datasets::AtomicFile;

use crate::error::{Failure, Result};
use crate::plan::Plan;
use crate::scenario::Scenario;
use crate::sink::SinkSpec;

/// How far into a file a report says that it is one.
const REPORT_HEAD: u64 = 4096;

/// Refuses an output path, or one of the other named ones, that would replace an input, the
/// scenario or another of them, and an output that would become part of a recording.
///
/// # Errors
/// A usage failure that names the path and what it is.
pub(super) fn check(
    scenario: &Scenario,
    plan: &Plan,
    sink: &SinkSpec,
    others: &[(&str, Option<&Path>)],
) -> Result<()> {
    let output = match sink {
        SinkSpec::File { path, .. } if !sink.uses_stdout() => Some(path.as_path()),
        _ => None,
    };
    let named = [("output", output)].into_iter().chain(others.iter().copied());
    let written: Vec<(&str, &Path)> =
        named.filter_map(|(what, path)| Some((what, path?))).collect();
    for &(what, path) in &written {
        let refuse = |that: String| {
            Err(Failure::usage(format!("{what} path {} {that}: choose another", path.display())))
        };
        if same(path, scenario.text.path()) {
            return refuse("is the scenario".to_owned());
        }
        for source in plan.sources() {
            if let Some(read) = source.files().iter().find(|read| same(path, read)) {
                return refuse(format!("is a file that is read ({})", read.display()));
            }
            if source.origin().is_dir() && lies_in(path, source.origin()) {
                return refuse(format!(
                    "lies in the folder that is read as one table ({})",
                    source.origin().display()
                ));
            }
        }
    }
    for (at, (what, path)) in written.iter().enumerate() {
        let same = |(_, other): &&(&str, &Path)| place(other) == place(path);
        if let Some((other, _)) = written[at + 1..].iter().find(same) {
            return Err(Failure::usage(format!(
                "{} cannot hold both {what} and {other}: choose two paths",
                path.display()
            )));
        }
    }
    Ok(())
}

/// A file by its place, whether it is there or not.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Refuses an output that would replace one of the files that are read.
///
/// # Errors
/// A usage failure that names both.
pub(super) fn check_read(output: &Path, files: &[PathBuf]) -> Result<()> {
    match files.iter().find(|read| same(output, read)) {
        None => Ok(()),
        Some(read) => Err(Failure::usage(format!(
            "output path {} is a file that is read ({}): choose another",
            output.display(),
            read.display()
        ))),
    }
}

/// Refuses an output that would replace what stands on standard input.
///
/// # Errors
/// A usage failure that names the path.
pub(super) fn check_stdin(output: &Path) -> Result<()> {
    let (Ok(output_file), Ok(input)) = (Handle::from_path(output), Handle::stdin()) else {
        return Ok(());
    };
    if output_file != input {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "output path {} is the file that is read on standard input: choose another",
        output.display()
    )))
}

/// Whether writing to `path` would replace `read`: links are followed.
fn same(path: &Path, read: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(read)) {
        (Ok(path), Ok(read)) => path == read,
        _ => false,
    }
}

fn lies_in(path: &Path, folder: &Path) -> bool {
    match (place(path), fs::canonicalize(folder)) {
        (Some(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

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
    /// A usage failure for a folder, and without `force` for a file that is no
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
                "report path {} exists and is no report: choose another{or}",
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
