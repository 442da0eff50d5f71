//! Measuring in a process of its own, so that one strategy's memory and warm
//! caches are not another one's.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::message::Message;
use crate::error::{Failure, FailureKind, Result};
use crate::interrupt::{self, Attentive};
use crate::record::{Progress, Summary};
use crate::replay::Watcher;

/// How often a measuring process says how far it is.
const TICK: Duration = Duration::from_millis(100);

/// A process that measures one strategy.
#[derive(Debug)]
pub struct Worker {
    strategy: String,
    child: Child,
}

impl Worker {
    /// Starts `command`, which is to call [`serve`].
    ///
    /// # Errors
    /// A run failure when it cannot be started.
    pub fn start(strategy: &str, mut command: Command) -> Result<Self> {
        let child = command
            // Held open: it ends when this process does.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| {
                Failure::run(format!("cannot start a process to measure `{strategy}`: {error}"))
            })?;
        Ok(Self { strategy: strategy.to_owned(), child })
    }

    /// Follows it to its end.
    ///
    /// # Errors
    /// Its failure, or a run failure when it ends without a word.
    pub fn follow(mut self, watcher: &mut dyn Watcher) -> Result<Summary> {
        let attentive = Attentive::new();
        let result = self.listen(watcher);
        drop(attentive);
        if matches!(&result, Err(failure) if failure.kind != FailureKind::Interrupted) {
            // It may still be at work when the watcher gave up; it has nothing to lose.
            let _ = self.child.kill();
        }
        let status = self.child.wait().map_err(Failure::run)?;
        match result? {
            Some(summary) => Ok(summary),
            None => Err(Failure::run(format!(
                "the process that measured `{}` ended without a result ({status})",
                self.strategy
            ))),
        }
    }

    fn listen(&mut self, watcher: &mut dyn Watcher) -> Result<Option<Summary>> {
        let Some(output) = self.child.stdout.take() else { return Ok(None) };
        for line in BufReader::new(output).lines() {
            let line = line.map_err(Failure::run)?;
            let message = serde_json::from_str(&line).map_err(|error| {
                Failure::run(format!("the process that measures `{}`: {error}", self.strategy))
            })?;
            match message {
                Message::Rows { rows } => {
                    if interrupt::requested() {
                        // A terminal tells both processes, a script only this one.
                        drop(self.child.stdin.take());
                    }
                    watcher.rows(rows)?;
                }
                Message::Warning { message } => watcher.warning(&message)?,
                Message::Progress { progress } => watcher.batch(*progress)?,
                Message::Summary { summary } => return Ok(Some(*summary)),
                Message::Failure { code, message } => return Err(Message::failure(code, message)),
            }
        }
        Ok(None)
    }
}

/// The other end: measures, and tells standard output about it.
///
/// # Errors
/// A run failure when nobody listens any more; the measurement's own failure
/// is told, not returned.
pub fn serve(
    wants_progress: bool,
    measure: impl FnOnce(&mut dyn Watcher) -> Result<Summary>,
) -> Result<()> {
    end_with_the_other();
    let mut teller = Teller { wants_progress, rows: 0, told: Instant::now() };
    let message = match measure(&mut teller) {
        Ok(summary) => Message::Summary { summary: Box::new(summary) },
        Err(failure) => Message::of_failure(&failure),
    };
    tell(&message)
}

/// Asks the measurement to end once the process that started it is gone, or
/// closes the pipe that it holds open.
fn end_with_the_other() {
    let watch = || {
        // Nothing is ever written to it, so that this returns at its end only.
        let _ = io::stdin().read(&mut [0]);
        interrupt::request();
    };
    // Without the thread the measurement runs to its end.
    let _ = thread::Builder::new().name("parent".to_owned()).spawn(watch);
}

fn tell(message: &Message) -> Result<()> {
    let mut line = serde_json::to_vec(message).map_err(Failure::run)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line).and_then(|()| output.flush()).map_err(Failure::run)
}

struct Teller {
    wants_progress: bool,
    rows: u64,
    told: Instant,
}

impl Watcher for Teller {
    fn wants_progress(&self) -> bool {
        self.wants_progress
    }

    fn rows(&mut self, rows: u64) -> Result<()> {
        self.rows += rows;
        if self.told.elapsed() < TICK {
            return Ok(());
        }
        self.told = Instant::now();
        tell(&Message::Rows { rows: std::mem::take(&mut self.rows) })
    }

    fn warning(&mut self, warning: &str) -> Result<()> {
        tell(&Message::Warning { message: warning.to_owned() })
    }

    fn batch(&mut self, progress: Progress) -> Result<()> {
        tell(&Message::Progress { progress: Box::new(progress) })
    }
}
