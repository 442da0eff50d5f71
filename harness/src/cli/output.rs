//! Where a command prints.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use crate::error::{Failure, Result};
use crate::sink::PipeStdout;

static ALLOCATOR: OnceLock<&'static str> = OnceLock::new();

pub(super) fn set_allocator(name: &'static str) {
    // Set once, by `main`.
    let _ = ALLOCATOR.set(name);
}

/// The name of the binary's global allocator.
pub(super) fn allocator() -> &'static str {
    ALLOCATOR.get().copied().unwrap_or("system")
}

/// Prints to standard error; a failure to do so is ignored.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether a progress bar is shown.
pub(super) fn bar_is_seen(quiet: bool) -> bool {
    !quiet && io::stderr().is_terminal()
}

/// Results: standard output, or standard error where the rows take standard
/// output. A reader that has gone away is not a failure.
pub(super) struct Results {
    target: Box<dyn Write>,
}

impl Results {
    pub(super) fn new(rows_take_stdout: bool) -> Self {
        let target: Box<dyn Write> =
            if rows_take_stdout { Box::new(io::stderr()) } else { Box::new(PipeStdout::default()) };
        Self { target }
    }

    pub(super) fn line(&mut self, text: &str) -> Result<()> {
        let written = writeln!(self.target, "{text}").and_then(|()| self.target.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::run(format!("cannot write results: {error}")))
            }
            _ => Ok(()),
        }
    }
}

/// Prints text as it is.
///
/// # Errors
/// A run failure where standard output cannot be written.
pub(super) fn print(text: &str) -> Result<()> {
    PipeStdout::default()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::run(format!("cannot write to standard output: {error}")))
}
