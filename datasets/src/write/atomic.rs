//! A file that appears whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::compression::{Compression, uncompressed_name};
use crate::error::{DatasetError, Result};

/// Temporary names of the files that are being written by this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of names is whole after every step.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the unfinished files of this process; for a process that ends without
/// dropping its values, as on Ctrl-C.
pub fn remove_unfinished() {
    for temporary in unfinished().drain(..) {
        // Not reported: the file was unfinished anyway.
        let _ = fs::remove_file(temporary);
    }
}

/// Every file system takes names of up to this many bytes.
const SHORT: usize = 100;

/// The beginning of `stem` that, with `more` bytes, is a name no longer than one
/// of `len` bytes, which the file system takes.
fn shortened(stem: &OsStr, len: usize, more: usize) -> OsString {
    if stem.len() + more <= len.max(SHORT) {
        return stem.to_owned();
    }
    let mut stem = stem.to_string_lossy().into_owned();
    let mut end = len.max(SHORT).saturating_sub(more).min(stem.len());
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    stem.truncate(end);
    stem.into()
}

/// A new file next to `path`, under a name that no other writer has, not even one
/// of the same process number on another machine.
fn create_next_to(path: &Path, name: &OsStr) -> io::Result<(PathBuf, File)> {
    for attempt in 0_u32.. {
        let end = format!(".{}-{attempt}.tmp", std::process::id());
        let mut hidden = OsString::from(".");
        hidden.push(shortened(name, name.len(), 1 + end.len()));
        hidden.push(end);
        let temporary = path.with_file_name(hidden);
        // Readable too, so that a file that could not be finished can be cut.
        match File::options().read(true).write(true).create_new(true).open(&temporary) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (temporary, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A file written under a temporary name in the same folder and renamed by
/// [`commit`](AtomicFile::commit). Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    force: bool,
    committed: bool,
}

impl AtomicFile {
    /// Starts a file at `path`, making its folder if need be.
    ///
    /// # Errors
    /// The file exists and `force` is false, or it cannot be created.
    pub fn create(path: &Path, force: bool) -> Result<AtomicFile> {
        let Some(name) = path.file_name() else {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
            return Err(DatasetError::io(path, "create", error));
        };
        if !force && path.exists() {
            return Err(DatasetError::Exists { path: path.to_owned() });
        }
        if path.is_dir() {
            let error = io::Error::new(io::ErrorKind::IsADirectory, "it is a folder");
            return Err(DatasetError::io(path, "create", error));
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|e| DatasetError::io(folder, "create", e))?;
        }
        let (temporary, file) =
            create_next_to(path, name).map_err(|e| DatasetError::io(path, "create", e))?;
        unfinished().push(temporary.clone());
        Ok(AtomicFile { path: path.to_owned(), temporary, file, force, committed: false })
    }

    /// A second handle, for a writer that takes its sink.
    ///
    /// # Errors
    /// The system refused.
    pub fn handle(&self) -> Result<File> {
        self.file.try_clone().map_err(|e| DatasetError::io(&self.path, "create", e))
    }

    /// Its final name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name under which the file is written.
    #[must_use]
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Keeps what is written so far as `NAME.partial.EXTENSION`; returns that
    /// path. What it held before is replaced.
    ///
    /// # Errors
    /// The system refused.
    pub fn keep_partial(mut self) -> Result<PathBuf> {
        let partial = partial_path(&self.path);
        fs::rename(&self.temporary, &partial)
            .map_err(|e| DatasetError::io(&partial, "write", e))?;
        self.committed = true;
        Ok(partial)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// It exists by now and `force` is false, or the system refused.
    pub fn commit(mut self) -> Result<()> {
        self.try_commit()
    }

    /// As [`commit`](AtomicFile::commit); after an error the content is still
    /// there, under its temporary name.
    ///
    /// # Errors
    /// As `commit`.
    pub fn try_commit(&mut self) -> Result<()> {
        self.file.flush().map_err(|e| DatasetError::io(&self.path, "write", e))?;
        let io = |e| DatasetError::io(&self.path, "write", e);
        if self.force {
            fs::rename(&self.temporary, &self.path).map_err(io)?;
        } else {
            // Unlike a rename, a link never replaces a file made meanwhile.
            match fs::hard_link(&self.temporary, &self.path) {
                Ok(()) => fs::remove_file(&self.temporary).map_err(io)?,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(DatasetError::Exists { path: self.path.clone() });
                }
                // File systems without links.
                Err(_) => fs::rename(&self.temporary, &self.path).map_err(io)?,
            }
        }
        self.committed = true;
        Ok(())
    }
}

/// `rows.partial.parquet` for `rows.parquet`, `rows.partial.csv.gz` for
/// `rows.csv.gz`.
fn partial_path(path: &Path) -> PathBuf {
    let packing = Compression::from_path(path).and(path.extension());
    let plain = uncompressed_name(path);
    let mut end = OsString::new();
    for extension in [Some("partial".as_ref()), plain.extension(), packing].into_iter().flatten() {
        end.push(".");
        end.push(extension);
    }
    let len = path.file_name().unwrap_or_default().len();
    let mut name = shortened(plain.file_stem().unwrap_or_default(), len, end.len());
    name.push(end);
    path.with_file_name(name)
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        unfinished().retain(|temporary| *temporary != self.temporary);
        if !self.committed {
            // Not reported: the file was unfinished anyway.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
