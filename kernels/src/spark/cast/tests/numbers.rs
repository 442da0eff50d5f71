//! Numbers to numbers.

use super::*;

#[test]
fn narrowing_overflows() {
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(300)]));
    let error = cast(&ints, &Int8, Ansi).unwrap_err();
    assert!(matches!(error, JoinError::OutOfRange { .. }));
    let error = error.to_string();
    assert!(error.contains("300") && error.contains("row 2"), "{error}");
    for mode in [Try, NullOnError] {
        let small = cast(&ints, &Int8, mode).unwrap();
        let expected = Int8Array::from(vec![Some(1), None, None]);
        assert_eq!(small.as_primitive::<Int8Type>(), &expected);
    }
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![1.9, -1.9, -0.0]));
    let cut = cast(&doubles, &Int32, Ansi).unwrap();
    assert_eq!(cut.as_primitive::<Int32Type>().values(), &[1, -1, 0]);
    for value in [f64::NAN, f64::INFINITY, 3e9, -3e9] {
        let array: ArrayRef = Arc::new(Float64Array::from(vec![value]));
        assert!(matches!(cast(&array, &Int32, Ansi), Err(JoinError::OutOfRange { .. })));
        assert_eq!(cast(&array, &Int32, Try).unwrap().null_count(), 1);
    }
}

#[test]
fn numbers_to_numbers() {
    let big: ArrayRef = Arc::new(Int64Array::from(vec![(1 << 53) + 1]));
    let double = cast(&big, &Float64, Ansi).unwrap();
    assert_eq!(double.as_primitive::<Float64Type>().value(0), 9007199254740992.0);
    let float: ArrayRef = Arc::new(Float32Array::from(vec![0.1]));
    assert_eq!(shown(&float, &Float64, Ansi).unwrap(), "0.10000000149011612");
    assert_eq!(shown(&float, &Decimal128(20, 18), Ansi).unwrap(), "0.100000001490116120");
    assert_eq!(shown(&float, &Boolean, Ansi).unwrap(), "true");
    let double: ArrayRef = Arc::new(Float64Array::from(vec![2.675]));
    assert_eq!(shown(&double, &Decimal128(3, 2), Ansi).unwrap(), "2.68");
    let nan: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
    assert!(cast(&nan, &Decimal128(3, 2), Ansi).is_err());
    let int: ArrayRef = Arc::new(Int32Array::from(vec![12]));
    assert_eq!(shown(&int, &Decimal128(4, 2), Ansi).unwrap(), "12.00");
    assert!(cast(&int, &Decimal128(3, 2), Ansi).is_err());
    assert_eq!(shown(&int, &Decimal128(2, 0), Ansi).unwrap(), "12");
    assert_eq!(shown(&int, &Decimal256(60, 40), Ansi).unwrap().len(), 43);
    let bool: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    for (to, expected) in [(Int32, "1"), (Float64, "1.0"), (Decimal128(3, 1), "1.0")] {
        assert_eq!(shown(&bool, &to, Ansi).unwrap(), expected);
    }
}

#[test]
fn decimals_round_half_up() {
    let decimal = |value: i128, p, s| -> ArrayRef {
        let array = Decimal128Array::from(vec![value]);
        Arc::new(array.with_precision_and_scale(p, s).unwrap())
    };
    for (value, expected) in [(125, "1.3"), (-125, "-1.3"), (124, "1.2"), (-124, "-1.2")] {
        assert_eq!(shown(&decimal(value, 5, 2), &Decimal128(5, 1), Ansi).unwrap(), expected);
    }
    assert!(matches!(
        cast(&decimal(99_995, 5, 2), &Decimal128(4, 1), Ansi),
        Err(JoinError::OutOfRange { .. })
    ));
    assert_eq!(shown(&decimal(99_995, 5, 2), &Decimal128(4, 1), Try), None);
    assert_eq!(shown(&decimal(-199, 5, 2), &Int32, Ansi).unwrap(), "-1");
    assert!(cast(&decimal(30_000, 5, 2), &Int8, Ansi).is_err());
    assert_eq!(shown(&decimal(0, 5, 2), &Boolean, Ansi).unwrap(), "false");
    assert_eq!(shown(&decimal(1, 5, 2), &Boolean, Ansi).unwrap(), "true");
    // Correctly rounded, where a division would be off by one bit.
    let text = "12345678901234567890123456789012345678";
    let wide = decimal(text.parse().unwrap(), 38, 30);
    let double = cast(&wide, &Float64, Ansi).unwrap();
    let expected: f64 = format!("{text}e-30").parse().unwrap();
    assert_eq!(double.as_primitive::<Float64Type>().value(0), expected);
    // A scale step that no multiplication holds.
    assert_eq!(shown(&decimal(0, 38, 0), &Decimal128(38, 38), Ansi).unwrap().len(), 40);
    assert!(cast(&decimal(1, 38, 0), &Decimal128(38, 38), Ansi).is_err());
}
