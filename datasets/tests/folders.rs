//! Folders of files whose columns differ: by name, widened, null where they are missing.
//! What is expected is what Spark 4.3 reads of the same files, with `mergeSchema` or, where
//! that merges no types, with a declared schema of the wider ones.

mod shown;

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array,
    NullArray, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
    TimestampNanosecondArray,
};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use shown::{rows, types};
use streamjoin_datasets::{DatasetError, FileFormat, ReadOptions, Source, parse_type, writer};

const TYPED: [FileFormat; 3] =
    [FileFormat::Parquet, FileFormat::ArrowFile, FileFormat::ArrowStream];

type Columns<'c> = &'c [(&'c str, ArrayRef)];

fn batch(columns: Columns<'_>) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().map(|(name, column)| (*name, column.clone())))
        .unwrap()
}

/// Files `0.EXT`, `1.EXT`, ... in a folder.
fn put(folder: &Path, format: FileFormat, files: &[Columns<'_>]) {
    fs::create_dir_all(folder).unwrap();
    for (number, columns) in files.iter().enumerate() {
        let path = folder.join(format!("{number}.{}", format.extensions()[0]));
        let batch = batch(columns);
        let file = Box::new(File::create(path).unwrap());
        let mut out = writer(format, file, &batch.schema()).unwrap();
        out.write(&batch).unwrap();
        out.finish().unwrap();
    }
}

fn put_text(folder: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn open(path: &Path) -> Result<Source, DatasetError> {
    Source::open(path, &ReadOptions::default())
}

fn declared(path: &Path, columns: &[(&str, &str)]) -> Result<Source, DatasetError> {
    let fields =
        columns.iter().map(|(name, text)| Field::new(*name, parse_type(text).unwrap(), true));
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    Source::open(path, &ReadOptions { schema: Some(schema), ..ReadOptions::default() })
}

fn read(source: &Source, columns: Option<&[usize]>) -> Result<RecordBatch, DatasetError> {
    let batches =
        source.read(columns)?.map(|b| b.map(|b| b.batch)).collect::<Result<Vec<_>, _>>()?;
    Ok(concat_batches(&batches[0].schema(), &batches).unwrap())
}

/// `name type` of each column, and the rows, a line each.
fn shown(source: &Source) -> (Vec<String>, Vec<String>) {
    let batch = read(source, None).unwrap();
    let names = source.schema().fields().iter().map(|field| field.name());
    let columns = names.zip(types(&batch)).map(|(name, data_type)| format!("{name} {data_type}"));
    (columns.collect(), rows(&batch))
}

#[track_caller]
fn is_read_as(source: &Source, columns: &[&str], rows: &[&str]) {
    assert_eq!(shown(source), (own(columns), own(rows)), "{}", source.origin().display());
}

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DatasetError>, parts: &[&str]) {
    let error = result.unwrap_err();
    assert!(error.is_refusal(), "{error:?}");
    let text = error.to_string();
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in: {text}"));
}

fn ints(values: &[i32]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn longs(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn decimals(values: &[i128], precision: u8, scale: i8) -> ArrayRef {
    let decimals = Decimal128Array::from(values.to_vec());
    Arc::new(decimals.with_precision_and_scale(precision, scale).unwrap())
}

#[test]
fn order_case_and_missing_columns() {
    let dir = tempfile::tempdir().unwrap();
    for format in TYPED {
        let at = dir.path().join(format.name());
        put(
            &at.join("order"),
            format,
            &[
                &[("id", longs(&[1])), ("v", texts(&["a"]))],
                &[("v", texts(&["b"])), ("id", longs(&[2]))],
            ],
        );
        is_read_as(&open(&at.join("order")).unwrap(), &["id bigint", "v string"], &["1;a", "2;b"]);
        put(
            &at.join("case"),
            format,
            &[
                &[("id", longs(&[1])), ("v", texts(&["a"]))],
                &[("ID", longs(&[2])), ("V", texts(&["b"]))],
            ],
        );
        is_read_as(&open(&at.join("case")).unwrap(), &["id bigint", "v string"], &["1;a", "2;b"]);
        let flag: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
        put(
            &at.join("missing"),
            format,
            &[
                &[("id", longs(&[1])), ("v", texts(&["a"]))],
                &[("id", longs(&[2]))],
                &[("id", longs(&[3])), ("w", flag)],
            ],
        );
        for path in ["missing", "missing/*"] {
            let source = open(&at.join(path)).unwrap();
            let columns = ["id bigint", "v string", "w boolean"];
            is_read_as(&source, &columns, &["1;a;", "2;;", "3;;true"]);
            let nullable: Vec<bool> =
                source.schema().fields().iter().map(|field| field.is_nullable()).collect();
            assert_eq!(nullable, [false, true, true]);
            // Columns of some files only, and none of them.
            assert_eq!(read(&source, Some(&[2])).unwrap().column(0).null_count(), 2);
            assert_eq!(read(&source, Some(&[])).unwrap().num_rows(), 3);
        }
    }
}

#[test]
fn the_same_in_text() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put_text(&at.join("csv"), &[("a.csv", "id,v\n1,a\n"), ("b.csv", "V,w,ID\nb,true,2\n")]);
    let columns = ["id bigint", "v string", "w boolean"];
    is_read_as(&open(&at.join("csv")).unwrap(), &columns, &["1;a;", "2;b;true"]);
    let typed = [("w", "string"), ("Id", "double"), ("v", "string")];
    let source = declared(&at.join("csv"), &typed).unwrap();
    is_read_as(&source, &["w string", "Id double", "v string"], &[";1.0;a", "true;2.0;b"]);
    refused(
        declared(&at.join("csv"), &[("id", "bigint"), ("x", "string")]),
        &["a.csv", "no column `x`", "columns: id, v"],
    );
    let json = [
        ("a.jsonl", "{\"id\": 1, \"v\": \"a\"}\n"),
        ("b.jsonl", "{\"V\": \"b\", \"ID\": 2}\n{\"w\": true, \"ID\": 3}\n"),
    ];
    put_text(&at.join("json"), &json);
    is_read_as(&open(&at.join("json")).unwrap(), &columns, &["1;a;", "2;b;", "3;;true"]);
    // A header alone, and a column of empty fields, say nothing of types.
    put_text(
        &at.join("empty"),
        &[("a.csv", "id,v\n"), ("b.csv", "id,v\n1,\n"), ("c.csv", "id,v\n2,2024-02-29\n")],
    );
    is_read_as(
        &open(&at.join("empty")).unwrap(),
        &["id bigint", "v date"],
        &["1;", "2;2024-02-29"],
    );
    put_text(
        &at.join("nulls"),
        &[
            ("a.jsonl", "{\"id\": null, \"s\": {\"x\": null}}\n"),
            ("b.jsonl", "{\"id\": 1, \"s\": {\"x\": 2}}\n"),
        ],
    );
    let source = open(&at.join("nulls")).unwrap();
    assert_eq!(source.schema().field(0).data_type(), &DataType::Int64);
    let struct_type = DataType::Struct(vec![Field::new("x", DataType::Int64, true)].into());
    assert_eq!(source.schema().field(1).data_type(), &struct_type);
    // Text keeps its spelling where the other file makes a column text.
    put_text(&at.join("codes"), &[("a.csv", "c,d\n007,1.50\n"), ("b.csv", "c,d\nx,y\n")]);
    let source = open(&at.join("codes")).unwrap();
    is_read_as(&source, &["c string", "d string"], &["007;1.50", "x;y"]);
}

#[test]
fn widths_nulls_and_nested_columns() {
    let dir = tempfile::tempdir().unwrap();
    for format in TYPED {
        let at = dir.path().join(format.name());
        put(&at.join("ints"), format, &[&[("id", ints(&[1]))], &[("id", longs(&[3_000_000_000]))]]);
        is_read_as(&open(&at.join("ints")).unwrap(), &["id bigint"], &["1", "3000000000"]);
        put(
            &at.join("decimals"),
            format,
            &[&[("d", decimals(&[150], 10, 2))], &[("d", decimals(&[12_345_678_901_225], 20, 2))]],
        );
        let source = open(&at.join("decimals")).unwrap();
        is_read_as(&source, &["d decimal(20,2)"], &["1.50", "123456789012.25"]);
        put(
            &at.join("scales"),
            format,
            &[&[("d", decimals(&[150], 10, 2))], &[("d", decimals(&[12_345], 10, 4))]],
        );
        is_read_as(&open(&at.join("scales")).unwrap(), &["d decimal(12,4)"], &["1.5000", "1.2345"]);
        // Spark needs a schema with types here, and refuses a column of nulls even so.
        let nulls: ArrayRef = Arc::new(NullArray::new(1));
        let files: [Columns<'_>; 2] =
            [&[("id", longs(&[1])), ("v", nulls)], &[("id", longs(&[2])), ("v", texts(&["a"]))]];
        put(&at.join("nulls"), format, &files);
        is_read_as(&open(&at.join("nulls")).unwrap(), &["id bigint", "v string"], &["1;", "2;a"]);

        // Nulls of any type: of doubles, as pandas has them, and of what cannot be cast.
        let no_doubles: ArrayRef = Arc::new(Float64Array::from(vec![None, None]));
        let no_flags: ArrayRef = Arc::new(BooleanArray::from(vec![None, None]));
        let both: Columns<'_> = &[("id", longs(&[1, 2])), ("v", texts(&["a", "b"]))];
        let neither: Columns<'_> = &[("id", no_doubles.clone()), ("v", no_flags.clone())];
        for (name, files, expected) in [
            ("after", [both, neither], ["1;a", "2;b", ";", ";"]),
            ("before", [neither, both], [";", ";", "1;a", "2;b"]),
        ] {
            put(&at.join(name), format, &files);
            is_read_as(&open(&at.join(name)).unwrap(), &["id bigint", "v string"], &expected);
        }
        put(&at.join("only"), format, &[&[("v", no_doubles)], &[("v", no_flags)]]);
        is_read_as(&open(&at.join("only")).unwrap(), &["v double"], &["", "", "", ""]);

        let part = |fields: Columns<'_>| -> ArrayRef { Arc::new(StructArray::from(batch(fields))) };
        let flag: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
        let first = part(&[("a", ints(&[1])), ("b", texts(&["x"]))]);
        let second = part(&[("c", flag), ("a", longs(&[2]))]);
        put(&at.join("structs"), format, &[&[("s", first)], &[("s", second)]]);
        let rows = rows(&read(&open(&at.join("structs")).unwrap(), None).unwrap());
        assert_eq!(rows, ["{a: 1, b: x, c: }", "{a: 2, b: , c: true}"]);
    }
}

#[test]
fn what_cannot_be_joined_up_is_refused_where_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for format in TYPED {
        let at = dir.path().join(format.name());
        let doubles: ArrayRef = Arc::new(Float64Array::from(vec![2.0]));
        let files: [Columns<'_>; 2] =
            [&[("k", longs(&[1])), ("id", longs(&[1]))], &[("k", longs(&[2])), ("id", doubles)]];
        put(&at, format, &files);
        let source = open(&at).unwrap();
        // Nobody asks for it.
        assert_eq!(read(&source, Some(&[0])).unwrap().num_rows(), 2);
        source.check_columns(&[0]).unwrap();
        let parts = [
            "1.",
            "column `id` is double, but bigint is expected",
            "schema = { id = \"double\" }",
            "0.",
        ];
        refused(source.check_columns(&[0, 1]), &parts);
        refused(source.read(None).map(|_| ()), &parts);
        // What the message says, and what else can be declared.
        let as_double = declared(&at, &[("id", "double")]).unwrap();
        is_read_as(&as_double, &["k bigint", "id double"], &["1;1.0", "2;2.0"]);
        let as_long = declared(&at, &[("id", "bigint")]).unwrap();
        is_read_as(&as_long, &["k bigint", "id bigint"], &["1;1", "2;2"]);
        let as_text = declared(&at, &[("id", "string")]).unwrap();
        is_read_as(&as_text, &["k bigint", "id string"], &["1;1", "2;2.0"]);
        refused(
            declared(&at, &[("id", "boolean")]),
            &["0.", "`id` is bigint", "cannot be read as boolean"],
        );
        refused(declared(&at, &[("x", "string")]), &["no column `x`"]);
    }
}

#[test]
fn a_number_that_would_change_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (name, from, to) in [
        ("fraction", Arc::new(Float64Array::from(vec![1.0, 2.5])) as ArrayRef, "bigint"),
        ("nan", Arc::new(Float64Array::from(vec![1.0, f64::NAN])), "bigint"),
        ("digits", longs(&[1, 9_007_199_254_740_993]), "double"),
        ("width", longs(&[1, 3_000_000_000]), "int"),
        ("scale", decimals(&[100, 150], 10, 2), "decimal(10,0)"),
    ] {
        let at = dir.path().join(name);
        put(&at, FileFormat::Parquet, &[&[("id", from)]]);
        let source = declared(&at, &[("id", to)]).unwrap();
        let message = read(&source, None).unwrap_err().to_string();
        for part in ["0.parquet", "column `id` holds", "row 1", &format!("is not a {to}")] {
            assert!(message.contains(part), "{name}: `{part}` is not in: {message}");
        }
    }
}

#[test]
fn times_of_other_units_and_zones() {
    let dir = tempfile::tempdir().unwrap();
    let micros = TimestampMicrosecondArray::from(vec![253_402_300_799_000_000]);
    let nanos = TimestampNanosecondArray::from(vec![1_709_208_000_123_456_789]);
    for format in TYPED {
        let at = dir.path().join(format.name());
        let local: ArrayRef = Arc::new(micros.clone());
        let instants: ArrayRef = Arc::new(micros.clone().with_timezone("UTC"));
        put(&at.join("zones"), format, &[&[("t", local.clone())], &[("t", instants)]]);
        refused(
            open(&at.join("zones")).unwrap().check_columns(&[0]),
            &["1.", "`t` is timestamp, but timestamp_ntz", "schema = { t = \"timestamp\" }"],
        );
        let far = "9999-12-31T23:59:59Z";
        let source = declared(&at.join("zones"), &[("t", "timestamp")]).unwrap();
        is_read_as(&source, &["t timestamp"], &[far, far]);
        put(&at.join("units"), format, &[&[("t", local)], &[("t", Arc::new(nanos.clone()))]]);
        refused(
            open(&at.join("units")).unwrap().check_columns(&[0]),
            &["schema = { t = \"timestamp\" }"],
        );
        let source = declared(&at.join("units"), &[("t", "timestamp")]).unwrap();
        is_read_as(&source, &["t timestamp"], &[far, "2024-02-29T12:00:00.123456Z"]);
    }
}

#[test]
fn partitions_of_other_columns() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put(
        &at.join("dt=2024-01-01"),
        FileFormat::Parquet,
        &[&[("id", ints(&[1])), ("v", texts(&["a"]))]],
    );
    put(
        &at.join("dt=2024-01-02"),
        FileFormat::Parquet,
        &[&[("w", texts(&["b"])), ("Id", longs(&[2]))]],
    );
    let expected = ["id bigint", "v string", "w string", "dt date"];
    is_read_as(&open(at).unwrap(), &expected, &["1;a;;2024-01-01", "2;;b;2024-01-02"]);
    put_text(&at.join("text/h=1"), &[("a.csv", "id,v\n1,a\n")]);
    put_text(&at.join("text/h=2"), &[("a.csv", "w,id\nb,2.5\n")]);
    let expected = ["id double", "v string", "w string", "h int"];
    is_read_as(&open(&at.join("text")).unwrap(), &expected, &["1.0;a;;1", "2.5;;b;2"]);
}
