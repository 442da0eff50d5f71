//! `man`: the manual, made from the descriptions of commands and flags.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap_mangen::{Man, generate_to};

use super::description;
use crate::error::{Failure, Result};
use crate::sink::PipeStdout;

/// Print the manual page, or write the pages of all commands to a folder
///
/// `streamjoin man | man -l -` reads it; `streamjoin man ~/.local/share/man/man1` installs it.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Folder for streamjoin.1, streamjoin-run.1 and so on; made if it is not there [default: print
    /// streamjoin.1]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl ManArgs {
    pub(super) fn execute(self) -> Result<()> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            Man::new(description()).render(&mut page).map_err(Failure::run)?;
            return PipeStdout::default().write_all(&page).map_err(|error| {
                Failure::run(format!("cannot write to standard output: {error}"))
            });
        };
        let at = |error| Failure::run(format!("{}: {error}", folder.display()));
        fs::create_dir_all(&folder).map_err(at)?;
        generate_to(description(), &folder).map_err(at)
    }
}
