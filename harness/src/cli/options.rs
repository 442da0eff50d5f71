//! Arguments that several commands share.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::inline::InlineArgs;
use crate::error::Result;
use crate::scenario::{self, Scenario};

/// Which scenario, and where shipped data is.
#[derive(Clone, Debug, Args)]
pub(super) struct ScenarioArgs {
    /// A scenario file, or the name of a shipped scenario [default: nyc-enrich]
    #[arg(value_name = "SCENARIO")]
    pub(super) scenario: Option<String>,

    #[command(flatten)]
    inline: InlineArgs,

    /// Folder with shipped data and scenarios [default: $STREAMJOIN_DATA, or `datasets` in this
    /// folder or one above it]
    #[arg(long, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
}

impl ScenarioArgs {
    pub(super) fn find(&self) -> Result<Scenario> {
        if let Some(scenario) = self.inline.scenario()? {
            return Ok(scenario);
        }
        scenario::find(self.scenario.as_deref(), self.data_dir.as_deref())
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

    /// Stream rows to read at most, whatever the scenario says
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    pub(super) limit: Option<u64>,
}

/// A number of rows, `_` between digits allowed.
pub(super) fn rows(text: &str) -> Result<u64, String> {
    text.replace('_', "")
        .parse()
        .map_err(|_| "a whole number of rows is expected, such as 65_536".to_owned())
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a number of threads from 1 on is expected".to_owned())
}
