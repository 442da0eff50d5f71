//! From a path to its files.

use std::cmp::Ordering;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::lake;
use crate::error::{DatasetError, Result};
use crate::nearest::nearest;
use crate::sidecar;

/// Files in reading order, and the folder under which partition folders count.
pub(super) struct Listing {
    pub(super) files: Vec<PathBuf>,
    pub(super) base: PathBuf,
}

pub(super) fn list(path: &Path) -> Result<Listing> {
    let mut files = Vec::new();
    let base = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            walk(path, &mut files)?;
            path.to_owned()
        }
        Ok(metadata) => {
            is_regular(path, &metadata)?;
            files.push(path.to_owned());
            path.parent().unwrap_or(Path::new("")).to_owned()
        }
        Err(_) if is_pattern(path) => glob(path, &mut files)?,
        Err(e) => return Err(unreachable(path, e)),
    };
    lake::refuse(path, &files)?;
    if files.is_empty() {
        return Err(DatasetError::EmptyFolder { path: path.to_owned() });
    }
    files.sort_by(|a, b| in_order(a, b));
    files.dedup();
    Ok(Listing { files, base })
}

/// Refuses what is no file: waiting for a named pipe could last for ever.
fn is_regular(path: &Path, metadata: &Metadata) -> Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    #[cfg(unix)]
    let what = {
        use std::os::unix::fs::FileTypeExt;
        match metadata.file_type() {
            kind if kind.is_fifo() => "a named pipe",
            kind if kind.is_socket() => "a socket",
            _ => "a device",
        }
    };
    #[cfg(not(unix))]
    let what = "a device";
    Err(DatasetError::NotAFile { path: path.to_owned(), what })
}

/// Why nothing was found at `path`.
fn unreachable(path: &Path, error: std::io::Error) -> DatasetError {
    // The path itself may be the link, or a folder on the way.
    for part in path.ancestors().filter(|part| !part.as_os_str().is_empty()) {
        let (Ok(to), Err(error)) = (fs::read_link(part), fs::metadata(part)) else { continue };
        let problem = match error.kind() {
            ErrorKind::NotFound => "does not exist",
            ErrorKind::PermissionDenied => break,
            _ => "leads back to itself",
        };
        return DatasetError::DanglingLink { path: part.to_owned(), to, problem };
    }
    match error.kind() {
        ErrorKind::NotFound => not_found(path),
        _ => DatasetError::io(path, "open", error),
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let io = |e| DatasetError::io(folder, "list", e);
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if is_skipped(&path) {
            continue;
        }
        add(path, files)?;
    }
    Ok(())
}

/// Adds a file, or those of a folder. Follows links, as opening would.
fn add(path: PathBuf, files: &mut Vec<PathBuf>) -> Result<()> {
    let metadata = fs::metadata(&path).map_err(|e| unreachable(&path, e))?;
    if metadata.is_dir() {
        return walk(&path, files);
    }
    is_regular(&path, &metadata)?;
    files.push(path);
    Ok(())
}

fn is_skipped(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
    name.starts_with(['.', '_']) || name.ends_with(".tmp") || sidecar::is_sidecar(path)
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

fn glob(path: &Path, files: &mut Vec<PathBuf>) -> Result<PathBuf> {
    let pattern = path.to_string_lossy().into_owned();
    let bad = |message: String| DatasetError::Glob { pattern: pattern.clone(), message };
    let found = glob::glob(&pattern).map_err(|e| bad(format!("not a glob: {e}")))?;
    let base: PathBuf =
        path.components().take_while(|c| !is_pattern(Path::new(c.as_os_str()))).collect();
    for entry in found {
        let path = entry.map_err(|e| bad(format!("cannot list: {e}")))?;
        // Only what the pattern left open may be skipped.
        let below = path.strip_prefix(&base).unwrap_or(&path);
        if below.components().any(|c| is_skipped(Path::new(c.as_os_str()))) {
            continue;
        }
        add(path, files)?;
    }
    if files.is_empty() {
        return Err(bad("matches no file; check the pattern and the folder".to_owned()));
    }
    Ok(base)
}

fn not_found(path: &Path) -> DatasetError {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let names: Vec<String> = fs::read_dir(parent)
        .map(|entries| {
            let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
            names.collect()
        })
        .unwrap_or_default();
    DatasetError::NotFound {
        path: path.to_owned(),
        hint: nearest(&name, names.iter().map(String::as_str)),
    }
}

/// Path order: parts byte by byte, numeric values of one partition as numbers.
fn in_order(a: &Path, b: &Path) -> Ordering {
    let (mut left, mut right) = (a.components(), b.components());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => return part_order(x, y),
        }
    }
}

fn part_order(a: Component<'_>, b: Component<'_>) -> Ordering {
    let (x, y) = (a.as_os_str().to_string_lossy(), b.as_os_str().to_string_lossy());
    if let (Some((k, v)), Some((l, w))) = (x.split_once('='), y.split_once('='))
        && k == l
        && let (Ok(v), Ok(w)) = (v.parse::<i64>(), w.parse::<i64>())
    {
        return v.cmp(&w).then_with(|| x.cmp(&y));
    }
    x.cmp(&y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_numbers_are_ordered_as_numbers() {
        let mut paths = ["d/h=10/a", "d/h=2/b", "d/h=2/a", "d/h=-1/z", "d/part-10", "d/part-2"]
            .map(PathBuf::from);
        paths.sort_by(|a, b| in_order(a, b));
        let expected = ["d/h=-1/z", "d/h=2/a", "d/h=2/b", "d/h=10/a", "d/part-10", "d/part-2"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }
}
