//! What a `ProgressListener` hears, and in which order.

use std::path::Path;
use std::time::Duration;

use streamjoin::error::{Failure, FailureKind, Result};
use streamjoin::measure::measure;
use streamjoin::plan::{Plan, Strategy, plan};
use streamjoin::record::Progress;
use streamjoin::replay::{ProgressListener, Started, Terminated};
use streamjoin::scenario::{self, SourceText};
use streamjoin::sink::SinkSpec;

const SCENARIO: &str = r#"
[stream.s]
recording = "s.csv"
[[dimension]]
name = "d"
table = "d.csv"
type = "left outer"
on = "s.k = d.k"
[replay]
trigger = { rows = 2 }
"#;

/// Writes down what it hears; refuses to go on after a batch.
#[derive(Default)]
struct Diary {
    heard: Vec<String>,
    refuse_after: Option<u64>,
    refuse_start: bool,
}

impl ProgressListener for Diary {
    fn started(&mut self, run: &Started) -> Result<()> {
        self.heard.push(format!("started {} {:?}", run.strategy, run.rows));
        if self.refuse_start { Err(Failure::run("not today")) } else { Ok(()) }
    }

    fn progress(&mut self, progress: &Progress) -> Result<()> {
        self.heard.push(format!("batch {}: {}", progress.batch_id, progress.num_input_rows));
        match self.refuse_after {
            Some(last) if progress.batch_id == last => Err(Failure::run("enough")),
            _ => Ok(()),
        }
    }

    fn terminated(&mut self, end: &Terminated<'_>) -> Result<()> {
        let rows = end.summary.map(|summary| summary.rows_in);
        let failure = end.failure.map(|failure| failure.message.as_str());
        self.heard.push(format!("terminated {rows:?} {failure:?}"));
        Ok(())
    }
}

fn planned(folder: &Path) -> Plan {
    std::fs::write(folder.join("s.csv"), "k\n1\n2\n3\n4\n5\n").unwrap();
    std::fs::write(folder.join("d.csv"), "k,v\n1,2\n").unwrap();
    let scenario = scenario::parse(SourceText::new(folder.join("s.toml"), SCENARIO), "s").unwrap();
    plan(&scenario, None).unwrap()
}

fn run(diary: &mut Diary) -> Result<u64> {
    let folder = tempfile::tempdir().unwrap();
    let plan = planned(folder.path());
    let strategy = Strategy::auto()?;
    let measured = measure(&plan, &strategy, &SinkSpec::None, Duration::from_millis(20), diary)?;
    measured.whole().map(|summary| summary.rows_in)
}

#[test]
fn the_first_pass_is_told_from_start_to_end() {
    let mut diary = Diary::default();
    assert_eq!(run(&mut diary).unwrap(), 5);
    let told =
        ["started auto None", "batch 0: 2", "batch 1: 2", "batch 2: 1", "terminated Some(5) None"];
    assert_eq!(diary.heard, told, "repeated passes are not told");
}

#[test]
fn a_listener_that_fails_ends_the_run_and_hears_of_its_end() {
    let mut diary = Diary { refuse_after: Some(1), ..Diary::default() };
    let failure = run(&mut diary).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Run);
    assert!(failure.message.contains("enough"), "{failure}");
    assert_eq!(diary.heard.len(), 4, "{:?}", diary.heard);
    assert!(diary.heard[3].starts_with("terminated None Some("), "{:?}", diary.heard);

    let mut diary = Diary { refuse_start: true, ..Diary::default() };
    assert!(run(&mut diary).unwrap_err().message.contains("not today"));
    assert_eq!(diary.heard, ["started auto None"], "what did not start does not end");
}

#[test]
fn the_guide_shows_the_example() {
    let guide = include_str!("../GUIDE.md");
    let example = include_str!("../examples/listener.rs");
    let (_, program) = example.split_once("\n\n").unwrap();
    assert!(guide.contains(program), "GUIDE.md and examples/listener.rs differ");
}

#[test]
fn the_example_runs() {
    let program = Path::new(env!("CARGO_BIN_EXE_streamjoin")).with_file_name("examples/listener");
    let output = std::process::Command::new(program).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.starts_with("auto starts\nbatch 0: "), "{printed}");
    assert!(printed.contains("Some(11)"), "{printed}");
}
