//! What is written comes back, in every format.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::*;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::*;
use streamjoin_datasets::{FileFormat, ReadOptions, Source, writer, writer_for};

fn columns() -> Vec<(&'static str, ArrayRef)> {
    let texts =
        vec![Some("a"), None, Some("Grüße, \"x\"\nzwei"), Some("long enough not to be inlined")];
    let bytes: Vec<Option<&[u8]>> =
        vec![Some(b"\x00\xff"), None, Some(b"ab"), Some(b"0123456789abcdefg")];
    let utf8: ArrayRef = Arc::new(StringArray::from(texts.clone()));
    let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
    let dictionary = DictionaryArray::new(keys, Arc::new(StringArray::from(vec!["x", "y"])));
    let micros = TimestampMicrosecondArray::from(vec![
        Some(0),
        None,
        Some(-1),
        Some(253_402_300_799_999_999),
    ]);
    let some = |v: Vec<Option<i64>>| Int64Array::from(v);
    vec![
        ("boolean", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))),
        ("i8", Arc::new(Int8Array::from(vec![Some(i8::MIN), None, Some(0), Some(i8::MAX)]))),
        ("i16", Arc::new(Int16Array::from(vec![Some(i16::MIN), None, Some(0), Some(i16::MAX)]))),
        ("i32", Arc::new(Int32Array::from(vec![Some(i32::MIN), None, Some(0), Some(i32::MAX)]))),
        ("i64", Arc::new(some(vec![Some(i64::MIN), None, Some(0), Some(i64::MAX)]))),
        ("u64", Arc::new(UInt64Array::from(vec![Some(0), None, Some(1), Some(u64::MAX)]))),
        (
            "f32",
            Arc::new(Float32Array::from(vec![
                Some(-0.0),
                None,
                Some(0.1),
                Some(f32::NEG_INFINITY),
            ])),
        ),
        (
            "f64",
            Arc::new(Float64Array::from(vec![
                Some(f64::NAN),
                None,
                Some(1e-300),
                Some(f64::INFINITY),
            ])),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(-110), None, Some(0), Some(10_i128.pow(20) - 1)])
                    .with_precision_and_scale(20, 2)
                    .unwrap(),
            ),
        ),
        ("date", Arc::new(Date32Array::from(vec![Some(0), None, Some(-719_162), Some(20_000)]))),
        (
            "ts_s",
            Arc::new(TimestampSecondArray::from(vec![
                Some(0),
                None,
                Some(-1),
                Some(1_700_000_000),
            ])),
        ),
        (
            "ts_ms",
            Arc::new(TimestampMillisecondArray::from(vec![Some(1), None, Some(-1), Some(7)])),
        ),
        ("ts_us", Arc::new(micros.clone())),
        ("ts_utc", Arc::new(micros.with_timezone("UTC"))),
        (
            "ts_zone",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(5), None, Some(-1), Some(0)])
                    .with_timezone("+02:00"),
            ),
        ),
        (
            "ts_ns",
            Arc::new(
                TimestampNanosecondArray::from(vec![Some(1), None, Some(-1), Some(i64::MAX)])
                    .with_timezone("UTC"),
            ),
        ),
        ("large_utf8", cast(&utf8, &DataType::LargeUtf8).unwrap()),
        ("utf8_view", cast(&utf8, &DataType::Utf8View).unwrap()),
        ("utf8", utf8),
        ("binary", Arc::new(BinaryArray::from(bytes.clone()))),
        ("large_binary", Arc::new(LargeBinaryArray::from(bytes.clone()))),
        ("binary_view", Arc::new(BinaryViewArray::from(bytes))),
        (
            "fixed",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    [Some([1_u8, 2]), None, Some([0, 0]), Some([255, 0])].into_iter(),
                    2,
                )
                .unwrap(),
            ),
        ),
        ("dictionary", Arc::new(dictionary)),
    ]
}

fn table() -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns().into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn write(path: &Path, format: FileFormat, batches: &[RecordBatch], schema: &SchemaRef) {
    let mut out = writer(format, Box::new(File::create(path).unwrap()), schema).unwrap();
    batches.iter().for_each(|batch| out.write(batch).unwrap());
    out.finish().unwrap();
}

fn declared(format: FileFormat, schema: &SchemaRef) -> ReadOptions {
    let schema = (!format.stores_types()).then(|| schema.clone());
    ReadOptions { format: Some(format), schema, ..Default::default() }
}

