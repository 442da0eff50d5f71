//! Arguments that several commands share.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::inline::InlineArgs;
use crate::error::Result;
use crate::scenario::{self, Scenario};
use crate::text::duration::Micros;

/// Which scenario, and where shipped data is.
#[derive(Clone, Debug, Args)]
pub(super) struct ScenarioArgs {
    /// A scenario file, or the name of a shipped scenario [default: nyc-enrich]
    #[arg(value_name = "SCENARIO")]
    pub(super) scenario: Option<String>,

    #[command(flatten)]
    inline: InlineArgs,

    /// Set KEY of the scenario to VALUE, such as `replay.trigger.rows=1000` or
    /// `strategies.a.threads=2`; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,

    /// Folder with shipped data and scenarios [default: $STREAMJOIN_DATA, or `datasets` in this
    /// folder or one above it]
    #[arg(long, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
}

impl ScenarioArgs {
    pub(super) fn find(&self) -> Result<Scenario> {
        let found = match self.inline.scenario()? {
            Some(scenario) => scenario,
            None => scenario::find(self.scenario.as_deref(), self.data_dir.as_deref())?,
        };
        self.set
            .iter()
            .try_fold(found, |scenario, (key, value)| scenario::set(&scenario, key, value))
    }
}

/// Which strategies, and how much of the recording.
#[derive(Clone, Debug, Args)]
pub(super) struct StrategyArgs {
    /// Strategy to run: a name that the scenario declares, `auto`, or LAYOUT/INDEX such as
    /// `broadcast/chained`; may be given several times [default: all that the scenario declares]
    #[arg(long, value_name = "NAME")]
    pub(super) strategy: Vec<String>,

    /// Threads for every strategy, whatever the scenario says
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<NonZeroUsize>,

    /// Read at most this many stream rows, whatever the scenario says
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    pub(super) limit: Option<u64>,
}

/// `KEY=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("KEY=VALUE is expected, such as replay.trigger.rows=1000".to_owned()),
    }
}

/// A length of time that is one.
pub(super) fn positive(text: &str) -> Result<Micros, String> {
    match text.parse()? {
        Micros(micros) if micros > 0 => Ok(Micros(micros)),
        _ => Err("a time longer than zero is expected, such as 30s".to_owned()),
    }
}

/// A number of rows, `_` between digits allowed.
pub(super) fn rows(text: &str) -> Result<u64, String> {
    text.replace('_', "")
        .parse()
        .map_err(|_| "a whole number of rows is expected, such as 65_536".to_owned())
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a number of threads is expected, 1 or more".to_owned())
}
