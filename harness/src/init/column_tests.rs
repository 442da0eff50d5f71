//! Tests of `column`.

use std::sync::Arc;

use arrow::array::{Float64Array, Int32Array};

use super::*;

fn column(values: impl Array + 'static) -> Column {
    let values: ArrayRef = Arc::new(values);
    let mut column = Column::new("c", &values);
    column.add(&values).unwrap();
    column
}

fn same(left: &Column, right: &Column, form: Form) -> Option<bool> {
    left.against(right, form).map(|(left, right)| left == right)
}

#[test]
fn keys_compare_across_types() {
    let ints = column(Int32Array::from(vec![Some(1), None, Some(3)]));
    let floats = column(Float64Array::from(vec![Some(1.0), None, Some(3.0)]));
    let texts = column(StringArray::from(vec![Some("1"), None, Some("03")]));
    assert_eq!((ints.present(), ints.distinct(), ints.is_unique()), (2, 2, true));
    assert_eq!(same(&ints, &floats, Form::Plain), Some(true));
    assert_eq!(same(&ints, &texts, Form::Plain), Some(true));
    assert_eq!(same(&texts, &floats, Form::Plain), Some(true));
    let words = column(StringArray::from(vec!["A ", "b", "C"]));
    let others = column(StringArray::from(vec!["a", "B", "c"]));
    assert_eq!(same(&words, &others, Form::Plain), Some(false));
    assert_eq!(same(&words, &others, Form::Folded), Some(true));
    assert_eq!(same(&ints, &words, Form::Plain), None);
}

#[test]
fn fractions_are_no_keys() {
    let fractions: ArrayRef = Arc::new(Float64Array::from(vec![0.5]));
    assert_eq!(Column::new("c", &fractions).kind, None);
    let mut later = column(Float64Array::from(vec![1.0]));
    later.add(&fractions).unwrap();
    assert_eq!((later.kind, later.present()), (None, 0));
}

#[test]
fn several_columns_make_one_key() {
    let (a, b) = ([1, 1, 2, NO_KEY], [1, 2, 1, 1]);
    let keys = combined(&[&a, &b]);
    assert_eq!(keys[3], NO_KEY);
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
}
