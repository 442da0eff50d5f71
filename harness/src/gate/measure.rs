//! One pass per strategy, and the baseline's entry for a scenario.

use super::baseline::{Case, Entry};
use super::figures::{Figure, PassFigures};
use super::forced::settings;
use super::input::Asked;
use crate::error::{Failure, Result};
use crate::plan::{Strategy, pool};
use crate::replay::{Counted, Pass, ProgressListener};
use crate::sink::{self, SinkSpec};

/// Runs one pass of a strategy.
///
/// # Errors
/// What the pass fails with.
pub fn measure(
    asked: &Asked,
    strategy: &Strategy,
    listener: &mut dyn ProgressListener,
) -> Result<PassFigures> {
    let pass = Pass::new(&asked.plan, strategy, pool(strategy.threads)?);
    let mut sink = sink::open(&SinkSpec::None, asked.plan.output_schema())?;
    let outcome = pass.run(&mut *sink, listener, Counted::All)?;
    if let Some(failure) = outcome.cut_short {
        return Err(failure);
    }
    Ok(PassFigures::of(&asked.plan, &outcome))
}

/// A scenario's entry in a baseline, from the figures of its strategies.
///
/// # Errors
/// A wrong-result failure if they disagree: a baseline must not be wrong.
pub fn entry(asked: Asked, figures: Vec<PassFigures>) -> Result<Entry> {
    let answers = asked.strategies.iter().zip(&figures);
    let answers: Vec<(&str, [Option<&Figure>; 2])> = answers
        .map(|(strategy, figures)| {
            (strategy.name.as_str(), ["rowsOut", "checksum"].map(|name| figures.answer.get(name)))
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
    let mut cases = Vec::with_capacity(figures.len());
    for (strategy, figures) in asked.strategies.iter().zip(figures) {
        let settings = settings(strategy)?;
        cases.push(Case { strategy: strategy.name.clone(), settings, figures });
    }
    Ok(Entry { strategies: cases, scenario: asked.name, query: asked.query, data: asked.data })
}
