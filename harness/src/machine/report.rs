//! The report, for people and for programs.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use serde::{Deserialize, Serialize};

use crate::record::Machine;
use crate::statistics::{median, spread};
use crate::text::{bytes, percent};

/// Version of the report's layout.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Pages that an array lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKind {
    /// Huge pages (2 MB), as far as the system grants them.
    Huge,
    /// 4 KB pages.
    Small,
}

/// Median and spread of repeated measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeated {
    /// The median.
    pub median: f64,
    /// (largest - smallest) / median.
    pub spread: f64,
}

impl Repeated {
    /// Of samples, at least one.
    pub fn of(samples: &[f64]) -> Self {
        let median = median(samples).unwrap_or(0.0);
        Self { median, spread: spread(samples).unwrap_or(0.0) }
    }
}

/// A measurement on each kind of page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pages {
    /// Huge pages asked for.
    pub huge: Repeated,
    /// 4 KB pages.
    pub small: Repeated,
}

/// The memory limits of one core of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineReport {
    /// Version of this layout.
    pub schema_version: u32,
    /// Version of streamjoin.
    pub version: String,
    /// The machine.
    pub machine: Machine,
    /// Interleaved repetitions of each measurement.
    pub repetitions: usize,
    /// Bytes of the largest array.
    pub array_bytes: u64,
    /// Bytes that were granted on huge pages (`AnonHugePages`); null where the
    /// system does not say.
    pub huge_page_bytes_granted: Option<u64>,
    /// Bytes read in sequence, of the largest array.
    pub sequential_bytes_per_second: Pages,
    /// Random access by the size of the array, ascending.
    pub sizes: Vec<SizeLimits>,
}

/// Random access to an array of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SizeLimits {
    /// Bytes of the array.
    pub bytes: u64,
    /// Where it fits: `L1`, `L2`, `L3` or `memory`.
    pub level: String,
    /// Independent touches per second, with prefetch.
    pub touches_per_second: Pages,
    /// Nanoseconds per load that depends on the one before.
    pub load_latency_ns: Pages,
}

impl MachineReport {
    /// Independent touches per second in an array of `bytes` on huge pages,
    /// between the measured sizes by straight lines over the logarithm.
    pub fn touches_per_second(&self, bytes: u64) -> Option<f64> {
        let rates = self.sizes.iter().map(|size| (size.bytes, size.touches_per_second.huge.median));
        between(&rates.collect::<Vec<_>>(), bytes)
    }

    /// The limit of a probe that touches one place in each of these arrays, in
    /// probes per second.
    pub fn probes_per_second(&self, arrays: &[u64]) -> Option<f64> {
        let seconds: Option<f64> =
            arrays.iter().map(|bytes| self.touches_per_second(*bytes).map(|rate| 1.0 / rate)).sum();
        seconds.filter(|seconds| *seconds > 0.0).map(|seconds| 1.0 / seconds)
    }

    /// A table for people.
    pub fn human(&self) -> String {
        let machine = &self.machine;
        let mut text = String::new();
        let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
        let _ = writeln!(text, "{cpu}, {} cores, {}", machine.cores, machine.os);
        let cache = |bytes: Option<u64>| bytes.map_or("?".to_owned(), bytes::binary);
        let caches = machine.caches;
        let _ = writeln!(
            text,
            "caches: L1d {}, L2 {}, L3 {}; memory {}",
            cache(caches.l1d_bytes),
            cache(caches.l2_bytes),
            cache(caches.l3_bytes),
            cache(machine.memory_bytes)
        );
        let granted = match self.huge_page_bytes_granted {
            Some(bytes) => {
                format!("{} of {} granted", bytes::binary(bytes), bytes::binary(self.array_bytes))
            }
            None => "not reported by this system".to_owned(),
        };
        let policy = machine.huge_pages.as_deref().unwrap_or("unknown");
        let _ = writeln!(text, "huge pages: {granted} (policy {policy})");
        let bandwidth = self.sequential_bytes_per_second;
        let _ = writeln!(
            text,
            "sequential read: {:.1} GB/s on huge pages, {:.1} GB/s on 4 KB pages ({})",
            bandwidth.huge.median / 1e9,
            bandwidth.small.median / 1e9,
            bytes::binary(self.array_bytes)
        );
        let header = "array|fits|touches, huge\nM/s|\
            touches, 4 KB\nM/s|spread|load after load,\nhuge, ns|4 KB, ns";
        let mut table = Table::new();
        table.load_preset(presets::UTF8_BORDERS_ONLY).set_header(header.split('|'));
        for size in &self.sizes {
            let (touches, latency) = (size.touches_per_second, size.load_latency_ns);
            table.add_row([
                bytes::binary(size.bytes),
                size.level.clone(),
                format!("{:.0}", touches.huge.median / 1e6),
                format!("{:.0}", touches.small.median / 1e6),
                percent::decimals(touches.huge.spread.max(touches.small.spread), 0),
                format!("{:.1}", latency.huge.median),
                format!("{:.1}", latency.small.median),
            ]);
        }
        for column in table.column_iter_mut() {
            if column.index != 1 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let _ = writeln!(text, "{table}");
        let _ = writeln!(
            text,
            "one core; medians of {} interleaved repetitions; touches are independent, with prefetch",
            self.repetitions
        );
        text
    }
}

/// The rate at `bytes`, between measured sizes (ascending) by straight lines
/// over the logarithm; that of the nearest one outside.
pub(super) fn between(rates: &[(u64, f64)], bytes: u64) -> Option<f64> {
    let after = rates.iter().position(|(size, _)| *size >= bytes);
    Some(match after {
        None => rates.last()?.1,
        Some(0) => rates.first()?.1,
        Some(after) => {
            let ((low, slow), (high, fast)) = (rates[after - 1], rates[after]);
            let log = |bytes: u64| (bytes.max(1) as f64).log2();
            let share = (log(bytes) - log(low)) / (log(high) - log(low));
            slow + share * (fast - slow)
        }
    })
}
