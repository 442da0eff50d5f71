//! The command line: one file per command, and one line per command in `commands!`.

mod baseline;
mod check;
mod completions;
mod conform;
mod csv_file;
mod data;
mod explain;
mod findings_text;
mod gate;
mod gate_table;
mod init;
mod inline;
mod machine;
mod man;
mod measure_one;
mod output;
mod output_paths;
mod preflight;
mod progress_bar;
mod report_file;
mod run;
mod scenario_args;
mod schema;
mod sweep;
mod sweep_table;
mod text_table;
mod unmatched;
mod watermark;
mod watermark_table;

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

/// Declares [`Command`]: the name of each command, its arguments, which carry
/// `execute`, and what else `execute` takes.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($arguments:ty) $(with $more:expr)?;)+) => {
        /// The commands, in the order of `--help`.
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$attribute])* $name($arguments),)+
        }

        impl Command {
            fn execute(self) -> Result<()> {
                match self {
                    $(Self::$name(arguments) => arguments.execute($($more)?),)+
                }
            }
        }
    };
}

commands! {
    Run(run::RunArgs);
    Init(init::InitArgs);
    Explain(explain::ExplainArgs);
    Check(check::CheckArgs);
    Watermark(watermark::WatermarkArgs);
    Baseline(baseline::BaselineArgs);
    Gate(gate::GateArgs);
    Conform(conform::ConformArgs);
    Machine(machine::MachineArgs);
    Sweep(Box<sweep::SweepArgs>);
    Data(data::DataArgs);
    Schema(schema::SchemaArgs);
    Completions(completions::CompletionsArgs) with &Cli::command();
    Man(man::ManArgs) with Cli::command();
    #[command(hide = true)]
    MeasureOne(measure_one::MeasureOneArgs);
}

/// Runs the command that the process's arguments ask for.
///
/// `allocator` is the name of the binary's global allocator, for reports.
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
    interrupt::end_at_bus_signals();
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
