//! Types as other programs write them, and as we write them for others: see
//! `data/types/README.md`.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::*;
use arrow::compute::cast;
use arrow::datatypes::*;
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use streamjoin_datasets::{
    DatasetError, FileFormat, ImportFrom, ImportOptions, ReadOptions, Source, import,
    timestamp_utc, writer,
};

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/types").join(name)
}

fn read(path: &Path) -> Vec<RecordBatch> {
    read_with(path, &ReadOptions::default())
}

fn read_with(path: &Path, options: &ReadOptions) -> Vec<RecordBatch> {
    let source = Source::open(path, options).unwrap_or_else(|e| panic!("{e}"));
    let batches = source.read(None).unwrap().map(|batch| batch.map(|batch| batch.batch));
    batches.collect::<Result<_, _>>().unwrap_or_else(|e| panic!("{e}"))
}

fn one(name: &str) -> RecordBatch {
    let batches = read(&recorded(name));
    assert_eq!(batches.len(), 1);
    batches.into_iter().next().unwrap()
}

fn write(path: &Path, format: FileFormat, batches: &[RecordBatch]) -> Result<(), DatasetError> {
    let mut out = writer(format, Box::new(File::create(path).unwrap()), &batches[0].schema())?;
    batches.iter().try_for_each(|batch| out.write(batch))?;
    out.finish()
}

fn text(column: &ArrayRef) -> Vec<Option<String>> {
    let text = cast(column, &DataType::Utf8).unwrap();
    text.as_string::<i32>().iter().map(|value| value.map(str::to_owned)).collect()
}

fn column<'b>(batch: &'b RecordBatch, name: &str) -> &'b ArrayRef {
    batch.column_by_name(name).unwrap_or_else(|| panic!("no {name}"))
}

/// Spark wrote the same instants as INT96 and as text.
#[test]
fn int96_is_read_as_spark_reads_it() {
    let batch = one("spark-int96.parquet");
    let expected = cast(column(&batch, "text"), &timestamp_utc()).unwrap();
    assert_eq!(expected.null_count(), 1);
    assert_eq!(
        expected.as_primitive::<TimestampMicrosecondType>().value(6),
        253_402_214_400_000_000
    );
    assert_eq!(column(&batch, "at"), &expected);
    assert_eq!(column(&batch, "inner").as_struct().column(0), &expected);
    let map = column(&batch, "map").as_map();
    assert_eq!(map.values(), &expected);
    let list = column(&batch, "list").as_list::<i32>();
    for row in 0..batch.num_rows() {
        let items = list.value(row);
        assert_eq!(items.slice(0, 1).to_data(), expected.slice(row, 1).to_data());
        assert!(items.is_null(1));
    }
    // A column by itself, too.
    let source = Source::open(&recorded("spark-int96.parquet"), &ReadOptions::default()).unwrap();
    let inner = source.column("inner").unwrap();
    let part = source.read(Some(&[inner])).unwrap().next().unwrap().unwrap().batch;
    assert_eq!(part.column(0).as_struct().column(0), &expected);
}

#[test]
fn intervals_keep_their_months() {
    let months = |months, days, nanos| Some(IntervalMonthDayNano::new(months, days, nanos));
    // As DuckDB was told: 1 year 2 months 3 days 4.5 seconds, 11 months, nothing, null.
    let spans = vec![months(14, 3, 4_500_000_000), months(11, 0, 0), months(0, 0, 0), None];
    let spans: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(spans));
    assert_eq!(column(&one("duckdb-times.parquet"), "span"), &spans);
    let nested = one("duckdb-nested-times.parquet");
    assert_eq!(column(&nested, "both").as_struct().column(1), &spans);
    let lists = column(&nested, "spans").as_list::<i32>();
    assert_eq!(lists.values(), &spans);
    // Parquet's own intervals end at milliseconds.
    let path = tempfile::tempdir().unwrap();
    let error = write(&path.path().join("t.parquet"), FileFormat::Parquet, &[nested]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parquet cannot hold column `both` of type Struct(\"at\": Timestamp(µs), \"span\": \
         Interval(MonthDayNano)): Parquet's intervals end at milliseconds; leave it out, or write arrow"
    );
}

