//! The data folder and the recordings in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{DatasetError, Result};
use crate::format::ReadOptions;
use crate::nearest::nearest;
use crate::sidecar::{Sidecar, is_sidecar};
use crate::source::Source;

/// The environment variable that names the data folder.
pub const DATA_VARIABLE: &str = "STREAMJOIN_DATA";

/// The data folder: `explicit`, else `STREAMJOIN_DATA`, else the first
/// `datasets` folder from the current folder upward that holds recordings.
///
/// # Errors
/// A folder that was named does not exist, or none was found.
pub fn find_data_dir(explicit: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = explicit {
        return named(path, "the folder that was given");
    }
    if let Some(path) = env::var_os(DATA_VARIABLE).filter(|v| !v.is_empty()) {
        return named(Path::new(&path), DATA_VARIABLE);
    }
    let here = env::current_dir().map_err(|e| DatasetError::io(Path::new("."), "list", e))?;
    find_upward(&here).ok_or_else(|| DatasetError::NoDataDir {
        message: format!("no `datasets` folder in {} or above it", here.display()),
    })
}

fn named(path: &Path, what: &str) -> Result<PathBuf> {
    if path.is_dir() {
        return Ok(path.to_owned());
    }
    let message = format!("{what} ({}) is not a folder", path.display());
    Err(DatasetError::NoDataDir { message })
}

fn find_upward(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join("datasets")).find(|folder| holds_recordings(folder))
}

/// Also true for a folder whose subfolders have sidecars, so that a crate or
/// package that is named `datasets` is not taken for data.
fn holds_recordings(folder: &Path) -> bool {
    let entries = |folder: &Path| {
        fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path()))
    };
    entries(folder)
        .any(|path| is_sidecar(&path) || path.is_dir() && entries(&path).any(|p| is_sidecar(&p)))
}

/// A recording or table with a sidecar.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file or folder.
    pub path: PathBuf,
    /// The folder that the sidecar's file paths are relative to.
    pub folder: PathBuf,
    /// What is known about it.
    pub sidecar: Sidecar,
}

impl Recording {
    /// Compares sizes and SHA-256 with the sidecar.
    ///
    /// # Errors
    /// The first file that is missing or differs.
    pub fn verify(&self) -> Result<()> {
        self.sidecar.verify(&self.folder)
    }

    /// Opens the recording.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open(&self, options: &ReadOptions) -> Result<Source> {
        Source::open(&self.path, options)
    }
}

/// The recordings of a data folder, by name.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// The data folder.
    pub folder: PathBuf,
    /// The recordings, sorted by name.
    pub recordings: Vec<Recording>,
}

impl Catalogue {
    /// Reads all sidecars below a data folder.
    ///
    /// # Errors
    /// The folder or a sidecar cannot be read.
    pub fn open(folder: &Path) -> Result<Catalogue> {
        let mut recordings = Vec::new();
        collect(folder, &mut recordings)?;
        recordings.sort_by(|a, b| a.sidecar.name.cmp(&b.sidecar.name));
        Ok(Catalogue { folder: folder.to_owned(), recordings })
    }

    /// The recording of that name.
    ///
    /// # Errors
    /// There is none; the nearest name is suggested.
    pub fn find(&self, name: &str) -> Result<&Recording> {
        let names = || self.recordings.iter().map(|r| r.sidecar.name.as_str());
        self.recordings.iter().find(|r| r.sidecar.name == name).ok_or_else(|| {
            DatasetError::NotFound { path: self.folder.join(name), hint: nearest(name, names()) }
        })
    }
}

fn collect(folder: &Path, into: &mut Vec<Recording>) -> Result<()> {
    let io = |e| DatasetError::io(folder, "list", e);
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if path.is_dir() && !hidden {
            collect(&path, into)?;
        } else if is_sidecar(&path) {
            let sidecar = Sidecar::read(&path)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let data = match name.strip_suffix(".sidecar.json") {
                Some(file) if !name.starts_with('_') => folder.join(file),
                _ => folder.to_owned(),
            };
            into.push(Recording { path: data, folder: folder.to_owned(), sidecar });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_upward_past_folders_without_recordings() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("datasets/nyc");
        let inner = root.path().join("crate/datasets/src");
        fs::create_dir_all(&data).unwrap();
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(find_upward(&inner), None);
        fs::write(data.join("a.csv.sidecar.json"), "{}").unwrap();
        assert_eq!(find_upward(&inner), Some(root.path().join("datasets")));
    }

    #[test]
    fn a_named_folder_must_exist() {
        let error = find_data_dir(Some(Path::new("no/such/folder"))).unwrap_err().to_string();
        assert!(error.contains("no/such/folder"), "{error}");
    }
}
