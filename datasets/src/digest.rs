//! SHA-256 of files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::error::{DatasetError, Result};
use crate::hex::to_hex;

/// Size and SHA-256 of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSum {
    /// Size.
    pub bytes: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
}

/// Reads a file once for its size and SHA-256.
///
/// # Errors
/// The file is missing or cannot be read.
pub fn sha256_file(path: &Path) -> Result<FileSum> {
    let mut file = File::open(path).map_err(|e| DatasetError::io(path, "open", e))?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut chunk).map_err(|e| DatasetError::io(path, "read", e))?;
        if read == 0 {
            break;
        }
        hasher.update(&chunk[..read]);
        bytes += read as u64;
    }
    Ok(FileSum { bytes, sha256: to_hex(&hasher.finalize()) })
}

/// Sums what is written through its [`writer`](RunningSum::writer).
#[derive(Clone, Default)]
pub(crate) struct RunningSum(Arc<Mutex<(Sha256, u64)>>);

impl RunningSum {
    pub(crate) fn writer<W: Write>(&self, inner: W) -> impl Write + use<W> {
        Summed { inner, sum: self.clone() }
    }

    /// Size and SHA-256 of what was written.
    pub(crate) fn get(&self) -> FileSum {
        let (hasher, bytes) = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        FileSum { bytes, sha256: to_hex(&hasher.finalize()) }
    }
}

struct Summed<W> {
    inner: W,
    sum: RunningSum,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        let mut sum = self.sum.0.lock().unwrap_or_else(PoisonError::into_inner);
        sum.0.update(&bytes[..written]);
        sum.1 += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
