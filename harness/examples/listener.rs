//! A program of its own that observes while a strategy is measured; GUIDE.md has
//! the same text.

use std::time::Duration;
use streamjoin::replay::{ProgressListener, Started, Terminated};
use streamjoin::{
    error::Result,
    measure::measure,
    plan,
    record::{Idle, Progress},
    scenario,
    sink::SinkSpec,
};

struct Printer;

impl ProgressListener for Printer {
    fn started(&mut self, run: &Started) -> Result<()> {
        println!("{} starts", run.strategy);
        Ok(())
    }
    fn progress(&mut self, batch: &Progress) -> Result<()> {
        println!("batch {}: {} rows", batch.batch_id, batch.num_input_rows);
        Ok(())
    }
    fn idle(&mut self, idle: &Idle) -> Result<()> {
        println!("nothing arrived for batch {}", idle.batch_id);
        Ok(())
    }
    fn terminated(&mut self, end: &Terminated<'_>) -> Result<()> {
        println!("{:?}", end.summary.map(|summary| summary.rows_out));
        Ok(())
    }
}

fn main() -> Result<()> {
    let scenario = scenario::find(Some("device-readings"), None)?;
    let plan = plan::plan(&scenario, None)?;
    let strategy = plan::Strategy::auto()?;
    let measured = measure(&plan, &strategy, &SinkSpec::None, Duration::ZERO, &mut Printer)?;
    println!("{} rows/s", measured.whole()?.rows_per_second.unwrap_or(0.0));
    Ok(())
}
