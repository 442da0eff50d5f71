//! A dimension while a pass runs: which content is loaded, and since when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_kernels::{TableSnapshot, stream_static};

use super::background_build::{BackgroundBuild, Built, Wanted};
use crate::error::{Failure, Result};
use crate::interrupt;
use crate::plan::{Feed, Fingerprint, TableJoinPlan, blame_table, read_table};
use crate::record::DimensionProgress;
use crate::replay::observe::TableSeen;
use crate::scenario::{Refresh, Swap};

/// What is loaded of one dimension.
#[derive(Debug)]
pub(crate) struct LiveTable<'p> {
    plan: &'p TableJoinPlan,
    schema: SchemaRef,
    swap: Swap,
    loaded: Option<Loaded>,
    /// Contents loaded so far.
    loads: u64,
    /// The build of the open batch, if it made one.
    rebuilt: Option<Duration>,
    pub(crate) build_time: Duration,
    peak_bytes: usize,
    /// Rows of all indexes that were built.
    pub(crate) indexed_rows: u64,
    /// Builds the indexes that are swapped in; none where none is.
    behind: Option<BackgroundBuild>,
    /// Warnings about the table that were not reported yet.
    warnings: Vec<String>,
    warned: bool,
    pub(crate) seen: TableSeen,
}

#[derive(Debug)]
struct Loaded {
    version: usize,
    fingerprint: Option<Fingerprint>,
    snapshot: Arc<TableSnapshot>,
    since: Instant,
}

impl<'p> LiveTable<'p> {
    pub(crate) fn new(
        plan: &'p TableJoinPlan,
        swap: Swap,
        behind: Option<BackgroundBuild>,
    ) -> Self {
        Self {
            plan,
            schema: plan.table.schema(),
            loaded: None,
            loads: 0,
            rebuilt: None,
            build_time: Duration::ZERO,
            peak_bytes: 0,
            indexed_rows: 0,
            swap,
            behind,
            warnings: Vec::new(),
            warned: false,
            seen: TableSeen::default(),
        }
    }

    /// Brings the table to the content in force in batch `batch`, which starts
    /// at event time `time`: whole or not at all.
    pub(crate) fn refresh(
        &mut self,
        join: &stream_static::Join,
        batch: u64,
        time: Option<i64>,
    ) -> Result<()> {
        self.rebuilt = None;
        self.load_in_force(join, batch, time)?;
        self.swap_in(join)?;
        if let Some(behind) = &mut self.behind {
            behind.start();
        }
        Ok(())
    }

    /// Swaps in an index that was built behind the one in use, if one is ready.
    fn swap_in(&mut self, join: &stream_static::Join) -> Result<()> {
        let Some(behind) = &mut self.behind else { return Ok(()) };
        let served = self.rebuilt.is_none();
        let built = behind.ready(served).map_err(|failure| self.behind_failed(failure))?;
        let Some(Built { load, snapshot }) = built else { return Ok(()) };
        self.count(&snapshot, self.bytes());
        if let Some(loaded) = &mut self.loaded
            && load == self.loads
        {
            self.rebuilt = Some(snapshot.build_time());
            join.swap(Arc::clone(&snapshot)).map_err(Failure::run)?;
            loaded.snapshot = snapshot;
        }
        Ok(())
    }

    fn load_in_force(
        &mut self,
        join: &stream_static::Join,
        batch: u64,
        time: Option<i64>,
    ) -> Result<()> {
        let table = &self.plan.table;
        let once = table.refresh == Refresh::Once;
        if once && self.loaded.is_some() {
            return Ok(());
        }
        let version = table.in_force(batch, time);
        let fingerprint = if once { None } else { self.fingerprint(version)? };
        if let Some(loaded) = &self.loaded
            && loaded.version == version
            && loaded.fingerprint == fingerprint
        {
            return Ok(());
        }
        // The first look takes what planning opened; later ones take what is there now.
        let feed = match &self.loaded {
            None if once => Ok(table.versions[version].feed.clone()),
            _ => table.reopen(version),
        };
        feed.and_then(|feed| self.load(join, &feed, (version, fingerprint), batch)).map_err(
            |failure| {
                let doing = if self.loads == 0 { "loading" } else { "reloading" };
                failure.at(format!("{doing} dimension `{}`", self.plan.name))
            },
        )
    }

