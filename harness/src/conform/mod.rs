//! Recorded cases against what streamjoin answers.
//!
//! Each case becomes a scenario in memory (`to_scenario`) that is planned and
//! replayed as any other (`check`, `run`); every batch is compared.

mod case;
mod check;
mod compare;
mod encoding;
mod fields;
mod form;
mod input;
mod padding;
mod refusal;
mod run;
mod state;
mod to_scenario;
mod value;

#[cfg(test)]
mod tests;

use std::fs;
use std::io::Read;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use streamjoin_kernels::Isa;

use crate::error::{Failure, Result};
use case::{Content, Query};

pub use case::Case;

/// Cases recorded from Apache Spark 4.3.0 that come with the program.
const STREAM_STATIC: &[u8] = include_bytes!("../../tests/data/stream-static.jsonl.zst");
const STREAM_STREAM: &[u8] = include_bytes!("../../tests/data/stream-stream.jsonl.zst");

/// First bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What one case resulted in.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The case's name.
    pub name: String,
    /// What is wrong, one text per failed form; empty where the case passes.
    pub failures: Vec<String>,
}

impl CaseResult {
    /// Whether all forms of the case gave the recorded answer.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Reads the cases of a file: one JSON object per line, zstd-compressed or not.
///
/// # Errors
/// A run failure that names file and line.
pub fn read(path: &Path) -> Result<Vec<Case>> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::run(format!("cannot read {}: {error}", path.display())))?;
    parse(&bytes, &path.display().to_string())
}

/// The cases that come with the program.
///
/// # Errors
/// None in a sound build.
pub fn shipped() -> Result<Vec<Case>> {
    let mut cases = parse(STREAM_STATIC, "shipped stream-static cases")?;
    cases.extend(parse(STREAM_STREAM, "shipped stream-stream cases")?);
    Ok(cases)
}

fn parse(bytes: &[u8], origin: &str) -> Result<Vec<Case>> {
    let unreadable = |error: std::io::Error| Failure::run(format!("{origin}: {error}"));
    let text = if bytes.starts_with(&ZSTD_MAGIC) {
        let mut text = String::new();
        let mut decoder = zstd::stream::read::Decoder::new(bytes).map_err(unreadable)?;
        decoder.read_to_string(&mut text).map_err(unreadable)?;
        text
    } else {
        match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(error) => return Err(Failure::run(format!("{origin}: not UTF-8: {error}"))),
        }
    };
    let cases = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| {
            Case::parse(line)
                .map_err(|error| Failure::run(format!("{origin}, line {}: {error}", i + 1)))
        })
        .collect::<Result<Vec<_>>>()?;
    if cases.is_empty() {
        return Err(Failure::run(format!("{origin}: no case in it")));
    }
    Ok(cases)
}

/// Which forms of each case are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forms {
    /// The default strategy, and every state store, with this instruction set.
    Usual(Isa),
    /// Every index, layout, store, instruction set, block size and one to four
    /// threads, in other encodings, and on enlarged tables and streams.
    All,
}

/// Runs every case. Cases run side by side.
///
/// # Errors
/// A run failure if the threads of a form cannot be started, a usage failure for
/// an instruction set that this machine does not have.
pub fn run(cases: &[Case], forms: Forms) -> Result<Vec<CaseResult>> {
    let forms = match forms {
        Forms::Usual(isa) => form::Forms::usual(isa)?,
        Forms::All => form::Forms::all()?,
    };
    let next = AtomicUsize::new(0);
    let run_some = || {
        let mut results = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { return results };
            results.push((at, run_case(case, &forms)));
        }
    };
    // No pool: a thread of one that waits for a join on several threads would
    // begin the next case, and the one after that, deeper and deeper.
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut results = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run_some)).collect();
        let results = threads.into_iter().map(thread::ScopedJoinHandle::join);
        results
            .flat_map(|of_thread| of_thread.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect::<Vec<_>>()
    });
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

fn run_case(case: &Case, forms: &form::Forms) -> CaseResult {
    let failures = match &case.content {
        Some(content @ Content { query: Query::StreamStatic(_), .. }) => {
            check::check(content, &forms.stream_static)
        }
        Some(content @ Content { query: Query::StreamStream(_), .. }) => {
            check::check(content, &forms.stream_stream)
        }
        None => vec![format!(
            "kind `{}` is not known to this version; known: stream-static, stream-stream",
            case.kind()
        )],
    };
    CaseResult { name: case.name.clone(), failures }
}
