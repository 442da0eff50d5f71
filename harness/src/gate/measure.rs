//! One pass of one strategy, with everything forced that a machine would
//! otherwise have a say in.

use std::collections::BTreeMap;

use streamjoin_kernels::arch::CacheSizes;

use super::baseline::{Case, Entry};
use super::figures::{Figure, Measured};
use super::input::Asked;
use crate::error::{Failure, Result};
use crate::plan::{Footing, Strategy, pool};
use crate::replay::{Counted, Pass, ProgressListener};
use crate::scenario::Swap;
use crate::sink::{self, SinkSpec};

/// What is forced, for the baseline file.
#[must_use]
pub fn forced() -> BTreeMap<String, String> {
    let CacheSizes { l1, l2, l3 } = CacheSizes::TYPICAL;
    BTreeMap::from([
        ("caches".to_owned(), format!("{l1}, {l2}, {l3} bytes, whatever the machine has")),
        ("costs".to_owned(), "as shipped, whatever STREAMJOIN_COSTS says".to_owned()),
        ("hashSeed".to_owned(), "fixed".to_owned()),
        ("passes".to_owned(), "one".to_owned()),
        ("swap".to_owned(), "`now` in place of `background`".to_owned()),
    ])
}

/// Takes from a strategy what the machine, or the timing of threads, has a say
/// in.
pub(super) fn force(strategy: &mut Strategy) {
    strategy.footing = Footing::Typical;
    if strategy.swap == Swap::Background {
        strategy.swap = Swap::Now;
    }
}

/// What a strategy is other than the default one, for the baseline file. The
/// instruction set is left out: no figure depends on it.
///
/// # Errors
/// A usage failure for an instruction set asked for and not available.
pub fn settings(strategy: &Strategy) -> Result<BTreeMap<String, String>> {
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

/// Runs one pass of a strategy.
///
/// # Errors
/// What the pass fails with.
pub fn measure(
    asked: &Asked,
    strategy: &Strategy,
    listener: &mut dyn ProgressListener,
) -> Result<Measured> {
    let pass = Pass::new(&asked.plan, strategy, pool(strategy.threads)?);
    let mut sink = sink::open(&SinkSpec::None, asked.plan.output_schema())?;
    let outcome = pass.run(&mut *sink, listener, Counted::All)?;
    if let Some(failure) = outcome.cut_short {
        return Err(failure);
    }
    Ok(Measured::of(&asked.plan, &outcome))
}

/// A scenario's part of a baseline, from what its strategies came to.
///
/// # Errors
/// A wrong-result failure if they disagree: a baseline must not be wrong.
pub fn entry(asked: Asked, measured: Vec<Measured>) -> Result<Entry> {
    let answers = asked.strategies.iter().zip(&measured);
    let answers: Vec<(&str, [Option<&Figure>; 2])> = answers
        .map(|(strategy, measured)| {
            (strategy.name.as_str(), ["rowsOut", "checksum"].map(|name| measured.answer.get(name)))
        })
        .collect();
    if let [(first, rows), others @ ..] = &answers[..]
        && let Some((other, _)) = others.iter().find(|(_, others)| others != rows)
    {
        return Err(Failure::wrong_result(format!(
            "scenario `{}`: strategies `{first}` and `{other}` gave different rows, so one of them is wrong, and neither makes a baseline",
            asked.name
        )));
    }
    let mut cases = Vec::with_capacity(measured.len());
    for (strategy, measured) in asked.strategies.iter().zip(measured) {
        let settings = settings(strategy)?;
        cases.push(Case { strategy: strategy.name.clone(), settings, measured });
    }
    Ok(Entry { strategies: cases, scenario: asked.name, query: asked.query, data: asked.data })
}
