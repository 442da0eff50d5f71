use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::{cast, concat_batches, take_record_batch};
use arrow::datatypes::{DataType, Field, Fields, Int32Type, Schema, TimeUnit};

use super::*;

fn batch(columns: Vec<ArrayRef>) -> RecordBatch {
    let fields: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(i, c)| Field::new(format!("c{i}"), c.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn sum(columns: Vec<ArrayRef>) -> String {
    let mut checksum = Checksum::new();
    checksum.update(&batch(columns));
    checksum.to_string()
}

fn ints() -> ArrayRef {
    Arc::new(Int32Array::from(vec![Some(1), None, Some(-7), Some(i32::MAX), Some(0)]))
}

fn texts() -> ArrayRef {
    Arc::new(StringArray::from(vec![
        Some("a"),
        Some(""),
        None,
        Some("eight by"),
        Some("longer than 12 bytes"),
    ]))
}

fn casts_to(array: &ArrayRef, types: &[DataType]) {
    let expected = sum(vec![array.clone()]);
    for data_type in types {
        let other = cast(array, data_type).unwrap();
        assert_eq!(sum(vec![other]), expected, "{data_type}");
    }
}

#[test]
fn widths_and_encodings_do_not_count() {
    let dictionary = |value| DataType::Dictionary(Box::new(DataType::Int8), Box::new(value));
    casts_to(&ints(), &[DataType::Int64, dictionary(DataType::Int32)]);
    casts_to(
        &texts(),
        &[
            DataType::LargeUtf8,
            DataType::Utf8View,
            dictionary(DataType::Utf8),
            dictionary(DataType::LargeUtf8),
        ],
    );
    let binary = cast(&texts(), &DataType::Binary).unwrap();
    casts_to(&binary, &[DataType::LargeBinary, DataType::BinaryView]);
    assert_ne!(sum(vec![binary]), sum(vec![texts()]), "text is not binary");

    let floats: ArrayRef = Arc::new(Float32Array::from(vec![Some(0.5), None, Some(f32::INFINITY)]));
    casts_to(&floats, &[DataType::Float64]);
    let decimals = Decimal128Array::from(vec![Some(110), None, Some(0), Some(-2000)]);
    let decimals: ArrayRef = Arc::new(decimals.with_precision_and_scale(10, 2).unwrap());
    casts_to(
        &decimals,
        &[DataType::Decimal128(38, 20), DataType::Decimal256(60, 30), DataType::Decimal64(18, 4)],
    );
    let times: ArrayRef =
        Arc::new(TimestampSecondArray::from(vec![Some(-1), None, Some(1_700_000_000)]));
    casts_to(
        &times,
        &[
            DataType::Timestamp(TimeUnit::Millisecond, None),
            DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
            DataType::Timestamp(TimeUnit::Nanosecond, None),
        ],
    );
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
    ]);
    let list: ArrayRef = Arc::new(list);
    let item = |t| Arc::new(Field::new_list_field(t, true));
    casts_to(
        &list,
        &[DataType::LargeList(item(DataType::Int64)), DataType::ListView(item(DataType::Int32))],
    );
}

#[test]
fn nanoseconds_count() {
    let nanos =
        |times: [i64; 2]| -> ArrayRef { Arc::new(TimestampNanosecondArray::from(times.to_vec())) };
    let micros: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![-1, 1]));
    assert_eq!(sum(vec![nanos([-1_000, 1_000])]), sum(vec![micros.clone()]));
    assert_ne!(sum(vec![nanos([-1, 1_000])]), sum(vec![micros]));
    assert_ne!(sum(vec![nanos([0, 1])]), sum(vec![nanos([0, 2])]));
}

#[test]
fn one_nan_and_one_zero() {
    let odd = f64::from_bits(f64::NAN.to_bits() | 0x8000_0000_0000_0001);
    let a: ArrayRef = Arc::new(Float64Array::from(vec![-0.0, odd]));
    let b: ArrayRef = Arc::new(Float64Array::from(vec![0.0, f64::NAN]));
    assert_eq!(sum(vec![a]), sum(vec![b]));
}

#[test]
fn batch_borders_and_row_order_do_not_count() {
    let whole = batch(vec![ints(), texts()]);
    let mut expected = Checksum::new();
    expected.update(&whole);
    let order = UInt32Array::from(vec![4, 2, 0, 1, 3]);
    let mut shuffled = Checksum::new();
    shuffled.update(&take_record_batch(&whole, &order).unwrap());
    assert_eq!(shuffled, expected);
    for cut in 0..=5 {
        let mut cut_up = Checksum::new();
        cut_up.update(&whole.slice(cut, 5 - cut));
        cut_up.update(&whole.slice(0, cut));
        assert_eq!(cut_up, expected, "cut at {cut}");
    }
    let twice = concat_batches(&whole.schema(), [&whole, &whole]).unwrap();
    let mut doubled = Checksum::new();
    doubled.update(&twice);
    let mut merged = Checksum::new();
    merged.merge(&expected, 2);
    assert_eq!(doubled, merged);
    assert_ne!(doubled.value(), 0, "duplicates must not cancel");
    assert_ne!(doubled.value(), expected.value());
}

