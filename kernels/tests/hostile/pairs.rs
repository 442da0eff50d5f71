//! `Pairs` of every shape, handed to every index at every limit: what is held stays,
//! what is found is appended, both columns are equally long.

use streamjoin_kernels::Pairs;
use streamjoin_kernels::table::{FindCursor, Probe};

use crate::cursors::indexes;
use crate::inputs::hashes;

/// Pairs of each length with memory for a few more, or none.
fn shapes() -> Vec<Pairs> {
    let mut shapes = vec![Pairs::default(), Pairs::with_capacity(1000)];
    for len in [1, 7, 8, 9, 129, 1000] {
        for (rows_room, builds_room) in [(0, 0), (3, 0), (0, 3), (500, 500)] {
            let column = |room: usize, first: u32| {
                let mut column = Vec::with_capacity(len + room);
                column.extend((first..).take(len));
                column
            };
            let columns = (column(rows_room, 5_000), column(builds_room, 9_000));
            shapes.push(Pairs::from_columns(columns.0, columns.1).unwrap());
        }
    }
    shapes
}

#[test]
fn an_index_appends_to_pairs_of_any_shape() {
    let build: Vec<u64> = (0..300).map(|row| row % 37).collect();
    let probe: Vec<u64> = (0..400).map(|row| row % 50).collect();
    let probe_hashes = hashes(&probe);
    let probe = Probe::new(&probe, &probe_hashes, None);
    for index in indexes(&build) {
        let mut all = Pairs::default();
        index.find(probe, &mut FindCursor::default(), &mut all, usize::MAX);
        let expected = all.len();
        for limit in [0, 1, 2, 7, 8, 9, 100, 1001, usize::MAX] {
            // The last ones take long at one pair per call.
            let shapes = shapes().into_iter().take(if limit < 7 { 4 } else { usize::MAX });
            for shape in shapes {
                let (mut cursor, mut found) = (FindCursor::default(), 0);
                let mut pairs = shape.clone();
                while !cursor.is_done(probe.len()) {
                    index.find(probe, &mut cursor, &mut pairs, limit);
                    assert_eq!(pairs.probe_rows().len(), pairs.build_rows().len());
                    let held = shape.len().min(pairs.len());
                    assert!(
                        pairs.iter().take(held).eq(shape.iter().take(held)),
                        "{}",
                        index.name()
                    );
                    found += pairs.len() - held;
                    pairs.retain_from(0, &std::iter::repeat_n(true, held).collect());
                    if shape.len() >= limit {
                        // There is room for nothing: the rest without what is held.
                        let mut rest = Pairs::default();
                        index.find(probe, &mut cursor, &mut rest, usize::MAX);
                        found += rest.len();
                    }
                }
                assert_eq!(found, expected, "{} {} {limit}", index.name(), shape.len());
            }
        }
    }
}
