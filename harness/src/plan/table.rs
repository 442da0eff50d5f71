//! A table over time: its contents, and when each is in force.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arrow::datatypes::SchemaRef;
use streamjoin_datasets::ReadOptions;

use super::feed::{Feed, FeedRows};
use crate::error::{Failure, Result};
use crate::scenario::{Located, Refresh, RowSource, TableJoin, Version, VersionStart};

/// The contents of one table, opened and checked against each other.
#[derive(Clone, Debug)]
pub struct Table {
    /// Contents in the order of the scenario; never empty.
    pub versions: Vec<TableVersion>,
    /// Whether the table is checked again before each batch.
    pub refresh: Refresh,
    options: ReadOptions,
}

/// One content of a table.
#[derive(Clone, Debug)]
pub struct TableVersion {
    /// From when on it is in force; `None`: always.
    pub from: Option<VersionStart>,
    /// The rows.
    pub feed: Feed,
    /// Where they are, for reading them again; `None` for those that are not in files.
    pub path: Option<PathBuf>,
}

impl Table {
    /// Opens every version of the table.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage
    /// failure for everything that the scenario says wrongly.
    pub(super) fn open(spec: &TableJoin) -> Result<Self> {
        let name = &spec.name;
        let Some(versions) = &spec.versions else {
            return Err(name.refuse(format!(
                "dimension `{}` needs one of `table`, `versions` and `generator`",
                name.value
            )));
        };
        ascending(versions)?;
        let opened = versions.iter().map(|version| {
            let feed = Feed::of(&version.source, &spec.reading, version.place())?;
            let path = match &version.source {
                RowSource::Files(path) => Some(path.clone()),
                RowSource::Generated(_) | RowSource::Memory(_) => None,
            };
            Ok(TableVersion { from: version.from, feed, path })
        });
        let versions: Vec<TableVersion> = opened.collect::<Result<_>>()?;
        let Some(first) = versions.first() else {
            return Err(name.refuse(format!(
                "dimension `{}`: `versions` is empty: name at least one table",
                name.value
            )));
        };
        let schema = first.feed.schema();
        for version in &versions[1..] {
            same_columns(&schema, &version.feed.schema()).map_err(|message| {
                name.refuse(format!("{}: {message}", version.feed.describe()))
            })?;
        }
        Ok(Self { versions, refresh: spec.refresh, options: spec.reading.options.clone() })
    }

    /// Columns of the table as it is read.
    pub fn schema(&self) -> SchemaRef {
        self.versions[0].feed.schema()
    }

    /// Whether a version starts at an event time.
    pub fn follows_time(&self) -> bool {
        self.versions.iter().any(|version| matches!(version.from, Some(VersionStart::Time(_))))
    }

    /// The version in force in batch `batch`, which starts at event time
    /// `time`: the last listed of those that have started, or the first of all
    /// while none has.
    pub fn in_force(&self, batch: u64, time: Option<i64>) -> usize {
        let started = |from: &Option<VersionStart>| match from {
            None => true,
            Some(VersionStart::Batch(start)) => *start <= batch,
            Some(VersionStart::Time(start)) => time.is_some_and(|time| *start <= time),
        };
        self.versions.iter().rposition(|version| started(&version.from)).unwrap_or(0)
    }

    /// Opens a version's files again.
    ///
    /// # Errors
    /// A run failure when they are gone, cannot be read, or have other columns now.
    pub fn reopen(&self, version: usize) -> Result<Feed> {
        let version = &self.versions[version];
        let Some(path) = &version.path else { return Ok(version.feed.clone()) };
        let feed =
            Feed::open(path, &self.options).map_err(|failure| Failure::run(failure.message))?;
        same_columns(&self.schema(), &feed.schema())
            .map_err(|message| Failure::run(format!("{}: {message}", feed.describe())))?;
        Ok(feed)
    }
}

/// Refuses a version that would never be in force: one that starts no later
/// than one listed before it.
fn ascending(versions: &[Located<Version>]) -> Result<()> {
    for (before, version) in versions.iter().zip(versions.iter().skip(1)) {
        let late = match (before.from, version.from) {
            (Some(VersionStart::Batch(before)), Some(VersionStart::Batch(this))) => before < this,
            (Some(VersionStart::Time(before)), Some(VersionStart::Time(this))) => before < this,
            // Batches and times meet in any order.
            _ => true,
        };
        if !late {
            return Err(version.refuse(
                "this version starts no later than the one listed before it, which would never be in force: list versions in the order in which they start",
            ));
        }
    }
    Ok(())
}

/// Refuses a table whose columns are not those of the first version.
fn same_columns(first: &SchemaRef, other: &SchemaRef) -> Result<(), String> {
    for field in first.fields() {
        match other.field_with_name(field.name()) {
            Ok(found) if found.data_type() == field.data_type() => {}
            Ok(found) => {
                return Err(format!(
                    "column `{}` is {} here and {} in the first version: all versions of a table have the same columns",
                    field.name(),
                    found.data_type(),
                    field.data_type()
                ));
            }
            Err(_) => {
                return Err(format!(
                    "column `{}` of the first version is missing: all versions of a table have the same columns",
                    field.name()
                ));
            }
        }
    }
    Ok(())
}

/// Names, sizes, times and identities of a table's files: another fingerprint
/// means that the table has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(Vec<(PathBuf, u64, Option<SystemTime>, u64)>);

impl Fingerprint {
    /// Of the files at `path` now. A folder is listed again; of a glob, the
    /// files that `feed` was opened with are taken.
    ///
    /// # Errors
    /// A run failure when a file is gone.
    pub fn take(path: &Path, feed: &Feed) -> Result<Self> {
        let mut entries = Vec::new();
        if path.exists() {
            collect(path, &mut entries)?;
        } else if let FeedRows::Recording(source) = &feed.from {
            for file in source.files() {
                collect(file, &mut entries)?;
            }
        }
        entries.sort();
        Ok(Self(entries))
    }
}

fn collect(path: &Path, into: &mut Vec<(PathBuf, u64, Option<SystemTime>, u64)>) -> Result<()> {
    let at = |error: std::io::Error| Failure::run(error).at(path.display());
    let metadata = std::fs::metadata(path).map_err(at)?;
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).map_err(at)? {
            collect(&entry.map_err(at)?.path(), into)?;
        }
        return Ok(());
    }
    into.push((path.to_owned(), metadata.len(), metadata.modified().ok(), identity(&metadata)));
    Ok(())
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> u64 {
    0
}
