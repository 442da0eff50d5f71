//! Files, folders, globs, partition folders, and what is said when they are wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, AsArray, Int64Array, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Int32Type, Int64Type, Schema};
use streamjoin_datasets::{
    DatasetError, FileFormat, ImportFrom, ImportOptions, ReadOptions, Sidecar, Source, import,
    parse_type, sidecar_path, timestamp_utc, writer,
};

fn put(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn open(path: &Path) -> Result<Source, DatasetError> {
    Source::open(path, &ReadOptions::default())
}

fn all(source: &Source) -> Result<RecordBatch, DatasetError> {
    let batches = source.read(None)?.map(|b| b.map(|b| b.batch)).collect::<Result<Vec<_>, _>>()?;
    Ok(concat_batches(source.schema(), &batches).unwrap())
}

fn texts(batch: &RecordBatch, column: &str) -> Vec<String> {
    let column = cast(batch.column_by_name(column).unwrap(), &DataType::Utf8).unwrap();
    column.as_string::<i32>().iter().map(|v| v.unwrap_or("null").to_owned()).collect()
}

/// The message of an error, which must hold each of `parts`.
fn refused<T: std::fmt::Debug>(result: Result<T, DatasetError>, parts: &[&str]) {
    let text = result.unwrap_err().to_string();
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in: {text}"));
}

#[test]
fn folders_and_globs_pass_over_what_is_not_data() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put(at, "d/part-1.csv", "a\n1\n2\n");
    put(at, "d/part-0.csv", "a\n0\n");
    put(at, "d/_SUCCESS", "");
    put(at, "d/.part-0.csv.crc", "x");
    put(at, "d/_temporary/part-9.csv", "b\n");
    let expected = vec![at.join("d/part-0.csv"), at.join("d/part-1.csv")];
    for path in ["d", "d/*", "d/*.csv", "*/part-?.csv", "**/*.csv"] {
        let source = open(&at.join(path)).unwrap();
        assert_eq!(source.files(), expected, "{path}");
        assert_eq!(texts(&all(&source).unwrap(), "a"), ["0", "1", "2"]);
    }
    let batches: Vec<_> =
        open(&at.join("d")).unwrap().read(None).unwrap().map(Result::unwrap).collect();
    let places: Vec<_> =
        batches.iter().map(|b| (b.file, b.first_row, b.batch.num_rows())).collect();
    assert_eq!(places, [(0, 0, 1), (1, 0, 2)]);
}

#[test]
fn partition_folders_become_typed_columns() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    for (day, hour, value) in
        [("2024-01-02", "10", 3), ("2024-01-02", "2", 2), ("2024-01-01", "9", 1)]
    {
        put(at, &format!("t/dt={day}/hour={hour}/p.csv"), &format!("v\n{value}\n"));
    }
    put(at, "t/dt=__HIVE_DEFAULT_PARTITION__/hour=1/p.csv", "v\n4\n");
    for path in [at.join("t"), at.join("t/dt=*")] {
        let source = open(&path).unwrap();
        let types: Vec<_> =
            source.schema().fields().iter().map(|f| f.data_type().clone()).collect();
        assert_eq!(types, [DataType::Int64, DataType::Date32, DataType::Int32]);
        let rows = all(&source).unwrap();
        assert_eq!(texts(&rows, "v"), ["1", "2", "3", "4"]);
        assert_eq!(texts(&rows, "dt"), ["2024-01-01", "2024-01-02", "2024-01-02", "null"]);
        assert_eq!(texts(&rows, "hour"), ["9", "2", "10", "1"]);
        let only: Vec<_> = source.read(Some(&[2])).unwrap().map(|b| b.unwrap().batch).collect();
        assert_eq!(only[0].column(0).as_primitive::<Int32Type>().value(0), 9);
    }
    let declared = Schema::new(vec![
        Field::new("v", DataType::Int32, true),
        Field::new("hour", DataType::Utf8, true),
    ]);
    let options = ReadOptions { schema: Some(Arc::new(declared)), ..Default::default() };
    let source = Source::open(&at.join("t"), &options).unwrap();
    assert_eq!(source.schema().field_with_name("hour").unwrap().data_type(), &DataType::Utf8);
    assert_eq!(source.schema().field(0).data_type(), &DataType::Int32);

    put(at, "t/dt=2024-01-03/p.csv", "v\n1\n");
    refused(open(&at.join("t")), &["dt=2024-01-03/p.csv", "has dt=", "dt=/hour="]);
    put(at, "u/v=1/p.csv", "v\n1\n");
    refused(open(&at.join("u")), &["p.csv", "`v` is both"]);
}

