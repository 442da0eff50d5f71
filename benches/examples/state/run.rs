//! Repetitions of the contenders in turn.

use std::fmt;

use streamjoin_benches::state_workload::{
    Load, Meter, OperatorLoad, Setting, SideBySide, StoreLoad,
};
use streamjoin_kernels::StoreKind;
use streamjoin_kernels::state::StateSize;

/// What is compared.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) setting: Setting,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) repeat: usize,
    pub(crate) rows: usize,
    pub(crate) batch: usize,
    pub(crate) check: bool,
}

/// A store, or an operator on it, that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contender {
    pub(crate) store: StoreKind,
    pub(crate) threads: usize,
    /// The whole operator, not only its stores.
    pub(crate) operator: bool,
}

/// What was measured of one contender.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) contender: Contender,
    pub(crate) repetitions: Vec<Meter>,
    pub(crate) size: StateSize,
}

impl Contender {
    fn load(self, comparison: &Comparison) -> Result<Box<dyn Load>, String> {
        let Self { store, threads, operator } = self;
        Ok(match (operator, threads) {
            (true, _) => Box::new(OperatorLoad::empty(
                &comparison.setting,
                store,
                comparison.batch,
                threads,
            )?),
            (false, 1) => {
                Box::new(StoreLoad::empty(&comparison.setting, store, comparison.batch, 0)?)
            }
            (false, _) => {
                Box::new(SideBySide::empty(&comparison.setting, store, comparison.batch, threads)?)
            }
        })
    }

    /// Whether both must give the same answers: threads side by side have
    /// sources of their own.
    fn answers_like(self, other: Self) -> bool {
        self.operator == other.operator && (self.operator || self.threads == other.threads)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.store)?;
        if self.threads > 1 {
            write!(f, " x{}", self.threads)?;
        }
        Ok(())
    }
}

/// Each repetition runs every contender, in turn; all stay in steady state.
pub(crate) fn run(comparison: &Comparison) -> Result<Vec<Outcome>, String> {
    let mut loads = Vec::new();
    for contender in &comparison.contenders {
        let mut load = contender.load(comparison)?;
        load.warm_up(&comparison.setting);
        if comparison.check {
            load.check();
        }
        loads.push((load, Vec::new()));
    }
    let batches = (comparison.rows / comparison.batch).max(1);
    for _ in 0..comparison.repeat {
        for (load, meters) in &mut loads {
            meters.push(load.run(batches));
        }
    }
    let outcomes: Vec<Outcome> = (comparison.contenders.iter().zip(loads))
        .map(|(&contender, (load, repetitions))| Outcome {
            contender,
            repetitions,
            size: load.size(),
        })
        .collect();
    verify(&outcomes)?;
    Ok(outcomes)
}

fn verify(outcomes: &[Outcome]) -> Result<(), String> {
    let answers = |outcome: &Outcome| -> (Vec<[u64; 5]>, u64) {
        (outcome.repetitions.iter().map(Meter::answers).collect(), outcome.size.rows)
    };
    for (i, one) in outcomes.iter().enumerate() {
        let alike = outcomes[..i].iter().find(|o| o.contender.answers_like(one.contender));
        if let Some(other) = alike
            && answers(one) != answers(other)
        {
            return Err(format!(
                "{} and {} give different answers: {:?} and {:?}",
                one.contender,
                other.contender,
                answers(one),
                answers(other)
            ));
        }
    }
    Ok(())
}
