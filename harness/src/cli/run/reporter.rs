//! Passes on what one strategy's first pass reports.

use crate::cli::output::{Results, complain};
use crate::cli::progress_bar::Bar;
use crate::error::Result;
use crate::record::{Finding, Idle, Line, Progress, RunRecord, Summary};
use crate::replay::ProgressListener;

/// Listens to one strategy: for the bar, for results and for the record.
pub(super) struct Reporter<'a> {
    strategy: &'a str,
    bar: Bar,
    results: &'a mut Results,
    /// Whether batches are printed as they are done.
    pub(super) prints: bool,
    /// Whether batches are kept for the record.
    pub(super) keeps: bool,
    kept: Vec<Progress>,
    /// What was printed already: strategies warn of the same things.
    warned: &'a mut Vec<String>,
    /// What this strategy's run warned of.
    warnings: Vec<String>,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(
        strategy: &'a str,
        rows: Option<u64>,
        quiet: bool,
        results: &'a mut Results,
        warned: &'a mut Vec<String>,
    ) -> Self {
        Self {
            strategy,
            bar: Bar::new(strategy, rows, quiet),
            results,
            prints: false,
            keeps: false,
            kept: Vec::new(),
            warned,
            warnings: Vec::new(),
        }
    }

    pub(super) fn record(self, summary: Summary, findings: Vec<Finding>) -> RunRecord {
        let (progress, warnings) = (self.kept, self.warnings);
        RunRecord { strategy: self.strategy.to_owned(), summary, progress, warnings, findings }
    }
}

impl ProgressListener for Reporter<'_> {
    fn wants_progress(&self) -> bool {
        self.keeps || self.prints || self.bar.is_seen()
    }

    fn rows(&mut self, rows: u64) -> Result<()> {
        self.bar.add(rows);
        Ok(())
    }

    fn warning(&mut self, warning: &str) -> Result<()> {
        if !self.warnings.iter().any(|said| said == warning) {
            if self.prints {
                self.results
                    .line(&Line::Warning { strategy: self.strategy, message: warning }.json())?;
            }
            self.warnings.push(warning.to_owned());
        }
        if !self.warned.iter().any(|said| said == warning) {
            self.bar.aside(|| complain(&format!("warning: {warning}")));
            self.warned.push(warning.to_owned());
        }
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) -> Result<()> {
        self.bar.batch(progress);
        if self.prints {
            self.results.line(&Line::Progress { strategy: self.strategy, progress }.json())?;
        }
        if self.keeps {
            self.kept.push(progress.clone());
        }
        Ok(())
    }

    fn idle(&mut self, idle: &Idle) -> Result<()> {
        if self.prints {
            self.results.line(&Line::Idle { strategy: self.strategy, idle }.json())?;
        }
        Ok(())
    }
}
