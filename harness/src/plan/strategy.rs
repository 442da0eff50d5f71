//! Which strategies run, and what `auto` chooses.

use std::fmt;
use std::num::NonZeroUsize;

use streamjoin_kernels::state::BlockOptions;
use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::stream_stream::StateLimit;
use streamjoin_kernels::{IndexKind, Isa, KeyHasher, StoreKind};

use crate::error::{Failure, Result};
use crate::scenario::{BROADCAST_THRESHOLD, Choice, Located, Scenario, StrategyOptions, Swap};
use crate::text::nearest::did_you_mean;
use crate::text::number::grouped;

/// Fixed, so that runs repeat.
const HASH_SEED: u64 = 0x5eed;

/// More threads than any machine has cores are a mistake.
const MAX_THREADS: usize = 1024;

/// What choices that differ from machine to machine are based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Footing {
    /// This machine: its caches, and the costs that `STREAMJOIN_COSTS` names.
    #[default]
    ThisMachine,
    /// A typical one, with the costs that are shipped: the same tables of the
    /// same size everywhere.
    Typical,
}

/// A strategy that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// As reports name it.
    pub name: String,
    /// Whether a table is shared or partitioned.
    pub layout: Choice<Layout>,
    /// How the table is looked up.
    pub index: Choice<IndexKind>,
    /// Threads that join.
    pub threads: NonZeroUsize,
    /// Instruction set.
    pub isa: Isa,
    /// Rows of a probe work unit; the kernels' own default where absent.
    pub batch_rows: Option<NonZeroUsize>,
    /// Bytes of index and retained columns up to which a table is broadcast.
    pub broadcast_threshold: usize,
    /// When a table gets the index that suits it best.
    pub swap: Swap,
    /// The state store of a join of two streams.
    pub state: StoreKind,
    /// The most that it may hold.
    pub state_limit: StateLimit,
    /// What layouts and `auto` are based on.
    pub footing: Footing,
    /// How finely the operators cut their work.
    pub grain: Grain,
}

/// How finely the operators cut their work, which changes no answer: no scenario
/// names it, tests and `conform` vary it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grain {
    /// The most rows of an output batch; the kernels' own default where absent.
    pub max_output_rows: Option<NonZeroUsize>,
    /// Blocks of a state store that keeps its rows in blocks.
    pub blocks: BlockOptions,
}

/// What a strategy results in for one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Shared or partitioned; an expectation where it is free.
    pub layout: Layout,
    /// Whether the layout is settled when the table is there.
    pub free_layout: bool,
    /// How the table is looked up; `auto` is settled when the table is there.
    pub index: Choice<IndexKind>,
    /// Why, for `explain`.
    pub why: String,
}

impl fmt::Display for Resolved {
    /// As `--strategy` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.layout.has_index() {
            write!(f, "{}/{}", self.layout, self.index)
        } else {
            self.layout.fmt(f)
        }
    }
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
            broadcast_threshold: BROADCAST_THRESHOLD,
            swap: Swap::default(),
            state: StoreKind::default(),
            state_limit: StateLimit::default(),
            footing: Footing::default(),
            grain: Grain::default(),
        })
    }

    /// What hashes keys.
    pub(super) fn hasher(&self) -> KeyHasher {
        KeyHasher::with_seed(self.isa, HASH_SEED)
    }

    /// Whether the state of a join of two streams may not grow for ever.
    pub fn limits_state(&self) -> bool {
        self.state_limit.rows.is_some() || self.state_limit.bytes.is_some()
    }

    /// What this strategy results in for a table of about this many bytes, which may
    /// pin its own choices.
    pub fn resolve(
        &self,
        pinned_layout: Option<Choice<Layout>>,
        pinned_index: Option<Choice<IndexKind>>,
        bytes: Option<usize>,
    ) -> Resolved {
        let threshold = self.broadcast_threshold;
        let free_layout = match pinned_layout {
            Some(pinned) => pinned == Choice::Auto,
            None => self.layout == Choice::Auto,
        };
        let too_many = bytes.filter(|&bytes| bytes > threshold);
        let too_many = too_many.map(|bytes| grouped(bytes as u64));
        let limit = grouped(threshold as u64);
        let (chosen, reason) = match &too_many {
            Some(bytes) => (
                Layout::Partitioned,
                format!(
                    "about {bytes} bytes of index and columns are beyond the threshold of {limit}; settled when the table is loaded"
                ),
            ),
            None => (
                Layout::Broadcast,
                format!(
                    "one shared table needs no exchange of rows; partitioned if index and columns take more than {limit} bytes"
                ),
            ),
        };
        let (layout, mut layout_why) =
            choose("layout", pinned_layout, self.layout, chosen, &reason);
        if let (false, Layout::Broadcast, Some(bytes)) = (free_layout, layout, too_many) {
            layout_why +=
                &format!(", though about {bytes} bytes are beyond the threshold of {limit}");
        }
        let (index, index_why) = match (pinned_index, self.index) {
            (Some(Choice::Auto), _) | (None, Choice::Auto) => {
                let why = "index auto: whatever costs least, settled when the table is loaded";
                (Choice::Auto, why.to_owned())
            }
            (pinned, asked) => {
                let who = if pinned.is_some() { "dimension" } else { "strategy" };
                let index = pinned.unwrap_or(asked);
                (index, format!("index {index}: the {who} asks for it"))
            }
        };
        if !layout.has_index() {
            let why = format!("{layout_why}; a merge has no index");
            return Resolved { layout, free_layout, index, why };
        }
        Resolved { layout, free_layout, index, why: format!("{layout_why}; {index_why}") }
    }
}

