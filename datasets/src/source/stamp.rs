//! Noticing that a file changed after the source was opened.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::error::{DatasetError, Result};

/// What a file looked like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Which file the path led to, where the system numbers them.
    identity: Option<(u64, u64)>,
}

impl Stamp {
    pub(super) fn take(path: &Path) -> Result<Stamp> {
        let found = fs::metadata(path).map_err(|e| DatasetError::io(path, "open", e))?;
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Some((found.dev(), found.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Ok(Stamp { bytes: found.len(), modified: found.modified().ok(), identity })
    }

    /// Fails if the path leads to another file now, or to other content.
    pub(super) fn check_before(self, path: &Path) -> Result<()> {
        let now = Stamp::take(path)?;
        match self.identity == now.identity {
            true => self.compare(path, now, "after it was opened"),
            false => {
                let message = "was replaced by another file after it was opened".to_owned();
                Err(DatasetError::Changed { path: path.to_owned(), message })
            }
        }
    }

    /// Fails if the file that was read has changed meanwhile. One that was put
    /// in its place does no harm: the old one was read to its end.
    pub(super) fn check_after(self, path: &Path) -> Result<()> {
        match Stamp::take(path) {
            Ok(now) if self.identity.is_none() || now.identity == self.identity => {
                self.compare(path, now, "while it was read")
            }
            _ => Ok(()),
        }
    }

    fn compare(self, path: &Path, now: Stamp, when: &str) -> Result<()> {
        let message = match now.bytes.cmp(&self.bytes) {
            std::cmp::Ordering::Less => {
                format!("was cut from {} to {} bytes {when}", self.bytes, now.bytes)
            }
            std::cmp::Ordering::Greater => {
                format!("grew from {} to {} bytes {when}", self.bytes, now.bytes)
            }
            std::cmp::Ordering::Equal if now.modified != self.modified => {
                format!("was written to {when}")
            }
            std::cmp::Ordering::Equal => return Ok(()),
        };
        Err(DatasetError::Changed { path: path.to_owned(), message })
    }
}
