//! A dimension table over time: its contents, and when each is in force.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_datasets::{ReadOptions, SourceBatch};
use toml::Spanned;

use super::bind::relation::Prepare;
use super::feed::{Feed, FeedSpec};
use super::projector::Projector;
use crate::error::{Failure, Result};
use crate::failing_row::first_failing_row;
use crate::scenario::{DimensionSpec, Refresh, Scenario, VersionSpec, VersionStart};

/// The contents of one dimension, opened and checked against each other.
#[derive(Clone, Debug)]
pub struct Table {
    /// Contents in the order of the scenario; never empty.
    pub versions: Vec<TableVersion>,
    /// Whether the table is looked at again before each batch.
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

/// Makes a join's table side from the rows of a relation.
#[derive(Clone, Debug)]
pub struct TableColumns {
    /// The relation's rows.
    pub rows: Prepare,
    /// The same with computed keys.
    pub keys: Projector,
}

impl TableColumns {
    /// A join's table side of rows as they are read.
    fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = self.rows.apply(batch.clone()).map_err(Failure::run)?;
        self.keys.apply(&rows).map_err(Failure::run)
    }
}

impl Table {
    /// Opens every version that a dimension names.
    ///
    /// # Errors
    /// A run failure for files that are missing or cannot be read, a usage
    /// failure for everything that the scenario says wrongly.
    pub fn open(spec: &DimensionSpec, scenario: &Scenario) -> Result<Self> {
        let feed_spec = FeedSpec {
            format: spec.format.as_ref(),
            schema: spec.schema.as_ref(),
            csv: spec.csv.as_ref(),
            // Dimensions are read, not mapped: a table file may be replaced at any time.
            mmap: false,
        };
        let options = feed_spec.options(scenario)?;
        let one = |path: &str, from, place: String| -> Result<TableVersion> {
            if let Some(rows) = scenario.in_memory.get(path) {
                let feed = Feed::Memory(rows.clone());
                feed_spec.check(&feed, scenario)?;
                return Ok(TableVersion { from, feed, path: None });
            }
            let path = scenario.path(path);
            let feed = Feed::open(&path, &options).map_err(|failure| failure.at(place))?;
            feed_spec.check(&feed, scenario)?;
            Ok(TableVersion { from, feed, path: Some(path) })
        };
        let versions = match (&spec.table, &spec.generator, &spec.versions) {
            (Some(table), None, None) => vec![one(table.get_ref(), None, scenario.place(table))?],
            (None, Some(generator), None) => {
                let feed = Feed::generated(generator.get_ref())
                    .map_err(|failure| failure.at(scenario.place(generator)))?;
                feed_spec.check(&feed, scenario)?;
                vec![TableVersion { from: None, feed, path: None }]
            }
            (None, None, Some(versions)) => {
                ascending(versions, scenario)?;
                let opened = versions.iter().map(|version| {
                    let spec = version.get_ref();
                    one(&spec.table, Some(spec.from), scenario.place(version))
                });
                opened.collect::<Result<_>>()?
            }
            _ => {
                return Err(Failure::usage(format!(
                    "dimension `{}` needs one of `table`, `versions` and `generator`",
                    spec.name.get_ref()
                ))
                .at(scenario.place(&spec.name)));
            }
        };
        let Some(first) = versions.first() else {
            return Err(Failure::usage(format!(
                "dimension `{}`: `versions` is empty: name at least one table",
                spec.name.get_ref()
            ))
            .at(scenario.place(&spec.name)));
        };
        let schema = first.feed.schema();
        for version in &versions[1..] {
            same_columns(&schema, &version.feed.schema()).map_err(|message| {
                Failure::usage(format!("{}: {message}", version.feed.describe()))
                    .at(scenario.place(&spec.name))
            })?;
        }
        let default = if spec.versions.is_some() { Refresh::EveryBatch } else { Refresh::Once };
        let refresh = spec.refresh.as_ref().map_or(default, |refresh| *refresh.get_ref());
        Ok(Self { versions, refresh, options })
    }

    /// Columns of the table as it is read.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.versions[0].feed.schema()
    }

    /// Whether a version starts at an event time.
    #[must_use]
    pub fn follows_time(&self) -> bool {
        self.versions.iter().any(|version| matches!(version.from, Some(VersionStart::Time(_))))
    }

    /// The version in force in batch `batch`, which starts at event time
    /// `time`: the last listed of those that have started, or the first of all
    /// while none has.
    #[must_use]
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