/// A choice that the dimension or else the strategy made, or `auto`'s; and why.
fn choose<T: Copy + fmt::Display>(
    what: &str,
    pinned: Option<Choice<T>>,
    asked: Choice<T>,
    auto: T,
    reason: &str,
) -> (T, String) {
    match (pinned, asked) {
        (Some(Choice::Fixed(chosen)), _) => {
            (chosen, format!("{what} {chosen}: the dimension asks for it"))
        }
        (None, Choice::Fixed(chosen)) => {
            (chosen, format!("{what} {chosen}: the strategy asks for it"))
        }
        (Some(Choice::Auto), _) | (None, Choice::Auto) => {
            (auto, format!("{what} {auto}: chosen; {reason}"))
        }
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
    let declared = &scenario.strategies;
    let stateful = scenario.join.is_some();
    let mut chosen: Vec<Strategy> = Vec::new();
    if requested.is_empty() {
        chosen = declared.iter().map(|of| declared_as(of, stateful)).collect::<Result<_>>()?;
        if chosen.is_empty() {
            chosen.push(Strategy::auto()?);
        }
    }
    for name in requested {
        let strategy = match declared.iter().find(|declared| declared.name == *name) {
            Some(declared) => declared_as(declared, stateful)?,
            None => {
                let names: Vec<&str> =
                    declared.iter().map(|declared| declared.name.as_str()).collect();
                by_form(name, &names, stateful)?
            }
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

/// A strategy that the scenario declares; `stateful` where it joins two streams.
fn declared_as(declared: &StrategyOptions, stateful: bool) -> Result<Strategy> {
    let StrategyOptions { name, state, state_limit, .. } = declared;
    let about_state = [("state", state.written_at()), ("state_limit", state_limit.written_at())];
    if !stateful
        && let Some((key, place)) = about_state.into_iter().find_map(|(key, at)| Some((key, at?)))
    {
        return Err(Failure::usage(format!(
            "strategy `{name}`: `{key}` is about a [join] of two streams, and there is none: remove it"
        ))
        .at(place));
    }
    let require = |isa: &Located<Isa>| isa.require().map_err(|error| isa.refuse(error));
    Ok(Strategy {
        name: name.clone(),
        layout: declared.layout,
        index: declared.index,
        threads: declared.threads,
        isa: declared.isa.as_ref().map_or_else(default_isa, require)?,
        batch_rows: declared.batch_rows,
        broadcast_threshold: declared.broadcast_threshold,
        swap: declared.swap,
        state: **state,
        state_limit: **state_limit,
        footing: Footing::default(),
        grain: Grain::default(),
    })
}

/// A strategy that is not declared: `auto`, `layout/index`, a layout that has no
/// index, or the name of a state store.
fn by_form(name: &str, declared: &[&str], stateful: bool) -> Result<Strategy> {
    let auto = Strategy::auto()?;
    if name == "auto" {
        return Ok(auto);
    }
    if stateful && let Ok(state) = name.parse() {
        return Ok(Strategy { name: name.to_owned(), state, ..auto });
    }
    if let Ok(layout) = name.parse::<Layout>()
        && !layout.has_index()
    {
        return Ok(Strategy { name: name.to_owned(), layout: Choice::Fixed(layout), ..auto });
    }
    let Some((layout, index)) = name.split_once('/') else {
        let no_index = Layout::ALL.into_iter().filter(|layout| !layout.has_index());
        let no_index: Vec<&str> = no_index.map(Layout::name).collect();
        let stores = StoreKind::ALL.map(StoreKind::name).into_iter().filter(|_| stateful);
        let forms = declared.iter().copied().chain(["auto"]).chain(stores).chain(no_index);
        let hint = did_you_mean(name, forms).map_or_else(String::new, |hint| hint + " ");
        let known = if declared.is_empty() { "none".to_owned() } else { declared.join(", ") };
        return Err(Failure::usage(format!(
            "unknown strategy `{name}`: {hint}Declared in the scenario: {known}. Or give `auto`, {}`sort-merge` or layout/index, such as `broadcast/chained`",
            if stateful { "a state store, such as `time-blocks`, " } else { "" }
        )));
    };
    let at = |error: streamjoin_kernels::JoinError| {
        Failure::usage(error).at(format!("strategy `{name}`"))
    };
    let layout: Layout = layout.parse().map_err(at)?;
    if !layout.has_index() {
        return Err(Failure::usage(format!(
            "strategy `{name}`: a {layout} join has no index: write `{layout}`"
        )));
    }
    Ok(Strategy {
        name: name.to_owned(),
        layout: Choice::Fixed(layout),
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