/// Texts as Spark prints them: see the end of `data/types/make.py`.
#[test]
fn the_ends_of_time_are_written_as_spark_prints_them() {
    let folder = tempfile::tempdir().unwrap();
    let times = one("duckdb-times.parquet");
    let times = times.project(&[0, 1, 2, 3]).unwrap();
    let path = folder.path().join("t.csv");
    write(&path, FileFormat::Csv, std::slice::from_ref(&times)).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "id,at,atz,day\n\
         1,2024-02-29T12:00:00,2024-02-29T12:00:00Z,2024-02-29\n\
         2,+294247-01-10T04:00:54.775807,+294247-01-10T04:00:54.775807Z,+5881580-07-11\n\
         3,-290308-12-21T19:59:05.224193,-290308-12-21T19:59:05.224193Z,-5877641-06-24\n\
         4,,,\n"
    );
    let nested = one("duckdb-nested-times.parquet").project(&[0, 2]).unwrap();
    let path = folder.path().join("t.jsonl");
    write(&path, FileFormat::JsonLines, &[nested]).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "{\"id\":1,\"ats\":[\"2024-02-29T12:00:00\",null]}\n\
         {\"id\":2,\"ats\":[\"+294247-01-10T04:00:54.775807\",null]}\n\
         {\"id\":3,\"ats\":[\"-290308-12-21T19:59:05.224193\",null]}\n\
         {\"id\":4,\"ats\":[null,null]}\n"
    );
    for format in [FileFormat::Parquet, FileFormat::ArrowFile, FileFormat::ArrowStream] {
        let path = folder.path().join(format!("t.{}", format.extensions()[0]));
        write(&path, format, std::slice::from_ref(&times)).unwrap();
        assert_eq!(read(&path), std::slice::from_ref(&times), "{format}");
    }
}

#[test]
fn categories_of_polars() {
    let kind = ["red", "", "a category beyond twelve bytes", "red"]
        .map(|t| (!t.is_empty()).then(|| t.to_owned()));
    let grade = ["low", "high", "", "low"].map(|t| (!t.is_empty()).then(|| t.to_owned()));
    let folder = tempfile::tempdir().unwrap();
    for name in ["polars-categories.parquet", "polars-categories.arrow"] {
        let batch = one(name);
        for format in FileFormat::all() {
            let path = folder.path().join(format!("t.{}", format.extensions()[0]));
            write(&path, format, std::slice::from_ref(&batch))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let found = &read(&path)[0];
            assert_eq!(text(column(found, "kind")), kind, "{name}: {format}");
            assert_eq!(text(column(found, "grade")), grade, "{name}: {format}");
            // Imported, with a sidecar that tells the types.
            let source = Source::open(&recorded(name), &ReadOptions::default()).unwrap();
            let options = ImportOptions { force: true, ..Default::default() };
            import(ImportFrom::Source(&source), &path, &options).unwrap();
            let found = &read(&path)[0];
            assert_eq!(text(column(found, "kind")), kind, "{name}: {format}");
            std::fs::remove_file(streamjoin_datasets::sidecar_path(&path)).unwrap();
        }
    }
}

/// What `make.py` puts into each row.
fn categories(id: i64) -> [String; 5] {
    let (group, row) = (id / 256, id % 256);
    [
        format!("g{group}-{}", row % 100),
        format!("v{}", row % 128),
        format!("w{row}"),
        format!("{group}/{}", row % 5),
        (group * 10 + row % 7).to_string(),
    ]
}

