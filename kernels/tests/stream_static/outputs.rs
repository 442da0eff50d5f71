//! Output columns, schemas, refusals, and limits of the operator.

use std::sync::Arc;

use streamjoin_kernels::arrow;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{
    ColumnRef, Filter, IndexKind, JoinError, JoinType, KeyPair, OutputColumn, Predicate, Result,
    Side, arch, spark,
};

use crate::reference::push_all;

fn schema(fields: &[(&str, DataType)]) -> SchemaRef {
    let fields: Vec<Field> =
        fields.iter().map(|(name, t)| Field::new(*name, t.clone(), false)).collect();
    Arc::new(Schema::new(fields))
}

fn names(columns: &[OutputColumn]) -> Vec<(&str, ColumnRef)> {
    columns.iter().map(|column| (column.name.as_str(), column.source)).collect()
}

/// Whether a column of booleans is true.
#[derive(Debug)]
struct IsSet;

impl Predicate for IsSet {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        Ok(columns[0].as_boolean().clone())
    }
}

#[test]
fn using_puts_the_keys_first_in_the_order_given_and_keeps_the_preserved_side() {
    use ColumnRef::{Stream as S, Table as D};
    let stream = schema(&[("v", DataType::Int32), ("b", DataType::Utf8), ("a", DataType::Int32)]);
    let table = schema(&[("n", DataType::Int32), ("a", DataType::Int32), ("b", DataType::Utf8)]);
    let using = |join_type, side, keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        stream_static::output_using(join_type, side, &stream, &table, &keys)
    };
    let left = using(JoinType::LeftOuter, Side::Left, &["a", "b"]).unwrap();
    assert_eq!(names(&left), [("a", S(2)), ("b", S(1)), ("v", S(0)), ("n", D(0))]);
    let right = using(JoinType::RightOuter, Side::Right, &["b"]).unwrap();
    assert_eq!(names(&right), [("b", S(1)), ("n", D(0)), ("a", D(1)), ("v", S(0)), ("a", S(2))]);
    let inner = using(JoinType::Inner, Side::Right, &["B"]).unwrap();
    assert_eq!(names(&inner)[0], ("b", D(2)));
    let semi = using(JoinType::LeftSemi, Side::Left, &["a"]).unwrap();
    assert_eq!(names(&semi), [("a", S(2)), ("v", S(0)), ("b", S(1))]);
    let missing = using(JoinType::Inner, Side::Left, &["v"]).unwrap_err().to_string();
    assert!(missing.contains("`v`") && missing.contains("right side"), "{missing}");
}

#[test]
fn on_keeps_both_sides_in_the_order_of_the_query_equal_names_included() {
    let stream = schema(&[("k", DataType::Int32)]);
    let table = schema(&[("k", DataType::Int32), ("x", DataType::Int32)]);
    let on = stream_static::output_on(JoinType::Inner, Side::Right, &stream, &table);
    assert_eq!(
        names(&on),
        [("k", ColumnRef::Table(0)), ("x", ColumnRef::Table(1)), ("k", ColumnRef::Stream(0))]
    );
    assert_eq!(stream_static::output_on(JoinType::LeftAnti, Side::Left, &stream, &table).len(), 1);
}

