//! Files that other programs wrote: see `data/foreign/README.md`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::*;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema};
use streamjoin_datasets::{ReadOptions, Source, parse_type, timestamp_utc, type_text};

fn foreign(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/foreign").join(name)
}

fn read(name: &str, options: &ReadOptions) -> RecordBatch {
    let source = Source::open(&foreign(name), options).unwrap_or_else(|e| panic!("{e}"));
    let batches = source.read(None).unwrap().map(|batch| batch.map(|b| b.batch));
    let batches = batches.collect::<Result<Vec<_>, _>>().unwrap_or_else(|e| panic!("{e}"));
    concat_batches(source.schema(), &batches).unwrap()
}

/// What is written into each file.
fn expected() -> Vec<(&'static str, ArrayRef)> {
    let names = [Some("plain"), Some("Grüße, \"x\"\nzwei"), None, Some(""), Some("end")];
    let amounts = [Some(1050), Some(1), None, Some(-9_999_999_999), Some(300)];
    let amounts = Decimal128Array::from(amounts.to_vec()).with_precision_and_scale(10, 2).unwrap();
    let times = [
        Some(1_704_067_200_000_000),
        Some(1_709_251_199_123_456),
        None,
        Some(-1),
        Some(2_147_483_648_000_000),
    ];
    let times = TimestampMicrosecondArray::from(times.to_vec()).with_timezone("UTC");
    let days = [Some(19_723), Some(19_782), None, Some(-1), Some(24_855)];
    let ok = [Some(true), Some(false), None, Some(true), Some(false)];
    let kinds = [Some("a"), Some("b"), None, Some("a"), Some("b")];
    let prices = [Some(1.5), Some(-0.25), None, Some(1e-9), Some(3.0)];
    vec![
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 9_007_199_254_740_993]))),
        ("name", Arc::new(StringArray::from(names.to_vec()))),
        ("price", Arc::new(Float64Array::from(prices.to_vec()))),
        ("amount", Arc::new(amounts)),
        ("at", Arc::new(times)),
        ("day", Arc::new(Date32Array::from(days.to_vec()))),
        ("ok", Arc::new(BooleanArray::from(ok.to_vec()))),
        ("kind", Arc::new(StringArray::from(kinds.to_vec()))),
    ]
}

#[test]
fn every_value_of_every_file() {
    // As the files tell or the first rows show: amounts are decimals where the
    // format has them.
    let typed = "bigint string double decimal(10,2) timestamp date boolean string";
    let csv = "bigint string double double timestamp date boolean string";
    let text = "bigint string double string timestamp string boolean string";
    for (name, types) in [
        ("pyarrow.parquet", typed),
        ("pyarrow-nano.parquet", typed),
        ("pyarrow.feather", typed),
        ("pyarrow.arrows", typed),
        ("polars.parquet", typed),
        ("polars.arrow", typed),
        ("polars.arrows", typed),
        ("polars.csv", csv),
        ("polars.ndjson", text),
        ("duckdb.parquet", typed),
        ("duckdb.csv", csv),
        ("duckdb.csv.gz", csv),
        ("duckdb.jsonl", "bigint string double double timestamp string boolean string"),
        ("duckdb.jsonl.zst", "bigint string double double timestamp string boolean string"),
        ("pandas.csv", csv),
        ("pandas-index.csv.gz", csv),
        ("pandas-quoted.csv", csv),
        ("pandas.jsonl", "bigint string double string timestamp timestamp boolean string"),
        ("pandas.parquet", typed),
        ("python.jsonl", text),
        ("jq.jsonl", text),
        ("two-members.jsonl.gz", text),
        ("two-frames.jsonl.zst", text),
        ("stream.arrows.zst", typed),
    ] {
        let rows = read(name, &ReadOptions::default());
        for ((column, expected), data_type) in expected().into_iter().zip(types.split(' ')) {
            let found = rows.column_by_name(column).unwrap_or_else(|| panic!("{name}: {column}"));
            let plain = plain_type(found.data_type());
            assert_eq!(type_text(&plain), data_type, "{name}: {column}");
            let mut found = cast(found, expected.data_type()).unwrap();
            let expected = match (column, name) {
                // pandas writes null and the empty text alike: as nothing, or
                // as a quoted nothing.
                ("name", "pandas.csv" | "pandas-index.csv.gz") => with_name(&expected, None),
                ("name", "pandas-quoted.csv") => with_name(&expected, Some("")),
                ("kind", "pandas-quoted.csv") => {
                    found = emptied(&found);
                    expected
                }
                // jq 1.6 keeps numbers as doubles.
                ("id", "jq.jsonl" | "two-members.jsonl.gz" | "two-frames.jsonl.zst") => {
                    Arc::new(Int64Array::from(vec![1, 2, 3, 4, 9_007_199_254_740_992]))
                }
                _ => expected,
            };
            assert_eq!(&found, &expected, "{name}: {column}");
        }
    }
}

/// The type without what only its encoding is.
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::Timestamp(_, Some(_)) => timestamp_utc(),
        other => other.clone(),
    }
}

/// The names with both the null and the empty one replaced.
fn with_name(names: &ArrayRef, name: Option<&str>) -> ArrayRef {
    let names = names.as_string::<i32>().iter();
    let names = names.map(|found| found.filter(|text| !text.is_empty()).or(name));
    Arc::new(names.collect::<StringArray>())
}

/// Empty texts as nulls.
fn emptied(texts: &ArrayRef) -> ArrayRef {
    with_name(texts, None)
}

#[test]
fn what_a_spreadsheet_saves() {
    let options = ReadOptions { delimiter: b';', ..ReadOptions::default() };
    let rows = read("spreadsheet.csv", &options);
    let names: Vec<_> = rows.schema().fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names, ["id", "name", "price", "amount", "at", "day", "ok", "kind"]);
    let texts = |column: &str| -> Vec<String> {
        let column = rows.column_by_name(column).unwrap().as_string::<i32>();
        column.iter().map(|text| text.unwrap_or("null").to_owned()).collect()
    };
    assert_eq!(texts("name"), ["plain", "Grüße, \"x\"\nzwei", "null", "null", "end"]);
    assert_eq!(texts("price"), ["1,5", "-0,25", "null", "0,000000001", "3,"]);
    assert_eq!(texts("at")[1], "29.02.2024 23:59");
    assert_eq!(rows.column(0).data_type(), &DataType::Int64);

    // Without the delimiter the file is not read as one odd column.
    let error = Source::open(&foreign("spreadsheet.csv"), &ReadOptions::default()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("line 1") && error.contains("delimiter \";\""), "{error}");
}

#[test]
fn declared_types_win() {
    let columns = [("id", "decimal(20,0)"), ("amount", "decimal(12,3)"), ("at", "string")];
    let fields = columns.map(|(name, t)| Field::new(name, parse_type(t).unwrap(), true));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    for name in ["duckdb.csv.gz", "duckdb.jsonl.zst"] {
        let options = ReadOptions { schema: Some(schema.clone()), ..ReadOptions::default() };
        let rows = read(name, &options);
        assert_eq!(rows.schema(), schema);
        let ids = rows.column(0).as_primitive::<arrow::datatypes::Decimal128Type>();
        assert_eq!(ids.value(4), 9_007_199_254_740_993, "{name}");
        let at = rows.column(2).as_string::<i32>();
        assert_eq!(at.value(1), "2024-02-29 23:59:59.123456+00", "{name}");
    }
}
