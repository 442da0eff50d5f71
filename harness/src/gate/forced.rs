//! What a gate forces, so that a machine and the timing of threads have no say
//! in the figures.

use std::collections::BTreeMap;

use streamjoin_kernels::arch::CacheSizes;

use crate::error::Result;
use crate::plan::{Footing, Strategy};
use crate::scenario::Swap;

/// What is forced, for the baseline file.
pub(super) fn forced() -> BTreeMap<String, String> {
    let CacheSizes { l1, l2, l3, .. } = CacheSizes::TYPICAL;
    BTreeMap::from([
        ("caches".to_owned(), format!("{l1}, {l2}, {l3} bytes, whatever the machine has")),
        ("costs".to_owned(), "as shipped, whatever STREAMJOIN_COSTS says".to_owned()),
        ("hashSeed".to_owned(), "fixed".to_owned()),
        ("passes".to_owned(), "one".to_owned()),
        ("swap".to_owned(), "`now` in place of `background`".to_owned()),
    ])
}

/// Forces the settings of a strategy that depend on the machine or on the
/// timing of threads.
pub(super) fn force(strategy: &mut Strategy) {
    strategy.footing = Footing::Typical;
    if strategy.swap == Swap::Background {
        strategy.swap = Swap::Now;
    }
}

/// The settings of a strategy that differ from the default, for the baseline
/// file. The instruction set is left out: no figure depends on it.
///
/// # Errors
/// A usage failure for an instruction set asked for and not available.
pub(super) fn settings(strategy: &Strategy) -> Result<BTreeMap<String, String>> {
    let default = all_settings(&Strategy::auto()?);
    let settings = all_settings(strategy).into_iter().zip(default);
    let other = settings.filter(|(setting, default)| setting != default);
    Ok(other.map(|((name, value), _)| (name.to_owned(), value)).collect())
}

fn all_settings(strategy: &Strategy) -> [(&'static str, String); 9] {
    let number = |number: Option<u64>| number.map_or("none".to_owned(), |n| n.to_string());
    let limit = strategy.state_limit;
    let swap = match strategy.swap {
        Swap::Never => "never",
        Swap::Now => "now",
        Swap::Background => "background",
    };
    [
        ("batchRows", number(strategy.batch_rows.map(|rows| rows.get() as u64))),
        ("broadcastThreshold", strategy.broadcast_threshold.to_string()),
        ("index", strategy.index.to_string()),
        ("layout", strategy.layout.to_string()),
        ("state", strategy.state.to_string()),
        ("stateLimitBytes", number(limit.bytes.map(|bytes| bytes as u64))),
        ("stateLimitRows", number(limit.rows)),
        ("swap", swap.to_owned()),
        ("threads", strategy.threads.to_string()),
    ]
}
