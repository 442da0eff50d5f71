//! `watermark`: what each watermark delay would lose and hold.

use clap::{Args, ValueEnum};

use super::output::{Results, complain};
use super::progress_bar::Bar;
use super::scenario_args::{ScenarioArgs, rows};
use super::watermark_table;
use crate::error::{Failure, Result};
use crate::plan::{Plan, plan};
use crate::text::duration::Micros;
use crate::watermark::{self, Question};

/// Show the late rows and the state for each watermark delay, and where the knee is
///
/// For many delays at once: rows dropped as late, rows in state at the peak and on the plateau, and
/// how long unmatched rows wait until they are emitted. One pass over the recording finds all of
/// it, and every figure is the one that `run` reports with that delay. Inner joins are counted
/// without joining; outer, semi and anti joins are joined once, at the greatest delay. Without
/// --delay, a pass before that finds how late rows are, from which the delays are chosen.
#[derive(Debug, Args)]
pub(super) struct WatermarkArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    /// Delay to evaluate, such as `10s` or `"1 hour 30 minutes"`; several are separated by commas,
    /// or the flag is given several times [default: chosen from how late rows are, up to the least
    /// delay with which no row is late]
    #[arg(long, value_name = "DELAY", value_delimiter = ',')]
    delay: Vec<Micros>,

    /// Vary the delay of this stream alone: left, right or its name [default: all streams that
    /// declare a watermark have the same delay]
    #[arg(long, value_name = "STREAM")]
    side: Option<String>,

    /// Read at most this many stream rows, whatever the scenario says
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    limit: Option<u64>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: WatermarkFormat,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// How to print the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum WatermarkFormat {
    /// A table.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// One line per delay.
    Csv,
}

impl WatermarkArgs {
    pub(super) fn execute(self) -> Result<()> {
        let scenario = self.scenario.find()?;
        let plan = plan(&scenario, self.limit)?;
        let streams = watermark::streams(&plan, &scenario)?;
        let vary = watermark::vary(streams, self.side.as_deref())?;
        for warning in plan.warnings().iter().chain(&streams.unbounded) {
            complain(&format!("warning: {warning}"));
        }
        let question = Question { vary, delays: self.delay };
        let mut bar: Option<(&'static str, Bar)> = None;
        let report = watermark::ask(&scenario, streams, &question, &mut |pass, rows| {
            if bar.as_ref().is_none_or(|(of, _)| *of != pass) {
                bar = Some((pass, Bar::new(pass, Plan::rows(&plan), self.quiet)));
            }
            if let Some((_, bar)) = &bar {
                bar.add(rows);
            }
        });
        drop(bar);
        let report = report?;
        let mut results = Results::new(false);
        match self.format {
            WatermarkFormat::Human => {
                watermark_table::lines(&report).iter().try_for_each(|line| results.line(line))
            }
            WatermarkFormat::Json => {
                results.line(&serde_json::to_string_pretty(&report).map_err(Failure::run)?)
            }
            WatermarkFormat::Csv => results.line(report.csv()?.trim_end()),
        }
    }
}
