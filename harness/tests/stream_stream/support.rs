//! Small streams on disk, and what a pass over them left.

use std::fs;
use std::sync::{Arc, Mutex};

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use streamjoin::error::{Failure, FailureKind, Result};
use streamjoin::plan::{Plan, Strategy, plan, strategies};
use streamjoin::record::Progress;
use streamjoin::replay::{Counted, Pass, PassOutcome, ProgressListener};
use streamjoin::scenario::{self, Scenario, SourceText};
use streamjoin::sink::Sink;
use streamjoin_kernels::StoreKind;

/// What a pass left.
pub(crate) struct Ran {
    pub(crate) outcome: PassOutcome,
    pub(crate) progress: Vec<Progress>,
    pub(crate) warnings: Vec<String>,
    /// Rows of each batch that gave any, sorted; values with a space between.
    pub(crate) batches: Vec<(u64, Vec<String>)>,
}

impl Ran {
    /// All rows, sorted.
    pub(crate) fn rows(&self) -> Vec<String> {
        let mut rows: Vec<String> =
            self.batches.iter().flat_map(|(_, rows)| rows).cloned().collect();
        rows.sort();
        rows
    }

    pub(crate) fn checksum(&self) -> String {
        self.outcome.checksum.as_ref().unwrap().to_string()
    }

    /// Input rows of each batch.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        self.progress.iter().map(|batch| batch.num_input_rows).collect()
    }
}

#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) progress: Vec<Progress>,
    warnings: Vec<String>,
}

impl ProgressListener for Notes {
    fn warning(&mut self, warning: &str) -> Result<()> {
        self.warnings.push(warning.to_owned());
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) -> Result<()> {
        self.progress.push(progress.clone());
        Ok(())
    }
}

type Batches = Arc<Mutex<Vec<(u64, Vec<String>)>>>;

struct Lines(Batches);

impl Sink for Lines {
    fn batch(&mut self, batch: u64, rows: &RecordBatch) -> Result<()> {
        let options = FormatOptions::default()
            .with_null("-")
            .with_timestamp_tz_format(Some("%M:%S"))
            .with_timestamp_format(Some("%M:%S"));
        let columns: Vec<ArrayFormatter<'_>> = rows
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        let line = |row| columns.iter().map(|c| c.value(row).to_string()).collect::<Vec<_>>();
        let lines = (0..rows.num_rows()).map(|row| line(row).join(" "));
        let mut kept = self.0.lock().unwrap();
        if kept.last().is_none_or(|(last, _)| *last != batch) {
            kept.push((batch, Vec::new()));
        }
        let last = kept.last_mut().unwrap();
        last.1.extend(lines);
        last.1.sort();
        Ok(())
    }

    fn end_batch(&mut self, _: u64) -> Result<()> {
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

    pub(crate) fn scenario(&self, text: &str) -> Result<Scenario> {
        scenario::parse(SourceText::new(self.0.path().join("s.toml"), text), "s")
    }

    pub(crate) fn plan(&self, text: &str) -> Result<Plan> {
        plan(&self.scenario(text)?, None)
    }

    /// Runs every declared strategy, or every store, which must agree.
    #[track_caller]
    pub(crate) fn run(&self, text: &str) -> Ran {
        self.try_run(text).unwrap()
    }

    pub(crate) fn try_run(&self, text: &str) -> Result<Ran> {
        let scenario = self.scenario(text)?;
        let stores = StoreKind::ALL.map(|store| store.name().to_owned());
        let asked: &[String] = if scenario.strategies.is_empty() { &stores } else { &[] };
        let strategies = strategies(&scenario, asked, None)?;
        let plan = plan(&scenario, None)?;
        let mut runs: Vec<Ran> = Vec::new();
        for strategy in &strategies {
            runs.push(pass(&plan, strategy)?);
        }
        let first = runs.remove(0);
        for other in runs {
            assert_eq!(other.batches, first.batches, "the stores disagree");
            assert_eq!(other.outcome.dropped, first.outcome.dropped);
            let rows = |ran: &Ran| ran.outcome.state.unwrap().rows;
            assert_eq!(rows(&other), rows(&first));
            for (a, b) in other.progress.iter().zip(&first.progress) {
                assert_eq!(a.event_time, b.event_time);
                let counts = |progress: &Progress| {
                    let state = progress.state_operators[0].clone();
                    (state.num_rows_total, state.num_rows_updated, state.num_rows_removed)
                };
                assert_eq!(counts(a), counts(b));
            }
        }
        Ok(first)
    }

    /// The message of a scenario that is refused before the first row.
    #[track_caller]
    pub(crate) fn refusal(&self, text: &str) -> String {
        let failure: Failure = match self.scenario(text).and_then(|s| plan(&s, None).map(|_| ())) {
            Ok(()) => panic!("not refused: {text}"),
            Err(failure) => failure,
        };
        assert_eq!(failure.kind, FailureKind::Usage, "{failure}");
        failure.message
    }
}

fn pass(plan: &Plan, strategy: &Strategy) -> Result<Ran> {
    let batches = Batches::default();
    let mut notes = Notes::default();
    let mut sink = Lines(Arc::clone(&batches));
    let outcome = Pass::new(plan, strategy, None).run(&mut sink, &mut notes, Counted::All)?;
    let batches = std::mem::take(&mut *batches.lock().unwrap());
    Ok(Ran { outcome, progress: notes.progress, warnings: notes.warnings, batches })
}

/// A stream of rows `id, k, seconds of one hour`; a null where nothing stands.
pub(crate) fn csv(rows: &[(i64, Option<i64>, Option<i64>)]) -> String {
    let mut text = "id,k,at\n".to_owned();
    for (id, key, at) in rows {
        let key = key.map_or(String::new(), |key| key.to_string());
        let at =
            at.map_or(String::new(), |at| format!("2024-01-01 00:{:02}:{:02}", at / 60, at % 60));
        text += &format!("{id},{key},{at}\n");
    }
    text
}

/// Two streams `l` and `r` of the columns of [`csv`].
pub(crate) const HEAD: &str = r#"
[stream.l]
recording = "l.csv"
schema = { id = "bigint", k = "bigint", at = "timestamp" }
event_time = "at"
watermark = "0 s"
[stream.r]
recording = "r.csv"
schema = { id = "bigint", k = "bigint", at = "timestamp" }
event_time = "at"
watermark = "0 s"
"#;