fn check_categories(batches: &[RecordBatch], context: &str) -> Vec<i64> {
    let mut ids = Vec::new();
    for batch in batches {
        let id = cast(column(batch, "id"), &DataType::Int64).unwrap();
        let id = id.as_primitive::<Int64Type>();
        let [small, full8, full_u8, number] =
            ["small", "full8", "full_u8", "number"].map(|name| text(column(batch, name)));
        let bytes = column(batch, "bytes");
        let bytes: Vec<String> = match text_type(bytes.data_type()) {
            // Hexadecimal in text formats.
            true => text(bytes)
                .into_iter()
                .flatten()
                .map(|hex| {
                    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
                    format!("{}/{}", byte(0), byte(2))
                })
                .collect(),
            false => {
                let bytes = cast(bytes, &DataType::Binary).unwrap();
                bytes
                    .as_binary::<i32>()
                    .iter()
                    .flatten()
                    .map(|b| format!("{}/{}", b[0], b[1]))
                    .collect()
            }
        };
        for row in 0..batch.num_rows() {
            let found = [&small, &full8, &full_u8].map(|texts| texts[row].clone().unwrap());
            let [a, b, c] = found;
            let found = [a, b, c, bytes[row].clone(), number[row].clone().unwrap()];
            assert_eq!(found, categories(id.value(row)), "{context}");
            ids.push(id.value(row));
        }
    }
    ids
}

fn text_type(data_type: &DataType) -> bool {
    data_type.is_string()
}

#[test]
fn small_dictionaries_that_differ_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pyarrow-categories.parquet", "pyarrow-categories.arrows"] {
        let all: Vec<i64> = (0..768).collect();
        let batches = read(&recorded(name));
        assert_eq!(check_categories(&batches, name), all);
        let source = Source::open(&recorded(name), &ReadOptions::default()).unwrap();
        for format in FileFormat::all() {
            let path = folder.path().join(format!("t.{}", format.extensions()[0]));
            write(&path, format, &batches).unwrap_or_else(|e| panic!("{format}: {e}"));
            let context = format!("{name} {format}");
            assert_eq!(check_categories(&read_as_text(&path), &context), all, "{context}");
            // Sorted by a column whose dictionaries differ.
            let options = ImportOptions {
                force: true,
                sort_by: vec!["small".to_owned(), "id".to_owned()],
                ..Default::default()
            };
            import(ImportFrom::Source(&source), &path, &options)
                .unwrap_or_else(|e| panic!("{context}: {e}"));
            let ids = check_categories(&read(&path), &context);
            let mut expected = all.clone();
            expected.sort_by_key(|id| (categories(*id)[0].clone(), *id));
            assert_eq!(ids, expected, "{context}");
        }
    }
}

/// Without a sidecar; bytes are hexadecimal where the format has only text.
fn read_as_text(path: &Path) -> Vec<RecordBatch> {
    let _ = std::fs::remove_file(streamjoin_datasets::sidecar_path(path));
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let texts = ["small", "full8", "full_u8", "bytes"].map(|name| field(name, DataType::Utf8));
    let mut fields = vec![field("id", DataType::Int64)];
    fields.extend(texts);
    fields.push(field("number", DataType::Int64));
    let stores = FileFormat::from_path(path).unwrap().stores_types();
    let schema = (!stores).then(|| Arc::new(Schema::new(fields)));
    read_with(path, &ReadOptions { schema, ..Default::default() })
}

