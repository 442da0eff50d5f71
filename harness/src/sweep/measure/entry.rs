//! A contender and its measurements.

use super::super::contender::Contender;
use super::super::data::Data;
use super::super::line::SweepLine;
use super::effort::Effort;
use crate::machine::Repeated;

/// Samples of a contender, in nanoseconds per row.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) contender: Contender,
    /// Where its line goes.
    pub(super) places: Vec<usize>,
    pub(super) build: Vec<f64>,
    pub(super) pairs: Vec<f64>,
    pub(super) sum: Vec<f64>,
    pub(super) payload: Vec<f64>,
    pub(super) exists: Vec<f64>,
    pub(super) bytes: u64,
    pub(super) peak: u64,
    /// The memory limit of pairs, and what the payload adds to it.
    pub(super) limit: Option<(f64, f64)>,
    pub(super) hertz: Option<f64>,
    pub(super) built: Option<&'static str>,
    pub(super) fallback: Option<String>,
}

impl Entry {
    pub(super) fn new(contender: Contender, places: Vec<usize>) -> Self {
        Self {
            contender,
            places,
            build: Vec::new(),
            pairs: Vec::new(),
            sum: Vec::new(),
            payload: Vec::new(),
            exists: Vec::new(),
            bytes: 0,
            peak: 0,
            limit: None,
            hertz: None,
            built: None,
            fallback: None,
        }
    }

    pub(super) fn line(&self, data: &Data, baseline: &Self, effort: Effort) -> SweepLine {
        let workload = &data.workload;
        let median = |samples: &[f64]| (!samples.is_empty()).then(|| Repeated::of(samples).median);
        let against = |own: &[f64], base: &[f64]| Some(median(base)? / median(own)?);
        let [pairs, sum] = [&self.pairs, &self.sum].map(|samples| median(samples));
        let share = |limit: Option<f64>, measured: Option<f64>| Some(limit? / measured?);
        let batches = data.verified_batches();
        let matches =
            data.expected_pairs(batches).count as f64 / (batches * workload.batch_rows) as f64;
        let limit_pairs = self.limit.map(|(index, _)| index);
        let limit = self.limit.map(|(index, payload)| index + payload);
        let threads = self.contender.threads.get() as f64;
        SweepLine {
            ns_per_build_row: median(&self.build),
            ns_per_probe_pairs: pairs,
            ns_per_probe_sum: sum,
            ns_per_probe_payload: median(&self.payload),
            ns_per_probe_exists: median(&self.exists),
            ns_per_match: pairs.filter(|_| matches > 0.0).map(|pairs| pairs / matches),
            bytes_per_row: Some(self.bytes as f64 / workload.build_rows as f64),
            peak_bytes: Some(self.peak.max(self.bytes)),
            limit_ns: limit,
            share_of_limit: share(limit, sum),
            vs_row_at_a_time: against(&self.pairs, &baseline.pairs),
            cycles_per_probe: self.hertz.and_then(|hertz| Some(pairs? * threads * hertz / 1e9)),
            matches_per_probe: Some(matches),
            spread: (self.pairs.len() > 1).then(|| Repeated::of(&self.pairs).spread),
            limit_pairs_ns: limit_pairs,
            share_of_limit_pairs: share(limit_pairs, pairs),
            vs_row_at_a_time_build: against(&self.build, &baseline.build),
            vs_row_at_a_time_sum: against(&self.sum, &baseline.sum),
            vs_row_at_a_time_payload: against(&self.payload, &baseline.payload),
            vs_row_at_a_time_exists: against(&self.exists, &baseline.exists),
            repetitions: effort.repetitions,
            built: self.built.map(str::to_owned),
            fallback: self.fallback.clone(),
            ..SweepLine::new(workload, self.contender)
        }
    }
}
