//! `init`: a first scenario for a user's own files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use streamjoin_datasets::AtomicFile;

use super::output::{Results, complain};
use super::scenario_args::rows;
use crate::error::{Failure, Result};
use crate::init::{Question, propose};
use crate::sink::PipeStdout;
use crate::text::shell::shell_word;

/// Look at files and write a scenario that joins them
///
/// Guesses which file is the stream and which are tables, their keys, event times and watermarks,
/// and writes a scenario that runs as it is. Its comments give the evidence for each guess and the
/// alternatives.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Files, folders or globs to join: two or more
    #[arg(value_name = "PATH", required = true, num_args = 1..)]
    paths: Vec<String>,

    /// Where the scenario goes (`-`: standard output)
    #[arg(short, long, value_name = "PATH", default_value = "scenario.toml")]
    output: PathBuf,

    /// How many of the first files are streams: 1 or 2 [default: guessed; without a number: 2]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "2", value_parser = clap::value_parser!(u8).range(1..=2))]
    streams: Option<u8>,

    /// Read at most this many rows per file
    #[arg(long, value_name = "ROWS", value_parser = rows, default_value = "1_000_000")]
    limit: u64,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl InitArgs {
    pub(super) fn execute(self) -> Result<()> {
        if self.paths.len() < 2 {
            return Err(Failure::usage(format!(
                "{} has nothing to join with: give two or more files, the stream and its tables, or two streams (`streamjoin data inspect {}` shows what is in one)",
                self.paths[0],
                shell_word(&self.paths[0])
            )));
        }
        if self.limit == 0 {
            return Err(Failure::usage("--limit 0: nothing can be found out without reading rows"));
        }
        let to_stdout = self.output == Path::new("-");
        if !to_stdout {
            may_write(&self.output, self.force)?;
        }
        let scenario = if to_stdout { Path::new("scenario.toml") } else { &self.output };
        let proposal = propose(&Question {
            paths: &self.paths,
            streams: self.streams.map(usize::from),
            limit: self.limit,
            scenario,
        })?;
        // The scenario alone is on standard output, if it goes there.
        let mut results = Results::new(to_stdout);
        for line in &proposal.findings {
            results.line(line)?;
        }
        for doubt in &proposal.doubts {
            complain(&format!("note: {doubt}"));
        }
        if to_stdout {
            return PipeStdout::default()
                .write_all(proposal.text.as_bytes())
                .map_err(|error| Failure::run(format!("cannot write the scenario: {error}")));
        }
        write(&self.output, &proposal.text)?;
        let path = shell_word(&self.output.display().to_string());
        results.line(&format!("wrote {}; next:", self.output.display()))?;
        let mut next = vec![
            format!("streamjoin check {path}"),
            format!("streamjoin run {path}"),
            format!("streamjoin run {path} -o joined.parquet"),
            format!("streamjoin explain {path}"),
        ];
        if proposal.two_streams {
            next.push(format!("streamjoin watermark {path}"));
        }
        next.iter().try_for_each(|line| results.line(&format!("  {line}")))
    }
}

/// Refuses before the files are read what would be refused after it.
fn may_write(path: &Path, force: bool) -> Result<()> {
    if path.is_dir() || path.file_name().is_none() {
        return Err(Failure::usage(format!(
            "{} is a folder: name a file in it, such as scenario.toml",
            path.display()
        )));
    }
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Failure::usage(format!("{}: a scenario's name ends in .toml", path.display())));
    }
    match path.exists() && !force {
        true => Err(Failure::usage(format!(
            "{} exists: choose another with -o, or add --force to replace it",
            path.display()
        ))),
        false => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
        && !folder.is_dir()
    {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::run(format!("{}: {error}", folder.display())))?;
    }
    let mut file = AtomicFile::create(path, true).map_err(Failure::run)?;
    file.write_all(text.as_bytes())
        .map_err(|error| Failure::run(format!("{}: {error}", path.display())))?;
    file.commit().map_err(Failure::run)
}
