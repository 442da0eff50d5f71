//! Which rows open a batch of two merged streams.

use super::*;

const ROW: RowView<'_> = RowView { time: None, arrival: None, file: 0, value: None };

/// Sizes of the batches, as the merge makes them: a row that opens a batch is
/// asked about again, and an empty batch is none.
fn sizes<'a>(cutter: &mut RowCutter, rows: impl IntoIterator<Item = RowView<'a>>) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut open = 0;
    for row in rows {
        if cutter.opens(&row) && open > 0 {
            sizes.push(std::mem::take(&mut open));
            assert!(!cutter.opens(&row), "asked again, it opens nothing");
        }
        open += 1;
    }
    sizes.extend((open > 0).then_some(open));
    sizes
}

fn at(time: i64) -> RowView<'static> {
    RowView { time: Some(time), ..ROW }
}

#[test]
fn rows_are_counted() {
    for (size, expected) in [(1, vec![1; 7]), (3, vec![3, 3, 1]), (7, vec![7]), (9, vec![7])] {
        let mut cutter = RowCutter::Rows { rows: size, taken: 0 };
        assert_eq!(sizes(&mut cutter, [ROW; 7]), expected);
    }
}

#[test]
fn ticks_open_with_the_row_that_enters_them() {
    let tick = || RowCutter::EventTime { tick: 10, max: None };
    let times = [1, 9, 12, 8, 19, 30];
    // 8 is out of order and moves nothing; the tick from 20 on is empty.
    assert_eq!(sizes(&mut tick(), times.map(at)), [2, 3, 1]);
    assert_eq!(sizes(&mut tick(), [-11, -10, -1, 0].map(at)), [1, 2, 1]);
    assert_eq!(sizes(&mut tick(), [ROW, at(1), ROW, at(11), ROW]), [3, 2]);
    assert_eq!(sizes(&mut tick(), [at(i64::MIN), at(i64::MAX)]), [1, 1]);
    let arrived = |time| RowView { arrival: Some(time), ..at(0) };
    let mut cutter = RowCutter::Arrival { tick: 10, max: None };
    assert_eq!(sizes(&mut cutter, [5, 15, 15, 20].map(arrived)), [1, 2, 1]);
}

#[test]
fn values_and_files() {
    let value = |value: &'static [u8]| RowView { value: Some(value), ..ROW };
    let rows = [value(b""), value(b""), value(b"a"), value(b""), value(b"")];
    assert_eq!(sizes(&mut RowCutter::Column { last: None }, rows), [2, 1, 2]);
    let file = |file| RowView { file, ..ROW };
    // Either stream's next file opens a batch, the other's rows of it do not.
    let rows = [0, 0, 1, 0, 1, 3, 2, 3].map(file);
    assert_eq!(sizes(&mut RowCutter::File { last: 0 }, rows), [2, 3, 3]);
    assert_eq!(sizes(&mut RowCutter::Once, [ROW; 4]), [4]);
}
