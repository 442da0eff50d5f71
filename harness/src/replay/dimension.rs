//! A dimension while a pass runs: which content is loaded, and since when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_kernels::{DimensionSnapshot, StreamStaticJoin};

use crate::error::{Failure, Result};
use crate::plan::{Feed, Fingerprint, JoinPlan, blame_table, read_table};
use crate::record::DimensionProgress;
use crate::scenario::Refresh;

/// What is loaded of one dimension.
#[derive(Debug)]
pub(super) struct Dimension<'p> {
    plan: &'p JoinPlan,
    schema: SchemaRef,
    loaded: Option<Loaded>,
    /// Contents loaded so far.
    loads: u64,
    /// The build of the open batch, if it made one.
    rebuilt: Option<Duration>,
    build_time: Duration,
    peak_bytes: usize,
}

#[derive(Debug)]
struct Loaded {
    version: usize,
    fingerprint: Option<Fingerprint>,
    snapshot: Arc<DimensionSnapshot>,
    since: Instant,
}

impl<'p> Dimension<'p> {
    pub(super) fn new(plan: &'p JoinPlan) -> Self {
        Self {
            plan,
            schema: plan.table.schema(),
            loaded: None,
            loads: 0,
            rebuilt: None,
            build_time: Duration::ZERO,
            peak_bytes: 0,
        }
    }

    /// Brings the table to the content in force in batch `batch`, which starts
    /// at event time `time`: whole or not at all.
    pub(super) fn refresh(
        &mut self,
        join: &mut StreamStaticJoin,
        batch: u64,
        time: Option<i64>,
    ) -> Result<()> {
        self.rebuilt = None;
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
        feed.and_then(|feed| self.load(join, &feed, version, fingerprint)).map_err(|failure| {
            let doing = if self.loads == 0 { "loading" } else { "reloading" };
            failure.at(format!("{doing} dimension `{}`", self.plan.name))
        })
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
        join: &mut StreamStaticJoin,
        feed: &Feed,
        version: usize,
        fingerprint: Option<Fingerprint>,
    ) -> Result<()> {
        let rows = read_table(feed, &self.schema, &self.plan.chain.table)?;
        // Declared versions are numbered as the scenario lists them, reloads of
        // one table in the order in which they were seen.
        let number = if self.plan.table.versions.len() > 1 { version as u64 } else { self.loads };
        let build = |rows: &[RecordBatch]| join.build(rows, number).map_err(Failure::run);
        let snapshot = build(&rows).map_err(|failure| {
            let columns = &self.plan.chain.table;
            blame_table(feed, &self.schema, columns, |rows| build(rows).map(|_| ()))
                .unwrap_or(failure)
        })?;
        self.build_time += snapshot.build_time();
        self.rebuilt = Some(snapshot.build_time());
        join.swap(Arc::clone(&snapshot));
        self.loads += 1;
        self.loaded = Some(Loaded { version, fingerprint, snapshot, since: Instant::now() });
        let held = self.bytes();
        self.peak_bytes = self.peak_bytes.max(held);
        Ok(())
    }

    /// Bytes of the loaded table.
    fn bytes(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.snapshot.bytes())
    }

    /// Greatest size of the table.
    pub(super) fn peak_bytes(&self) -> u64 {
        self.peak_bytes as u64
    }

    /// Time spent in building indexes and payloads.
    pub(super) fn build_time(&self) -> Duration {
        self.build_time
    }

    /// As progress records have it.
    pub(super) fn progress(&self) -> DimensionProgress {
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
