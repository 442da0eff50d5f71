//! Measuring in a child process, so that strategies do not share memory and warm
//! caches.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::measured::{Measured, tell_end};
use super::message::Message;
use crate::error::{Failure, FailureKind, Result};
use crate::interrupt::{self, StopCheck};
use crate::record::{Ended, Idle, Progress, Summary};
use crate::replay::{ProgressListener, Started};

/// How often a measuring process reports its progress.
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

    /// Follows it until it ends.
    ///
    /// # Errors
    /// Its failure, or a run failure when it ends without a result.
    pub fn follow(mut self, listener: &mut dyn ProgressListener) -> Result<Measured> {
        listener.started(&Started { strategy: self.strategy.clone(), rows: None })?;
        let stop_check = StopCheck::new();
        let result = self.listen(listener);
        drop(stop_check);
        if matches!(&result, Err(failure) if failure.kind != FailureKind::Interrupted) {
            // It may still run when the listener failed; nothing of it is needed.
            let _ = self.child.kill();
        }
        let status = self.child.wait().map_err(Failure::run)?;
        let measured = result.and_then(|measured| {
            measured.ok_or_else(|| {
                if interrupt::requested() {
                    // It was interrupted as well, before it had a result.
                    return interrupt::failure();
                }
                Failure::run(format!(
                    "the process that measured `{}` ended without a result ({status})",
                    self.strategy
                ))
            })
        });
        tell_end(listener, measured)
    }

    fn listen(&mut self, listener: &mut dyn ProgressListener) -> Result<Option<Measured>> {
        let lines = self.lines()?;
        loop {
            let line = match lines.recv_timeout(TICK) {
                Ok(line) => line.map_err(Failure::run)?,
                Err(RecvTimeoutError::Timeout) => {
                    if interrupt::requested() {
                        // A terminal interrupts both processes, a script only this one.
                        drop(self.child.stdin.take());
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            };
            let message = serde_json::from_str(&line).map_err(|error| {
                Failure::run(format!("the process that measures `{}`: {error}", self.strategy))
            })?;
            if interrupt::requested() {
                drop(self.child.stdin.take());
            }
            match message {
                Message::Rows { rows } => listener.rows(rows)?,
                Message::Warning { message } => listener.warning(&message)?,
                Message::Progress { progress } => listener.progress(&progress)?,
                Message::Idle { idle } => listener.idle(&idle)?,
                Message::Measured { summary, cut_short, findings } => {
                    let cut_short = cut_short.map(|sent| interrupt::with_reason(sent.into()));
                    let ended = match &cut_short {
                        Some(failure) => Ended::by(failure),
                        None => summary.ended,
                    };
                    return Ok(Some(Measured {
                        summary: Summary { ended, ..*summary },
                        cut_short,
                        findings,
                    }));
                }
                Message::Failure { failure } => return Err(failure.into()),
            }
        }
    }

    /// Its output, line by line, from a thread that waits for it.
    fn lines(&mut self) -> Result<Receiver<io::Result<String>>> {
        let (sender, lines) = mpsc::channel();
        let Some(output) = self.child.stdout.take() else { return Ok(lines) };
        let read = move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("worker".to_owned()).spawn(read).map_err(Failure::run)?;
        Ok(lines)
    }
}

/// The child's side: measures, and reports on standard output.
///
/// # Errors
/// A run failure when nobody reads any more; the measurement's own failure is
/// sent, not returned.
pub fn serve(
    every_batch: bool,
    measure: impl FnOnce(&mut dyn ProgressListener) -> Result<Measured>,
) -> Result<()> {
    end_with_parent();
    let mut reporter = Reporter { every_batch, rows: 0, sent: Instant::now(), sent_batch: None };
    let message = match measure(&mut reporter) {
        Ok(Measured { summary, cut_short, findings }) => Message::Measured {
            summary: Box::new(summary),
            cut_short: cut_short.as_ref().map(Into::into),
            findings,
        },
        Err(failure) => Message::Failure { failure: (&failure).into() },
    };
    send(&message)
}

/// Interrupts the measurement once the parent is gone or closes its pipe.
fn end_with_parent() {
    let watch = || {
        // Nothing is ever written to it, so that this returns at its end only.
        let _ = io::stdin().read(&mut [0]);
        interrupt::request();
    };
    // Without the thread the measurement runs to its end.
    let _ = thread::Builder::new().name("parent".to_owned()).spawn(watch);
}

fn send(message: &Message) -> Result<()> {
    let mut line = serde_json::to_vec(message).map_err(Failure::run)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line).and_then(|()| output.flush()).map_err(Failure::run)
}

struct Reporter {
    /// Whether every batch is reported, or only one now and then.
    every_batch: bool,
    rows: u64,
    sent: Instant,
    sent_batch: Option<Instant>,
}

impl ProgressListener for Reporter {
    fn rows(&mut self, rows: u64) -> Result<()> {
        self.rows += rows;
        if self.sent.elapsed() < TICK {
            return Ok(());
        }
        self.sent = Instant::now();
        send(&Message::Rows { rows: std::mem::take(&mut self.rows) })
    }

    fn warning(&mut self, warning: &str) -> Result<()> {
        send(&Message::Warning { message: warning.to_owned() })
    }

    fn progress(&mut self, progress: &Progress) -> Result<()> {
        if !self.every_batch && self.sent_batch.is_some_and(|sent| sent.elapsed() < TICK) {
            return Ok(());
        }
        self.sent_batch = Some(Instant::now());
        send(&Message::Progress { progress: Box::new(progress.clone()) })
    }

    fn idle(&mut self, idle: &Idle) -> Result<()> {
        send(&Message::Idle { idle: idle.clone() })
    }
}
