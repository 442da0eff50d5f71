//! `man`: the manual, made from the descriptions of commands and flags.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::{Man, generate_to};

use super::output::print;
use crate::error::{Failure, Result};

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
    pub(super) fn execute(self, description: Command) -> Result<()> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            Man::new(description).render(&mut page).map_err(Failure::run)?;
            return print(&String::from_utf8_lossy(&page));
        };
        let at = |error| Failure::run(format!("{}: {error}", folder.display()));
        fs::create_dir_all(&folder).map_err(at)?;
        generate_to(description, &folder).map_err(at)
    }
}
