//! The measurements for a cost file.

use std::num::NonZeroUsize;

use streamjoin_kernels::key::KeyShape;
use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::table::auto::{Candidate, CostPoint};
use streamjoin_kernels::{IndexKind, Isa};

use super::{Contender, KeyKind, SweepIndex, SweepLine, Workload};

/// Sizes of the tables: from the first-level cache to main memory.
const ROWS: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// For keys other than words, which take longer.
const MOST_OTHER_ROWS: usize = 1_000_000;
/// Rows per key.
const DUPLICATES: [usize; 2] = [1, 10];

/// Tables of one kind of keys, and the indexes that are measured on them.
struct Kind {
    key: KeyKind,
    shape: KeyShape,
    most_rows: usize,
    indexes: Vec<SweepIndex>,
}

fn kinds() -> Vec<Kind> {
    use IndexKind::{Chained, Contiguous, Direct, Hashbrown, Linear, Perfect};
    let plain = || [Chained, Contiguous, Hashbrown, Linear, Perfect].map(SweepIndex::from);
    let filtered = [Chained, Contiguous, Linear, Perfect].map(SweepIndex::filtered);
    let kind = |key, shape, most_rows, indexes| Kind { key, shape, most_rows, indexes };
    let most = ROWS[ROWS.len() - 1];
    vec![
        kind(KeyKind::I64, KeyShape::Word, most, plain().into_iter().chain(filtered).collect()),
        kind(KeyKind::I64Dense, KeyShape::Word, most, vec![Direct.into()]),
        kind(KeyKind::I64Pair, KeyShape::Wide, MOST_OTHER_ROWS, plain().to_vec()),
        kind(KeyKind::Utf8(16), KeyShape::Bytes, MOST_OTHER_ROWS, plain().to_vec()),
    ]
}

/// A table whose costs are measured, by probes that all hit and that all miss.
#[derive(Clone, Debug)]
pub struct CostCell {
    shape: KeyShape,
    /// Probes that hit.
    pub hits: Workload,
    /// Probes that miss.
    pub misses: Workload,
    /// What is measured.
    pub contenders: Vec<Contender>,
}

impl CostCell {
    /// All tables of a cost file.
    pub fn all(isa: Isa) -> Vec<Self> {
        let mut cells = Vec::new();
        for Kind { key, shape, most_rows, indexes } in kinds() {
            for build_rows in ROWS.into_iter().filter(|&rows| rows <= most_rows) {
                for duplicates in DUPLICATES {
                    // A perfect hash takes distinct keys only.
                    let serves = |index: &&SweepIndex| {
                        let perfect = |c: &Candidate| c.index == IndexKind::Perfect;
                        duplicates == 1 || !matches!(index, SweepIndex::One(c) if perfect(c))
                    };
                    let contender = |&index| Contender {
                        index,
                        layout: Layout::Broadcast,
                        isa,
                        threads: NonZeroUsize::MIN,
                    };
                    let hits = Workload { build_rows, duplicates, key, ..Workload::default() };
                    cells.push(Self {
                        shape,
                        hits,
                        misses: Workload { hit_rate: 0.0, ..hits },
                        contenders: indexes.iter().filter(serves).map(contender).collect(),
                    });
                }
            }
        }
        cells
    }

    /// The points of its lines; a line that was skipped has none.
    pub fn points(&self, hits: &[SweepLine], misses: &[SweepLine]) -> Vec<CostPoint> {
        let lines = self.contenders.iter().zip(hits.iter().zip(misses));
        lines.filter_map(|(contender, (hit, miss))| self.point(*contender, hit, miss)).collect()
    }

    fn point(&self, contender: Contender, hit: &SweepLine, miss: &SweepLine) -> Option<CostPoint> {
        if hit.fallback.is_some() || miss.fallback.is_some() {
            return None;
        }
        let SweepIndex::One(candidate) = contender.index else { return None };
        let hit_ns = hit.ns_per_probe_pairs?;
        Some(CostPoint {
            candidate,
            shape: self.shape,
            rows: self.hits.build_rows as f64,
            rows_per_key: self.hits.duplicates as f64,
            build_ns: hit.ns_per_build_row?,
            hit_ns,
            miss_ns: miss.ns_per_probe_pairs?,
            exists_ns: hit.ns_per_probe_exists?,
            gather_ns: (hit.ns_per_probe_payload? - hit_ns).max(0.0),
            bytes: hit.bytes_per_row?,
        })
    }
}