/// Nested, fixed-size and dictionary payloads on the side
/// that is extended are nullable and null, the key included.
#[test]
fn the_extended_side_is_nullable_and_null_for_every_kind_of_payload() {
    let rows = 3;
    let dictionary: DictionaryArray<Int8Type> = vec!["a", "b", "a"].into_iter().collect();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..rows).map(|i| Some(vec![Some(i), None])),
    );
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("k", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ("bytes", Arc::new(FixedSizeBinaryArray::try_from_iter((0..3u8).map(|i| [i; 5])).unwrap())),
        ("dictionary", Arc::new(dictionary)),
        ("list", Arc::new(list.clone())),
        (
            "struct",
            Arc::new(StructArray::from(vec![(
                Arc::new(Field::new("l", list.data_type().clone(), true)),
                Arc::new(list) as ArrayRef,
            )])),
        ),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("view", Arc::new(StringViewArray::from(vec!["x", "a longer string, not inline", "z"]))),
        ("nothing", Arc::new(NullArray::new(3))),
        ("decimal", Arc::new(Decimal256Array::from_iter_values([1, 2, 3].map(i256::from)))),
    ];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let stream = RecordBatch::try_from_iter([(
        "k",
        Arc::new(Int32Array::from(vec![2, 9, 3, 9])) as ArrayRef,
    )])
    .unwrap();
    let spec =
        stream_static::Spec::on(stream.schema(), table.schema(), JoinType::LeftOuter, [(0, 0)])
            .unwrap();
    let join = stream_static::Join::new(spec, stream_static::Options::default()).unwrap();
    join.swap(join.build(&[table.slice(0, 1), table.slice(1, 2)], 0).unwrap()).unwrap();
    assert!(!join.output_schema().field(0).is_nullable());
    assert!(join.output_schema().fields()[1..].iter().all(|field| field.is_nullable()));
    let out = push_all(&join, &stream);
    let indices = Int32Array::from(vec![Some(1), None, Some(2), None]);
    for (i, column) in table.columns().iter().enumerate() {
        let expected = arrow::compute::take(column, &indices, None).unwrap();
        // Of dictionaries the indices have room for the values of many batches.
        let data_type = match column.data_type() {
            DataType::Dictionary(_, values) => {
                DataType::Dictionary(Box::new(DataType::Int32), values.clone())
            }
            other => other.clone(),
        };
        let expected = arrow::compute::cast(&expected, &data_type).unwrap();
        assert_eq!(&expected, out.column(i + 1), "{}", table.schema().field(i).name());
    }
}

#[test]
fn wrong_batches_and_wrong_plans_are_errors() {
    let stream =
        RecordBatch::try_from_iter([("k", Arc::new(Int32Array::from(vec![1])) as ArrayRef)])
            .unwrap();
    let text =
        RecordBatch::try_from_iter([("t", Arc::new(StringArray::from(vec!["1"])) as ArrayRef)])
            .unwrap();
    let spec = || {
        let keys = [("k", "k")];
        stream_static::Spec::on(stream.schema(), stream.schema(), JoinType::Inner, keys).unwrap()
    };
    let new = |spec| stream_static::Join::new(spec, stream_static::Options::default());
    let mut beyond = spec();
    beyond.keys[0].second = 1;
    assert!(matches!(new(beyond), Err(JoinError::UnknownColumn { .. })));
    let mut full = spec();
    full.join_type = JoinType::FullOuter;
    assert!(matches!(new(full), Err(JoinError::Refused { .. })));
    let booleans = schema(&[("b", DataType::Boolean)]);
    let mixed =
        stream_static::Spec::on(booleans, stream.schema(), JoinType::Inner, [(0, 0)]).unwrap();
    let error = new(mixed).unwrap_err().to_string();
    assert!(error.contains("key 1") && error.contains("Boolean"), "{error}");

    let join = new(spec()).unwrap();
    assert!(matches!(join.push(&stream), Err(JoinError::NotLoaded)));
    assert!(matches!(join.build(std::slice::from_ref(&text), 0), Err(JoinError::Schema(_))));
    join.swap(join.build(std::slice::from_ref(&stream), 0).unwrap()).unwrap();
    let error = join.push(&text).unwrap_err().to_string();
    assert!(error.contains("`k`"), "{error}");
    let zero = stream_static::Options::default().with_probe_rows(0);
    assert!(stream_static::Join::new(spec(), zero).is_err());
}

