//! `FindCursor`, whose fields are public: any content, resumed and taken to other
//! probes.

use proptest::prelude::*;
use streamjoin_kernels::probe::SortMerge;
use streamjoin_kernels::table::{
    BuildInput, FilteredBuilder, FindCursor, IndexBuilder, JoinIndex, NestedLoop, Probe,
};
use streamjoin_kernels::{Isa, Pairs, Result};

use crate::inputs::{Outcome, hashes, kinds};

/// Indexes of all kinds over these keys.
pub(crate) fn indexes(keys: &[u64]) -> Vec<Box<dyn JoinIndex>> {
    let hashes = hashes(keys);
    let input = BuildInput::new(keys, &hashes, Isa::detect()).unwrap();
    let mut builders: Vec<Box<dyn IndexBuilder>> = vec![Box::new(SortMerge)];
    for kind in kinds() {
        builders.push(Box::new(kind));
        builders.push(Box::new(FilteredBuilder::new(kind)));
    }
    let built = builders.iter().map(|builder| builder.build(input).unwrap().index);
    let mut indexes: Vec<_> = built.collect();
    indexes.push(Box::new(NestedLoop::new(keys.len()).unwrap()));
    indexes
}

/// Calls `find` until the cursor is done, if it is ever. A row or position that is
/// not there may come of a cursor that is not the index's own.
fn find_all(
    index: &dyn JoinIndex,
    probe: Probe<'_>,
    cursor: &mut FindCursor,
    limit: usize,
) -> Result<usize> {
    let (mut pairs, mut found) = (Pairs::new(), 0);
    for _ in 0..=2 * (probe.len() + cursor.rows.len() + 1) * (index.positions() + 1) {
        if cursor.is_done(probe.len()) {
            return Ok(found);
        }
        index.find(probe, cursor, &mut pairs, limit);
        found += pairs.len();
        pairs.clear();
    }
    panic!("endless");
}

fn number(most: u32) -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..most.max(1), 1 => Just(u32::MAX), 1 => any::<u32>()]
}

pub(crate) fn cursors() -> impl Strategy<Value = FindCursor> {
    let lists = prop::collection::vec((number(300), number(60)), 0..200);
    (number(320), lists, 0..3usize, any::<bool>()).prop_map(|(next_row, lists, cut, rows)| {
        let mut cursor = FindCursor::default();
        cursor.next_row = next_row as usize;
        (cursor.rows, cursor.candidates) = lists.into_iter().unzip();
        // Mostly even, as an index leaves them.
        let short = if rows { &mut cursor.rows } else { &mut cursor.candidates };
        short.truncate(short.len().saturating_sub(cut.saturating_sub(1)));
        cursor
    })
}

proptest! {
    #[test]
    fn any_cursor_ends_or_is_refused(
        build in prop::collection::vec(0..30u64, 0..60),
        probe in prop::collection::vec(0..40u64, 0..300),
        cursor in cursors(),
        limit in prop_oneof![0..20usize, Just(usize::MAX)],
    ) {
        let probe_hashes = hashes(&probe);
        let probe = Probe::new(&probe, &probe_hashes, None);
        for index in indexes(&build) {
            let mut cursor = cursor.clone();
            let outcome = Outcome::of(|| find_all(&*index, probe, &mut cursor, limit));
            if let Outcome::Panicked(text) = outcome {
                prop_assert!(text.contains("cursor of another"), "{}: {text}", index.name());
            }
        }
    }

    /// A look-up that is begun with one probe, goes on with another, on another table,
    /// and is dropped.
    #[test]
    fn a_cursor_that_moves_ends_or_is_refused(
        build in prop::collection::vec(0..30u64, 0..60),
        others in prop::collection::vec(0..30u64, 0..60),
        probes in prop::collection::vec(prop::collection::vec(0..40u64, 0..200), 3),
        limit in 0..20usize,
        steps in 0..6usize,
    ) {
        let hashes: Vec<_> = probes.iter().map(|keys| hashes(keys)).collect();
        let probes: Vec<_> =
            probes.iter().zip(&hashes).map(|(keys, hashes)| Probe::new(keys, hashes, None)).collect();
        for (index, other) in indexes(&build).iter().zip(indexes(&others)) {
            let outcome = Outcome::of(|| {
                let (mut cursor, mut pairs) = (FindCursor::default(), Pairs::new());
                for step in 0..steps {
                    index.find(probes[step % 2], &mut cursor, &mut pairs, limit);
                    cursor.retain(|row| row % 5 != 0);
                    pairs.clear();
                }
                find_all(&*other, probes[2], &mut cursor, limit)
            });
            if let Outcome::Panicked(text) = outcome {
                prop_assert!(text.contains("cursor of another"), "{}: {text}", index.name());
            }
        }
    }
}

#[test]
fn a_cursor_with_columns_of_two_lengths_can_be_thinned_out() {
    let mut cursor = FindCursor::default();
    (cursor.rows, cursor.candidates) = (vec![1, 2, 3], vec![4]);
    cursor.retain(|_| true);
    assert_eq!((cursor.rows.len(), cursor.candidates.len()), (1, 1));
}
