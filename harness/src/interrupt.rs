//! Ctrl-C, and the polite way to be ended.
//!
//! A pass asks [`requested`] between rows and then ends as any failed run does:
//! the batches that were whole are kept. Everything else, and a second Ctrl-C,
//! ends at once; unfinished files are removed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::{Failure, FailureKind, Result};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// Passes that will notice a request.
static ATTENTIVE: AtomicUsize = AtomicUsize::new(0);

/// Starts to listen to Ctrl-C and to requests to end.
pub(crate) fn listen() {
    // Without a handler the system's own ends the process, as before.
    let _ = ctrlc::set_handler(|| {
        if ATTENTIVE.load(Ordering::SeqCst) == 0 || REQUESTED.swap(true, Ordering::SeqCst) {
            streamjoin_datasets::remove_unfinished();
            std::process::exit(i32::from(FailureKind::Interrupted.exit_code()));
        }
    });
}

/// Asks what is attentive to end.
pub(crate) fn request() {
    REQUESTED.store(true, Ordering::SeqCst);
}

/// Whether somebody asked to end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
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
        if requested() { Err(Failure::interrupted()) } else { Ok(()) }
    }
}

impl Drop for Attentive {
    fn drop(&mut self) {
        ATTENTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}
