//! The progress bar: one a strategy, on standard error, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::bar_is_seen;

/// A bar that may not be there.
#[derive(Debug)]
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(super) fn new(strategy: &str, rows: Option<u64>, quiet: bool) -> Self {
        Self::counting("rows", strategy, rows, quiet)
    }

    /// One that counts something else than rows.
    pub(super) fn counting(unit: &str, what: &str, most: Option<u64>, quiet: bool) -> Self {
        if !bar_is_seen(quiet) {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(most, ProgressDrawTarget::stderr());
        let counter = match most {
            Some(_) => "[{bar:30}] {human_pos}/{human_len}",
            None => "{spinner} {human_pos}",
        };
        if let Ok(style) = ProgressStyle::with_template(&format!("{{msg:24}} {counter} {unit}")) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_owned());
        Self(Some(bar))
    }

    pub(super) fn add(&self, rows: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(rows);
            if bar.length().is_some_and(|length| bar.position() >= length) {
                bar.set_message("repeating");
            }
        }
    }

    /// Runs what writes to standard error without the bar in its way.
    pub(super) fn aside(&self, write: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
