use std::sync::Arc;

use arrow::array::*;
use arrow::compute::{concat, take};

use super::*;
use crate::pairs::NO_ROW;

fn columns() -> Vec<(DataType, Vec<ArrayRef>)> {
    let texts = [Some("a"), None, Some("ccc"), Some(""), Some("eeeeeeeeeeeeeeeee"), Some("f")];
    let split = |array: ArrayRef| vec![array.slice(0, 2), array.slice(2, 4)];
    let decimals = Decimal128Array::from(vec![Some(1), Some(-2), None, Some(4), Some(5), None]);
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4), Some(5), Some(6)])),
        Arc::new(StringArray::from_iter(&texts)),
        Arc::new(Int8Array::from(vec![1, 2, 3, 4, 5, 6])),
        Arc::new(decimals),
        Arc::new(StringViewArray::from_iter(&texts)),
        Arc::new(Float32Array::from(vec![0.5; 6])),
        Arc::new(Date32Array::from(vec![7, 8, 9, 10, 11, 12])),
        Arc::new(UInt16Array::from(vec![Some(7), None, None, Some(1), Some(2), Some(3)])),
        Arc::new(BooleanArray::from(vec![true, false, true, false, true, false])),
    ];
    arrays.into_iter().map(|array| (array.data_type().clone(), split(array))).collect()
}

#[test]
fn retained_columns_give_back_their_rows_and_nulls_for_no_row() {
    let columns = columns();
    let columns: Vec<_> = columns.iter().map(|(t, chunks)| (t, chunks.clone())).collect();
    let gaps = [NO_ROW, 5, 4, NO_ROW, 3, 2, 1, 0, NO_ROW];
    for order in [None, Some(&[5, 4, 3, 2, 1, 0][..]), Some(&gaps[..])] {
        let payload = Payload::new(&columns, 6, order, None).unwrap();
        assert_eq!(payload.columns.len(), columns.len());
        for rows in [&[3, NO_ROW, 0, 5, 5, NO_ROW, 1][..], &[2, 4], &[]] {
            // Positions without a row are never looked up.
            let has_row = |at: u32| order.is_none_or(|order| order[at as usize] != NO_ROW);
            let rows: Vec<u32> = rows
                .iter()
                .map(|&at| if at == NO_ROW || has_row(at) { at } else { at + 1 })
                .collect();
            let rows = &rows[..];
            let indices: UInt32Array = rows
                .iter()
                .map(
                    |&row| {
                        if row == NO_ROW { row } else { order.map_or(row, |o| o[row as usize]) }
                    },
                )
                .map(|row| (row != NO_ROW).then_some(row))
                .collect();
            let wanted: Vec<usize> = (0..columns.len()).rev().collect();
            for (&i, found) in wanted.iter().zip(payload.gather(&wanted, rows).unwrap()) {
                let chunks: Vec<&dyn Array> = columns[i].1.iter().map(|c| &**c).collect();
                let expected = take(&concat(&chunks).unwrap(), &indices, None).unwrap();
                assert_eq!(&found, &expected, "{} {order:?}", columns[i].0);
                assert!(payload.row_bytes(i) > 0 || *columns[i].0 == DataType::Boolean);
            }
        }
    }
}

#[test]
fn a_table_without_rows_gives_nulls() {
    let columns = columns();
    let columns: Vec<_> = columns.iter().map(|(t, _)| (t, Vec::new())).collect();
    let payload = Payload::new(&columns, 0, None, None).unwrap();
    for array in payload.gather(&(0..columns.len()).collect::<Vec<_>>(), &[NO_ROW; 3]).unwrap() {
        assert_eq!((array.len(), array.logical_null_count()), (3, 3));
    }
}

#[test]
#[should_panic(expected = "row 6 of 6")]
fn a_row_out_of_bounds_panics() {
    let columns = columns();
    let columns: Vec<_> = columns[..1].iter().map(|(t, chunks)| (t, chunks.clone())).collect();
    let _ = Payload::new(&columns, 6, None, None).unwrap().gather(&[0], &[0, NO_ROW, 6]);
}

#[test]
fn a_retained_slice_does_not_keep_its_whole_buffer() {
    let large: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..10_000).map(|i| format!("value {i}"))));
    let payload =
        Payload::new(&[(&DataType::Utf8, vec![large.slice(5, 3)])], 3, None, None).unwrap();
    assert!(payload.bytes() < 1000, "{}", payload.bytes());
}
