//! Repetitions of the candidates in turn.

use std::fmt;

use streamjoin_benches::state_workload::{
    Load, Meter, OperatorLoad, Setting, SideBySide, StoreLoad,
};
use streamjoin_kernels::StoreKind;
use streamjoin_kernels::state::StateSize;

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) setting: Setting,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) repeat: usize,
    pub(crate) rows: usize,
    pub(crate) batch: usize,
    pub(crate) check: bool,
}

/// One of those that take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) store: StoreKind,
    pub(crate) threads: usize,
    /// The whole operator, not only its stores.
    pub(crate) operator: bool,
}

/// What was measured of one candidate.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) candidate: Candidate,
    pub(crate) repetitions: Vec<Meter>,
    pub(crate) size: StateSize,
}

impl Candidate {
    fn load(self, plan: &Plan) -> Result<Box<dyn Load>, String> {
        let Self { store, threads, operator } = self;
        Ok(match (operator, threads) {
            (true, _) => Box::new(OperatorLoad::empty(&plan.setting, store, plan.batch, threads)?),
            (false, 1) => Box::new(StoreLoad::empty(&plan.setting, store, plan.batch, 0)?),
            (false, _) => Box::new(SideBySide::empty(&plan.setting, store, plan.batch, threads)?),
        })
    }

    /// Whether both must give the same answers: threads side by side have
    /// sources of their own.
    fn answers_like(self, other: Self) -> bool {
        self.operator == other.operator && (self.operator || self.threads == other.threads)
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.store)?;
        if self.threads > 1 {
            write!(f, " x{}", self.threads)?;
        }
        Ok(())
    }
}

/// Each repetition runs every candidate, in turn; all stay in steady state.
pub(crate) fn run(plan: &Plan) -> Result<Vec<Outcome>, String> {
    let mut loads = Vec::new();
    for candidate in &plan.candidates {
        let mut load = candidate.load(plan)?;
        load.warm_up(&plan.setting);
        if plan.check {
            load.check();
        }
        loads.push((load, Vec::new()));
    }
    let batches = (plan.rows / plan.batch).max(1);
    for _ in 0..plan.repeat {
        for (load, meters) in &mut loads {
            meters.push(load.run(batches));
        }
    }
    let outcomes: Vec<Outcome> = (plan.candidates.iter().zip(loads))
        .map(|(&candidate, (load, repetitions))| Outcome {
            candidate,
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
        let alike = outcomes[..i].iter().find(|o| o.candidate.answers_like(one.candidate));
        if let Some(other) = alike
            && answers(one) != answers(other)
        {
            return Err(format!(
                "{} and {} give different answers: {:?} and {:?}",
                one.candidate,
                other.candidate,
                answers(one),
                answers(other)
            ));
        }
    }
    Ok(())
}
