//! The index that a table is to have in the end, built behind the one in use.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use arrow::array::RecordBatch;
use streamjoin_kernels::{TableSnapshot, stream_static};

use crate::error::{Failure, Result};
use crate::interrupt;

/// Builds indexes behind those in use, one at a time.
#[derive(Debug)]
pub(crate) struct BackgroundBuild {
    /// As the join in use; it only builds.
    join: Arc<stream_static::Join>,
    /// Whether there is a thread to spare.
    threaded: bool,
    wanted: Option<Wanted>,
    building: Option<Building>,
}

/// An index to build.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Of which load of the table.
    pub(crate) load: u64,
    /// The version that the snapshot gets.
    pub(crate) number: u64,
    /// The table.
    pub(crate) rows: Vec<RecordBatch>,
}

/// An index that was built.
#[derive(Debug)]
pub(crate) struct Built {
    /// Of which load of the table.
    pub(crate) load: u64,
    pub(crate) snapshot: Arc<TableSnapshot>,
}

#[derive(Debug)]
struct Building {
    load: u64,
    thread: JoinHandle<Result<Arc<TableSnapshot>>>,
}

impl BackgroundBuild {
    /// Builds by `join`, on a thread of its own if `threaded`.
    pub(crate) fn new(join: stream_static::Join, threaded: bool) -> Self {
        Self { join: Arc::new(join), threaded, wanted: None, building: None }
    }

    /// Builds this next, in place of what was wanted before.
    pub(crate) fn want(&mut self, wanted: Option<Wanted>) {
        self.wanted = wanted;
    }

    /// Begins with what is wanted, if a thread is free for it. One that builds
    /// for a content which is no longer there is not waited for.
    pub(crate) fn start(&mut self) {
        if !self.threaded || self.building.is_some() {
            return;
        }
        let Some(wanted) = self.wanted.take() else { return };
        let (load, join) = (wanted.load, Arc::clone(&self.join));
        let thread = thread::Builder::new().name("index".to_owned());
        match thread.spawn(move || build(&join, &wanted)) {
            Ok(thread) => self.building = Some(Building { load, thread }),
            // The first index stays in use, and the next content tries again.
            Err(_) => self.wanted = None,
        }
    }

    /// The index that is ready between two batches, if one is. Without a thread
    /// it is built now, if the first one has `served` a batch.
    ///
    /// # Errors
    /// Those of the build.
    pub(crate) fn ready(&mut self, served: bool) -> Result<Option<Built>> {
        if !self.threaded {
            if !served {
                return Ok(None);
            }
            let Some(wanted) = self.wanted.take() else { return Ok(None) };
            let snapshot = build(&self.join, &wanted)?;
            return Ok(Some(Built { load: wanted.load, snapshot }));
        }
        match &self.building {
            Some(building) if building.thread.is_finished() => self.wait(),
            _ => Ok(None),
        }
    }

    /// Waits for the thread that builds, if there is one.
    ///
    /// # Errors
    /// Those of the build.
    pub(crate) fn wait(&mut self) -> Result<Option<Built>> {
        let Some(Building { load, thread }) = self.building.take() else { return Ok(None) };
        match thread.join() {
            Ok(built) => Ok(Some(Built { load, snapshot: built? })),
            Err(_) => Err(Failure::run("the thread that built it panicked")),
        }
    }
}

impl Drop for BackgroundBuild {
    fn drop(&mut self) {
        // After a failure; nothing may go on when the pass is over.
        let _ = self.wait();
    }
}

fn build(join: &stream_static::Join, wanted: &Wanted) -> Result<Arc<TableSnapshot>> {
    join.build(&wanted.rows, wanted.number).map_err(interrupt::build_failed)
}
