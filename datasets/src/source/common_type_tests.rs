use super::*;

/// Each pair by the values that both types hold, whichever comes first.
#[test]
fn the_narrowest_type_that_holds_both() {
    use DataType::*;
    let micros = |zone: Option<&str>| Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    let dictionary = |values| Dictionary(Box::new(Int8), Box::new(values));
    for (a, b, expected) in [
        (Int8, Int64, Some(Int64)),
        (Int32, Int64, Some(Int64)),
        (UInt8, Int8, Some(Int16)),
        (UInt32, Int64, Some(Int64)),
        (UInt64, Int64, Some(Decimal128(20, 0))),
        (Decimal128(10, 2), Decimal128(12, 2), Some(Decimal128(12, 2))),
        (Decimal128(10, 2), Decimal128(10, 4), Some(Decimal128(12, 4))),
        (Decimal128(38, 0), Decimal128(38, 10), None),
        (Int64, Decimal128(10, 2), Some(Decimal128(22, 2))),
        (Int16, Float32, Some(Float32)),
        (Int32, Float32, Some(Float64)),
        (Float32, Float64, Some(Float64)),
        // 2^53 + 1 is no double.
        (Int64, Float64, None),
        (Decimal128(10, 2), Float64, None),
        (Null, Boolean, Some(Boolean)),
        (Utf8, LargeUtf8, Some(LargeUtf8)),
        (Utf8View, Utf8, Some(Utf8View)),
        (Utf8, Int32, None),
        (Boolean, Int32, None),
        (dictionary(Utf8), Utf8, Some(Utf8)),
        (Binary, FixedSizeBinary(16), Some(Binary)),
        (Timestamp(TimeUnit::Second, None), micros(None), Some(micros(None))),
        (micros(Some("UTC")), micros(Some("Europe/Paris")), Some(micros(Some("UTC")))),
        (micros(None), micros(Some("UTC")), None),
        // Nanoseconds end in 2262.
        (micros(None), Timestamp(TimeUnit::Nanosecond, None), None),
        (Date32, micros(None), None),
    ] {
        assert_eq!(common_type(&a, &b, false), expected, "{a} and {b}");
        if let (Some(expected), false) = (expected, matches!(b, Timestamp(_, Some(_)))) {
            assert_eq!(common_type(&b, &a, false), Some(expected), "{b} and {a}");
        }
    }
}

#[test]
fn structs_and_lists_are_joined_inside() {
    let field = |name: &str, data_type, nullable| Arc::new(Field::new(name, data_type, nullable));
    let a = DataType::Struct(
        vec![field("id", DataType::Int32, false), field("old", DataType::Utf8, false)].into(),
    );
    let b = DataType::Struct(
        vec![field("new", DataType::Boolean, false), field("ID", DataType::Int64, false)].into(),
    );
    let expected = DataType::Struct(
        vec![
            field("id", DataType::Int64, false),
            field("old", DataType::Utf8, true),
            field("new", DataType::Boolean, true),
        ]
        .into(),
    );
    assert_eq!(common_type(&a, &b, false), Some(expected.clone()));
    let list = |item| DataType::List(field("item", item, true));
    assert_eq!(common_type(&list(a), &list(b), false), Some(list(expected)));
    assert_eq!(common_type(&list(DataType::Utf8), &list(DataType::Int8), false), None);
}
