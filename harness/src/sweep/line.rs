//! The result of a sweep for one contender and workload. The JSON names
//! are a public contract.

use serde::{Deserialize, Serialize};

use super::contender::Contender;
use super::workload::Workload;

/// Version of the layout.
pub const SCHEMA_VERSION: u32 = 1;

/// One contender of one workload. Times are medians of repetitions, in
/// nanoseconds; what does not apply, or was not measured, is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SweepLine {
    /// Rows of the table.
    pub build_rows: u64,
    /// Share of the probes that have a match, without nulls: 0 to 1.
    pub hit_rate: f64,
    /// Rows of the table per key.
    pub duplicates: u64,
    /// Exponent of the Zipf law of the probes that hit; 0: uniform.
    pub zipf: f64,
    /// The key columns.
    pub key: String,
    /// 8-byte columns of the table in addition to the key.
    pub payload: u64,
    /// Rows of a micro-batch.
    pub batch_rows: u64,
    /// The index that was asked for; see `fallback`. Null for layouts that have
    /// none.
    pub index: Option<String>,
    /// The layout.
    pub layout: String,
    /// The instruction set.
    pub isa: String,
    /// Threads that join.
    pub threads: u64,
    /// Building, ns per row of the table.
    pub ns_per_build_row: Option<f64>,
    /// Emitting row pairs, ns per probe.
    pub ns_per_probe_pairs: Option<f64>,
    /// One 8-byte column of the table gathered and summed, ns per probe.
    pub ns_per_probe_sum: Option<f64>,
    /// All payload columns materialised with the probe's row number, ns per
    /// probe.
    pub ns_per_probe_payload: Option<f64>,
    /// Whether there is a match, ns per probe.
    pub ns_per_probe_exists: Option<f64>,
    /// Emitting row pairs, ns per pair; null if nothing matches.
    pub ns_per_match: Option<f64>,
    /// Bytes of the index, its copy of the keys included, per row of the table.
    pub bytes_per_row: Option<f64>,
    /// Memory while building, bytes.
    pub peak_bytes: Option<u64>,
    /// The memory limit of the sum, ns per probe.
    pub limit_ns: Option<f64>,
    /// `limitNs` over `nsPerProbeSum`.
    pub share_of_limit: Option<f64>,
    /// Time of the pairs of `row-at-a-time` over this one's.
    pub vs_row_at_a_time: Option<f64>,
    /// Cycles of the core per probe, emitting pairs; null where they are not known.
    pub cycles_per_probe: Option<f64>,
    /// Share of the probes whose key is null: 0 to 1.
    pub null_share: f64,
    /// Mean number of pairs per probe.
    pub matches_per_probe: Option<f64>,
    /// (slowest - fastest) / median of the pairs' repetitions.
    pub spread: Option<f64>,
    /// The memory limit of pairs, ns per probe.
    pub limit_pairs_ns: Option<f64>,
    /// `limitPairsNs` over `nsPerProbePairs`.
    pub share_of_limit_pairs: Option<f64>,
    /// Time of building of `row-at-a-time` over this one's.
    pub vs_row_at_a_time_build: Option<f64>,
    /// Time of the sum of `row-at-a-time` over this one's.
    pub vs_row_at_a_time_sum: Option<f64>,
    /// Time of the payload of `row-at-a-time` over this one's.
    pub vs_row_at_a_time_payload: Option<f64>,
    /// Time of existence of `row-at-a-time` over this one's.
    pub vs_row_at_a_time_exists: Option<f64>,
    /// Interleaved repetitions.
    pub repetitions: u32,
    /// The index that was built, by itself or for all partitions; null where
    /// nothing was measured.
    pub built: Option<String>,
    /// Why another index was built than was asked for.
    pub fallback: Option<String>,
    /// Why nothing was measured.
    pub skipped: Option<String>,
}

impl SweepLine {
    /// A line without results.
    pub fn new(workload: &Workload, contender: Contender) -> Self {
        Self {
            build_rows: workload.build_rows as u64,
            hit_rate: workload.hit_rate,
            duplicates: workload.duplicates as u64,
            zipf: workload.zipf,
            key: workload.key.to_string(),
            payload: workload.payload as u64,
            batch_rows: workload.batch_rows as u64,
            index: contender.layout.has_index().then(|| contender.index.to_string()),
            layout: contender.layout.name().to_owned(),
            isa: contender.isa.name().to_owned(),
            threads: contender.threads.get() as u64,
            null_share: workload.null_share,
            ..Self::default()
        }
    }

    /// A line of a workload that does not fit into memory.
    pub fn skipped(workload: &Workload, contender: Contender, why: &str) -> Self {
        Self { skipped: Some(why.to_owned()), ..Self::new(workload, contender) }
    }
}
