//! Each finding provoked by data, and silent where the data is well.

mod streams;
mod tables;

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use crate::error::Result;
use crate::findings::{FinishedRun, find};
use crate::measure::measure;
use crate::plan::{Plan, Strategy, plan, strategies};
use crate::record::{Finding, Progress};
use crate::replay::{Counted, Pass, PassOutcome, ProgressListener};
use crate::scenario::{Scenario, SourceText, parse};
use crate::sink::{self, SinkSpec};

/// A folder with some files.
struct Data(tempfile::TempDir);

impl Data {
    fn new(files: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn scenario(&self, text: &str) -> Scenario {
        parse(SourceText::new(self.path().join("s.toml"), text), "s").unwrap()
    }

    /// What a run of the scenario's first strategy finds.
    fn found(&self, text: &str) -> Vec<Finding> {
        let scenario = self.scenario(text);
        let plan = plan(&scenario, None).unwrap();
        let strategy = &strategies(&scenario, &[], None).unwrap()[0];
        let measured =
            measure(&plan, strategy, &SinkSpec::None, Duration::ZERO, &mut Nobody).unwrap();
        assert!(measured.cut_short.is_none());
        measured.findings
    }

    /// The one finding of this id; others may be there.
    #[track_caller]
    fn finds(&self, text: &str, id: &str) -> Finding {
        let found = self.found(text);
        let mut of_id = found.iter().filter(|finding| finding.id == id);
        let one = of_id.next().unwrap_or_else(|| panic!("no {id} in {found:#?}")).clone();
        assert!(of_id.next().is_none(), "{found:#?}");
        assert!(!one.title.is_empty() && !one.remedy.is_empty(), "{one:#?}");
        assert!(!one.evidence.is_empty(), "{one:#?}");
        one
    }

    #[track_caller]
    fn finds_nothing(&self, text: &str) {
        let found = self.found(text);
        assert!(found.is_empty(), "{found:#?}");
    }

    /// A run, to look at with other eyes.
    fn outcome(&self, text: &str) -> (Plan, Strategy, PassOutcome) {
        let scenario = self.scenario(text);
        let plan = plan(&scenario, None).unwrap();
        let strategy = strategies(&scenario, &[], None).unwrap().remove(0);
        let mut sink = sink::open(&SinkSpec::None, plan.output_schema()).unwrap();
        let pass = Pass::new(&plan, &strategy, None);
        let outcome = pass.run(&mut *sink, &mut Nobody, Counted::All).unwrap();
        (plan, strategy, outcome)
    }
}

struct Nobody;

impl ProgressListener for Nobody {
    fn progress(&mut self, _: &Progress) -> Result<()> {
        Ok(())
    }
}

/// All that a finding says.
fn words(finding: &Finding) -> String {
    let mut text = format!("{}\n", finding.title);
    for sentence in &finding.evidence {
        let _ = writeln!(text, "{sentence}");
    }
    text + &finding.remedy
}

#[track_caller]
fn says(finding: &Finding, parts: &[&str]) {
    let text = words(finding);
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// A CSV file of rows made by number.
fn csv(header: &str, rows: std::ops::Range<u64>, row: impl Fn(u64) -> String) -> String {
    let mut text = format!("{header}\n");
    for number in rows {
        let _ = writeln!(text, "{}", row(number));
    }
    text
}
