use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{Fields, Int8Type, Int32Type};

use super::*;

fn dictionary(keys: Vec<Option<i8>>, values: Vec<Option<&str>>) -> ArrayRef {
    let values = Arc::new(StringArray::from(values));
    Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(keys), values))
}

#[test]
fn dictionaries_and_runs_at_any_depth_are_resolved() {
    let inner = dictionary(vec![Some(1), None, Some(0), Some(2)], vec![Some("a"), Some("b"), None]);
    let plain: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some("a"), None]));
    assert_eq!(&by_value(&inner).unwrap(), &plain);
    assert_eq!(&by_value(&inner.slice(1, 2)).unwrap(), &plain.slice(1, 2));

    let ends = Int32Array::from(vec![2, 3, 7, 8]);
    let run: ArrayRef = Arc::new(RunArray::<Int32Type>::try_new(&ends, &inner).unwrap());
    let long = vec![Some("b"), Some("b"), None, Some("a"), Some("a"), Some("a"), Some("a"), None];
    let long: ArrayRef = Arc::new(StringArray::from(long));
    assert_eq!(&by_value(&run).unwrap(), &long);
    assert_eq!(&by_value(&run.slice(1, 4)).unwrap(), &long.slice(1, 4));

    let of = |item: &ArrayRef| -> ArrayRef {
        let field = Arc::new(Field::new("item", item.data_type().clone(), true));
        let offsets = OffsetBuffer::<i32>::from_lengths([1, 0, 2, 1]);
        let nulls = NullBuffer::from(vec![true, false, true, true]);
        let lists = ListArray::new(field, offsets, Arc::clone(item), Some(nulls.clone()));
        let fields = Fields::from(vec![
            Field::new("lists", lists.data_type().clone(), true),
            Field::new("texts", item.data_type().clone(), true),
        ]);
        Arc::new(StructArray::new(fields, vec![Arc::new(lists), Arc::clone(item)], Some(nulls)))
    };
    assert_eq!(&by_value(&of(&inner)).unwrap(), &of(&plain));
    assert_eq!(&by_value(&of(&inner).slice(2, 2)).unwrap(), &of(&plain).slice(2, 2));
}

#[test]
fn what_has_no_bytes_keeps_its_rows_and_nulls() {
    let nulls = || Some(NullBuffer::from(vec![true, false, true]));
    let bytes: ArrayRef = Arc::new(FixedSizeBinaryArray::new(0, Vec::<u8>::new().into(), nulls()));
    let expected: ArrayRef = Arc::new(BinaryArray::from(vec![Some(&b""[..]), None, Some(b"")]));
    assert_eq!(&by_value(&bytes).unwrap(), &expected);
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let no_items = new_empty_array(&DataType::Int64);
    let lists: ArrayRef = Arc::new(FixedSizeListArray::new(item, 0, no_items, nulls()));
    let lists = by_value(&lists).unwrap();
    assert_eq!((lists.len(), lists.null_count()), (3, 1));
    assert!(lists.as_list::<i32>().value(2).is_empty());
    let no_fields: ArrayRef = Arc::new(StructArray::new_empty_fields(3, nulls()));
    let booleans = convert(&no_fields, &DataType::Boolean).unwrap();
    assert_eq!(booleans.as_boolean().iter().collect::<Vec<_>>(), [Some(true), None, Some(true)]);
    assert_eq!(&convert(&booleans, no_fields.data_type()).unwrap(), &no_fields);
}

#[test]
fn a_table_keeps_dictionaries_of_texts_with_wide_indices_only() {
    use DataType::*;
    let of = |index: DataType, value: DataType| Dictionary(Box::new(index), Box::new(value));
    assert_eq!(table_type(&of(UInt8, Utf8View)), of(Int32, Utf8View));
    assert_eq!(table_type(&of(Int64, LargeBinary)), of(Int64, LargeBinary));
    assert_eq!(table_type(&of(Int8, Float16)), Float16);
    assert_eq!(table_type(&of(Int8, of(Int8, Utf8))), Utf8);
    let list = |item: DataType| List(Arc::new(Field::new("item", item, true)));
    assert_eq!(table_type(&list(of(Int32, Utf8))), list(Utf8));
    assert_eq!(stream_type(&of(Int8, Float16)), of(Int8, Float16));
}
