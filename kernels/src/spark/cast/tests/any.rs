//! Dictionaries, slices, every pair of types.

use super::*;

#[test]
fn dictionaries_are_cast_by_value() {
    // Repeated values, a null value, a null key and an unused bad value.
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("1"), Some("1"), None, Some("x")]));
    let keys = Int8Array::from(vec![Some(0), Some(1), Some(2), None]);
    let array: ArrayRef = Arc::new(DictionaryArray::new(keys, values.clone()));
    let ints = cast(&array, &Int64, Ansi).unwrap();
    let expected = Int64Array::from(vec![Some(1), Some(1), None, None]);
    assert_eq!(ints.as_primitive::<Int64Type>(), &expected);
    let plain = cast(&array, &Utf8, Ansi).unwrap();
    assert_eq!(plain.null_count(), 2);

    let keys = Int8Array::from(vec![Some(0), None, Some(3)]);
    let array: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    match cast(&array, &Int64, Ansi) {
        Err(JoinError::MalformedValue { value, row, .. }) => assert_eq!((&*value, row), ("x", 2)),
        other => panic!("{other:?}"),
    }
    assert_eq!(cast(&array, &Int64, NullOnError).unwrap().null_count(), 2);
}

#[test]
fn slices_give_what_their_copies_give() {
    let values: Vec<Option<String>> =
        (0..40).map(|i| (i % 7 != 3).then(|| format!(" {i}"))).collect();
    let whole: ArrayRef = Arc::new(StringArray::from(values.clone()));
    for offset in 0..10 {
        let slice = whole.slice(offset, 20);
        let copy: ArrayRef = Arc::new(StringArray::from(values[offset..offset + 20].to_vec()));
        for to in [Int64, Float64, Decimal128(10, 2), Utf8View, Binary] {
            assert_eq!(&cast(&slice, &to, Ansi).unwrap(), &cast(&copy, &to, Ansi).unwrap());
        }
    }
}

#[test]
fn pairs_without_a_cast_are_refused() {
    for (from, to) in [
        (Date32, Int32),
        (Binary, Int64),
        (Boolean, Date32),
        (Utf8, Dictionary(Box::new(Int8), Box::new(Utf8))),
        (Int32, Date32),
        (Int32, Binary),
        (Float64, Interval(IntervalUnit::YearMonth)),
    ] {
        assert!(!can_cast(&from, &to));
        for rows in [0, 1] {
            let error = cast(&new_null_array(&from, rows), &to, Try).unwrap_err();
            assert!(matches!(error, JoinError::InvalidPlan(_)), "{error}");
        }
    }
}

#[test]
fn every_allowed_pair_casts_nulls_and_nothing() {
    let types = [
        Null,
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Decimal32(5, 2),
        Decimal64(12, 2),
        Decimal128(12, 2),
        Decimal256(50, 2),
        Date32,
        Date64,
        Timestamp(Second, None),
        us(),
        Timestamp(Nanosecond, None),
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(3),
        Time32(Second),
        Time64(Nanosecond),
        Duration(Second),
    ];
    for from in &types {
        for to in types.iter().filter(|to| can_cast(from, to)) {
            for rows in [0, 3] {
                for mode in [Ansi, Try, NullOnError] {
                    let result = cast(&new_null_array(from, rows), to, mode)
                        .unwrap_or_else(|e| panic!("{from} as {to}: {e}"));
                    assert_eq!((result.data_type(), result.len()), (to, rows));
                    assert_eq!(result.logical_null_count(), rows);
                }
            }
        }
    }
}
