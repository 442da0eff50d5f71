//! Where a command may write: never over a file that it reads.

use std::fs;
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::error::{Failure, Result};
use crate::plan::Plan;
use crate::scenario::Scenario;
use crate::sink::SinkSpec;

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
