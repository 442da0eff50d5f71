//! `baseline`: results of strategies, kept for the gate.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::output::Results;
use super::progress_bar::Bar;
use crate::error::{Failure, Result};
use crate::gate::baseline::{Bands, DEFAULT_DIR};
use crate::gate::input::Asked;
use crate::gate::{Baseline, BaselineFile, Change, measure};
use crate::plan::Strategy;
use crate::record::Progress;
use crate::replay::ProgressListener;
use crate::scenario::shipped_names;

/// Record the results of strategies for `gate` to compare with
#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    #[command(subcommand)]
    command: BaselineCommand,
}

#[derive(Debug, Subcommand)]
enum BaselineCommand {
    Save(SaveArgs),
}

/// Where baselines and shipped data are.
#[derive(Debug, Args)]
pub(super) struct Folders {
    /// Folder of the baselines
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DIR)]
    pub(super) baseline_dir: PathBuf,

    /// Folder with shipped data and scenarios [default: $STREAMJOIN_DATA, or `datasets` in this
    /// folder or one above it]
    #[arg(long, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
}

/// Run every strategy of some scenarios once and write a baseline
///
/// Answers, rows and bytes of state, bytes of tables and counts of work go to NAME.json in the
/// folder of baselines. The file holds no times and nothing about this machine, so it can be
/// committed, and compared with anywhere.
#[derive(Debug, Args)]
struct SaveArgs {
    /// Name of the baseline
    name: String,

    /// Scenario files, or names of shipped scenarios [default: all shipped scenarios]
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,

    #[command(flatten)]
    folders: Folders,

    /// Replace a baseline of that name, and its history
    #[arg(long)]
    force: bool,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

impl BaselineArgs {
    pub(super) fn execute(self) -> Result<()> {
        match self.command {
            BaselineCommand::Save(args) => args.execute(),
        }
    }
}

impl SaveArgs {
    fn execute(self) -> Result<()> {
        let file = BaselineFile::new(&self.folders.baseline_dir, &self.name)?;
        if !self.force && file.path().exists() {
            return Err(Failure::usage(format!(
                "{} exists: to bring it up to date and keep its history, use `streamjoin gate {} --accept \"why\"`; to start over, add --force",
                file.path().display(),
                self.name
            )));
        }
        let data_dir = self.folders.data_dir.as_deref();
        let scenarios = match &self.scenarios[..] {
            [] => shipped_names(data_dir)?,
            given => given.to_vec(),
        };
        let mut asked: Vec<Asked> = Vec::new();
        for scenario in &scenarios {
            let next = Asked::open(scenario, data_dir, &file)?;
            // Named twice, it is the same.
            if !asked.iter().any(|other| other.name == next.name) {
                asked.push(next);
            }
        }
        let mut results = Results::new(false);
        let mut entries = Vec::new();
        for asked in asked {
            let mut measured = Vec::new();
            for strategy in &asked.strategies {
                measured.push(run(&asked, strategy, self.quiet)?);
            }
            let names: Vec<&str> = asked.strategies.iter().map(|s| s.name.as_str()).collect();
            let line = format!("{}: {}", asked.name, names.join(", "));
            entries.push(measure::entry(asked, measured)?);
            results.line(&line)?;
        }
        let history = vec![Change::now("saved", Vec::new())];
        file.write(&Baseline::new(Bands::default(), entries, history))?;
        results.line(&format!("wrote {}", file.path().display()))
    }
}

/// Measures one strategy, with a bar.
pub(super) fn run(
    asked: &Asked,
    strategy: &Strategy,
    quiet: bool,
) -> Result<crate::gate::PassFigures> {
    let title = format!("{} {}", asked.name, strategy.name);
    let mut look = Look(Bar::new(&title, asked.plan.rows(), quiet));
    measure::measure(asked, strategy, &mut look).map_err(|failure| failure.at(title))
}

/// Moves the bar.
struct Look(Bar);

impl ProgressListener for Look {
    fn wants_progress(&self) -> bool {
        false
    }

    fn rows(&mut self, rows: u64) -> Result<()> {
        self.0.add(rows);
        Ok(())
    }

    fn progress(&mut self, _: &Progress) -> Result<()> {
        Ok(())
    }
}
