//! Of nested columns of a Parquet file only the fields that are used are read.

use std::fs::File;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Fields, Schema};
use streamjoin_datasets::{FileFormat, ReadOptions, Source, writer};

fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

fn strings(values: [Option<&str>; 3]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// Three rows of `id`, a struct with a long text, and an array of structs.
fn rows() -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let deep = StructArray::from(vec![
        (Arc::new(field("x", DataType::Int64)), ids.clone()),
        (Arc::new(field("y", DataType::Utf8)), strings([Some("a"), Some("b"), None])),
    ]);
    let fields = Fields::from(vec![
        field("wide", DataType::Utf8),
        field("id", DataType::Int64),
        field("deep", deep.data_type().clone()),
    ]);
    let wide = strings([Some("wide"), Some("wide"), Some("wide")]);
    let after = StructArray::new(
        fields,
        vec![wide, ids.clone(), Arc::new(deep)],
        Some(vec![true, true, false].into()),
    );
    let items = StructArray::from(vec![
        (Arc::new(field("sku", DataType::Utf8)), strings([Some("p"), Some("q"), Some("r")])),
        (Arc::new(field("price", DataType::Int64)), ids.clone()),
    ]);
    let item = Arc::new(field("element", items.data_type().clone()));
    let offsets = arrow::buffer::OffsetBuffer::new(vec![0, 2, 2, 3].into());
    let items = ListArray::new(item, offsets, Arc::new(items), None);
    RecordBatch::try_from_iter_with_nullable([
        ("id", ids, true),
        ("after", Arc::new(after) as ArrayRef, true),
        ("items", Arc::new(items) as ArrayRef, true),
    ])
    .unwrap()
}

fn part(data_type: &DataType, keep: &dyn Fn(&str) -> bool) -> DataType {
    match data_type {
        DataType::Struct(fields) => DataType::Struct(
            fields
                .iter()
                .filter(|field| keep(field.name()))
                .map(|f| f.as_ref().clone().with_data_type(part(f.data_type(), keep)))
                .collect(),
        ),
        DataType::List(item) => DataType::List(Arc::new(
            item.as_ref().clone().with_data_type(part(item.data_type(), keep)),
        )),
        other => other.clone(),
    }
}

#[test]
fn fields_that_are_left_out_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let batch = rows();
    let path = folder.path().join("nested.parquet");
    let file = Box::new(File::create(&path).unwrap());
    let mut to = writer(FileFormat::Parquet, file, batch.schema_ref()).unwrap();
    to.write(&batch).unwrap();
    to.finish().unwrap();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let schema: &Schema = source.schema();
    let keep = |name: &str| ["id", "deep", "y", "price"].contains(&name);
    let types = [1, 2].map(|at| part(schema.field(at).data_type(), &keep));
    let read: Vec<RecordBatch> =
        source.read_narrow(&[1, 2], &types).unwrap().map(|batch| batch.unwrap().batch).collect();
    let [read] = read.as_slice() else { panic!("{} batches", read.len()) };
    for (column, data_type) in read.columns().iter().zip(&types) {
        assert_eq!(column.data_type(), data_type);
    }
    let after = read.column(0).as_struct();
    assert_eq!(after.column_names(), ["id", "deep"]);
    assert_eq!(after.null_count(), 1);
    let deep = after.column(1).as_struct();
    assert_eq!(deep.column_names(), ["y"]);
    assert_eq!(deep.column(0).as_string::<i32>().value(1), "b");
    let items = read.column(1).as_list::<i32>();
    let prices = items.values().as_struct();
    assert_eq!(prices.column_names(), ["price"]);
    assert_eq!(items.value_offsets(), [0, 2, 2, 3]);
    // The same rows whole.
    let whole: Vec<RecordBatch> =
        source.read(Some(&[1, 2])).unwrap().map(|batch| batch.unwrap().batch).collect();
    assert_eq!(whole[0].column(0).as_struct().num_columns(), 3);
}