#[test]
fn columns_are_named_or_counted() {
    use ColumnRef::{Stream, Table};
    let stream = schema(&[("user", DataType::Int32), ("zone", DataType::Utf8)]);
    let table = schema(&[("id", DataType::Int32), ("zone", DataType::Utf8)]);
    let on = |keys: [KeyPair<&str, &str>; 2]| {
        stream_static::Spec::on(Arc::clone(&stream), Arc::clone(&table), JoinType::Inner, keys)
    };
    let named = on([("user", "ID").into(), KeyPair::null_safe("zone", "zone")]).unwrap();
    assert_eq!(named.keys, [KeyPair::equal(0, 0), KeyPair::null_safe(1, 1)]);
    let error = on([("user", "id").into(), ("zone", "area").into()]).unwrap_err();
    assert_eq!(error.to_string(), "the table has no column `area`; it has `id`, `zone`");
    let mixed = stream_static::Spec::on(
        Arc::clone(&stream),
        Arc::clone(&table),
        JoinType::Inner,
        [("zone".to_owned(), 1)],
    );
    assert_eq!(mixed.unwrap().keys, [KeyPair::equal(1, 1)]);

    let renamed = named.clone().select([("who", Stream("user")), ("where", Table("zone"))]);
    assert_eq!(names(&renamed.unwrap().output), [("who", Stream(0)), ("where", Table(1))]);
    let counted = named.clone().select([("x", Table(0))]).unwrap();
    assert_eq!(names(&counted.output), [("x", Table(0))]);
    let error = named.clone().select([("x", Stream("id"))]).unwrap_err().to_string();
    assert!(error.starts_with("the stream has no column `id`"), "{error}");
    assert!(named.clone().select([("x", Table(2))]).is_err());

    let is_set = || Arc::new(IsSet);
    let filtered = (named.clone().with_stream_filter(["zone"], is_set()))
        .and_then(|spec| spec.with_table_filter([1], is_set()))
        .and_then(|spec| spec.with_residual([Table("zone"), Stream("user")], is_set()))
        .unwrap();
    assert_eq!(filtered.stream_filter.unwrap().columns, [Stream(1)]);
    assert_eq!(filtered.table_filter.unwrap().columns, [Table(1)]);
    assert_eq!(filtered.residual.unwrap().columns, [Table(1), Stream(0)]);
    assert!(named.clone().with_stream_filter(["id"], is_set()).is_err());
    assert!(named.clone().with_table_filter(["user"], is_set()).is_err());
    assert!(named.with_residual([Table("user")], is_set()).is_err());
}

#[test]
fn a_malformed_key_fails_the_batch_that_meets_it_and_no_other() {
    let stream = schema(&[("k", DataType::Utf8)]);
    let table =
        RecordBatch::try_from_iter([("dk", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef)])
            .unwrap();
    let mut spec =
        stream_static::Spec::on(Arc::clone(&stream), table.schema(), JoinType::LeftOuter, [(0, 0)])
            .unwrap();
    let batch = |texts: Vec<&str>| {
        RecordBatch::try_new(Arc::clone(&stream), vec![Arc::new(StringArray::from(texts))]).unwrap()
    };
    let join = stream_static::Join::new(spec.clone(), stream_static::Options::default()).unwrap();
    assert_eq!(join.key_types(), [DataType::Int64]);
    join.swap(join.build(std::slice::from_ref(&table), 0).unwrap()).unwrap();
    assert_eq!(push_all(&join, &batch(vec!["1", " +02 "])).column(1).null_count(), 0);
    let bad = batch(vec!["1", "x"]);
    let error = join.push(&bad).unwrap().next_batch().unwrap_err();
    assert!(matches!(&error, JoinError::MalformedValue { value, row: 1, .. } if value == "x"));
    assert_eq!(push_all(&join, &batch(vec!["2"])).num_rows(), 1);

    spec.cast_mode = spark::CastMode::NullOnError;
    let join = stream_static::Join::new(spec, stream_static::Options::default()).unwrap();
    join.swap(join.build(&[table], 0).unwrap()).unwrap();
    assert_eq!(push_all(&join, &bad).column(1).null_count(), 1);
}

