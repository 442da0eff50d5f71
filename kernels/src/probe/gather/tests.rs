use std::sync::Arc;

use arrow::array::*;

use super::*;

#[test]
fn gathering_is_taking_for_every_kind_of_column_sliced_or_not() {
    let n = 100i64;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter((0..n).map(|i| (i % 3 != 0).then_some(i)))),
        Arc::new(Int32Array::from_iter_values(0..n as i32)),
        Arc::new(Int8Array::from_iter((0..n).map(|i| (i % 2 != 0).then_some(i as i8)))),
        Arc::new(Float64Array::from_iter_values((0..n).map(|i| i as f64 / 3.0))),
        Arc::new(
            Decimal128Array::from_iter_values((0..n).map(i128::from))
                .with_precision_and_scale(20, 3)
                .unwrap(),
        ),
        Arc::new(TimestampMicrosecondArray::from_iter_values(0..n).with_timezone("UTC")),
        Arc::new(BooleanArray::from_iter((0..n).map(|i| (i % 5 != 0).then_some(i % 2 == 0)))),
        Arc::new(StringArray::from_iter_values((0..n).map(|i| "x".repeat(i as usize)))),
    ];
    let rows: Vec<u32> = (0..300).map(|i| (i * 37 + 5) % 80).collect();
    for column in columns {
        for offset in 0..10 {
            let sliced = column.slice(offset, 90);
            let gathered = gather(&sliced, &rows).unwrap();
            let taken = take(&sliced, &UInt32Array::from(rows.clone()), None).unwrap();
            assert_eq!(&gathered, &taken, "{} offset {offset}", column.data_type());
        }
        assert!(gather(&column, &[]).unwrap().is_empty());
    }
}

#[test]
#[should_panic(expected = "row 100 of 100")]
fn a_row_out_of_bounds_panics() {
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let _ = gather(&column, &[1, 100]);
}