#[test]
fn files_have_one_format_and_types_that_hold_all() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put(at, "formats/a.csv", "x\n1\n");
    put(at, "formats/b.jsonl", "{\"x\": 1}\n");
    refused(open(&at.join("formats")), &["b.jsonl", "a.csv", "one format"]);
    // Inferred types are widened instead.
    put(at, "types/a.csv", "x,t\n1,2024-01-01\n");
    put(at, "types/b.csv", "x,t\n1.5,2024-01-01 10:00:00\n");
    let source = open(&at.join("types")).unwrap();
    assert_eq!(source.schema().field(0).data_type(), &DataType::Float64);
    assert_eq!(source.schema().field(1).data_type(), &timestamp_utc());
    assert_eq!(texts(&all(&source).unwrap(), "x"), ["1.0", "1.5"]);
}

#[test]
fn nothing_there() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put(at, "flights.csv", "a\n1\n");
    refused(
        open(&at.join("flihgts.csv")),
        &["flihgts.csv", "no such file", "did you mean `flights.csv`"],
    );
    refused(open(&at.join("none/*.csv")), &["none/*.csv", "matches no file"]);
    refused(open(&at.join("[a.csv")), &["[a.csv", "not a glob"]);
    fs::create_dir(at.join("empty")).unwrap();
    put(at, "empty/_SUCCESS", "");
    refused(open(&at.join("empty")), &["empty", "holds no data file"]);
    refused(open(&put(at, "zero.parquet", "")), &["zero.parquet", "0 bytes"]);
    refused(open(&put(at, "x.dat", "a")), &["x.dat", ".parquet", ".csv"]);
    refused(open(&put(at, "blank.csv", "\n\n")), &["blank.csv", "header"]);
    refused(open(&put(at, "blank.jsonl", "\n\n")), &["blank.jsonl", "no columns"]);
}

#[test]
fn wrong_extensions() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let schema = Arc::new(Schema::new(vec![Field::new("k", DataType::Int64, false)]));
    let real = at.join("real.parquet");
    writer(FileFormat::Parquet, Box::new(fs::File::create(&real).unwrap()), &schema)
        .unwrap()
        .finish()
        .unwrap();
    for name in ["x.csv", "x.jsonl", "x.arrow", "x.arrows"] {
        fs::copy(&real, at.join(name)).unwrap();
        refused(open(&at.join(name)), &[name, "looks like parquet"]);
    }
    refused(open(&put(at, "y.parquet", "a,b\n1,2\n")), &["y.parquet", "not parquet"]);
    refused(open(&put(at, "y.arrow", "{\"a\": 1}\n")), &["y.arrow", "not arrow"]);
    refused(open(&put(at, "y.arrows", "{\"a\": 1}\n")), &["y.arrows"]);
    let gz = at.join("z.csv");
    fs::write(&gz, [0x1f, 0x8b, 8, 0]).unwrap();
    refused(open(&gz), &["z.csv", "gzip", "cut off"]);
    // A format that is given beats the extension.
    let options = ReadOptions { format: Some(FileFormat::Csv), ..Default::default() };
    assert_eq!(Source::open(&at.join("y.parquet"), &options).unwrap().schema().fields().len(), 2);
}

