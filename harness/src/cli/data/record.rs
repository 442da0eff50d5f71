//! `streamjoin data record`.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use streamjoin_datasets::{BatchCut, Live, LiveFormat, Lost, RecordOptions, Recorded, record};

use super::failure::failure;
use super::reading::ReadingArgs;
use super::writing::{WritingArgs, format};
use crate::cli::output::complain;
use crate::cli::output_paths::check_stdin;
use crate::cli::progress_bar::Bar;
use crate::error::{Failure, Result};
use crate::interrupt::{self, StopCheck};
use crate::text::bytes;
use crate::text::duration::Micros;
use crate::text::number::grouped;

/// How often the rows are shown.
const SHOW_EVERY: Duration = Duration::from_millis(100);

/// Arguments of `data record`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Reads standard input until it ends, until --limit or --duration is \
reached, or until Ctrl-C, which is not a failure: the rows so far are kept. Input compressed with \
gzip or zstd is decompressed.

  kcat -C -b localhost -t clicks -J | streamjoin data record -o clicks.arrow")]
pub(super) struct RecordArgs {
    /// What is written.
    #[command(flatten)]
    pub(super) writing: WritingArgs,

    /// Format of the input: csv, jsonl, kcat or arrow-stream [default: recognised by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub(super) input_format: Option<String>,

    /// How the input is read.
    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// kcat: prefix of the names of the columns key, topic, partition, offset
    /// and ts
    #[arg(long, value_name = "PREFIX", default_value = "")]
    pub(super) kcat_prefix: String,

    /// Column that gets the time of arrival
    #[arg(long, value_name = "COLUMN", default_value = "arrival")]
    pub(super) arrival: String,

    /// Cut a batch after N rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) batch_rows: Option<u64>,

    /// Cut a batch at each tick of arrival time, such as 1s
    #[arg(long, value_name = "DURATION")]
    pub(super) batch_every: Option<Micros>,

    /// Column that gets the number of the batch, if batches are cut
    #[arg(long, value_name = "COLUMN", default_value = "batch_id")]
    pub(super) batch_column: String,

    /// Stop after N rows
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,

    /// Stop after this long, such as 30s or "1 hour"
    #[arg(long, value_name = "DURATION")]
    pub(super) duration: Option<Micros>,

    /// No count of rows, which is shown on a terminal only
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// What to print, and what ended the recording too early.
pub(super) fn run(args: &RecordArgs) -> Result<(String, Result<()>)> {
    let options = options(args)?;
    check_stdin(&args.writing.output)?;
    let until = match &args.duration {
        // Longer than the clock runs is without end.
        Some(duration) => Instant::now().checked_add(positive("--duration", *duration)?),
        None => None,
    };
    if io::stdin().is_terminal() && !args.quiet {
        complain("reading what is typed: end it with Ctrl-D, or pipe something into it");
    }
    let stop_check = StopCheck::new();
    let live = Live::new(args.limit, move || {
        interrupt::requested() || until.is_some_and(|until| Instant::now() >= until)
    });
    let shown = Shown::start(live.clone(), args);
    let recorded = record(io::stdin(), &args.writing.output, &options, &live);
    shown.end();
    drop(stop_check);
    let recorded = recorded.map_err(failure)?;
    let text = text(&recorded);
    let outcome = told(&recorded).map_or(Ok(()), |failure| Err(Failure::run(failure)));
    Ok((text, outcome))
}

fn options(args: &RecordArgs) -> Result<RecordOptions> {
    if args.writing.output.as_os_str() == "-" {
        return Err(Failure::usage(
            "a recording is a file with a sidecar: name a file with -o, such as -o rows.arrow",
        ));
    }
    let input_format = args.input_format.as_deref().map(str::parse::<LiveFormat>);
    let every = args.batch_every.map(|every| positive("--batch-every", every)).transpose()?;
    let is_cut = args.batch_rows.is_some() || every.is_some();
    let cut = is_cut.then(|| BatchCut {
        column: args.batch_column.clone(),
        rows: args.batch_rows,
        every_us: args.batch_every.map(|every| every.0),
    });
    Ok(RecordOptions {
        input: "standard input".to_owned(),
        input_format: input_format.transpose().map_err(failure)?,
        kcat_prefix: args.kcat_prefix.clone(),
        read: args.reading.options()?,
        format: format(args.writing.output_format.as_deref())?,
        force: args.writing.force,
        arrival: args.arrival.clone(),
        cut,
        name: args.writing.name.clone(),
        description: args.writing.description.clone(),
        event_time: args.writing.event_time.clone(),
    })
}

fn positive(flag: &str, duration: Micros) -> Result<Duration> {
    match u64::try_from(duration.0) {
        Ok(micros) if micros > 0 => Ok(Duration::from_micros(micros)),
        _ => Err(Failure::usage(format!("{flag} must be longer than zero, such as 1s"))),
    }
}

/// What went wrong, and what is kept and lost.
fn told(recorded: &Recorded) -> Option<String> {
    let (rows, path) = (grouped(recorded.rows), recorded.path.display());
    let kept = match recorded.lost {
        Lost::Rows(0) => format!("the {rows} rows before it are in {path}"),
        Lost::Rows(lost) => {
            format!("the first {rows} rows are in {path}, the last {} are lost", grouped(lost))
        }
        Lost::Unknown => format!(
            "what was written of {rows} rows is in {path}, cut off at its end: read it with a \
             tool that takes such files (gzip -dc, zstd -dc)"
        ),
    };
    match (&recorded.failure, &recorded.sidecar) {
        (None, Ok(_)) => None,
        (None, Err(error)) => Some(format!("{error}; all {rows} rows are in {path}")),
        (Some(failure), Ok(_)) => Some(format!("{failure}; {kept}")),
        (Some(failure), Err(error)) => Some(format!("{failure}; {kept}; no sidecar ({error})")),
    }
}

fn text(recorded: &Recorded) -> String {
    let batches = match recorded.batches {
        Some(batches) => format!(" in {} batches", grouped(batches)),
        None => String::new(),
    };
    let sidecar = match &recorded.sidecar {
        Ok(path) => format!("{}\n", path.display()),
        Err(_) => String::new(),
    };
    // Rows that were not counted are not claimed.
    if recorded.lost == Lost::Unknown {
        return String::new();
    }
    format!(
        "{}: {} rows{batches}, {}, SHA-256 {} (from {})\n{sidecar}",
        recorded.path.display(),
        grouped(recorded.rows),
        bytes::binary(recorded.bytes),
        recorded.sha256,
        recorded.input_format
    )
}

/// Counts the rows on standard error while they arrive.
struct Shown {
    ended: Arc<AtomicBool>,
    thread: thread::JoinHandle<()>,
}

impl Shown {
    fn start(live: Arc<Live>, args: &RecordArgs) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let bar = Bar::new(&args.writing.output.display().to_string(), args.limit, args.quiet);
        let watched = ended.clone();
        let thread = thread::spawn(move || {
            let mut shown = 0;
            while !watched.load(Ordering::Relaxed) {
                let rows = live.rows();
                bar.add(rows - shown);
                shown = rows;
                thread::park_timeout(SHOW_EVERY);
            }
            bar.clear();
        });
        Self { ended, thread }
    }

    fn end(self) {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // It only draws: nothing is lost with it.
        let _ = self.thread.join();
    }
}
