//! Which strategies run, and what `auto` chooses.

use std::num::NonZeroUsize;

use streamjoin_kernels::{IndexKind, Isa, Layout};

use crate::error::{Failure, Result};
use crate::scenario::{Choice, Scenario, nearest};

/// More threads than any machine has cores are a mistake.
const MAX_THREADS: usize = 1024;

/// A strategy that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// As reports name it.
    pub name: String,
    /// Who holds the table.
    pub layout: Choice<Layout>,
    /// How the table is looked up.
    pub index: Choice<IndexKind>,
    /// Threads that probe.
    pub threads: NonZeroUsize,
    /// Instruction set.
    pub isa: Isa,
    /// Rows of a probe work unit; the kernels' own default where absent.
    pub batch_rows: Option<NonZeroUsize>,
}

/// What a strategy comes to for one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Who holds the table.
    pub layout: Layout,
    /// How the table is looked up.
    pub index: IndexKind,
    /// Why, for `explain`.
    pub why: String,
}

impl Strategy {
    /// The strategy `auto` with the machine's best instruction set.
    ///
    /// # Errors
    /// A usage failure for an instruction set asked for and not available.
    pub fn auto() -> Result<Self> {
        Ok(Self {
            name: "auto".to_owned(),
            layout: Choice::Auto,
            index: Choice::Auto,
            threads: NonZeroUsize::MIN,
            isa: default_isa()?,
            batch_rows: None,
        })
    }

    /// What this strategy comes to for a table that may pin its own choices.
    #[must_use]
    pub fn resolve(
        &self,
        pinned_layout: Option<Choice<Layout>>,
        pinned_index: Option<Choice<IndexKind>>,
    ) -> Resolved {
        let mut why = Vec::new();
        let layout = match (pinned_layout, self.layout) {
            (Some(Choice::Fixed(layout)), _) => {
                why.push(format!("layout {layout}: the dimension asks for it"));
                layout
            }
            (None, Choice::Fixed(layout)) => {
                why.push(format!("layout {layout}: the strategy asks for it"));
                layout
            }
            (Some(Choice::Auto), _) | (None, Choice::Auto) => {
                why.push(
                    "layout broadcast: chosen; one shared table needs no exchange of rows"
                        .to_owned(),
                );
                Layout::Broadcast
            }
        };
        let index = match (pinned_index, self.index) {
            (Some(Choice::Fixed(index)), _) => {
                why.push(format!("index {index}: the dimension asks for it"));
                index
            }
            (None, Choice::Fixed(index)) => {
                why.push(format!("index {index}: the strategy asks for it"));
                index
            }
            (Some(Choice::Auto), _) | (None, Choice::Auto) => {
                why.push(
                    "index chained: chosen; built fastest, and probed faster than row-at-a-time at every table size"
                        .to_owned(),
                );
                IndexKind::Chained
            }
        };
        Resolved { layout, index, why: why.join("; ") }
    }
}

/// The strategies to run: those asked for, or all that the scenario declares,
/// or `auto`.
///
/// # Errors
/// A usage failure for an unknown name, or an instruction set that this
/// machine does not have.
pub fn strategies(
    scenario: &Scenario,
    requested: &[String],
    threads: Option<NonZeroUsize>,
) -> Result<Vec<Strategy>> {
    let declared = &scenario.spec.strategies;
    let mut chosen: Vec<Strategy> = Vec::new();
    if requested.is_empty() {
        for name in declared.names() {
            chosen.extend(from_scenario(scenario, name)?);
        }
        if chosen.is_empty() {
            chosen.push(Strategy::auto()?);
        }
    }
    for name in requested {
        let strategy = match from_scenario(scenario, name)? {
            Some(strategy) => strategy,
            None => by_form(name, declared.names())?,
        };
        if !chosen.iter().any(|known| known.name == strategy.name) {
            chosen.push(strategy);
        }
    }
    for strategy in &mut chosen {
        strategy.threads = threads.unwrap_or(strategy.threads);
        if strategy.threads.get() > MAX_THREADS {
            return Err(Failure::usage(format!(
                "strategy `{}`: {} threads; at most {MAX_THREADS} are accepted",
                strategy.name, strategy.threads
            )));
        }
    }
    Ok(chosen)
}

fn from_scenario(scenario: &Scenario, name: &str) -> Result<Option<Strategy>> {
    let Some(spec) = scenario.spec.strategies.get(name) else { return Ok(None) };
    let isa = match &spec.isa {
        Some(isa) => isa
            .get_ref()
            .require()
            .map_err(|error| Failure::usage(error).at(scenario.place(isa)))?,
        None => default_isa()?,
    };
    Ok(Some(Strategy {
        name: name.to_owned(),
        layout: spec.layout.as_ref().map_or(Choice::Auto, |layout| *layout.get_ref()),
        index: spec.index.as_ref().map_or(Choice::Auto, |index| *index.get_ref()),
        threads: spec.threads.unwrap_or(NonZeroUsize::MIN),
        isa,
        batch_rows: spec.batch_rows,
    }))
}

/// A strategy that is not declared: `auto`, or `layout/index`.
fn by_form<'a>(name: &str, declared: impl Iterator<Item = &'a str>) -> Result<Strategy> {
    let auto = Strategy::auto()?;
    if name == "auto" {
        return Ok(auto);
    }
    let Some((layout, index)) = name.split_once('/') else {
        let declared: Vec<&str> = declared.collect();
        let hint = match nearest(name, declared.iter().copied().chain(["auto"])) {
            Some(near) => format!("did you mean `{near}`? "),
            None => String::new(),
        };
        let known = if declared.is_empty() { "none".to_owned() } else { declared.join(", ") };
        return Err(Failure::usage(format!(
            "unknown strategy `{name}`: {hint}Declared in the scenario: {known}. Or give `auto` or layout/index, such as `broadcast/chained`"
        )));
    };
    let at = |error: streamjoin_kernels::JoinError| {
        Failure::usage(error).at(format!("strategy `{name}`"))
    };
    Ok(Strategy {
        name: name.to_owned(),
        layout: layout.parse().map_err(at)?,
        index: index.parse().map_err(at)?,
        ..auto
    })
}

/// The instruction set of `STREAMJOIN_ISA`, or the machine's best.
///
/// # Errors
/// A usage failure for a name that is unknown or that this machine lacks.
pub fn default_isa() -> Result<Isa> {
    match std::env::var("STREAMJOIN_ISA") {
        Ok(name) => name
            .parse::<Isa>()
            .and_then(Isa::require)
            .map_err(|error| Failure::usage(error).at("STREAMJOIN_ISA")),
        Err(_) => Ok(Isa::detect()),
    }
}