fn read(path: &Path, options: &ReadOptions, projection: Option<&[usize]>) -> RecordBatch {
    let source = Source::open(path, options).unwrap();
    let batches = source.read(projection).unwrap();
    let schema = batches.schema().clone();
    let mut next = 0;
    let batches: Vec<_> = batches
        .map(|batch| {
            let batch = batch.unwrap();
            assert_eq!((batch.file, batch.first_row), (0, next));
            next += batch.batch.num_rows() as u64;
            batch.batch
        })
        .collect();
    assert!(batches.iter().all(|b| b.num_rows() <= options.batch_rows && b.num_rows() > 0));
    if let Some(rows) = source.rows() {
        assert_eq!(rows, next);
    }
    concat_batches(&schema, &batches).unwrap()
}

/// What the types become: an index has room for the values of all batches, and Parquet
/// has no seconds.
fn kept(format: FileFormat, data_type: &DataType) -> DataType {
    let parquet = format == FileFormat::Parquet;
    match data_type {
        DataType::Timestamp(TimeUnit::Second, zone) if parquet => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Dictionary(_, values) if parquet || format == FileFormat::ArrowFile => {
            DataType::Dictionary(Box::new(DataType::Int32), values.clone())
        }
        other => other.clone(),
    }
}

/// Equal values: NaN equals NaN, dictionaries by value, view buffers aside.
fn assert_same(format: FileFormat, a: &RecordBatch, b: &RecordBatch, context: &str) {
    for (expected, found) in a.schema().fields().iter().zip(b.schema().fields()) {
        let same = (expected.name(), expected.is_nullable(), kept(format, expected.data_type()));
        let found = (found.name(), found.is_nullable(), found.data_type().clone());
        assert_eq!(same, found, "{context}");
    }
    assert_eq!(a.num_columns(), b.num_columns(), "{context}");
    for (column, (x, y)) in a.columns().iter().zip(b.columns()).enumerate() {
        let name = a.schema().field(column).name().clone();
        let plain = |array: &ArrayRef| match array.data_type() {
            DataType::Dictionary(_, values) => cast(array, values).unwrap(),
            DataType::Float64 => {
                let bits = array.as_primitive::<Float64Type>();
                Arc::new(bits.unary::<_, Int64Type>(|v| v.to_bits() as i64)) as ArrayRef
            }
            _ => array.clone(),
        };
        let y = cast(y, x.data_type()).unwrap();
        assert_eq!(&plain(x), &plain(&y), "{context}: {name}");
    }
}

#[test]
fn every_type_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let table = table();
    for format in FileFormat::all() {
        let path = dir.path().join(format!("t.{}", format.extensions()[0]));
        write(&path, format, &[table.clone(), table.slice(1, 2)], &table.schema());
        let both = concat_batches(&table.schema(), [&table, &table.slice(1, 2)]).unwrap();
        for batch_rows in [65_536, 1, 3] {
            let options = ReadOptions { batch_rows, ..declared(format, &table.schema()) };
            assert_same(
                format,
                &both,
                &read(&path, &options, None),
                &format!("{format} {batch_rows}"),
            );
        }
    }
}

#[test]
fn columns_in_any_order_and_none() {
    let dir = tempfile::tempdir().unwrap();
    let table = table();
    for format in FileFormat::all() {
        let path = dir.path().join(format!("t.{}", format.extensions()[0]));
        write(&path, format, std::slice::from_ref(&table), &table.schema());
        let options = declared(format, &table.schema());
        let alone = (0..table.num_columns()).map(|column| vec![column]);
        for projection in alone.chain([vec![], vec![5, 0], vec![2, 2, 17, 23, 2]]) {
            let expected = table.project(&projection).unwrap();
            let found = read(&path, &options, Some(&projection));
            assert_eq!(found.num_rows(), 4);
            assert_same(format, &expected, &found, &format!("{format} {projection:?}"));
        }
        let source = Source::open(&path, &options).unwrap();
        assert!(source.read(Some(&[99])).is_err());
    }
}

#[test]
fn no_rows_is_a_table_too() {
    let dir = tempfile::tempdir().unwrap();
    let empty = table().slice(0, 0);
    for format in FileFormat::all() {
        for (number, batches) in [vec![], vec![empty.clone()]].iter().enumerate() {
            let path = dir.path().join(format!("t{number}.{}", format.extensions()[0]));
            write(&path, format, batches, &empty.schema());
            let options = declared(format, &empty.schema());
            assert_same(format, &empty, &read(&path, &options, None), format.name());
        }
    }
}