#[test]
fn csv_values_lines_and_columns() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let text = "\u{feff}id,when,day,price,ok,note\r\n1,2024-01-01T00:00:00+02:00,2024-01-01,1.5,true,\"a\nb\"\r\n\r\n,,,,,\r\n";
    let source = open(&put(at, "a.csv", text)).unwrap();
    let types: Vec<_> = source.schema().fields().iter().map(|f| f.data_type().clone()).collect();
    let expected = ["bigint", "timestamp", "date", "double", "boolean", "string"];
    assert_eq!(types, expected.map(|t| parse_type(t).unwrap()));
    let rows = all(&source).unwrap();
    assert_eq!(texts(&rows, "when"), ["2023-12-31T22:00:00Z", "null"]);
    assert_eq!(texts(&rows, "note"), ["a\nb", "null"]);

    // The wrong value is beyond the rows that are looked at, and after lines
    // that are blank or inside quotes.
    let mut long = "n,s\n".to_owned();
    (0..1000).for_each(|i| long.push_str(&format!("{i},x\n")));
    long.push_str("1,\"two\nlines\"\n\n\n1O1,x\n");
    let source = open(&put(at, "b.csv", &long)).unwrap();
    refused(all(&source), &["b.csv, line 1006", "`n`", "`1O1`", "bigint"]);
    refused(
        open(&put(at, "c.csv", "a,b\n1,2\n3\n")),
        &["c.csv, line 3", "1 fields, but there are 2 columns"],
    );
    refused(open(&put(at, "d.csv", "a,a\n1,2\n")), &["d.csv, line 1", "two columns are named `a`"]);
    fs::write(at.join("e.csv"), b"a,b\n1,x\n2,\xff\n").unwrap();
    refused(open(&at.join("e.csv")), &["e.csv, line 3", "`b`", "not UTF-8"]);

    let options = |header, delimiter, schema: Option<&str>| ReadOptions {
        header,
        delimiter,
        schema: schema.map(|names| {
            let fields = names.split(',').map(|n| Field::new(n, DataType::Int64, true));
            Arc::new(Schema::new(fields.collect::<Vec<_>>()))
        }),
        ..Default::default()
    };
    let path = put(at, "f.csv", "1;2\n3;4\n");
    let source = Source::open(&path, &options(false, b';', None)).unwrap();
    assert_eq!(texts(&all(&source).unwrap(), "_c1"), ["2", "4"]);
    let source = Source::open(&path, &options(false, b';', Some("x,y"))).unwrap();
    assert_eq!(texts(&all(&source).unwrap(), "y"), ["2", "4"]);
    refused(
        Source::open(&path, &options(false, b';', Some("x"))),
        &["f.csv", "1 columns are declared"],
    );
    let path = put(at, "g.tsv", "aa\tb\n1\t2\n");
    let source = Source::open(&path, &options(true, b',', Some("b"))).unwrap();
    assert_eq!(texts(&all(&source).unwrap(), "b"), ["2"]);
    refused(
        Source::open(&path, &options(true, b',', Some("a"))),
        &["g.tsv", "no column `a`", "did you mean `aa`"],
    );
}

#[test]
fn json_lines_columns_and_lines() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put(
        at,
        "d/a.jsonl",
        "{\"z\": 1, \"t\": \"2024-01-01T10:00:00Z\", \"n\": null}\n\n{\"z\": 9007199254740993}\n",
    );
    put(at, "d/b.jsonl", "{\"new\": [1, 2], \"z\": 3}");
    let source = open(&at.join("d")).unwrap();
    let names: Vec<_> = source.schema().fields().iter().map(|f| f.name().as_str()).collect();
    assert_eq!(names, ["z", "t", "n", "new"]);
    assert_eq!(source.schema().field(1).data_type(), &timestamp_utc());
    let rows = all(&source).unwrap();
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().values(), &[1, 9_007_199_254_740_993, 3]);
    assert_eq!(rows.column(3).null_count(), 2);

    refused(open(&put(at, "a.jsonl", "{\"a\": 1}\n{\"a\": }\n")), &["a.jsonl, line 2", "not JSON"]);
    refused(
        open(&put(at, "b.jsonl", "[{\"a\": 1}]\n")),
        &["b.jsonl, line 1", "one object per line"],
    );
    fs::write(at.join("c.jsonl"), b"{\"a\": \"\xff\"}\n").unwrap();
    refused(open(&at.join("c.jsonl")), &["c.jsonl, line 1", "not UTF-8"]);
    let mut long = String::new();
    (0..1000).for_each(|i| long.push_str(&format!("{{\"n\": {i}}}\n")));
    for (name, last) in [
        ("type", "{\"n\": \"x\"}"),
        ("two", "{\"n\": 1} {\"n\": 2}"),
        ("open", "{\"n\": 1"),
        ("list", "[1]"),
    ] {
        let path = put(at, &format!("{name}.jsonl"), &format!("{long}\n{last}\n"));
        refused(all(&open(&path).unwrap()), &[&format!("{name}.jsonl, line 1002")]);
    }
}

#[test]
fn a_sidecar_gives_text_its_types() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "p.csv", "id,price\n1,2.50\n");
    let columns = [("id", "int"), ("price", "decimal(6,2)")];
    let columns =
        columns.map(|(name, t)| format!("{{\"name\": \"{name}\", \"type\": \"{t}\"}}")).join(", ");
    let text = format!(
        "{{\"name\": \"p\", \"description\": \"\", \"schema\": [{columns}], \"rows\": 1, \"files\": []}}"
    );
    fs::write(sidecar_path(&path), &text).unwrap();
    let source = open(&path).unwrap();
    assert_eq!(source.schema().field(1).data_type(), &DataType::Decimal128(6, 2));
    fs::write(sidecar_path(&path), text.replace("\"rows\"", "\"row\"")).unwrap();
    refused(open(&path), &["p.csv.sidecar.json", "not a sidecar", "`row`"]);
}

