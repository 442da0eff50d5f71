//! Dates and timestamps to each other and to numbers.

use super::*;

#[test]
fn times_and_numbers() {
    let time: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![-1, 1_500_000]));
    let seconds = cast(&time, &Int64, Ansi).unwrap();
    assert_eq!(seconds.as_primitive::<Int64Type>().values(), &[-1, 1]);
    let doubles = cast(&time, &Float64, Ansi).unwrap();
    assert_eq!(doubles.as_primitive::<Float64Type>().values(), &[-0.000001, 1.5]);
    let days = cast(&time, &Date32, Ansi).unwrap();
    assert_eq!(days.as_primitive::<Date32Type>().values(), &[-1, 0]);
    let exact = cast(&time, &Decimal128(38, 9), Ansi).unwrap();
    assert_eq!(exact.as_primitive::<Decimal128Type>().values(), &[-1_000, 1_500_000_000]);

    let ints: ArrayRef = Arc::new(Int64Array::from(vec![-1, 1]));
    let times = cast(&ints, &us(), Ansi).unwrap();
    assert_eq!(times.as_primitive::<TimestampMicrosecondType>().values(), &[-1_000_000, 1_000_000]);
    let far: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX]));
    assert!(matches!(cast(&far, &us(), Ansi), Err(JoinError::OutOfRange { .. })));
    let double: ArrayRef = Arc::new(Float64Array::from(vec![1.5, -1.5]));
    let times = cast(&double, &us(), Ansi).unwrap();
    assert_eq!(times.as_primitive::<TimestampMicrosecondType>().values(), &[1_500_000, -1_500_000]);
    let nan: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
    assert!(cast(&nan, &us(), Ansi).is_err());
}

#[test]
fn times_to_times() {
    let days: ArrayRef = Arc::new(Date32Array::from(vec![0, 1, -719_162, 2_932_896]));
    let midnights = cast(&days, &us(), Ansi).unwrap();
    let midnights = midnights.as_primitive::<TimestampMicrosecondType>();
    assert_eq!(midnights.value(1), 86_400_000_000);
    assert_eq!(midnights.value(2), -62_135_596_800_000_000);
    assert!(cast(&days, &Timestamp(Nanosecond, None), Ansi).is_err());
    let exact = cast(&days, &Decimal128(38, 9), Ansi).unwrap();
    assert_eq!(exact.as_primitive::<Decimal128Type>().value(3), 253_402_214_400_000_000_000);
    let seconds: ArrayRef =
        Arc::new(TimestampSecondArray::from(vec![-62_135_596_800, 253_402_300_799]));
    let fine = cast(&seconds, &us(), Ansi).unwrap();
    assert_eq!(fine.as_primitive::<TimestampMicrosecondType>().value(1), 253_402_300_799_000_000);
    let micros: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![-1]));
    let coarse = cast(&micros, &Timestamp(Second, None), Ansi).unwrap();
    assert_eq!(coarse.as_primitive::<TimestampSecondType>().value(0), -1);
    let zoned = cast(&micros, &us(), Ansi).unwrap();
    assert_eq!(zoned.as_primitive::<TimestampMicrosecondType>().value(0), -1);
    let far: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MAX]));
    assert!(cast(&far, &us(), Ansi).is_err());
    assert_eq!(cast(&far, &Date32, Try).unwrap().null_count(), 1);
}
