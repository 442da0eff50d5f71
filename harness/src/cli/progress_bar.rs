//! The progress bar: one per strategy, on standard error, on a terminal only.

use std::fmt;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::output::bar_is_seen;
use crate::record::Progress;

/// It is drawn at least this often, so that a wait does not look like a hang.
const TICK: Duration = Duration::from_millis(250);

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
            Some(_) => "[{bar:20}] {human_pos}/{human_len}",
            None => "{spinner} {human_pos}",
        };
        let left = if most.is_some() { ", {eta} left" } else { "" };
        let template = format!("{{prefix}} {counter} {unit}, {{per_sec}}{left}{{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A bar that cannot be written is not seen either.
                let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
            };
            bar.set_style(style.with_key("per_sec", rate).progress_chars("=> "));
        }
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(TICK);
        Self(Some(bar))
    }

    pub(super) fn add(&self, rows: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(rows);
            if bar.length().is_some_and(|length| bar.position() >= length) {
                bar.set_message(", measuring again");
            }
        }
    }

    /// Whether it is shown.
    pub(super) fn is_seen(&self) -> bool {
        self.0.is_some()
    }

    /// Shows how far a batch has come.
    pub(super) fn batch(&self, progress: &Progress) {
        let Some(bar) = &self.0 else { return };
        let mut message = format!(", batch {}", progress.batch_id);
        let watermark = progress.event_time.as_ref().and_then(|time| time.watermark.as_ref());
        if let Some(watermark) = watermark {
            message += &format!(", watermark {watermark}");
        }
        if !progress.state_operators.is_empty() {
            let rows = progress.state_operators.iter().map(|state| state.num_rows_total).sum();
            message += &format!(", {} rows of state", HumanCount(rows));
        }
        bar.set_message(message);
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
