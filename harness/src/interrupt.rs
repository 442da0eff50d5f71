//! Requests to stop: Ctrl-C, the signals that end a process, and `--timeout`.
//!
//! A pass checks [`requested`] between rows and stops at the last complete batch,
//! so that its counts and its output up to there are kept; builds of tables check
//! [`builds`]. Everything else stops
//! at once, as does a second Ctrl-C; unfinished files are removed. Signals that
//! arrive together are one: `timeout` sends one to a process and another to its
//! group.

#[cfg(unix)]
use std::sync::Arc;
use std::sync::LazyLock;
#[cfg(unix)]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use signal_hook::{consts::SIGBUS, flag};
use streamjoin_kernels::{Cancellation, JoinError};

use crate::error::{Failure, FailureKind, Result};

/// Who requested the stop.
static REQUESTED: AtomicU8 = AtomicU8::new(NOBODY);
/// How many [`StopCheck`]s there are.
static CHECKS: AtomicUsize = AtomicUsize::new(0);

/// Ends builds of tables.
static BUILDS: LazyLock<Cancellation> = LazyLock::new(Cancellation::default);

const NOBODY: u8 = 0;
const SOMEBODY: u8 = 1;
const CLOCK: u8 = 2;

/// Signals within this time are one request.
const TOGETHER: Duration = Duration::from_millis(500);

/// How long after its time limit a run may take to complete a batch.
const GRACE: Duration = Duration::from_secs(10);

/// Starts to listen to Ctrl-C and to signals.
pub(crate) fn listen() {
    // Without a handler the system ends the process, as before.
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        request();
        let again = first.get_or_insert_with(Instant::now).elapsed() > TOGETHER;
        if CHECKS.load(Ordering::SeqCst) == 0 || again {
            end_at_once(FailureKind::Interrupted);
        }
    });
}

/// Lets a BUS signal end the process, whoever sends it. The handler that Rust installs
/// for it looks for a stack overflow and swallows the first one that is none.
#[cfg(unix)]
pub(crate) fn end_at_bus_signals() {
    let always = Arc::new(AtomicBool::new(true));
    // Without the handler it takes a second signal.
    let _ = flag::register_conditional_default(SIGBUS, always);
}

/// Requests a stop.
pub(crate) fn request() {
    REQUESTED.store(SOMEBODY, Ordering::SeqCst);
    BUILDS.cancel();
}

/// What a request cancels: builds of tables, which can take long, check it.
pub(crate) fn builds() -> Cancellation {
    BUILDS.clone()
}

/// The failure of a build.
pub(crate) fn build_failed(error: JoinError) -> Failure {
    match error {
        JoinError::Cancelled => failure(),
        error => Failure::run(error),
    }
}

/// Requests a stop when `limit` is over, and ends the process if it still runs
/// a while later.
pub(crate) fn stop_after(limit: Duration) -> Result<()> {
    let wait = move || {
        thread::sleep(limit);
        let nobody = |_| Some(CLOCK);
        let _ = REQUESTED.fetch_update(Ordering::SeqCst, Ordering::SeqCst, nobody);
        BUILDS.cancel();
        if CHECKS.load(Ordering::SeqCst) > 0 {
            thread::sleep(GRACE);
        }
        eprintln!("error: {}", Failure::timed_out());
        end_at_once(FailureKind::TimedOut);
    };
    let started = thread::Builder::new().name("timeout".to_owned()).spawn(wait);
    started.map(|_| ()).map_err(|error| Failure::run(format!("cannot watch the time: {error}")))
}

/// Ends the process without unwinding; unfinished files are removed.
fn end_at_once(kind: FailureKind) -> ! {
    streamjoin_datasets::remove_unfinished();
    std::process::exit(i32::from(kind.exit_code()))
}

/// Whether a stop is requested.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed) != NOBODY
}

/// The failure of a process that was stopped for the same reason, with that reason.
pub(crate) fn with_reason(failure: Failure) -> Failure {
    if failure.kind != FailureKind::Interrupted || REQUESTED.load(Ordering::Relaxed) != CLOCK {
        return failure;
    }
    let timed_out = Failure::timed_out();
    let message = failure.message.replacen(&Failure::interrupted().message, &timed_out.message, 1);
    timed_out.saying(message)
}

/// The failure of a run that was stopped.
pub(crate) fn failure() -> Failure {
    match REQUESTED.load(Ordering::Relaxed) {
        CLOCK => Failure::timed_out(),
        _ => Failure::interrupted(),
    }
}

/// While it lives, a request does not end the process: its owner checks for
/// requests itself.
#[derive(Debug)]
pub(crate) struct StopCheck(());

impl StopCheck {
    pub(crate) fn new() -> Self {
        CHECKS.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// A failure if a stop is requested.
    pub(crate) fn check(&self) -> Result<()> {
        if requested() { Err(failure()) } else { Ok(()) }
    }
}

impl Drop for StopCheck {
    fn drop(&mut self) {
        CHECKS.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
#[path = "interrupt_tests.rs"]
mod tests;