#[test]
fn imports_are_sorted_sealed_and_whole() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let source = open(&put(at, "in.csv", "k,v\n2,a\n,b\n1,c\n2,d\n")).unwrap();
    let sorted = ImportOptions {
        sort_by: vec!["k".to_owned()],
        event_time: Some("k".to_owned()),
        description: "Rows".to_owned(),
        ..Default::default()
    };
    for to in ["out/x.arrow", "out/x.parquet", "out/x.csv"] {
        let to = at.join(to);
        let made = import(ImportFrom::Source(&source), &to, &sorted).unwrap();
        assert_eq!(made.rows, 4);
        assert_eq!(texts(&all(&open(&to).unwrap()).unwrap(), "v"), ["b", "c", "a", "d"]);
        let about = Sidecar::of(&to).unwrap().unwrap();
        assert_eq!((about.rows, about.name.as_str()), (4, "x"));
        about.verify(to.parent().unwrap()).unwrap();
        refused(import(ImportFrom::Source(&source), &to, &sorted), &["already exists"]);
        let forced = ImportOptions { force: true, limit: Some(2), ..sorted.clone() };
        assert_eq!(import(ImportFrom::Source(&source), &to, &forced).unwrap().rows, 2);
        fs::write(&to, "changed").unwrap();
        refused(about.verify(to.parent().unwrap()), &["7 bytes"]);
    }
    let unknown = ImportOptions { sort_by: vec!["kk".to_owned()], ..Default::default() };
    let to = at.join("out/y.arrow");
    refused(
        import(ImportFrom::Source(&source), &to, &unknown),
        &["no column `kk`", "did you mean `k`"],
    );
    let bad = open(&put(at, "bad.csv", &format!("n\n{}x\n", "1\n".repeat(1000)))).unwrap();
    refused(
        import(ImportFrom::Source(&bad), &to, &ImportOptions::default()),
        &["bad.csv, line 1002"],
    );
    assert!(
        fs::read_dir(at.join("out")).unwrap().all(|e| !e
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains("y.arrow"))
    );
    let endless = serde_json::from_str("{\"kind\": \"rate\"}").unwrap();
    refused(import(ImportFrom::Generator(&endless), &to, &ImportOptions::default()), &["limit"]);
    let limited = ImportOptions { limit: Some(100_000), ..Default::default() };
    assert_eq!(import(ImportFrom::Generator(&endless), &to, &limited).unwrap().rows, 100_000);
    assert_eq!(open(&to).unwrap().rows(), Some(100_000));
}

#[test]
fn large_batches_are_cut_and_row_groups_streamed() {
    let dir = tempfile::tempdir().unwrap();
    let column: Arc<dyn Array> = Arc::new(Int64Array::from_iter_values(0..300_000));
    let table = RecordBatch::try_from_iter([("k", column)]).unwrap();
    for format in FileFormat::all() {
        let path = dir.path().join(format!("t.{}", format.extensions()[0]));
        let mut out =
            writer(format, Box::new(fs::File::create(&path).unwrap()), &table.schema()).unwrap();
        out.write(&table).unwrap();
        out.finish().unwrap();
        let options = ReadOptions { batch_rows: 10_000, ..Default::default() };
        let mut next = 0;
        for batch in Source::open(&path, &options).unwrap().read(None).unwrap() {
            let batch = batch.unwrap();
            assert!(batch.batch.num_rows() <= 10_000);
            assert_eq!(batch.first_row, next);
            let values = batch.batch.column(0).as_primitive::<Int64Type>();
            assert!(
                values.values().iter().copied().eq(next as i64..next as i64 + values.len() as i64)
            );
            next += values.len() as u64;
        }
        assert_eq!(next, 300_000);
    }
}

