//! Columns whose form differs from batch to batch, or that Arrow's kernels lose.

use std::sync::Arc;

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::buffer::OffsetBuffer;
use streamjoin_kernels::arrow::datatypes::*;
use streamjoin_kernels::arrow::util::display::{ArrayFormatter, FormatOptions};
use streamjoin_kernels::stream_static::{Join, Layout, Options, Spec};
use streamjoin_kernels::{JoinError, JoinType};

/// Makes a column of these values, of which batch `batch` has some.
type Make = Box<dyn Fn(usize, &[Option<u16>]) -> ArrayRef>;

fn texts(values: &[Option<u16>]) -> Vec<Option<String>> {
    values.iter().map(|value| value.map(|value| format!("a text, number {value}"))).collect()
}

/// A dictionary of its own for each batch: its values in another order, one of
/// them twice, a null among them, and one that no row uses.
fn dictionary<K: ArrowDictionaryKeyType>(
    batch: usize,
    values: &[Option<u16>],
    of: impl Fn(&[Option<u16>]) -> ArrayRef,
) -> ArrayRef
where
    K::Native: TryFrom<usize>,
{
    let mut distinct: Vec<Option<u16>> = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.retain(Option::is_some);
    if batch % 2 == 1 {
        distinct.reverse();
    }
    let first = distinct.first().copied().flatten();
    distinct.extend([first, None, Some(9999)]);
    let at = |value: &Option<u16>| distinct.iter().position(|found| found == value);
    let keys: PrimitiveArray<K> = values
        .iter()
        .enumerate()
        .map(|(row, value)| {
            // A null is a null key, or the key of the null value, in turn.
            let key = if value.is_none() && row % 2 == 0 { None } else { at(value) };
            key.map(|key| K::Native::try_from(key).ok().expect("few values"))
        })
        .collect();
    Arc::new(DictionaryArray::new(keys, of(&distinct)))
}

fn strings(values: &[Option<u16>]) -> ArrayRef {
    Arc::new(StringArray::from(texts(values)))
}

fn views(values: &[Option<u16>]) -> ArrayRef {
    Arc::new(StringViewArray::from_iter(texts(values)))
}

fn numbers(values: &[Option<u16>]) -> ArrayRef {
    Arc::new(UInt16Array::from(values.to_vec()))
}

fn fixed(values: &[Option<u16>]) -> ArrayRef {
    let values = values.iter().map(|value| value.map(u16::to_be_bytes));
    Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 2).unwrap())
}

fn intervals(values: &[Option<u16>]) -> ArrayRef {
    let values = values.iter().map(|v| v.map(|v| IntervalMonthDayNano::new(v.into(), -1, 1)));
    Arc::new(values.collect::<IntervalMonthDayNanoArray>())
}

fn runs(values: &[Option<u16>]) -> ArrayRef {
    let ends = Int32Array::from_iter_values((1..=values.len() as i32).collect::<Vec<_>>());
    Arc::new(RunArray::<Int32Type>::try_new(&ends, &strings(values)).unwrap())
}

fn empty_binaries(values: &[Option<u16>]) -> ArrayRef {
    let nulls = values.iter().map(Option::is_some).collect::<Vec<_>>().into();
    Arc::new(FixedSizeBinaryArray::new(0, Vec::<u8>::new().into(), Some(nulls)))
}

fn without_fields(values: &[Option<u16>]) -> ArrayRef {
    let nulls = values.iter().map(Option::is_some).collect::<Vec<_>>().into();
    Arc::new(StructArray::new_empty_fields(values.len(), Some(nulls)))
}

/// A structure and a list of the column.
fn nested(of: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", of.data_type().clone(), true));
    let offsets = OffsetBuffer::<i32>::from_lengths(vec![1; of.len()]);
    let list = Arc::new(ListArray::new(Arc::clone(&field), offsets, Arc::clone(of), None));
    let lists = Field::new("list", list.data_type().clone(), true);
    let fields = Fields::from(vec![field.as_ref().clone(), lists]);
    Arc::new(StructArray::new(fields, vec![Arc::clone(of), list], None))
}

fn kinds() -> Vec<(&'static str, Make)> {
    let mut kinds: Vec<(&'static str, Make)> = vec![
        ("int8 of texts", Box::new(|b, v| dictionary::<Int8Type>(b, v, strings))),
        ("uint8 of views", Box::new(|b, v| dictionary::<UInt8Type>(b, v, views))),
        ("int8 of fixed-size binaries", Box::new(|b, v| dictionary::<Int8Type>(b, v, fixed))),
        ("int64 of numbers", Box::new(|b, v| dictionary::<Int64Type>(b, v, numbers))),
        (
            "int8 of dictionaries",
            Box::new(|b, v| {
                dictionary::<Int8Type>(b, v, |v| dictionary::<UInt8Type>(b, v, strings))
            }),
        ),
        ("runs", Box::new(|_, v| runs(v))),
        ("intervals", Box::new(|_, v| intervals(v))),
        ("binaries of no bytes", Box::new(|_, v| empty_binaries(v))),
        ("structures without fields", Box::new(|_, v| without_fields(v))),
        ("nulls", Box::new(|_, v| Arc::new(NullArray::new(v.len())))),
    ];
    let within = without_nesting();
    kinds.extend(within);
    kinds
}

fn without_nesting() -> Vec<(&'static str, Make)> {
    vec![
        ("nested int8 of texts", Box::new(|b, v| nested(&dictionary::<Int8Type>(b, v, strings)))),
        ("nested runs", Box::new(|_, v| nested(&runs(v)))),
        ("nested binaries of no bytes", Box::new(|_, v| nested(&empty_binaries(v)))),
        ("nested structures without fields", Box::new(|_, v| nested(&without_fields(v)))),
    ]
}

