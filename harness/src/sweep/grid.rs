//! Every combination of the settings.

use std::num::NonZeroUsize;

use streamjoin_kernels::Isa;
use streamjoin_kernels::stream_static::Layout;

use super::contender::Contender;
use super::index::SweepIndex;
use super::key_kind::KeyKind;
use super::workload::Workload;
use crate::error::{Failure, Result};

/// Values of each setting; a sweep takes every combination.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each is the list of values of the field of that name")]
pub struct Grid {
    pub build_rows: Vec<usize>,
    pub hit_rate: Vec<f64>,
    pub duplicates: Vec<usize>,
    pub zipf: Vec<f64>,
    pub null_share: Vec<f64>,
    pub key: Vec<KeyKind>,
    pub payload: Vec<usize>,
    pub batch_rows: Vec<usize>,
    pub index: Vec<SweepIndex>,
    pub layout: Vec<Layout>,
    pub isa: Vec<Isa>,
    pub threads: Vec<NonZeroUsize>,
}

impl Grid {
    /// The workloads, in the order of the fields; those of one table next to
    /// each other.
    pub fn workloads(&self) -> Vec<Workload> {
        let mut all = vec![Workload::default()];
        set(&mut all, &self.build_rows, |workload, &rows| workload.build_rows = rows);
        set(&mut all, &self.key, |workload, &key| workload.key = key);
        set(&mut all, &self.duplicates, |workload, &rows| workload.duplicates = rows);
        set(&mut all, &self.payload, |workload, &columns| workload.payload = columns);
        set(&mut all, &self.hit_rate, |workload, &rate| workload.hit_rate = rate);
        set(&mut all, &self.zipf, |workload, &exponent| workload.zipf = exponent);
        set(&mut all, &self.null_share, |workload, &share| workload.null_share = share);
        set(&mut all, &self.batch_rows, |workload, &rows| workload.batch_rows = rows);
        all
    }

    /// The contenders of each workload.
    pub fn contenders(&self) -> Vec<Contender> {
        let mut all = Vec::new();
        for &layout in &self.layout {
            // Without an index there is none to choose.
            let indexes = if layout.has_index() { self.index.len() } else { 1 };
            for &index in &self.index[..indexes.min(self.index.len())] {
                for &isa in &self.isa {
                    let one = |&threads| Contender { index, layout, isa, threads };
                    all.extend(self.threads.iter().map(one));
                }
            }
        }
        all
    }

    /// Refuses what cannot be measured.
    ///
    /// # Errors
    /// A usage failure that names the flag, the value and the bounds.
    pub fn check(&self) -> Result<()> {
        let between = |flag: &str, values: &[usize], least: usize, most: usize| match values
            .iter()
            .find(|value| !(least..=most).contains(value))
        {
            Some(value) => {
                Err(Failure::usage(format!("--{flag} {value}: from {least} to {most} is possible")))
            }
            None => Ok(()),
        };
        let real = |flag: &str, values: &[f64], most: f64| match values
            .iter()
            .find(|value| !(0.0..=most).contains(*value))
        {
            Some(value) => {
                Err(Failure::usage(format!("--{flag} {value}: from 0 to {most} is possible")))
            }
            None => Ok(()),
        };
        between("build-rows", &self.build_rows, 1, u32::MAX as usize - 2)?;
        between("duplicates", &self.duplicates, 1, u32::MAX as usize)?;
        between("payload", &self.payload, 1, 64)?;
        between("batch-rows", &self.batch_rows, 1, 1 << 24)?;
        real("hit-rate", &self.hit_rate, 1.0)?;
        real("null-share", &self.null_share, 1.0)?;
        real("zipf", &self.zipf, 10.0)?;
        let threads: Vec<usize> = self.threads.iter().map(|threads| threads.get()).collect();
        between("threads", &threads, 1, 1024)?;
        for isa in &self.isa {
            isa.require().map_err(|error| Failure::usage(error).at("--isa"))?;
        }
        for workload in self.workloads() {
            // As many keys miss as hit.
            if 2 * workload.distinct() as u64 > workload.key.most() {
                return Err(Failure::usage(format!(
                    "--key {}: there are not enough different ones for {} rows with as many keys \
                     that miss",
                    workload.key, workload.build_rows
                )));
            }
        }
        Ok(())
    }
}

/// Each workload once with each value.
fn set<T>(all: &mut Vec<Workload>, values: &[T], set: impl Fn(&mut Workload, &T)) {
    let with = |workload: &Workload| {
        let each = values.iter().map(|value| {
            let mut workload = *workload;
            set(&mut workload, value);
            workload
        });
        each.collect::<Vec<_>>()
    };
    *all = all.iter().flat_map(with).collect();
}