/// Reads a table's rows as a join wants them.
///
/// # Errors
/// A run failure that names the file.
pub fn read(feed: &Feed, expected: &SchemaRef, columns: &TableColumns) -> Result<Vec<RecordBatch>> {
    let mut table = Vec::new();
    for batch in feed.read(&wanted(feed, expected, columns)?)? {
        let batch = batch.map_err(Failure::run)?;
        let rows = columns.apply(&batch.batch).map_err(|failure| {
            let rows = batch.batch.num_rows();
            let broken = first_failing_row(rows, |range| {
                columns.apply(&batch.batch.slice(range.start, range.len())).map(|_| ())
            });
            match broken {
                Some((row, failure)) => at_row(feed, &batch, row, failure),
                None => failure.at(feed.file_name(batch.file)),
            }
        })?;
        table.push(rows);
    }
    Ok(table)
}

/// A table's rows as a join wants them, batch after batch.
///
/// # Errors
/// A run failure that names the file; so has each batch.
pub fn scan<'t>(
    feed: &Feed,
    expected: &SchemaRef,
    columns: &'t TableColumns,
) -> Result<impl Iterator<Item = Result<RecordBatch>> + 't> {
    let batches = feed.read(&wanted(feed, expected, columns)?)?;
    Ok(batches.map(|batch| columns.apply(&batch.map_err(Failure::run)?.batch)))
}

/// Which row of a table that could be read made `build` fail; `None` where no
/// row alone does.
pub fn blame(
    feed: &Feed,
    expected: &SchemaRef,
    columns: &TableColumns,
    build: impl Fn(&[RecordBatch]) -> Result<()>,
) -> Option<Failure> {
    let batches = feed.read(&wanted(feed, expected, columns).ok()?).ok()?;
    batches.map_while(Result::ok).find_map(|batch| {
        let attempt = |range: Range<usize>| {
            let rows = columns.apply(&batch.batch.slice(range.start, range.len()))?;
            build(&[rows])
        };
        let rows = batch.batch.num_rows();
        attempt(0..rows).err()?;
        let (row, failure) = first_failing_row(rows, attempt)?;
        Some(at_row(feed, &batch, row, failure))
    })
}

fn at_row(feed: &Feed, batch: &SourceBatch, row: usize, failure: Failure) -> Failure {
    let row = batch.first_row + row as u64;
    failure.at(format!("{}, row {row} (from 0)", feed.file_name(batch.file)))
}

/// Positions in `feed` of the columns that a join wants.
fn wanted(feed: &Feed, expected: &SchemaRef, columns: &TableColumns) -> Result<Vec<usize>> {
    let schema = feed.schema();
    // Another version may hold its columns in another order.
    let mut wanted: Vec<usize> = Vec::with_capacity(columns.rows.read.len());
    for column in columns.rows.read.positions() {
        let position = if schema.fields().get(column).map(|field| field.name())
            == Some(expected.field(column).name())
        {
            column
        } else {
            schema.index_of(expected.field(column).name()).map_err(Failure::run)?
        };
        wanted.push(position);
    }
    Ok(wanted)
}

/// Refuses a version that would never be in force: one that starts no later
/// than one listed before it.
fn ascending(versions: &[Spanned<VersionSpec>], scenario: &Scenario) -> Result<()> {
    for (before, version) in versions.iter().zip(versions.iter().skip(1)) {
        let late = match (before.get_ref().from, version.get_ref().from) {
            (VersionStart::Batch(before), VersionStart::Batch(this)) => before < this,
            (VersionStart::Time(before), VersionStart::Time(this)) => before < this,
            // Batches and times meet in any order.
            _ => true,
        };
        if !late {
            return Err(Failure::usage(
                "this version starts no later than the one listed before it, which would never be in force: list versions in the order in which they start",
            )
            .at(scenario.place(version)));
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

/// What tells whether a table's files have changed: names, sizes, times and
/// identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(Vec<(PathBuf, u64, Option<SystemTime>, u64)>);

impl Fingerprint {
    /// Of the files at `path` now. A folder is listed again; of a glob, the
    /// files that `feed` was opened with are looked at.
    ///
    /// # Errors
    /// A run failure when a file is gone.
    pub fn take(path: &Path, feed: &Feed) -> Result<Self> {
        let mut entries = Vec::new();
        if path.exists() {
            collect(path, &mut entries)?;
        } else if let Feed::Recording(source) = feed {
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
