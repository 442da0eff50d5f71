use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{Field, Schema, UnionFields};
use arrow::ipc::root_as_message;
use arrow::ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};

use super::*;

fn field(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("f", data_type, true))
}

/// A column of every kind of layout.
fn columns() -> Vec<ArrayRef> {
    let text = "long enough to be in a buffer of its own";
    let views = StringViewArray::from_iter_values([text, "short", text]);
    let list = DataType::List(field(DataType::Utf8));
    let pair = DataType::Struct([field(DataType::Int8), field(list.clone())].into_iter().collect());
    let entries =
        [Field::new("key", DataType::Utf8, false), Field::new("value", list.clone(), true)];
    let entries = DataType::Struct(entries.into_iter().collect());
    let union = [(0, field(DataType::Utf8)), (1, field(pair.clone()))];
    let union: UnionFields = union.into_iter().collect();
    let types = [
        DataType::Null,
        DataType::Boolean,
        DataType::Decimal128(10, 2),
        DataType::FixedSizeBinary(3),
        DataType::Utf8,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::Dictionary(Box::new(DataType::Int8), Box::new(list.clone())),
        DataType::FixedSizeList(field(list.clone()), 2),
        DataType::LargeList(field(pair.clone())),
        DataType::ListView(field(DataType::Utf8View)),
        DataType::Map(Arc::new(Field::new("entries", entries, false)), false),
        DataType::RunEndEncoded(
            Arc::new(Field::new("run_ends", DataType::Int32, false)),
            Arc::new(Field::new("values", DataType::Utf8, true)),
        ),
        DataType::Union(union.clone(), UnionMode::Dense),
        DataType::Union(union, UnionMode::Sparse),
        list,
        pair,
    ];
    let nulls = types.iter().map(|data_type| new_null_array(data_type, 3));
    nulls.chain([Arc::new(views) as ArrayRef]).collect()
}

/// The message of a batch, and its fields.
fn encoded(columns: &[ArrayRef]) -> (Vec<u8>, Fields) {
    let fields = columns
        .iter()
        .enumerate()
        .map(|(at, column)| Field::new(at.to_string(), column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), columns.to_vec()).unwrap();
    let options = IpcWriteOptions::default();
    let mut tracker = DictionaryTracker::new(false);
    let generator = IpcDataGenerator {};
    // Dictionaries are numbered with the schema.
    generator.schema_to_bytes_with_dictionary_tracker(&schema, &mut tracker, &options);
    let encoded = generator.encode(&batch, &mut tracker, &options, &mut Default::default());
    (encoded.unwrap().1.ipc_message, schema.fields().clone())
}

#[test]
fn the_buffers_of_each_column_and_no_others() {
    let columns = columns();
    let (bytes, fields) = encoded(&columns);
    let message = root_as_message(&bytes).unwrap();
    let mut found = Vec::new();
    for column in 0..columns.len() {
        let own = buffers_of(&message, &fields, &[column]);
        let (alone, one) = encoded(&columns[column..=column]);
        let alone = all_buffers(&root_as_message(&alone).unwrap());
        assert_eq!(own.len(), alone.len(), "{one:?}");
        found.extend(own);
    }
    assert_eq!(found, all_buffers(&message));
}

#[test]
fn a_message_that_does_not_fit_its_schema_is_read_whole() {
    let columns = columns();
    let (bytes, fields) = encoded(&columns);
    let message = root_as_message(&bytes).unwrap();
    let all = all_buffers(&message);
    let fewer: Fields = fields.iter().skip(1).take(3).cloned().collect();
    assert_eq!(buffers_of(&message, &fewer, &[0]), all);
    let more: Fields = fields.iter().chain(fields.iter()).cloned().collect();
    assert_eq!(buffers_of(&message, &more, &[0]), all);
}

#[test]
fn neighbours_are_joined_and_order_does_not_matter() {
    let buffer = |start, len| ipc::Buffer::new(start, len);
    let buffers =
        [buffer(90_000, 10), buffer(0, 8), buffer(64, 100), buffer(120, 10), buffer(200_000, 0)];
    let (found, end) = ranges(&buffers, 200_000).unwrap();
    assert_eq!((found, end), (vec![0..164, 90_000..90_010], 200_000));
    for wrong in [buffer(-1, 8), buffer(0, -1), buffer(i64::MAX, i64::MAX), buffer(199_999, 2)] {
        let error = ranges(&[wrong], 200_000).unwrap_err();
        assert!(error.contains("outside its message"), "{error}");
    }
}
