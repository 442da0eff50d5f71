//! Tests of `statistics`.

use std::sync::Arc;

use arrow::array::{Int64Array, StringArray};

use super::*;

#[test]
fn small_columns_are_exact() {
    let mut statistics = ColumnStatistics::new(&DataType::Utf8);
    for batch in [vec![Some("b"), None, Some("a")], vec![Some("c"), Some("a")]] {
        let column: ArrayRef = Arc::new(StringArray::from(batch));
        statistics.add(&column).unwrap();
    }
    assert_eq!((statistics.nulls(), statistics.distinct()), (1, 3));
    assert!(statistics.distinct_is_exact());
    assert_eq!(statistics.range(), (Some("a".to_owned()), Some("c".to_owned())));
}

#[test]
fn many_values_are_estimated() {
    let mut statistics = ColumnStatistics::new(&DataType::Int64);
    for batch in 0..20 {
        let values = (0..10_000).map(|i| (batch % 10) * 10_000 + i);
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        statistics.add(&column).unwrap();
    }
    assert!(!statistics.distinct_is_exact());
    let distinct = statistics.distinct() as f64;
    assert!((95_000.0..105_000.0).contains(&distinct), "{distinct}");
    assert_eq!(statistics.range(), (Some("0".to_owned()), Some("99999".to_owned())));
}

#[test]
fn a_column_of_nulls_has_no_range() {
    let mut statistics = ColumnStatistics::new(&DataType::Int64);
    let column: ArrayRef = Arc::new(Int64Array::from(vec![None, None]));
    statistics.add(&column).unwrap();
    assert_eq!((statistics.nulls(), statistics.distinct()), (2, 0));
    assert_eq!(statistics.range(), (None, None));
}
