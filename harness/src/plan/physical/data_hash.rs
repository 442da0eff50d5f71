//! One value that stands for everything that a plan reads.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};
use streamjoin_datasets::{
    FileDigest, FileFormat, Sidecar, Source, sha256_file, sidecar_path, to_hex,
};

use super::plan::Plan;
use crate::error::{Failure, Result};
use crate::plan::feed::{Feed, FeedRows};

impl Plan {
    /// SHA-256 over what is read, stream first, then tables: the digests that
    /// files have in their sidecars, and the settings of generators. `None`
    /// where a file has no sidecar, or has another size than it says, and for
    /// rows in memory.
    pub fn data_hash(&self) -> Option<String> {
        let mut hasher = Sha256::new();
        for feed in self.feeds() {
            match &feed.from {
                FeedRows::Recording(source) => {
                    for file in source.files() {
                        hasher.update(digest(source, file)?.sha256);
                        hasher.update("\n");
                    }
                }
                FeedRows::Generated(generator) => {
                    hasher.update(serde_json::to_string(generator).ok()?);
                    hasher.update("\n");
                }
                FeedRows::Memory(_) => return None,
            }
        }
        Some(to_hex(&hasher.finalize()))
    }

    /// SHA-256 of what each stream and table reads, by its name: of the contents
    /// of its files in their order, whatever sidecars say, or of the settings of
    /// its generator. Files' names do not count, but partition folders do, whose
    /// values are a column. Of text files, whose types are declared, in a sidecar
    /// or guessed, also of the columns, under the name `types of NAME`.
    ///
    /// # Errors
    /// A run failure for a file that cannot be read; a usage failure for rows in memory.
    pub fn data_digests(&self) -> Result<BTreeMap<String, String>> {
        let streams = match self {
            Self::StreamStatic(plan) => vec![&plan.stream],
            Self::StreamStream(plan) => vec![&plan.left.stream, &plan.right.stream],
        };
        let streams = streams.into_iter().map(|stream| (&stream.name, vec![&stream.feed]));
        let tables = self.joins().iter().map(|join| {
            let versions = join.table.versions.iter();
            (&join.name, versions.map(|version| &version.feed).collect())
        });
        let mut digests = BTreeMap::new();
        for (name, feeds) in streams.chain(tables) {
            digests.insert(name.clone(), contents(&feeds)?);
            if let Some(types) = types(&feeds)? {
                digests.insert(format!("{TYPES_OF}{name}"), types);
            }
        }
        Ok(digests)
    }
}

/// What stands before a name whose digest is that of its columns.
pub(crate) const TYPES_OF: &str = "types of ";

/// Columns of text files; none where all files know their types themselves.
fn types(feeds: &[&Feed]) -> Result<Option<String>> {
    let mut hasher = None;
    for feed in feeds {
        if let FeedRows::Recording(source) = &feed.from
            && matches!(source.format(), FileFormat::Csv | FileFormat::JsonLines)
        {
            let columns = serde_json::to_string(&Sidecar::columns(source.schema()));
            hasher.get_or_insert_with(Sha256::new).update(columns.map_err(Failure::run)?);
        }
    }
    Ok(hasher.map(|hasher| to_hex(&hasher.finalize())))
}

fn contents(feeds: &[&Feed]) -> Result<String> {
    let mut hasher = Sha256::new();
    for feed in feeds {
        match &feed.from {
            FeedRows::Recording(source) => {
                for file in source.files() {
                    for folder in partitions(source.origin(), file) {
                        hasher.update(folder);
                        hasher.update("\n");
                    }
                    hasher.update(sha256_file(file).map_err(Failure::run)?.sha256);
                    hasher.update("\n");
                }
            }
            FeedRows::Generated(generator) => {
                hasher.update(serde_json::to_string(generator).map_err(Failure::run)?);
                hasher.update("\n");
            }
            FeedRows::Memory(_) => {
                return Err(Failure::usage("rows in memory have no digest: name a recording"));
            }
        }
    }
    Ok(to_hex(&hasher.finalize()))
}

/// The folders `key=value` on the way from what was asked for to a file.
fn partitions(origin: &Path, file: &Path) -> Vec<String> {
    let shared = origin.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let folders = file.parent().into_iter().flat_map(Path::components).skip(shared);
    folders
        .map(|folder| folder.as_os_str().to_string_lossy().into_owned())
        .filter(|folder| folder.find('=').is_some_and(|at| at > 0))
        .collect()
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