#[test]
fn rows_before_a_broken_one_come_first() {
    let dir = tempfile::tempdir().unwrap();
    let csv = |end: &str| {
        let rows: String = (0..1500).map(|i| format!("{i},{i}\n")).collect();
        put(dir.path(), "a.csv", &format!("a,b\n{rows}{end}"))
    };
    let json = |end: &str| {
        let rows: String = (0..1500).map(|i| format!("{{\"a\":{i},\"b\":{i}}}\n")).collect();
        put(dir.path(), "a.jsonl", &format!("{rows}{end}"))
    };
    for (as_json, end, parts) in [
        // The first bad row counts, not the first bad column.
        (false, "1,x\ny,2\n", &["a.csv, line 1502: column `b`: `x`"][..]),
        (false, "1,2,3\n", &["a.csv, line 1502: 3 fields"]),
        (false, "1,\"2\n3,4\n", &["a.csv, line 1502", "not closed"]),
        (true, "{\"a\":\"x\",\"b\":1}\n{", &["a.jsonl, line 1501"]),
        (true, "[1]\n", &["a.jsonl, line 1501"]),
    ] {
        let path = if as_json { json(end) } else { csv(end) };
        let source = open(&path).unwrap();
        for projection in [None, Some(&[1_usize, 0][..])] {
            let mut batches = source.read(projection).unwrap();
            assert_eq!(batches.next().unwrap().unwrap().batch.num_rows(), 1500);
            refused(batches.next().unwrap(), parts);
            assert!(batches.next().is_none());
        }
    }
    // A bad first row leaves nothing before it.
    let path = put(dir.path(), "b.csv", "a\nx\n");
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
    let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
    let mut batches = Source::open(&path, &options).unwrap().read(None).unwrap();
    refused(batches.next().unwrap(), &["b.csv, line 2"]);
}

#[test]
fn quotes_are_closed() {
    let dir = tempfile::tempdir().unwrap();
    for (text, rows) in [
        ("a,b\n1,\"x\"", 1),
        ("a,b\n1,\"x\ny\"\n", 1),
        ("a,b\n1,\"x\"\"\"\n", 1),
        ("a,b\n1,5\" pipe\n", 1),
        ("\u{feff}a,b\n1,\"\"\n", 1),
    ] {
        let source = open(&put(dir.path(), "a.csv", text)).unwrap();
        assert_eq!(all(&source).unwrap().num_rows(), rows, "{text}");
    }
    for text in ["a,b\n1,\"x\n", "\u{feff}a,b\n1,2\n3,\"x\"\"\n4,5\n", "a,b\n1,\""] {
        refused(open(&put(dir.path(), "a.csv", text)), &["a.csv, line", "not closed"]);
    }
}

#[test]
fn an_empty_file_of_declared_columns_has_no_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "a.jsonl", "");
    refused(open(&path), &["a.jsonl", "0 bytes", "declare its columns"]);
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
    let options = ReadOptions { schema: Some(schema.clone()), ..ReadOptions::default() };
    let source = Source::open(&path, &options).unwrap();
    assert_eq!(source.schema(), &schema);
    assert_eq!(source.read(None).unwrap().count(), 0);
}

#[test]
fn numbers_that_are_none_are_not_json() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "a.jsonl", "{\"a\":1}\n{\"a\":NaN}\n");
    refused(open(&path), &["a.jsonl, line 2: not JSON", "at column 6", "\"NaN\""]);
    let path = put(dir.path(), "a.jsonl", "{\"a\":1\n");
    refused(open(&path), &["a.jsonl, line 1: not JSON"]);
}

#[test]
fn a_file_that_was_replaced_after_it_was_opened_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let batch = |names: [&str; 2]| {
        let column = || Arc::new(Int64Array::from(vec![1])) as arrow::array::ArrayRef;
        RecordBatch::try_from_iter(names.map(|name| (name, column()))).unwrap()
    };
    for format in [FileFormat::Parquet, FileFormat::ArrowFile, FileFormat::ArrowStream] {
        let path = dir.path().join(format!("a.{}", format.extensions()[0]));
        let write = |batch: &RecordBatch| {
            let sink = Box::new(fs::File::create(&path).unwrap());
            let mut out = writer(format, sink, &batch.schema()).unwrap();
            out.write(batch).unwrap();
            out.finish().unwrap();
        };
        write(&batch(["a", "b"]));
        let source = open(&path).unwrap();
        for other in
            [batch(["b", "a"]), batch(["a", "b"]).project(&[0]).unwrap(), batch(["a", "c"])]
        {
            write(&other);
            for projection in [None, Some(&[1_usize][..])] {
                // Told by the file's length and time, or, where these are the
                // same by chance, by its columns.
                refused(source.read(projection), &["a.", "after it was opened"]);
            }
        }
    }
}