#[test]
fn dictionaries_that_differ_from_batch_to_batch() {
    let dir = tempfile::tempdir().unwrap();
    let batch = |values: Vec<Option<&str>>, keys: Vec<Option<i32>>| {
        let array =
            DictionaryArray::new(Int32Array::from(keys), Arc::new(StringArray::from(values)));
        RecordBatch::try_from_iter_with_nullable([("k", Arc::new(array) as ArrayRef, true)])
            .unwrap()
    };
    let batches = [
        batch(vec![Some("a"), Some("b")], vec![Some(0), Some(1), None]),
        batch(
            vec![Some("c"), Some("a"), None, Some("c")],
            vec![Some(3), Some(2), Some(1), Some(0)],
        ),
        batch(vec![], vec![None]),
    ];
    let expected = concat_batches(&batches[0].schema(), &batches).unwrap();
    for format in FileFormat::all() {
        let path = dir.path().join(format!("t.{}", format.extensions()[0]));
        write(&path, format, &batches, &expected.schema());
        let options = declared(format, &expected.schema());
        assert_same(format, &expected, &read(&path, &options, None), format.name());
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused_before_the_first_row() {
    let field = |name: &str, data_type: DataType| Field::new(name, data_type, true);
    let twice =
        Arc::new(Schema::new(vec![field("a", DataType::Int64), field("a", DataType::Utf8)]));
    let list = DataType::List(Arc::new(field("item", DataType::Int64)));
    let nested = Arc::new(Schema::new(vec![field("n", list)]));
    for format in FileFormat::all() {
        let sink = || Box::new(std::io::sink());
        let arrow = matches!(format, FileFormat::ArrowFile | FileFormat::ArrowStream);
        let result = writer(format, sink(), &twice);
        assert_eq!(result.is_ok(), arrow, "{format}");
        if let Err(error) = result {
            assert!(error.to_string().contains("two columns named `a`"), "{error}");
        }
        assert_eq!(writer(format, sink(), &nested).is_ok(), format != FileFormat::Csv, "{format}");
    }
}

#[test]
fn an_empty_string_is_not_null() {
    let dir = tempfile::tempdir().unwrap();
    let texts = || {
        let texts = [Some(""), None, Some("x"), Some(" "), Some("\""), Some("\r\n"), None];
        Arc::new(StringArray::from(texts.to_vec())) as ArrayRef
    };
    let keys = Int32Array::from(vec![Some(0), None, Some(1), Some(0), None, Some(1), Some(0)]);
    let kinds = DictionaryArray::new(keys, Arc::new(StringArray::from(vec!["", "y"])));
    let bytes: Vec<Option<&[u8]>> =
        vec![Some(b""), None, Some(b"\x01"), None, Some(b""), None, None];
    let numbers = Int64Array::from(vec![None, Some(1), None, Some(2), None, None, None]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("s", texts()),
        ("view", cast(&texts(), &DataType::Utf8View).unwrap()),
        ("kind", Arc::new(kinds)),
        ("bytes", Arc::new(BinaryArray::from(bytes))),
        ("n", Arc::new(numbers)),
    ];
    // Each by itself too: a file of one column says null in its own way.
    let alone = columns.iter().map(|column| vec![column.clone()]);
    let tables: Vec<_> = alone.chain([columns.clone()]).collect();
    for (number, columns) in tables.into_iter().enumerate() {
        let columns = columns.into_iter().map(|(name, column)| (name, column, true));
        let table = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        for (format, name) in [
            (FileFormat::Csv, "t.csv"),
            (FileFormat::Csv, "t.tsv"),
            (FileFormat::Csv, "t.csv.gz"),
            (FileFormat::JsonLines, "t.jsonl.zst"),
        ] {
            let path = dir.path().join(format!("{number}{name}"));
            let sink = Box::new(File::create(&path).unwrap());
            let mut out = writer_for(&path, format, sink, &table.schema()).unwrap();
            out.write(&table).unwrap();
            out.finish().unwrap();
            let found = read(&path, &declared(format, &table.schema()), None);
            assert_same(format, &table, &found, &format!("{number}{name}"));
        }
    }
}

#[test]
fn whole_files_are_compressed_by_extension() {
    let dir = tempfile::tempdir().unwrap();
    let table = table();
    for format in FileFormat::all() {
        for extension in ["gz", "zst"] {
            let path = dir.path().join(format!("t.{}.{extension}", format.extensions()[0]));
            let sink = || Box::new(File::create(&path).unwrap());
            if !format.may_be_compressed() {
                let error = writer_for(&path, format, sink(), &table.schema()).unwrap_err();
                assert!(error.to_string().contains("leave the extension away"), "{error}");
                continue;
            }
            let mut out = writer_for(&path, format, sink(), &table.schema()).unwrap();
            out.write(&table).unwrap();
            out.finish().unwrap();
            let options = ReadOptions { format: None, ..declared(format, &table.schema()) };
            assert_same(format, &table, &read(&path, &options, None), &path.display().to_string());
        }
    }
}
