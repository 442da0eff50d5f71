//! What texts of CSV and JSON lines are: times, whole numbers, nulls. What is expected is
//! what Spark 4.3 reads of the same lines, where nothing else is said.

mod shown;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema};
use shown::{rows, types};
use streamjoin_datasets::{DatasetError, ReadOptions, Source, parse_type};

fn put(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn with_types(columns: &[(&str, DataType)]) -> ReadOptions {
    let fields = columns.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    ReadOptions { schema: Some(schema), ..ReadOptions::default() }
}

fn read(path: &Path, options: &ReadOptions) -> Result<RecordBatch, DatasetError> {
    let source = Source::open(path, options)?;
    let batches = source.read(None)?.map(|b| b.map(|b| b.batch)).collect::<Result<Vec<_>, _>>()?;
    Ok(concat_batches(source.schema(), &batches).unwrap())
}

#[track_caller]
fn fails(result: Result<RecordBatch, DatasetError>, parts: &[&str]) {
    let text = result.unwrap_err().to_string();
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in: {text}"));
}

/// Spark has no value for the fraction, and its CSV reader none for numbers.
#[test]
fn numbers_in_timestamp_columns_are_seconds() {
    let dir = tempfile::tempdir().unwrap();
    let options = with_types(&[("t", parse_type("timestamp").unwrap())]);
    let numbers = ["1709208000", "1709208000.5", "0", "-1", "253402300799"];
    let expected = [
        "2024-02-29T12:00:00Z",
        "2024-02-29T12:00:00.500Z",
        "1970-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "9999-12-31T23:59:59Z",
    ];
    let lines: String = numbers.iter().map(|n| format!("{{\"t\": {n}}}\n")).collect();
    assert_eq!(rows(&read(&put(dir.path(), "a.jsonl", &lines), &options).unwrap()), expected);
    let lines: String = numbers.iter().map(|n| format!("{n}\n")).collect();
    let csv = put(dir.path(), "a.csv", &format!("t\n{lines}"));
    assert_eq!(rows(&read(&csv, &options).unwrap()), expected);
    // Texts and numbers in turn.
    let lines = "{\"t\": \"2024-02-29 12:00:00\"}\n{\"t\": 2024}\n{\"t\": null}\n{}\n";
    let expected = ["2024-02-29T12:00:00Z", "1970-01-01T00:33:44Z", "", ""];
    assert_eq!(rows(&read(&put(dir.path(), "b.jsonl", lines), &options).unwrap()), expected);
    for text in ["\"1709208000\"", "9223372036854775807", "true"] {
        let path = put(dir.path(), "c.jsonl", &format!("{{\"t\": 1}}\n{{\"t\": {text}}}\n"));
        fails(read(&path, &options), &["c.jsonl, line 2"]);
    }
    // It may be a year.
    fails(read(&put(dir.path(), "b.csv", "t\n2024\n"), &options), &["b.csv, line 2", "`2024`"]);
}

#[test]
fn numbers_are_no_dates_and_no_local_times() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["timestamp_ntz", "date"] {
        let options = with_types(&[("t", parse_type(name).unwrap())]);
        for number in ["1709208000", "19782", "0", "1.5", "20240229"] {
            let lines = format!("{{\"t\": \"2024-02-29\"}}\n{{\"t\": {number}}}\n");
            let parts = [
                "line 2",
                "column `t`",
                &format!("`{number}` is not a {name}"),
                "declare timestamp",
            ];
            fails(read(&put(dir.path(), "a.jsonl", &lines), &options), &parts);
        }
        fails(
            read(&put(dir.path(), "a.csv", "t\n1709208000\n"), &options),
            &["line 2", "declare timestamp"],
        );
    }
}