/// Each row as Arrow shows it.
fn shown(column: &ArrayRef) -> Vec<String> {
    let options = FormatOptions::new().with_null("null");
    let formatter = ArrayFormatter::try_new(column, &options).unwrap();
    let null = column.logical_nulls();
    let text = |row: usize| match &null {
        Some(nulls) if nulls.is_null(row) => "null".to_owned(),
        _ => formatter.value(row).to_string(),
    };
    (0..column.len()).map(text).collect()
}

const ROWS: u16 = 300;

fn batch(ids: Vec<i32>, column: ArrayRef) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int32Array::from(ids));
    let fields = vec![
        Field::new("id", DataType::Int32, false),
        Field::new("v", column.data_type().clone(), true),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![ids, column]).unwrap()
}

/// Three batches of 100 rows, with a null in each fifth row.
fn batches(make: &Make) -> Vec<RecordBatch> {
    let of = |batch: u16| {
        let ids: Vec<u16> = (batch * 100..(batch + 1) * 100).collect();
        let values: Vec<_> = ids.iter().map(|&id| (id % 5 != 3).then_some(id)).collect();
        let ids = ids.into_iter().map(i32::from).collect();
        self::batch(ids, make(batch.into(), &values))
    };
    (0..ROWS / 100).map(of).collect()
}

#[test]
fn every_form_of_a_table_comes_out_by_value_and_null_without_a_match() {
    for (name, make) in kinds() {
        let table = batches(&make);
        let shown_rows: Vec<String> = table.iter().flat_map(|b| shown(b.column(1))).collect();
        let ids: Vec<i32> = (-2..i32::from(ROWS) + 3).map(|i| i * 7 % 310).collect();
        let stream = batch(ids.clone(), Arc::new(NullArray::new(ids.len())));
        for layout in [Layout::Broadcast, Layout::Partitioned, Layout::SortMerge] {
            let keys = [("id", "id")];
            let spec = Spec::on(stream.schema(), table[0].schema(), JoinType::LeftOuter, keys);
            let spec = spec.unwrap();
            let options = Options::default().with_layout(layout).with_max_output_rows(64);
            let join = Join::new(spec, options).unwrap();
            join.swap(join.build(&table, 0).unwrap()).unwrap();
            let mut found = Vec::new();
            for rows in join.push(&stream).unwrap() {
                let rows = rows.unwrap();
                assert_eq!(rows.schema(), *join.output_schema(), "{name}");
                let ids = rows.column(0).as_primitive::<Int32Type>().values().to_vec();
                found.extend(ids.into_iter().zip(shown(rows.column(3))));
            }
            found.sort();
            let text = |id: i32| usize::try_from(id).ok().and_then(|id| shown_rows.get(id));
            let mut expected: Vec<(i32, String)> = ids
                .iter()
                .map(|&id| (id, text(id).cloned().unwrap_or_else(|| "null".to_owned())))
                .collect();
            expected.sort();
            assert_eq!(found, expected, "{name} {layout}");
        }
    }
}

#[test]
fn every_form_of_a_stream_is_passed_on() {
    let id = batch(vec![4, 9, 250], Arc::new(NullArray::new(3)));
    for (name, make) in kinds() {
        let stream = batches(&make);
        for join_type in [JoinType::LeftOuter, JoinType::Inner, JoinType::LeftAnti] {
            let spec = Spec::on(stream[0].schema(), id.schema(), join_type, [("id", "id")]);
            let join = Join::new(spec.unwrap(), Options::default()).unwrap();
            join.swap(join.build(std::slice::from_ref(&id), 0).unwrap()).unwrap();
            for batch in &stream {
                let rows = join.push(batch).unwrap().map(Result::unwrap);
                let found: Vec<(i32, String)> = rows
                    .flat_map(|rows| {
                        let ids = rows.column(0).as_primitive::<Int32Type>().values().to_vec();
                        ids.into_iter().zip(shown(rows.column(1))).collect::<Vec<_>>()
                    })
                    .collect();
                let ids = batch.column(0).as_primitive::<Int32Type>().values();
                let all = ids.iter().copied().zip(shown(batch.column(1)));
                let expected: Vec<(i32, String)> = all
                    .filter(|(id, _)| match join_type {
                        JoinType::LeftOuter => true,
                        JoinType::Inner => [4, 9, 250].contains(id),
                        _ => ![4, 9, 250].contains(id),
                    })
                    .collect();
                assert_eq!(found, expected, "{name} {join_type}");
            }
        }
    }
}

#[test]
fn unions_are_refused_for_a_table_before_it_is_built() {
    let fields = UnionFields::from_fields([Field::new("n", DataType::Int32, true)]);
    let union = DataType::Union(fields, UnionMode::Sparse);
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int32, false),
        Field::new("u", union, true),
    ]));
    let spec = Spec::on(schema.clone(), schema, JoinType::Inner, [("id", "id")]).unwrap();
    let error = Join::new(spec.clone(), Options::default()).unwrap_err();
    assert!(matches!(error, JoinError::UnsupportedTable { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("`u`") && text.contains("Union") && text.contains("leave it out"),
        "{text}"
    );
    // As it says: the stream's may stay.
    let without = spec.select([("id", streamjoin_kernels::ColumnRef::Stream("id"))]).unwrap();
    assert!(Join::new(without, Options::default()).is_ok());
}
