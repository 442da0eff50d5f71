//! Being asked to end: Ctrl-C, the polite way to be ended, and `--timeout`.
//!
//! A pass asks [`requested`] between rows and then stops at the last batch that
//! was whole, so that what it counted and wrote up to there is kept. Everything
//! else, and a second Ctrl-C, ends at once; unfinished files are removed. Signals
//! that come together are one: `timeout` sends one to a process and another to
//! its group.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Failure, FailureKind, Result};

/// Who asked: the code of a [`FailureKind`], or nobody.
static REQUESTED: AtomicU8 = AtomicU8::new(NOBODY);
/// Passes that will notice a request.
static ATTENTIVE: AtomicUsize = AtomicUsize::new(0);

const NOBODY: u8 = 0;
const SOMEBODY: u8 = 1;
const CLOCK: u8 = 2;

/// Signals within this time are one request.
const TOGETHER: Duration = Duration::from_millis(500);

/// How long after its time limit a run may take to come to a whole batch.
const GRACE: Duration = Duration::from_secs(10);

/// Starts to listen to Ctrl-C and to requests to end.
pub(crate) fn listen() {
    // Without a handler the system's own ends the process, as before.
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        REQUESTED.store(SOMEBODY, Ordering::SeqCst);
        let again = first.get_or_insert_with(Instant::now).elapsed() > TOGETHER;
        if ATTENTIVE.load(Ordering::SeqCst) == 0 || again {
            end_at_once(FailureKind::Interrupted);
        }
    });
}

/// Asks what is attentive to end.
pub(crate) fn request() {
    REQUESTED.store(SOMEBODY, Ordering::SeqCst);
}

/// Asks for the end once `limit` is over; what has not ended a while after
/// that is ended.
pub(crate) fn after(limit: Duration) -> Result<()> {
    let wait = move || {
        thread::sleep(limit);
        let nobody = |_| Some(CLOCK);
        let _ = REQUESTED.fetch_update(Ordering::SeqCst, Ordering::SeqCst, nobody);
        if ATTENTIVE.load(Ordering::SeqCst) > 0 {
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

/// Whether somebody asked to end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed) != NOBODY
}

/// A failure of a process that was told to end for the same reason.
pub(crate) fn named(failure: Failure) -> Failure {
    if failure.kind != FailureKind::Interrupted || REQUESTED.load(Ordering::Relaxed) != CLOCK {
        return failure;
    }
    let timed_out = Failure::timed_out();
    let message = failure.message.replacen(&Failure::interrupted().message, &timed_out.message, 1);
    timed_out.saying(message)
}

/// What a run that was asked to end ends with.
pub(crate) fn failure() -> Failure {
    match REQUESTED.load(Ordering::Relaxed) {
        CLOCK => Failure::timed_out(),
        _ => Failure::interrupted(),
    }
}

/// As long as it lives, a request does not end the process: its maker looks
/// for requests itself.
#[derive(Debug)]
pub(crate) struct Attentive(());

impl Attentive {
    pub(crate) fn new() -> Self {
        ATTENTIVE.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// A failure if somebody asked to end.
    pub(crate) fn check(&self) -> Result<()> {
        if requested() { Err(failure()) } else { Ok(()) }
    }
}

impl Drop for Attentive {
    fn drop(&mut self) {
        ATTENTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}