/// Spark pushes a one-sided filter below an inner or semi join, so a malformed
/// key in a row that fails it is never looked at; a preserved row's is.
#[test]
fn a_row_that_fails_its_filter_may_have_a_malformed_key_where_none_is_preserved() {
    let stream = RecordBatch::try_from_iter([
        ("k", Arc::new(StringArray::from(vec!["1", "x", "2"])) as ArrayRef),
        ("f", Arc::new(BooleanArray::from(vec![true, false, true]))),
    ])
    .unwrap();
    let table =
        RecordBatch::try_from_iter([("dk", Arc::new(Int32Array::from(vec![1, 3])) as ArrayRef)])
            .unwrap();
    for layout in Layout::ALL {
        for (join_type, rows) in [
            (JoinType::Inner, Some(1)),
            (JoinType::LeftSemi, Some(1)),
            (JoinType::LeftOuter, None),
            (JoinType::LeftAnti, None),
        ] {
            let mut spec =
                stream_static::Spec::on(stream.schema(), table.schema(), join_type, [(0, 0)])
                    .unwrap();
            spec.stream_filter =
                Some(Filter { columns: vec![ColumnRef::Stream(1)], predicate: Arc::new(IsSet) });
            let options = stream_static::Options::default().with_layout(layout);
            let join = stream_static::Join::new(spec, options).unwrap();
            join.swap(join.build(std::slice::from_ref(&table), 0).unwrap()).unwrap();
            let cursor = join.push(&stream);
            match rows {
                Some(rows) => {
                    let mut cursor = cursor.unwrap();
                    assert_eq!(cursor.next_batch().unwrap().unwrap().num_rows(), rows);
                    assert!(cursor.next_batch().unwrap().is_none());
                    let stats = cursor.stats();
                    assert_eq!((stats.rows_in, stats.rows_unmatched), (3, 2), "{layout}");
                }
                None => {
                    let outcome = cursor.and_then(|mut cursor| cursor.next_batch());
                    assert!(matches!(outcome, Err(JoinError::MalformedValue { .. })));
                }
            }
        }
    }
}

/// A table above the second-level cache: a perfect hash keeps the columns beside
/// its keys, and gives what another index gives.
#[test]
fn columns_beside_the_keys_are_those_of_the_table() {
    let rows = arch::CacheSizes::detect().l2 / 6;
    let key = |i: usize| arch::mix(i as u64) as i64;
    let keys = Int64Array::from_iter_values((0..rows).map(key));
    let small = Int16Array::from_iter((0..rows).map(|i| (i % 7 != 0).then_some(i as i16)));
    let wide = Int64Array::from_iter_values((0..rows).map(|i| i as i64 * 3));
    let texts = StringArray::from_iter_values((0..rows).map(|i| (i % 100).to_string()));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("d", Arc::new(keys)),
        ("small", Arc::new(small)),
        ("wide", Arc::new(wide)),
        ("text", Arc::new(texts)),
    ];
    // Among several batches, and with columns on both sides of the limit.
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let table = [table.slice(0, rows / 3), table.slice(rows / 3, rows - rows / 3)];
    let wanted = (0..5000).map(|i| key(i * 61 % (rows + rows / 9)));
    let stream: ArrayRef = Arc::new(Int64Array::from_iter_values(wanted));
    let stream = RecordBatch::try_from_iter([("k", stream)]).unwrap();
    for dropped in [0, 1] {
        let joined = |index: IndexKind| {
            let keys = [(0, 0)];
            let (left, right) = (stream.schema(), table[0].schema());
            let mut spec = stream_static::Spec::on(left, right, JoinType::LeftOuter, keys).unwrap();
            spec.output.truncate(spec.output.len() - dropped);
            let options = stream_static::Options::default().with_index(index);
            let join = stream_static::Join::new(spec, options).unwrap();
            let snapshot = join.build(&table, 0).unwrap();
            let payload = snapshot.payload_bytes();
            join.swap(snapshot).unwrap();
            let mut cursor = join.push(&stream).unwrap();
            let mut batches = Vec::new();
            while let Some(batch) = cursor.next_batch().unwrap() {
                batches.push(batch);
            }
            (arrow::compute::concat_batches(join.output_schema(), &batches).unwrap(), payload)
        };
        let (expected, apart) = joined(IndexKind::Chained);
        let (found, beside) = joined(IndexKind::Perfect);
        assert_eq!(found, expected);
        // The key and the two numbers are in the index.
        assert!(apart - beside > rows * 18, "{apart} {beside}");
    }
}
