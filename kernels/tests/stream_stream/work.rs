//! Counts of work and of evictions.

use streamjoin_kernels::state::BlockOptions;
use streamjoin_kernels::stream_stream::{self, End};
use streamjoin_kernels::{Isa, JoinType, KeyHasher, StoreKind};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, MicroBatch, Run, between, row};
use crate::query::Row;

const S: i64 = 1_000_000;

/// Sums over the batches of a run, both sides together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    added: u64,
    removed: u64,
    evicted: u64,
    walked: u64,
    moved: u64,
    resizes: u64,
    residual_pairs: u64,
    gathered: u64,
}

fn totals(join_type: JoinType, batches: &[MicroBatch], store: StoreKind, isa: Isa) -> Totals {
    let hasher = KeyHasher::with_seed(isa, 7);
    let blocks = BlockOptions::default().with_rows(64);
    let options =
        stream_stream::Options::default().with_store(store).with_hasher(hasher).with_blocks(blocks);
    let form = Form { options: options.clone(), ..Form::default() };
    let mut query = between(join_type, 0, 10 * S);
    query.residual = true;
    let run = Run { query, types: &KEY_TYPES[..1], form };
    let mut join = stream_stream::Join::new(run.spec(), options).unwrap();
    let mut totals = Totals::default();
    let mut add = |mut batch: stream_stream::Batch<'_>| {
        while batch.next_batch().unwrap().is_some() {}
        let report = batch.report();
        for side in [&report.left, &report.right] {
            totals.added += side.added;
            totals.removed += side.removed;
            totals.evicted += side.evicted;
            totals.walked += side.rows_walked;
            totals.moved += side.rows_moved;
            totals.resizes += side.index_resizes;
        }
        totals.residual_pairs += report.residual_pairs;
        totals.gathered += report.values_gathered;
    };
    for [left, right] in batches {
        join.push(&run.chunks(0, left), &run.chunks(1, right))
            .unwrap()
            .into_iter()
            .for_each(&mut add);
        join.advance().unwrap().into_iter().for_each(&mut add);
    }
    join.finish(End::Flush).unwrap().into_iter().for_each(&mut add);
    totals
}

/// Rows a second apart, of few keys; some of the pairs satisfy the residual.
fn batches() -> Vec<MicroBatch> {
    let rows = |batch: i64, from: i64, values: i64| -> Vec<_> {
        (0..500)
            .map(|i| {
                let mut row = row(from + i, (i % 20) as u8, (batch * 500 + i) * S);
                row.value = Some((i % values) as i32);
                row
            })
            .collect()
    };
    (0..8).map(|batch| [rows(batch, 0, 3), rows(batch, 10_000, 5)]).collect()
}

#[test]
fn work_does_not_depend_on_the_instruction_set() {
    let batches = batches();
    for store in StoreKind::ALL {
        let expected = totals(JoinType::LeftOuter, &batches, store, Isa::Portable);
        for isa in Isa::available() {
            assert_eq!(
                totals(JoinType::LeftOuter, &batches, store, isa),
                expected,
                "{store} {isa}"
            );
        }
        assert!(expected.walked > 0 && expected.residual_pairs > 0, "{expected:?}");
        assert!(expected.gathered > 2 * expected.residual_pairs, "{expected:?}");
    }
}

#[test]
fn what_the_line_takes_is_told_from_what_leaves_otherwise() {
    let batches = batches();
    for store in StoreKind::ALL {
        let outer = totals(JoinType::LeftOuter, &batches, store, Isa::Portable);
        // Only the end takes the rest.
        assert!(outer.evicted > 0 && outer.evicted < outer.removed, "{store} {outer:?}");
        assert_eq!(outer.removed, outer.added, "{store}");
        let semi = totals(JoinType::LeftSemi, &batches, store, Isa::Portable);
        assert!(semi.evicted < outer.evicted, "{store}: matched rows leave at once: {semi:?}");
    }
}

#[test]
fn time_blocks_tells_its_upkeep() {
    let big: Vec<MicroBatch> = (0..4)
        .map(|batch| {
            let rows = |from: i64| -> Vec<_> {
                (0..3000)
                    .map(|i| row(from + i, (i % 250) as u8, (batch * 3000 + i) * 1000))
                    .collect()
            };
            [rows(0), rows(100_000)]
        })
        .collect();
    let kept = totals(JoinType::Inner, &big, StoreKind::TimeBlocks, Isa::Portable);
    assert!(kept.resizes > 0, "{kept:?}");
    // A semi join takes rows out of the middle of blocks: what is left moves.
    let batches: Vec<MicroBatch> = (0..20)
        .map(|batch| {
            let time = |i: i64| (batch * 2000 + i) * 2000;
            let left = (0..2000).map(|i| row(i, (i % 251) as u8, time(i)));
            let right = left
                .clone()
                .filter(|row| row.id % 251 > 2)
                .map(|row| Row { value: Some(5), ..row });
            if batch % 2 == 0 { [left.collect(), vec![]] } else { [vec![], right.collect()] }
        })
        .collect();
    let semi = totals(JoinType::LeftSemi, &batches, StoreKind::TimeBlocks, Isa::Portable);
    assert!(semi.moved > 0, "{semi:?}");
    let plain = totals(JoinType::LeftSemi, &batches, StoreKind::FullScan, Isa::Portable);
    assert_eq!((plain.evicted, plain.removed), (semi.evicted, semi.removed));
}
