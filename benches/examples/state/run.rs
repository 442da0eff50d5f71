//! Repetitions of the stores in turn.

use std::sync::Barrier;

use streamjoin_benches::state_workload::{Meter, Setting, StoreLoad};
use streamjoin_kernels::StoreKind;
use streamjoin_kernels::state::StateSize;

/// What to measure.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) setting: Setting,
    pub(crate) stores: Vec<StoreKind>,
    pub(crate) threads: usize,
    pub(crate) repeat: usize,
    pub(crate) rows: usize,
    pub(crate) batch: usize,
    pub(crate) check: bool,
}

/// What was measured of one store.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) store: StoreKind,
    pub(crate) repetitions: Vec<Meter>,
    pub(crate) size: StateSize,
}

/// Each repetition runs every store, in turn; all stay in steady state.
pub(crate) fn run(plan: &Plan) -> Result<Vec<Outcome>, String> {
    plan.setting.shape()?;
    let meters = match plan.threads {
        1 => one_thread(plan)?,
        _ => many_threads(plan)?,
    };
    let outcomes: Vec<Outcome> = (plan.stores.iter().zip(meters))
        .map(|(&store, (repetitions, size))| Outcome { store, repetitions, size })
        .collect();
    for outcome in &outcomes[1..] {
        let answers = |outcome: &Outcome| -> Vec<[u64; 5]> {
            outcome.repetitions.iter().map(Meter::answers).collect()
        };
        let [first, other] = [&outcomes[0], outcome];
        if answers(first) != answers(other) || first.size.rows != other.size.rows {
            return Err(format!(
                "{} and {} differ: {:?} and {:?}",
                first.store,
                other.store,
                (answers(first), first.size.rows),
                (answers(other), other.size.rows)
            ));
        }
    }
    Ok(outcomes)
}

type Measured = (Vec<Meter>, StateSize);

fn one_thread(plan: &Plan) -> Result<Vec<Measured>, String> {
    part(plan, 0, || ())
}

/// The repetitions of one thread; `meet` waits for the others.
fn part(plan: &Plan, thread: usize, meet: impl Fn()) -> Result<Vec<Measured>, String> {
    let setting = plan.setting.part(plan.threads);
    let batch = plan.batch / plan.threads;
    let mut loads = Vec::new();
    for &store in &plan.stores {
        let mut load = StoreLoad::warmed_up(&setting, store, batch, thread as u64)?;
        if plan.check {
            load.check();
        }
        loads.push((load, Vec::new()));
    }
    let batches = (plan.rows / plan.batch).max(1);
    for _ in 0..plan.repeat {
        for (load, meters) in &mut loads {
            meet();
            meters.push(load.run(batches));
        }
    }
    Ok(loads.into_iter().map(|(load, meters)| (meters, load.size())).collect())
}

fn many_threads(plan: &Plan) -> Result<Vec<Measured>, String> {
    let barrier = Barrier::new(plan.threads);
    let parts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads)
            .map(|thread| {
                let barrier = &barrier;
                scope.spawn(move || {
                    part(plan, thread, || {
                        barrier.wait();
                    })
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
            .collect::<Result<Vec<_>, String>>()
    })?;
    let mut parts = parts.into_iter();
    let mut all = parts.next().ok_or("no threads")?;
    for part in parts {
        for ((meters, size), (more_meters, more_size)) in all.iter_mut().zip(part) {
            *size = *size + more_size;
            for (meter, more) in meters.iter_mut().zip(&more_meters) {
                meter.beside(more);
            }
        }
    }
    Ok(all)
}
