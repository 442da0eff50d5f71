//! The workloads are what they say, and a wrong answer is noticed.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::{IndexKind, Isa};

use super::key_kind::{NULL, scramble};
use super::*;
use crate::error::FailureKind;

const KINDS: [KeyKind; 8] = [
    KeyKind::I64,
    KeyKind::I64Dense,
    KeyKind::I32,
    KeyKind::I32Dense,
    KeyKind::I64Pair,
    KeyKind::Utf8(8),
    KeyKind::Utf8(16),
    KeyKind::Utf8(33),
];

fn small(key: KeyKind) -> Workload {
    Workload {
        build_rows: 700,
        hit_rate: 0.6,
        duplicates: 3,
        zipf: 1.0,
        null_share: 0.1,
        key,
        payload: 2,
        batch_rows: 1000,
    }
}

#[test]
fn scrambling_is_a_bijection() {
    for bits in [2, 3, 7, 16] {
        let mut seen: Vec<u64> = (0..1 << bits).map(|word| scramble(word, bits)).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..1 << bits), "{bits}");
    }
}

#[test]
fn keys_differ_where_ordinals_do() {
    for kind in KINDS {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        let ordinals: Vec<u64> = (0..5000).collect();
        let columns = kind.columns(&ordinals);
        let converter = arrow::row::RowConverter::new(
            kind.types().into_iter().map(arrow::row::SortField::new).collect(),
        );
        let rows = converter.unwrap().convert_columns(&columns).unwrap();
        let distinct: std::collections::HashSet<_> = rows.iter().collect();
        assert_eq!(distinct.len(), 5000, "{kind}");
        assert!(columns.iter().all(|column| column.null_count() == 0));
        assert!(kind.columns(&[1, NULL]).iter().all(|column| column.null_count() == 1));
    }
}

#[test]
fn probes_hit_miss_and_are_null_in_the_shares_that_were_asked_for() {
    let workload = small(KeyKind::I64);
    let ordinals = workload.probe_ordinals(100_000);
    let distinct = workload.distinct() as u64;
    let share = |is: &dyn Fn(u64) -> bool| {
        ordinals.iter().filter(|&&ordinal| is(ordinal)).count() as f64 / 100_000.0
    };
    assert!((share(&|o| o == NULL) - 0.1).abs() < 0.01);
    assert!((share(&|o| o < distinct) - 0.54).abs() < 0.01);
    let mut counts: HashMap<u64, u32> = HashMap::new();
    ordinals.iter().filter(|&&o| o < distinct).for_each(|&o| *counts.entry(o).or_default() += 1);
    let mut counts: Vec<u32> = counts.into_values().collect();
    counts.sort_unstable();
    // By the law the first of 234 keys has twice the probes of the second.
    let (first, second) = (counts[counts.len() - 1], counts[counts.len() - 2]);
    assert!((f64::from(first) / f64::from(second) - 2.0).abs() < 0.2, "{first} {second}");
}

#[test]
fn every_index_gives_the_known_answer_for_every_key() {
    for key in KINDS {
        for workload in [small(key), Workload { duplicates: 1, zipf: 0.0, ..small(key) }] {
            let data = Data::generate(&workload).unwrap();
            for index in IndexKind::ALL {
                let mut lookup = Lookup::build(index, &data.keys, Isa::detect()).unwrap();
                lookup.lay_out(&data);
                lookup.verify(&data, index.name()).unwrap();
            }
        }
    }
}

#[test]
fn a_wrong_answer_is_noticed() {
    let data = Data::generate(&small(KeyKind::I64)).unwrap();
    // An index over other keys: those of the table without its last row.
    let keys = data.keys.slice(0, data.keys.len() - 1);
    let mut lookup = Lookup::build(IndexKind::default(), &keys, Isa::detect()).unwrap();
    lookup.lay_out(&data);
    let failure = lookup.verify(&data, "chained").unwrap_err();
    assert_eq!(failure.kind, FailureKind::WrongResult);
    assert!(failure.message.contains("700 build rows"), "{failure}");
}

#[test]
fn contenders_take_turns_and_every_one_has_a_line() {
    let effort = Effort { repetitions: 2, slice: Duration::from_millis(1) };
    let contender =
        |index, layout| Contender { index, layout, isa: Isa::Portable, threads: NonZeroUsize::MIN };
    let asked = [
        contender(SweepIndex::Auto, Layout::Broadcast),
        contender(SweepIndex::filtered(IndexKind::Chained), Layout::Broadcast),
        contender(IndexKind::Chained.into(), Layout::Partitioned),
        contender(IndexKind::RowAtATime.into(), Layout::Broadcast),
    ];
    let mut ticks = 0;
    let lines = measure(&small(KeyKind::I64Pair), &asked, effort, &mut |n| ticks += n).unwrap();
    assert_eq!(ticks, 4 * effort.ticks());
    for (line, contender) in lines.iter().zip(asked) {
        assert_eq!(line.layout, contender.layout.name());
        assert_eq!(line.index, Some(contender.index.to_string()));
        assert!(line.ns_per_probe_pairs.is_some() && line.limit_ns.is_some(), "{line:?}");
        assert_eq!(line.repetitions, 2);
    }
}