/// What others see of our times: logical types of Parquet.
#[test]
fn times_in_parquet_are_times_to_others() {
    use arrow::datatypes::TimeUnit::*;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let seconds = Int64Array::from(vec![Some(1_709_208_000), None, Some(-1)]);
    let small = Int32Array::from(vec![Some(43_200), None, Some(1)]);
    let millis = Int64Array::from(vec![Some(1_709_164_800_000), None, Some(-86_400_000)]);
    let column = |values: &dyn Array, data_type: DataType| cast(values, &data_type).unwrap();
    let at = column(&seconds, DataType::Timestamp(Second, None));
    let list = ListArray::try_new(
        Arc::new(Field::new("item", at.data_type().clone(), true)),
        arrow::buffer::OffsetBuffer::from_lengths([1, 0, 2]),
        at.clone(),
        None,
    );
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("at", at.clone()),
        ("atz", column(&seconds, DataType::Timestamp(Second, Some("Europe/Paris".into())))),
        ("day", column(&millis, DataType::Date64)),
        ("time", column(&small, DataType::Time32(Second))),
        ("ns", column(&seconds, DataType::Timestamp(Nanosecond, None))),
        ("micros", column(&millis, DataType::Time64(Microsecond))),
        ("list", Arc::new(list.unwrap())),
        (
            "small",
            column(
                &at,
                DataType::Dictionary(Box::new(DataType::Int8), Box::new(at.data_type().clone())),
            ),
        ),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    );
    let batch = batch.unwrap();
    write(&path, FileFormat::Parquet, std::slice::from_ref(&batch)).unwrap();
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let described = reader.metadata().file_metadata().schema_descr();
    let found: HashMap<String, (PhysicalType, String)> = described
        .columns()
        .iter()
        .map(|column| {
            let logical = match column.logical_type_ref() {
                Some(LogicalType::Timestamp(t)) => {
                    format!("timestamp {:?} utc={}", t.unit, t.is_adjusted_to_u_t_c)
                }
                Some(LogicalType::Time(t)) => format!("time {:?}", t.unit),
                Some(LogicalType::Date) => "date".to_owned(),
                other => format!("{other:?}"),
            };
            (column.path().string(), (column.physical_type(), logical))
        })
        .collect();
    for (path, physical, logical) in [
        ("at", PhysicalType::INT64, "timestamp MILLIS utc=false"),
        ("atz", PhysicalType::INT64, "timestamp MILLIS utc=true"),
        ("day", PhysicalType::INT32, "date"),
        ("time", PhysicalType::INT32, "time MILLIS"),
        ("ns", PhysicalType::INT64, "timestamp NANOS utc=false"),
        ("micros", PhysicalType::INT64, "time MICROS"),
        ("list.list.item", PhysicalType::INT64, "timestamp MILLIS utc=false"),
        ("small", PhysicalType::INT64, "timestamp MILLIS utc=false"),
    ] {
        assert_eq!(found[path], (physical, logical.to_owned()), "{path}");
    }
    assert!(described.columns().iter().all(|c| c.converted_type() != ConvertedType::INTERVAL));
    let back = &read(&path)[0];
    for name in ["at", "atz", "time", "ns"] {
        let (a, b) = (batch.column_by_name(name).unwrap(), back.column_by_name(name).unwrap());
        assert_eq!(&cast(b, a.data_type()).unwrap(), a, "{name}");
    }
    let days = back.column_by_name("day").unwrap().as_primitive::<Date32Type>();
    assert_eq!(days.iter().collect::<Vec<_>>(), [Some(19_782), None, Some(-1)]);
}

/// A value that a type has no room for names the column and the row.
#[test]
fn a_time_without_room_names_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let at: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(0), None, Some(i64::MAX)]));
    let batch = RecordBatch::try_from_iter_with_nullable([("at", at, true)]).unwrap();
    let path = folder.path().join("t.parquet");
    let error =
        write(&path, FileFormat::Parquet, std::slice::from_ref(&batch)).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot write parquet: column `at`: row 2 of the batch: "),
        "{error}"
    );
    // Text has room for it.
    let path = folder.path().join("t.csv");
    write(&path, FileFormat::Csv, &[batch]).unwrap();
    let content = std::fs::read_to_string(&path).unwrap();
    assert_eq!(content, "at\n1970-01-01T00:00:00\n\n+292277026596-12-04T15:30:07\n");
}

/// One column's bytes are damaged: the error names it, and the others can be read.
#[test]
fn a_damaged_column_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let numbers = |step: i64| Arc::new(Int64Array::from_iter_values((0..5000).map(|i| i * step)));
    let columns: [(&str, ArrayRef); 3] =
        [("good", numbers(3)), ("bad", numbers(1 << 40)), ("last", numbers(7))];
    write(&path, FileFormat::Parquet, &[RecordBatch::try_from_iter(columns).unwrap()]).unwrap();
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let (start, len) = reader.metadata().row_group(0).column(1).byte_range();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[start as usize + len as usize / 2..(start + len) as usize].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let error = source.read(None).unwrap().find_map(Result::err).unwrap().to_string();
    assert!(
        error.contains("t.parquet, row group 0: cannot read parquet: column `bad`: "),
        "{error}"
    );
    assert!(source.read(Some(&[0, 2])).unwrap().all(|batch| batch.is_ok()));
}
