//! The phases of measuring a group: indexes by themselves, then the operator in
//! each form. In each phase all is built and checked, then measured in turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::super::data::Data;
use super::super::lookup::Lookup;
use super::super::operator::{Form, Operator};
use super::super::timer::Turn;
use super::effort::{Effort, FORMS};
use super::entry::Entry;
use crate::error::Result;
use crate::machine::{Repeated, TouchMeter, core_hertz};
use crate::measure::{MemorySampler, anonymous_bytes};

/// A build is repeated until this much time was spent on it.
const BUILD_TIME: Duration = Duration::from_secs(3);

pub(super) fn run(
    data: &Data,
    entries: &mut [Entry],
    pool: &Option<Arc<ThreadPool>>,
    effort: Effort,
    tick: &mut dyn FnMut(u64),
) -> Result<()> {
    indexes(data, entries, effort, tick)?;
    for form in [Form::Payload, Form::Pairs, Form::Sum, Form::Exists] {
        operators(data, entries, form, pool, effort, tick)?;
    }
    Ok(())
}

/// The arrays that a probe touches: those of the index, and the payload.
struct Touched {
    index: Vec<u64>,
    payload: u64,
}

fn indexes(
    data: &Data,
    entries: &mut [Entry],
    effort: Effort,
    tick: &mut dyn FnMut(u64),
) -> Result<()> {
    let mut entries: Vec<&mut Entry> =
        entries.iter_mut().filter(|entry| entry.contender.is_one_index()).collect();
    let build =
        |entry: &Entry| Lookup::build(entry.contender.index, &data.keys, entry.contender.isa);
    let mut lookups = Vec::with_capacity(entries.len());
    for entry in &mut entries {
        let (lookup, peak) = with_peak(|| build(entry))?;
        (entry.bytes, entry.peak) = (lookup.built().index.bytes() as u64, peak);
        entry.built = Some(lookup.built().index.name());
        entry.fallback.clone_from(&lookup.built().fallback);
        lookups.push(Some(lookup));
    }
    for _ in 0..effort.repetitions {
        for (entry, lookup) in entries.iter_mut().zip(&mut lookups) {
            let sample = |entry: &Entry| {
                // Frees the memory of the one before.
                *lookup = None;
                let start = Instant::now();
                *lookup = Some(build(entry)?);
                Ok(start.elapsed())
            };
            sample_builds(data, entry, effort, sample)?;
        }
    }
    let mut touched = Vec::with_capacity(entries.len());
    for (entry, lookup) in entries.iter().zip(&mut lookups) {
        let Some(lookup) = lookup else { continue };
        lookup.lay_out(data);
        lookup.verify(data, &entry.contender.to_string())?;
        let arrays = lookup.built().index.touched_arrays();
        touched.push(Touched {
            index: arrays.into_iter().map(|bytes| bytes as u64).collect(),
            payload: lookup.payload_bytes() as u64,
        });
    }
    let lookups: Vec<Lookup> = lookups.into_iter().flatten().collect();
    let mut turns =
        [turns(data, entries.len()), turns(data, entries.len()), turns(data, entries.len())];
    let mut limits = Limits::new(&touched);
    for _ in 0..effort.repetitions {
        for (place, (entry, lookup)) in entries.iter_mut().zip(&lookups).enumerate() {
            let (threads, batches) = (entry.contender.threads, &data.batches);
            let [pairs, sum, exists] = &mut turns;
            entry.pairs.push(pairs[place].time(threads, effort.slice, |batch, scratch| {
                Ok(lookup.pairs(&batches[batch], scratch))
            })?);
            entry.sum.push(sum[place].time(threads, effort.slice, |batch, scratch| {
                Ok(lookup.sum(&batches[batch], scratch))
            })?);
            entry.exists.push(exists[place].time(threads, effort.slice, |batch, scratch| {
                Ok(lookup.exists(&batches[batch], scratch))
            })?);
            done(entry, FORMS - 1, tick);
        }
        limits.sample(effort.slice);
    }
    limits.assign(data, &mut entries, &touched);
    Ok(())
}

