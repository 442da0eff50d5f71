//! SHA-256 of files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{DatasetError, Result};

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
    let sha256 = hasher.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok(FileSum { bytes, sha256 })
}