#[test]
fn numbers_in_nested_timestamps_are_seconds_too() {
    let dir = tempfile::tempdir().unwrap();
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let nested = |time: DataType| {
        let list = DataType::List(Arc::new(Field::new_list_field(time.clone(), true)));
        let whole = DataType::List(Arc::new(Field::new_list_field(DataType::Int32, true)));
        let fields = vec![field("x", list), field("y", time), field("n", whole)];
        with_types(&[("a", DataType::Struct(fields.into()))])
    };
    let timestamp = parse_type("timestamp").unwrap();
    let line = "{\"a\": {\"x\": [1709208000, \"2024-02-29T12:00:01Z\", null], \"y\": -1, \"n\": [1, 2.0]}}\n";
    let path = put(dir.path(), "a.jsonl", line);
    let expected =
        "{x: [2024-02-29T12:00:00Z, 2024-02-29T12:00:01Z, ], y: 1969-12-31T23:59:59Z, n: [1, 2]}";
    assert_eq!(rows(&read(&path, &nested(timestamp.clone())).unwrap()), [expected]);
    fails(
        read(&path, &nested(parse_type("timestamp_ntz").unwrap())),
        &["line 1", "column `a`", "`1709208000` is not a timestamp_ntz"],
    );
    // The row of a list's value; and no fraction is cut off.
    let lines = "{\"a\": {\"n\": [1]}}\n{\"a\": null}\n{\"a\": {\"n\": [2, 2.5]}}\n";
    let path = put(dir.path(), "b.jsonl", lines);
    fails(read(&path, &nested(timestamp)), &["line 3", "column `a`", "`2.5` is not a int"]);
}

#[test]
fn types_are_guessed_from_the_whole_range() {
    let dir = tempfile::tempdir().unwrap();
    let text = "t\n2024-02-29 12:00:00.123456789\n9999-12-31 23:59:59\n";
    let read_all = |path: &Path| read(path, &ReadOptions::default());
    let batch = read_all(&put(dir.path(), "a.csv", text)).unwrap();
    assert_eq!(types(&batch), ["timestamp"]);
    assert_eq!(rows(&batch), ["2024-02-29T12:00:00.123456Z", "9999-12-31T23:59:59Z"]);
    // Exact where it can be, as it has been.
    let batch = read_all(&put(dir.path(), "b.csv", &text[..text.len() - 20])).unwrap();
    assert_eq!(rows(&batch), ["2024-02-29T12:00:00.123456789Z"]);
    // In another file.
    let folder = dir.path().join("d");
    fs::create_dir(&folder).unwrap();
    put(&folder, "a.csv", "t\n2024-02-29 12:00:00.123456789\n");
    put(&folder, "b.csv", "t\n0001-01-01 00:00:00\n");
    assert_eq!(types(&read_all(&folder).unwrap()), ["timestamp"]);
    // Beyond the rows that types are guessed from, the remedy is one.
    let many = "2024-02-29 12:00:00.123456789\n".repeat(1000);
    let path = put(
        dir.path(),
        "c.csv",
        &format!("t,n\n{many}9999-12-31 23:59:59,1\n").replace("789\n", "789,1\n"),
    );
    fails(
        read_all(&path),
        &["line 1002", "declare schema = { t = \"timestamp\", n = \"bigint\" }"],
    );
    let options = with_types(&[("t", parse_type("timestamp").unwrap()), ("n", DataType::Int64)]);
    assert_eq!(read(&path, &options).unwrap().num_rows(), 1001);
}