    fn fingerprint(&self, version: usize) -> Result<Option<Fingerprint>> {
        let table = &self.plan.table;
        let opened = &table.versions[version];
        let Some(path) = opened.path.as_deref() else { return Ok(None) };
        let taken = if path.exists() {
            Fingerprint::take(path, &opened.feed)
        } else {
            // A glob: which files it means now is found by opening it again.
            table.reopen(version).and_then(|feed| Fingerprint::take(path, &feed))
        };
        taken
            .map(Some)
            .map_err(|failure| failure.at(format!("looking at dimension `{}`", self.plan.name)))
    }

    fn load(
        &mut self,
        join: &stream_static::Join,
        feed: &Feed,
        (version, fingerprint): (usize, Option<Fingerprint>),
        batch: u64,
    ) -> Result<()> {
        let rows = read_table(feed, &self.schema, &self.plan.kernel.table)?;
        // Declared versions are numbered as the scenario lists them, reloads of
        // one table in the order in which they were seen.
        let number = if self.plan.table.versions.len() > 1 { version as u64 } else { self.loads };
        let build = |rows: &[RecordBatch]| match self.swap {
            Swap::Now => join.build(rows, number).map(|snapshot| (snapshot, true)),
            Swap::Never | Swap::Background => join.build_first(rows, number),
        };
        let build = |rows: &[RecordBatch]| build(rows).map_err(interrupt::build_failed);
        let (snapshot, is_last) = build(&rows).map_err(|failure| {
            if failure.kind.was_asked_for() {
                return failure;
            }
            let columns = &self.plan.kernel.table;
            blame_table(feed, &self.schema, columns, |rows| build(rows).map(|_| ()))
                .unwrap_or(failure)
        })?;
        self.loads += 1;
        self.seen.loaded(&snapshot, self.loads, version, batch);
        self.rebuilt = Some(snapshot.build_time());
        join.swap(Arc::clone(&snapshot)).map_err(Failure::run)?;
        self.count(&snapshot, 0);
        self.loaded = Some(Loaded { version, fingerprint, snapshot, since: Instant::now() });
        if let Some(behind) = &mut self.behind {
            behind.want((!is_last).then_some(Wanted { load: self.loads, number, rows }));
        }
        Ok(())
    }

    /// Counts a snapshot that was built while another one of this many bytes was
    /// in use.
    fn count(&mut self, snapshot: &TableSnapshot, beside: usize) {
        self.build_time += snapshot.build_time();
        self.indexed_rows += snapshot.rows() as u64;
        self.peak_bytes = self.peak_bytes.max(beside + snapshot.bytes());
        self.seen.built(snapshot);
        if !self.warned && !snapshot.notes().is_empty() {
            // Once: the contents of a changing table are all odd in the same way.
            self.warned = true;
            let named = |note: &String| format!("dimension `{}`: {note}", self.plan.name);
            self.warnings.extend(snapshot.notes().iter().map(named));
        }
    }

    /// Waits for what is still built behind: it is counted, and its failure is one.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let Some(behind) = &mut self.behind else { return Ok(()) };
        let built = behind.wait().map_err(|failure| self.behind_failed(failure))?;
        if let Some(Built { snapshot, .. }) = built {
            self.count(&snapshot, self.bytes());
        }
        Ok(())
    }

    /// Warnings that were not reported yet.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    fn behind_failed(&self, failure: Failure) -> Failure {
        failure.at(format!("building another index of dimension `{}`", self.plan.name))
    }

    /// Bytes of the loaded table.
    fn bytes(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.snapshot.bytes())
    }

    /// Greatest size of the table.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak_bytes as u64
    }

    /// As progress records have it.
    pub(crate) fn progress(&self) -> DimensionProgress {
        let Some(loaded) = &self.loaded else {
            return DimensionProgress { name: self.plan.name.clone(), ..Default::default() };
        };
        DimensionProgress {
            name: self.plan.name.clone(),
            version: loaded.snapshot.version(),
            age_ms: loaded.since.elapsed().as_secs_f64() * 1e3,
            rows: loaded.snapshot.rows() as u64,
            bytes: loaded.snapshot.bytes() as u64,
            rebuilt_ms: self.rebuilt.map(|time| time.as_secs_f64() * 1e3),
            index: loaded.snapshot.index_name().to_owned(),
        }
    }
}

#[cfg(test)]
#[path = "live_table_tests.rs"]
mod tests;