/// The operator: all contenders materialise; those that are more than an index
/// are measured in the other forms too.
fn operators(
    data: &Data,
    entries: &mut [Entry],
    form: Form,
    pool: &Option<Arc<ThreadPool>>,
    effort: Effort,
    tick: &mut dyn FnMut(u64),
) -> Result<()> {
    let is_measured = |entry: &&mut Entry| form == Form::Payload || !entry.contender.is_one_index();
    let mut entries: Vec<&mut Entry> = entries.iter_mut().filter(is_measured).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let mut operators = Vec::with_capacity(entries.len());
    let mut touched = Vec::with_capacity(entries.len());
    for entry in &mut entries {
        let contender = entry.contender;
        let operator = || Operator::new(data, contender, form, pool.clone());
        let mut built = operator()?;
        let ((), peak) = with_peak(|| built.build().map(|_| ()))?;
        let is_all = form == Form::Payload && !entry.contender.is_one_index();
        if is_all {
            for _ in 0..effort.repetitions {
                let sample = |_: &Entry| {
                    // Frees the memory of the one before.
                    built = operator()?;
                    built.build()
                };
                sample_builds(data, entry, effort, sample)?;
            }
        }
        built.verify(contender)?;
        let snapshot = built.snapshot();
        if let Some(snapshot) = snapshot.filter(|_| is_all) {
            (entry.bytes, entry.peak) = (snapshot.index_bytes() as u64, peak);
            entry.peak = entry.peak.max(snapshot.peak_build_bytes() as u64);
            entry.built = Some(snapshot.index_name());
            let notes = snapshot.notes().join("; ");
            entry.fallback = (!notes.is_empty()).then_some(notes);
            // Each partition is looked up by itself.
            let parts = snapshot.partitions().max(1) as u64;
            touched.push(Touched {
                index: vec![snapshot.index_bytes() as u64 / parts],
                payload: snapshot.payload_bytes() as u64 / parts,
            });
        }
        operators.push(built);
    }
    let mut turns = turns(data, entries.len());
    let mut limits = Limits::new(&touched);
    for _ in 0..effort.repetitions {
        for ((entry, operator), turn) in entries.iter_mut().zip(&operators).zip(&mut turns) {
            let one = std::num::NonZeroUsize::MIN;
            let ns = turn.time(one, effort.slice, |batch, _| operator.push(batch))?;
            match form {
                Form::Payload => entry.payload.push(ns),
                Form::Pairs => entry.pairs.push(ns),
                Form::Sum => entry.sum.push(ns),
                Form::Exists => entry.exists.push(ns),
            }
            done(entry, 1, tick);
        }
        limits.sample(effort.slice);
    }
    let mut whole: Vec<&mut Entry> =
        entries.into_iter().filter(|entry| !entry.contender.is_one_index()).collect();
    if form == Form::Payload {
        limits.assign(data, &mut whole, &touched);
    }
    Ok(())
}

/// Counts measurements, for each line that they belong to.
fn done(entry: &Entry, measurements: u64, tick: &mut dyn FnMut(u64)) {
    tick(measurements * entry.places.len() as u64);
}

/// One turn per contender; they start at different batches.
fn turns(data: &Data, contenders: usize) -> Vec<Turn> {
    let batches = data.batches.len();
    let turn = |place: usize| Turn {
        batches,
        batch_rows: data.workload.batch_rows,
        next: place * batches / contenders.max(1),
    };
    (0..contenders).map(turn).collect()
}

/// Samples of what building costs: as many builds as half a slice holds.
fn sample_builds(
    data: &Data,
    entry: &mut Entry,
    effort: Effort,
    mut sample: impl FnMut(&Entry) -> Result<Duration>,
) -> Result<()> {
    let rows = data.workload.build_rows as f64;
    let spent: f64 = entry.build.iter().sum::<f64>() * rows / 1e9;
    if spent > BUILD_TIME.as_secs_f64() {
        return Ok(());
    }
    let start = Instant::now();
    loop {
        let took = sample(entry)?;
        entry.build.push(took.as_nanos() as f64 / rows);
        if start.elapsed() >= effort.slice / 2 {
            return Ok(());
        }
    }
}

/// The result of `build`, and by how much anonymous memory grew meanwhile.
fn with_peak<T>(build: impl FnOnce() -> Result<T>) -> Result<(T, u64)> {
    let before = anonymous_bytes();
    let sampler = MemorySampler::start();
    let built = build()?;
    let peak = sampler.finish().anonymous;
    let grown = before.zip(peak).map_or(0, |(before, peak)| peak.saturating_sub(before));
    Ok((built, grown))
}

/// Measures the memory limit while contenders take turns.
struct Limits {
    meter: Option<TouchMeter>,
    hertz: Vec<f64>,
}

impl Limits {
    fn new(touched: &[Touched]) -> Self {
        let sizes = || touched.iter().flat_map(|one| one.index.iter().chain([&one.payload]));
        let meter = sizes().max().map(|&largest| {
            let mut meter = TouchMeter::new(largest);
            sizes().for_each(|&bytes| meter.want(bytes));
            meter
        });
        Self { meter, hertz: Vec::new() }
    }

    fn sample(&mut self, slice: Duration) {
        if let Some(meter) = &mut self.meter {
            meter.sample(slice / 4);
            self.hertz.extend(core_hertz());
        }
    }

    /// Assigns the limits of `entries`, whose arrays are `touched`.
    fn assign(&self, data: &Data, entries: &mut [&mut Entry], touched: &[Touched]) {
        let Some(meter) = &self.meter else { return };
        let workload = &data.workload;
        for (entry, touched) in entries.iter_mut().zip(touched) {
            let threads = entry.contender.threads.get() as f64;
            let probes = (1.0 - workload.null_share) / threads;
            let index: Option<f64> = touched.index.iter().map(|&bytes| meter.touch_ns(bytes)).sum();
            let payload = meter.touch_ns(touched.payload);
            entry.limit = index
                .zip(payload)
                .map(|(index, payload)| (probes * index, probes * workload.hit_rate * payload));
            entry.hertz = (!self.hertz.is_empty()).then(|| Repeated::of(&self.hertz).median);
        }
    }
}