#[test]
fn whole_numbers_beyond_bigint_stay_exact() {
    let dir = tempfile::tempdir().unwrap();
    let ids = ["9223372036854775808", "9223372036854775809", "18446744073709551616"];
    let long = "1".repeat(39);
    for (ids, data_type) in [
        (&ids[..2], "decimal(19,0)"),
        (&ids[..], "decimal(20,0)"),
        (&[ids[0], "1"], "decimal(20,0)"),
        (&["1", &"9".repeat(38)], "decimal(38,0)"),
        // Spark reads them as doubles, so that different ones are equal.
        (&["1", &long], "string"),
    ] {
        let csv: String = ids.iter().map(|id| format!("{id},x\n")).collect();
        let json: String =
            ids.iter().map(|id| format!("{{\"id\": {id}, \"v\": \"x\"}}\n")).collect();
        let nested: String =
            ids.iter().map(|id| format!("{{\"a\": [{{\"id\": {id}}}]}}\n")).collect();
        for (name, text) in [("a.csv", format!("id,v\n{csv}")), ("a.jsonl", json)] {
            let batch = read(&put(dir.path(), name, &text), &ReadOptions::default()).unwrap();
            assert_eq!(types(&batch), [data_type, "string"], "{name}");
            let expected: Vec<String> = ids.iter().map(|id| format!("{id};x")).collect();
            assert_eq!(rows(&batch), expected, "{name}");
        }
        let batch = read(&put(dir.path(), "b.jsonl", &nested), &ReadOptions::default()).unwrap();
        let expected: Vec<String> = ids.iter().map(|id| format!("[{{id: {id}}}]")).collect();
        assert_eq!(rows(&batch), expected);
    }
    // Beyond the rows that types are guessed from.
    let many = "1\n".repeat(1000);
    let path = put(dir.path(), "c.csv", &format!("id\n{many}9223372036854775808\n"));
    let parts = ["line 1002", "schema = { id = \"decimal(20,0)\" }"];
    fails(read(&path, &ReadOptions::default()), &parts);
}

#[test]
fn a_line_that_is_null_is_a_row_of_nulls() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "a.jsonl", "{\"a\": 1, \"b\": \"x\"}\nnull\n{\"a\": 2}\n");
    let expected = ["1;x", ";", "2;"];
    assert_eq!(rows(&read(&path, &ReadOptions::default()).unwrap()), expected);
    let options = with_types(&[("a", DataType::Int64), ("b", DataType::Utf8)]);
    assert_eq!(rows(&read(&path, &options).unwrap()), expected);
    let path = put(dir.path(), "b.jsonl", "null\n");
    assert_eq!(rows(&read(&path, &options).unwrap()), [";"]);
    for line in ["7", "\"x\"", "[{\"a\": 1}]"] {
        let path = put(dir.path(), "c.jsonl", &format!("{{\"a\": 1}}\n{line}\n"));
        fails(read(&path, &ReadOptions::default()), &["line 2"]);
    }
}

/// As Spark has it: a column of texts and of what is nested is text.
#[test]
fn what_is_nested_in_some_lines_only_is_text() {
    let dir = tempfile::tempdir().unwrap();
    let lines = "{\"a\": {\"x\": [1, 2.50], \"y\": \"a b\"}}\n{\"a\": \"plain\"}\n{\"a\": 7}\n";
    let batch = read(&put(dir.path(), "a.jsonl", lines), &ReadOptions::default()).unwrap();
    assert_eq!(types(&batch), ["string"]);
    assert_eq!(rows(&batch), ["{\"x\":[1,2.50],\"y\":\"a b\"}", "plain", "7"]);
}

#[test]
fn excel_names_the_delimiter() {
    let dir = tempfile::tempdir().unwrap();
    for first in ["sep=;\n", "sep=;\r\n", "\"sep=;\"\n", "SEP=;\n", "\u{feff}sep=;\n"] {
        let path = put(dir.path(), "a.csv", &format!("{first}a;b\n1;x\n2;\"y;z\"\n"));
        let batch = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(types(&batch), ["bigint", "string"], "{first:?}");
        assert_eq!(rows(&batch), ["1;x", "2;y;z"], "{first:?}");
    }
    let path = put(dir.path(), "b.csv", "sep=\t\na\tb\n1\tx\n2\n");
    fails(read(&path, &ReadOptions::default()), &["b.csv, line 4"]);
    let path = put(dir.path(), "c.csv", "sep=,\n1,x\n");
    let options = ReadOptions { header: false, ..ReadOptions::default() };
    assert_eq!(rows(&read(&path, &options).unwrap()), ["1;x"]);
    // A column may have such a name.
    let path = put(dir.path(), "d.csv", "sep=a\n1\n");
    assert_eq!(rows(&read(&path, &ReadOptions::default()).unwrap()), ["1"]);
}
