//! The command line, one file a command; a new command is a file and a line
//! in `Command` and in `Command::execute`.

mod bar;
mod baseline;
mod check;
mod completions;
pub mod conform;
pub mod data;
mod explain;
mod findings;
mod gate;
mod gate_table;
mod init;
mod inline;
pub mod machine;
mod man;
mod measure_one;
mod options;
mod output;
mod run;
mod schema;
mod sweep;
mod sweep_table;
mod table;
mod watermark;
mod watermark_table;
mod written;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::error::{FailureKind, Result};
use crate::interrupt;

/// Replays recorded streams through join strategies and reports throughput,
/// latency and state size.
///
/// Without arguments, `streamjoin run` runs the shipped scenario `nyc-enrich`:
/// a year of flights joined with planes, airports, airlines and weather.
#[derive(Debug, Parser)]
#[command(name = "streamjoin", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 ok; 1 a file is missing or unreadable, or reading, joining or \
writing failed; 2 the arguments, the scenario or the schemas are wrong, or the join is refused; \
3 a regression; 4 a wrong result; 5 inconclusive; 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Init(init::InitArgs),
    Explain(explain::ExplainArgs),
    Check(check::CheckArgs),
    Watermark(watermark::WatermarkArgs),
    Baseline(baseline::BaselineArgs),
    Gate(gate::GateArgs),
    Conform(conform::ConformArgs),
    Machine(machine::MachineArgs),
    Sweep(Box<sweep::SweepArgs>),
    Data(data::DataArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    MeasureOne(measure_one::MeasureOneArgs),
}

impl Command {
    fn execute(self) -> Result<()> {
        match self {
            Self::Run(args) => args.execute(),
            Self::Init(args) => args.execute(),
            Self::Explain(args) => args.execute(),
            Self::Check(args) => args.execute(),
            Self::Watermark(args) => args.execute(),
            Self::Baseline(args) => args.execute(),
            Self::Gate(args) => args.execute(),
            Self::Conform(args) => conform::run(&args),
            Self::Machine(args) => machine::run(&args),
            Self::Sweep(args) => args.execute(),
            Self::Data(args) => data::run(&args),
            Self::Schema(args) => args.execute(),
            Self::Completions(args) => args.execute(),
            Self::Man(args) => args.execute(),
            Self::MeasureOne(args) => args.execute(),
        }
    }
}

/// The command line's description, for what is made from it.
fn description() -> clap::Command {
    Cli::command()
}

/// Runs the command that the process's arguments ask for.
///
/// `allocator` is the name of the binary's global allocator, for reports.
#[must_use]
pub fn main(allocator: &'static str) -> ExitCode {
    output::set_allocator(allocator);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, on standard output; all else is usage.
            let code = if error.use_stderr() { FailureKind::Usage.exit_code() } else { 0 };
            // A closed pipe leaves nobody to tell.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    interrupt::listen();
    #[cfg(unix)]
    streamjoin_datasets::report_cut_files();
    match cli.command.execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Readers of other crates complain over several lines; an error is one.
            let lines = failure.message.lines().map(str::trim).filter(|line| !line.is_empty());
            output::complain(&format!("error: {}", lines.collect::<Vec<_>>().join("; ")));
            ExitCode::from(failure.kind.exit_code())
        }
    }
}
