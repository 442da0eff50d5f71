//! Batch borders of each trigger.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, Int64Array, StringArray};
use proptest::prelude::*;

use super::*;

/// Feeds `pieces` of rows one after the other; answers the rows of each batch
/// as the replay makes them: borders before any row cut nothing.
fn batches(cutter: &mut ColumnCutter, pieces: &[Piece]) -> Vec<usize> {
    let mut batches = Vec::new();
    let mut open = 0;
    for piece in pieces {
        let borders = cutter
            .borders(CutInput {
                rows: piece.rows,
                file: piece.file,
                times: piece.times.as_ref(),
                column: piece.column.as_ref(),
            })
            .unwrap();
        let mut from = 0;
        for border in borders {
            open += border - from;
            from = border;
            if open > 0 {
                batches.push(std::mem::take(&mut open));
            }
        }
        open += piece.rows - from;
    }
    if open > 0 {
        batches.push(open);
    }
    batches
}

#[derive(Clone, Debug, Default)]
struct Piece {
    rows: usize,
    file: usize,
    times: Option<Int64Array>,
    column: Option<ArrayRef>,
}

fn rows(rows: usize) -> Piece {
    Piece { rows, ..Piece::default() }
}

fn times(times: &[Option<i64>]) -> Piece {
    Piece { times: Some(Int64Array::from(times.to_vec())), ..rows(times.len()) }
}

fn column(column: impl Array + 'static) -> Piece {
    Piece { rows: column.len(), column: Some(Arc::new(column)), ..Piece::default() }
}

#[test]
fn rows_are_counted_across_source_batches() {
    let mut cutter = ColumnCutter::Rows { rows: 3, taken: 0 };
    assert_eq!(batches(&mut cutter, &[rows(2), rows(2), rows(0), rows(5), rows(1)]), [3, 3, 3, 1]);
    let mut cutter = ColumnCutter::Rows { rows: 3, taken: 0 };
    assert_eq!(batches(&mut cutter, &[rows(3), rows(6)]), [3, 3, 3]);
    let mut cutter = ColumnCutter::Rows { rows: 1, taken: 0 };
    assert_eq!(batches(&mut cutter, &[rows(2)]), [1, 1]);
}

#[test]
fn a_tick_opens_with_the_row_that_enters_it() {
    let tick =
        |pieces: &[Piece]| batches(&mut ColumnCutter::EventTime { tick: 10, max: None }, pieces);
    // 12 opens [10, 20); 8 is late and moves nothing; 30 opens [30, 40): [20, 30) is empty.
    let late = times(&[Some(1), Some(9), Some(12), Some(8), Some(19), Some(30)]);
    assert_eq!(tick(&[late]), [2, 3, 1]);
    // Ticks are aligned to the epoch, before it too.
    assert_eq!(tick(&[times(&[Some(-11), Some(-10), Some(-1), Some(0)])]), [1, 2, 1]);
    // Nulls belong to the batch that is open.
    assert_eq!(tick(&[times(&[None, Some(1), None, Some(11), None])]), [3, 2]);
    // A tick goes on in the next source batch, or starts there.
    assert_eq!(tick(&[times(&[Some(1)]), times(&[Some(2)]), times(&[Some(15)])]), [2, 1]);
    assert_eq!(tick(&[times(&[None, None])]), [2]);
}

#[test]
fn a_changed_value_opens_a_batch() {
    let by_value = |pieces: &[Piece]| batches(&mut ColumnCutter::Column { last: None }, pieces);
    let numbers = |values: &[Option<i64>]| column(Int64Array::from(values.to_vec()));
    assert_eq!(by_value(&[numbers(&[Some(1), Some(1), Some(2), Some(1)])]), [2, 1, 1]);
    assert_eq!(by_value(&[numbers(&[Some(1)]), numbers(&[Some(1), Some(2)])]), [2, 1]);
    assert_eq!(by_value(&[numbers(&[Some(1)]), numbers(&[Some(2), Some(2)])]), [1, 2]);
    assert_eq!(by_value(&[numbers(&[None, None, Some(0)]), numbers(&[None])]), [2, 1, 1]);
    assert_eq!(by_value(&[column(StringArray::from(vec!["a", "a", "b"]))]), [2, 1]);
    assert_eq!(by_value(&[column(Float64Array::from(vec![f64::NAN, f64::NAN, 1.0]))]), [2, 1]);
}

#[test]
fn files_and_once() {
    let file = |file, count| Piece { file, ..rows(count) };
    let pieces = [file(0, 2), file(0, 1), file(1, 4), file(3, 1)];
    assert_eq!(batches(&mut ColumnCutter::File { last: None }, &pieces), [3, 4, 1]);
    assert_eq!(batches(&mut ColumnCutter::Once, &pieces), [8]);
    assert_eq!(batches(&mut ColumnCutter::Once, &[]), [0; 0]);
}

proptest! {
    /// However the rows arrive, the batches are the same.
    #[test]
    fn borders_do_not_depend_on_source_batches(
        values in prop::collection::vec(prop::option::weighted(0.9, -30_i64..30), 0..60),
        cuts in prop::collection::vec(0_usize..60, 0..6),
        size in 1_u64..9,
    ) {
        let make = |from: usize, to: usize| {
            let part = &values[from..to];
            Piece { column: Some(Arc::new(Int64Array::from(part.to_vec()))), ..times(part) }
        };
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < values.len()).collect();
        cuts.extend([0, values.len()]);
        cuts.sort_unstable();
        let pieces: Vec<Piece> = cuts.windows(2).map(|pair| make(pair[0], pair[1])).collect();
        let whole = [make(0, values.len())];
        let cutters: [fn(u64) -> ColumnCutter; 3] = [
            |size| ColumnCutter::Rows { rows: size, taken: 0 },
            |size| ColumnCutter::EventTime { tick: size as i64, max: None },
            |_| ColumnCutter::Column { last: None },
        ];
        for cutter in cutters {
            let cut = batches(&mut cutter(size), &pieces);
            prop_assert_eq!(&cut, &batches(&mut cutter(size), &whole));
            prop_assert_eq!(cut.iter().sum::<usize>(), values.len());
            prop_assert!(cut.iter().all(|rows| *rows > 0));
        }
    }
}
