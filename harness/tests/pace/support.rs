//! A clock that only moves when somebody waits or works.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use streamjoin::error::Result;
use streamjoin::plan::{Plan, Strategy, plan};
use streamjoin::record::{Idle, Progress};
use streamjoin::replay::{Clock, Counted, Pass, PassOutcome, ProgressListener};
use streamjoin::scenario::{self, SourceText};
use streamjoin::sink::Sink;

#[derive(Debug, Default)]
pub(crate) struct Hands(Mutex<Duration>);

impl Hands {
    pub(crate) fn turn(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for Hands {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    fn sleep(&self, time: Duration) {
        self.turn(time);
    }
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What a pass left.
pub(crate) struct Ran {
    pub(crate) outcome: PassOutcome,
    pub(crate) progress: Vec<Progress>,
    /// When a tick had no rows, in milliseconds, and the batch that comes next.
    pub(crate) idle: Vec<(u64, u64)>,
    /// When each batch was done.
    pub(crate) done: Vec<Duration>,
    /// Rows in the order in which they came out.
    pub(crate) rows: Vec<String>,
}

impl Ran {
    /// Input rows of each batch.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        self.progress.iter().map(|batch| batch.num_input_rows).collect()
    }

    pub(crate) fn checksum(&self) -> String {
        self.outcome.checksum.as_ref().unwrap().to_string()
    }

    /// Greatest latency, in milliseconds.
    pub(crate) fn latest(&self) -> f64 {
        self.outcome.latencies.quantiles().unwrap().max
    }
}

#[derive(Default)]
struct Notes {
    progress: Vec<Progress>,
    idle: Vec<(u64, u64)>,
}

impl ProgressListener for Notes {
    fn progress(&mut self, progress: &Progress) -> Result<()> {
        self.progress.push(progress.clone());
        Ok(())
    }

    fn idle(&mut self, idle: &Idle) -> Result<()> {
        self.idle.push((idle.elapsed_ms, idle.batch_id));
        Ok(())
    }
}

/// Each batch takes its time here.
struct Slow<'c> {
    clock: Arc<Hands>,
    service: &'c mut (dyn FnMut(u64) -> Duration + Send),
    done: Vec<Duration>,
    rows: Vec<String>,
}

impl Sink for Slow<'_> {
    fn batch(&mut self, _: u64, rows: &RecordBatch) -> Result<()> {
        let options = FormatOptions::default().with_null("-");
        let columns: Vec<ArrayFormatter<'_>> = rows
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        let line = |row| columns.iter().map(|c| c.value(row).to_string()).collect::<Vec<_>>();
        self.rows.extend((0..rows.num_rows()).map(|row| line(row).join(" ")));
        Ok(())
    }

    fn end_batch(&mut self, batch: u64) -> Result<()> {
        self.clock.turn((self.service)(batch));
        self.done.push(self.clock.now());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}

/// A folder with files and a scenario over them.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = folder.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    pub(crate) fn plan(&self, text: &str) -> Result<Plan> {
        let text = SourceText::new(self.0.path().join("s.toml"), text);
        plan(&scenario::parse(text, "s")?, None)
    }

    /// A pass in which every batch takes no time.
    #[track_caller]
    pub(crate) fn run(&self, text: &str) -> Ran {
        self.run_slowly(text, &mut |_| Duration::ZERO)
    }

    /// A pass in which batch n takes `service(n)`.
    #[track_caller]
    pub(crate) fn run_slowly(
        &self,
        text: &str,
        service: &mut (dyn FnMut(u64) -> Duration + Send),
    ) -> Ran {
        pass(&self.plan(text).unwrap(), service)
    }
}

pub(crate) fn pass(plan: &Plan, service: &mut (dyn FnMut(u64) -> Duration + Send)) -> Ran {
    let clock = Arc::new(Hands::default());
    // The machine has run for a while when the pass begins.
    clock.turn(millis(12_345));
    let began = clock.now();
    let mut sink = Slow { clock: Arc::clone(&clock), service, done: Vec::new(), rows: Vec::new() };
    let mut notes = Notes::default();
    let strategy = Strategy::auto().unwrap();
    let pass = Pass::new(plan, &strategy, None).by_clock(&*clock);
    let outcome = pass.run(&mut sink, &mut notes, Counted::All).unwrap();
    Ran {
        outcome,
        progress: notes.progress,
        idle: notes.idle,
        done: sink.done.iter().map(|done| *done - began).collect(),
        rows: sink.rows,
    }
}
