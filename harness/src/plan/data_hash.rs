//! One value that stands for everything that a plan reads.

use std::path::Path;

use sha2::{Digest, Sha256};
use streamjoin_datasets::{FileDigest, Sidecar, Source, sidecar_path};

use super::{Feed, Plan};

impl Plan {
    /// SHA-256 over what is read, stream first, then tables: the digests that
    /// files have in their sidecars, and the settings of generators. `None`
    /// where a file has no sidecar, or has another size than it says.
    #[must_use]
    pub fn data_hash(&self) -> Option<String> {
        let mut hasher = Sha256::new();
        for feed in self.feeds() {
            match feed {
                Feed::Recording(source) => {
                    for file in source.files() {
                        hasher.update(digest(source, file)?.sha256);
                        hasher.update("\n");
                    }
                }
                Feed::Generated(generator) => {
                    hasher.update(serde_json::to_string(generator).ok()?);
                    hasher.update("\n");
                }
            }
        }
        Some(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// What the sidecar of a file, or of the recording that it is part of, says.
fn digest(source: &Source, file: &Path) -> Option<FileDigest> {
    let said = [file, source.origin()].into_iter().find_map(|sealed| {
        let sidecar = Sidecar::of(sealed).ok()??;
        let folder = sidecar_path(sealed).parent()?.to_owned();
        sidecar.files.into_iter().find(|digest| folder.join(&digest.path) == file)
    })?;
    (std::fs::metadata(file).ok()?.len() == said.bytes).then_some(said)
}