#[test]
fn values_nulls_and_column_order_count() {
    let base = sum(vec![ints(), texts()]);
    assert_ne!(sum(vec![texts(), ints()]), base);
    let zeros: ArrayRef = Arc::new(Int32Array::from(vec![0]));
    let null: ArrayRef = Arc::new(Int32Array::from(vec![None]));
    assert_ne!(sum(vec![zeros.clone()]), sum(vec![null.clone()]));
    assert_ne!(sum(vec![zeros.clone(), null.clone()]), sum(vec![null, zeros]));
    let ab = |a: &str, b: &str| -> String {
        sum(vec![Arc::new(StringArray::from(vec![a])), Arc::new(StringArray::from(vec![b]))])
    };
    assert_ne!(ab("a", "bc"), ab("ab", "c"));
    assert_ne!(ab("a\0", ""), ab("a", ""));
}

#[test]
fn what_lies_under_a_null_does_not_count() {
    let nulls = NullBuffer::new(BooleanBuffer::from(vec![false, true]));
    let a: ArrayRef =
        Arc::new(Int64Array::new(ScalarBuffer::from(vec![5, 1]), Some(nulls.clone())));
    let b: ArrayRef =
        Arc::new(Int64Array::new(ScalarBuffer::from(vec![9, 1]), Some(nulls.clone())));
    assert_eq!(sum(vec![a.clone()]), sum(vec![b.clone()]));
    let fields = Fields::from(vec![Field::new("x", DataType::Int64, true)]);
    let wrap =
        |c| Arc::new(StructArray::new(fields.clone(), vec![c], Some(nulls.clone()))) as ArrayRef;
    assert_eq!(sum(vec![wrap(a)]), sum(vec![wrap(b)]));
    let values: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let keys = Int8Array::new(ScalarBuffer::from(vec![77, 0]), Some(nulls));
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    assert_eq!(
        sum(vec![dictionary]),
        sum(vec![Arc::new(StringArray::from(vec![None, Some("x")]))])
    );
}

#[test]
fn dictionaries_that_repeat_values_or_hold_nulls_count_by_value() {
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("x"), None]));
    let keys = Int8Array::from(vec![0, 1, 2]);
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let plain: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("x"), None]));
    assert_eq!(sum(vec![dictionary]), sum(vec![plain]));
}

#[test]
fn slices_of_nested_columns_count_as_their_copies() {
    let item = Arc::new(Field::new_list_field(DataType::Int32, true));
    let child: ArrayRef = Arc::new(Int32Array::from((0..12).collect::<Vec<_>>()));
    let list = ListArray::new(
        item.clone(),
        OffsetBuffer::from_lengths([1, 2, 0, 3, 6]),
        child.clone(),
        None,
    );
    let fixed = FixedSizeListArray::new(item, 2, child.clone(), None);
    let runs =
        RunArray::<Int32Type>::try_new(&Int32Array::from(vec![2, 5, 12]), &child.slice(0, 3))
            .unwrap();
    let fields = Fields::from(vec![Field::new("x", DataType::Int32, true)]);
    let structure = StructArray::new(fields, vec![child], None);
    let columns: Vec<ArrayRef> =
        vec![Arc::new(list), Arc::new(fixed), Arc::new(runs), Arc::new(structure)];
    for column in columns {
        let slice = column.slice(1, 3);
        let data = slice.to_data();
        let mut copy = MutableArrayData::new(vec![&data], false, 3);
        if column.data_type().is_run_ends_type() {
            let plain = Int32Array::from(vec![0, 1, 1]);
            assert_eq!(sum(vec![slice]), sum(vec![Arc::new(plain)]));
            continue;
        }
        copy.try_extend(0, 0, 3).unwrap();
        assert_eq!(
            sum(vec![slice.clone()]),
            sum(vec![make_array(copy.freeze())]),
            "{}",
            slice.data_type()
        );
    }
}

#[test]
fn a_batch_without_columns_counts_its_rows() {
    let schema = Arc::new(Schema::empty());
    let options = RecordBatchOptions::new().with_row_count(Some(3));
    let mut checksum = Checksum::new();
    checksum.update(&RecordBatch::try_new_with_options(schema, vec![], &options).unwrap());
    assert_eq!(checksum.rows(), 3);
    assert_ne!(checksum.value(), 0);
}

#[test]
fn the_value_is_fixed_for_ever() {
    // Recorded checksums rest on this value: do not change it.
    assert_eq!(sum(vec![ints(), texts()]), "8ecd2336f8b7a689");
}

#[test]
fn fields_that_do_not_apply_are_present_and_null() {
    let json = serde_json::to_value(Summary::default()).unwrap();
    for field in ["stateRows", "stateBytes", "bytesPerLiveRow", "outerDelay", "checksum", "spread"]
    {
        assert_eq!(json.get(field), Some(&serde_json::Value::Null), "{field}");
    }
    assert!(json["dropped"].get("nullTime").is_some());
    let json = serde_json::to_value(Progress::default()).unwrap();
    assert_eq!(json["durationMs"].get("evict"), Some(&serde_json::Value::Null));
    assert!(json.get("eventTime").is_none(), "absent without a watermark");
    assert_eq!(serde_json::from_value::<Progress>(json).unwrap(), Progress::default());
}

#[test]
fn lines_are_flat() {
    let line = Line::Progress {
        strategy: "broadcast/chained",
        progress: &Progress { batch_id: 3, ..Progress::default() },
    }
    .json();
    assert!(
        line.starts_with(r#"{"event":"progress","strategy":"broadcast/chained","batchId":3,"#),
        "{line}"
    );
    let line = Line::Summary { strategy: "auto", summary: &Summary::default() }.json();
    assert!(line.starts_with(r#"{"event":"summary","strategy":"auto","rowsIn":0,"#), "{line}");
}
