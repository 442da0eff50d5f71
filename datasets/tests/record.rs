//! Recordings of live inputs.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use arrow::array::*;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, TimestampMicrosecondType};
use streamjoin_datasets::{
    BatchCut, DatasetError, FileFormat, Live, LiveFormat, ReadOptions, RecordOptions, Recorded,
    Sidecar, Source, parse_type, record, writer,
};

fn options() -> RecordOptions {
    RecordOptions {
        input: "standard input".to_owned(),
        input_format: None,
        kcat_prefix: String::new(),
        read: ReadOptions::default(),
        format: None,
        force: false,
        arrival: "arrival".to_owned(),
        cut: None,
        name: None,
        description: String::new(),
        event_time: None,
    }
}

fn schema(columns: &[(&str, &str)]) -> Option<Arc<Schema>> {
    let fields = columns.iter().map(|(name, t)| Field::new(*name, parse_type(t).unwrap(), true));
    Some(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
}

fn run(
    input: impl Into<Vec<u8>>,
    to: &Path,
    options: &RecordOptions,
) -> Result<Recorded, DatasetError> {
    let live = Live::new(None, || false);
    record(io::Cursor::new(input.into()), to, options, &live)
}

fn all(path: &Path) -> RecordBatch {
    let source = Source::open(path, &ReadOptions::default()).unwrap();
    let batches: Vec<_> = source.read(None).unwrap().map(|b| b.unwrap().batch).collect();
    concat_batches(source.schema(), &batches).unwrap()
}

fn texts(batch: &RecordBatch, column: &str) -> Vec<String> {
    let column = cast(batch.column_by_name(column).unwrap(), &DataType::Utf8).unwrap();
    column.as_string::<i32>().iter().map(|v| v.unwrap_or("null").to_owned()).collect()
}

fn names(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|f| f.name().clone()).collect()
}

fn refused(result: Result<Recorded, DatasetError>, parts: &[&str]) {
    let text = result.unwrap_err().to_string();
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in: {text}"));
}

fn arrow_stream(batches: &[RecordBatch]) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let sink = Box::new(file.reopen().unwrap());
    let mut out = writer(FileFormat::ArrowStream, sink, &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| out.write(batch).unwrap());
    out.finish().unwrap();
    fs::read(file.path()).unwrap()
}

#[test]
fn every_input_into_every_file() {
    let dir = tempfile::tempdir().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let words: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("")]));
    let batch =
        RecordBatch::try_from_iter_with_nullable([("n", numbers, true), ("s", words, true)])
            .unwrap();
    for (input, expected) in [
        (b"n,s\r\n1,x\r\n,\"\"\r\n".to_vec(), LiveFormat::Csv),
        (b"\xef\xbb\xbfn,s\n1,x\n\n,\"\"".to_vec(), LiveFormat::Csv),
        (b"\n{\"n\":1,\"s\":\"x\"}\r\n\r\n{\"s\":\"\"}".to_vec(), LiveFormat::JsonLines),
        (
            b"\xef\xbb\xbf{\"n\":1,\"s\":\"x\"}\n{\"n\":null,\"s\":\"\"}\n".to_vec(),
            LiveFormat::JsonLines,
        ),
        (arrow_stream(std::slice::from_ref(&batch)), LiveFormat::ArrowStream),
        (arrow_stream(&[batch.slice(0, 1), batch.slice(1, 1)]), LiveFormat::ArrowStream),
    ] {
        for packed in [input.clone(), zstd::encode_all(&input[..], 0).unwrap()] {
            for name in ["a.arrow", "a.parquet", "a.arrows", "a.csv", "a.jsonl.gz"] {
                let to = dir.path().join(name);
                let forced = RecordOptions { force: true, ..options() };
                let made = run(packed.clone(), &to, &forced).unwrap();
                assert!(made.failure.is_none());
                assert_eq!((made.input_format, made.rows, made.batches), (expected, 2, None));
                let rows = all(&to);
                assert_eq!(names(&rows), ["n", "s", "arrival"], "{name}");
                assert_eq!(texts(&rows, "n"), ["1", "null"], "{name} {expected}");
                assert_eq!(texts(&rows, "s"), ["x", ""], "{name} {expected}");
                let about = Sidecar::of(&to).unwrap().unwrap();
                about.verify(dir.path()).unwrap();
                assert_eq!((about.rows, about.arrival.as_deref()), (2, Some("arrival")));
                assert_eq!(about.name, "a");
                assert_eq!(about.arrow_schema().unwrap().fields().len(), 3);
            }
        }
    }
}

/// Gives its parts one by one, with a pause before each, and then nothing, for
/// ever.
struct Slow {
    parts: std::vec::IntoIter<&'static [u8]>,
    ends: bool,
}

impl Slow {
    fn new(parts: &[&'static [u8]], ends: bool) -> Slow {
        Slow { parts: Vec::from(parts).into_iter(), ends }
    }
}

const PAUSE: Duration = Duration::from_millis(150);

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.parts.next() {
            Some(part) => {
                sleep(PAUSE);
                into[..part.len()].copy_from_slice(part);
                Ok(part.len())
            }
            None if self.ends => Ok(0),
            None => loop {
                sleep(Duration::from_secs(1));
            },
        }
    }
}

fn arrivals(path: &Path) -> Vec<i64> {
    let rows = all(path);
    let column = rows.column_by_name("arrival").unwrap();
    column.as_primitive::<TimestampMicrosecondType>().values().to_vec()
}

#[test]
fn rows_have_the_time_at_which_their_end_came() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("a.parquet");
    // Whole rows, and one in two pieces, while the types are still unknown.
    let parts: [&[u8]; 4] = [b"{\"a\":1}\n{\"a\":2}\n", b"{\"a\":", b"3}\n", b"{\"a\":4}\n"];
    let csv: [&[u8]; 4] = [b"a\n1\n2\n", b"3", b"\n", b"4\n"];
    for parts in [parts, csv] {
        let forced = RecordOptions { force: true, ..options() };
        let live = Live::new(None, || false);
        let made = record(Slow::new(&parts, true), &to, &forced, &live).unwrap();
        assert_eq!((made.rows, live.rows()), (4, 4));
        assert_eq!(live.bytes(), parts.iter().map(|part| part.len() as u64).sum::<u64>());
        let times = arrivals(&to);
        let pause = PAUSE.as_micros() as i64;
        assert_eq!(times[0], times[1]);
        assert!(times[2] - times[1] >= 2 * pause, "{times:?}");
        assert!(times[3] - times[2] >= pause, "{times:?}");
    }
}

#[test]
fn ended_from_this_side_whole_rows_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter([("a", numbers)]).unwrap();
    let stream = arrow_stream(&[batch.clone(), batch]);
    let cut: &'static [u8] = stream[..stream.len() - 40].to_vec().leak();
    let packed = zstd::encode_all(&b"a\n1\n2\n3"[..], 0).unwrap();
    let packed: &'static [u8] = packed[..packed.len() - 1].to_vec().leak();
    let inputs: [(&[&'static [u8]], u64); 6] = [
        (&[b"a,b\n1,x\n2,y\n3"], 2),
        (&[b"a,b\n1,x\n2,y\n3,\"z"], 2),
        (&[b"a,b\n", b"1,x\n2,", b"y\n3,z"], 2),
        (&[b"{\"a\":1}\n{\"a\":2}\n", b"{\"a\":3}"], 2),
        (&[cut], 2),
        (&[packed], 2),
    ];
    for (number, (parts, rows)) in inputs.into_iter().enumerate() {
        let to = dir.path().join(format!("{number}.arrow"));
        let asked = Arc::new(AtomicBool::new(false));
        let seen = asked.clone();
        let live = Live::new(None, move || seen.load(Ordering::Relaxed));
        let recording = {
            let (parts, to, live) = (Slow::new(parts, false), to.clone(), live.clone());
            std::thread::spawn(move || record(parts, &to, &options(), &live))
        };
        sleep(PAUSE * 5);
        assert!(!to.exists());
        asked.store(true, Ordering::Relaxed);
        let made = recording.join().unwrap().unwrap();
        assert!(made.failure.is_none(), "{number}: {:?}", made.failure);
        assert_eq!(made.rows, rows, "{number}");
        assert_eq!(all(&to).num_rows() as u64, rows);
    }
}

#[test]
fn a_limit_ends_it_too() {
    let dir = tempfile::tempdir().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
    let batch = RecordBatch::try_from_iter([("a", numbers)]).unwrap();
    let stream: &'static [u8] = arrow_stream(&[batch.slice(0, 4), batch.slice(4, 6)]).leak();
    let json: &'static [u8] =
        b"{\"a\":0}\n{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n{\"a\":5}\n{\"a\":";
    let csv: &'static [u8] = b"a\n0\n1\n2\n3\n4\n5\n6,7\n";
    for (name, input) in [("a", stream), ("j", json), ("c", csv)] {
        for limit in [0, 1, 4, 5] {
            let to = dir.path().join(format!("{name}{limit}.arrow"));
            let live = Live::new(Some(limit), || false);
            let made = record(Slow::new(&[input], false), &to, &options(), &live);
            if limit == 0 && name == "j" {
                refused(made, &["0 bytes"]);
                continue;
            }
            assert_eq!(made.unwrap().rows, limit, "{name}");
            let expected: Vec<i64> = (0..limit as i64).collect();
            let rows = all(&to);
            let found = cast(rows.column(0), &DataType::Int64).unwrap();
            assert_eq!(found.as_primitive::<Int64Type>().values(), &expected[..], "{name}");
        }
    }
}

#[test]
fn batches_are_cut_and_told() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("a.arrow");
    let cut = BatchCut { column: "batch_id".to_owned(), rows: Some(2), every_us: None };
    let by_rows = RecordOptions { cut: Some(cut), ..options() };
    let made = run(b"a\n1\n2\n3\n4\n5\n", &to, &by_rows).unwrap();
    assert_eq!(made.batches, Some(3));
    assert_eq!(texts(&all(&to), "batch_id"), ["0", "0", "1", "1", "2"]);
    let about = Sidecar::of(&to).unwrap().unwrap();
    assert_eq!(about.batch_borders, Some(vec![0, 2, 4]));

    let to = dir.path().join("b.arrow");
    let every_us = Some(PAUSE.as_micros() as i64);
    let cut = BatchCut { column: "b".to_owned(), rows: None, every_us };
    let by_time = RecordOptions { cut: Some(cut), ..options() };
    let live = Live::new(None, || false);
    let parts: [&[u8]; 3] = [b"a\n1\n2\n", b"3\n", b"4\n5\n"];
    record(Slow::new(&parts, true), &to, &by_time, &live).unwrap();
    let rows = all(&to);
    let ids = rows.column_by_name("b").unwrap().as_primitive::<Int64Type>().values().to_vec();
    assert_eq!(ids, [0, 0, 1, 2, 2]);
    assert_eq!(Sidecar::of(&to).unwrap().unwrap().batch_borders, Some(vec![0, 2, 3]));
}

#[test]
fn kcat_lines_become_columns() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("a.parquet");
    let line = |offset: u64, key: &str, payload: &str| {
        let payload = serde_json::Value::from(payload);
        format!(
            "{{\"topic\":\"clicks\",\"partition\":3,\"offset\":{offset},\"tstype\":\"create\",\"ts\":1704067200{offset:03},\"broker\":0,\"headers\":[\"h\",\"v\"],\"key\":{key},\"payload\":{payload}}}\n"
        )
    };
    let input = [
        line(0, "\"k\"", "{\"user\": 7, \"at\": \"2024-01-01T00:00:00Z\", \"n\": 1.50}"),
        line(1, "null", "{\"user\": 18446744073709551615}"),
        line(2, "null", "not JSON"),
    ]
    .concat();
    let made = run(input, &to, &options()).unwrap();
    assert_eq!((made.input_format, made.rows), (LiveFormat::Kcat, 3));
    let rows = all(&to);
    let expected =
        ["key", "topic", "partition", "offset", "ts", "user", "at", "n", "payload", "arrival"];
    assert_eq!(names(&rows), expected);
    assert_eq!(texts(&rows, "key"), ["k", "null", "null"]);
    assert_eq!(texts(&rows, "offset"), ["0", "1", "2"]);
    assert_eq!(texts(&rows, "ts")[2], "2024-01-01T00:00:00.002Z");
    assert_eq!(texts(&rows, "payload"), ["null", "null", "not JSON"]);
    assert_eq!(texts(&rows, "at")[0], "2024-01-01T00:00:00Z");

    // A declaration says what the payload holds; kcat's own columns are known.
    let read =
        ReadOptions { schema: schema(&[("user", "decimal(20,0)")]), ..ReadOptions::default() };
    let declared = RecordOptions { read, force: true, ..options() };
    run(line(1, "null", "{\"user\": 18446744073709551615, \"other\": 1}"), &to, &declared).unwrap();
    let rows = all(&to);
    assert_eq!(texts(&rows, "user"), ["18446744073709551615"]);
    assert_eq!(names(&rows).len(), 7);
    let read = ReadOptions { schema: schema(&[("offset", "int")]), ..ReadOptions::default() };
    let declared = RecordOptions { read, force: true, ..options() };
    refused(run(line(0, "null", "{}"), &to, &declared), &["`offset`", "kcat's own"]);

    let taken = line(0, "null", "{\"topic\": \"mine\"}");
    let forced = RecordOptions { force: true, ..options() };
    refused(run(taken.clone(), &to, &forced), &["line 1", "`topic`", "--kcat-prefix"]);
    let prefixed = RecordOptions { kcat_prefix: "kafka_".to_owned(), ..forced };
    run(taken, &to, &prefixed).unwrap();
    assert_eq!(texts(&all(&to), "topic"), ["mine"]);
    assert_eq!(texts(&all(&to), "kafka_topic"), ["clicks"]);
}

#[test]
fn what_is_wrong_is_told_and_rows_before_it_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let json: String = (0..1500).map(|i| format!("{{\"a\":{i}}}\n")).collect();
    let csv = format!("a\n{}", (0..1500).map(|i| format!("{i}\n")).collect::<String>());
    for (number, (input, rows, parts)) in [
        (
            format!("{json}{{\"a\":\"x\"}}\n"),
            1500,
            &["standard input, line 1501", "`a`", "`x`", "schema = { a = \"string\" }"][..],
        ),
        (
            format!("{json}{{\"a\":1.5}}\n"),
            1500,
            &["line 1501", "`1.5` is not a bigint", "a = \"double\""],
        ),
        (format!("{json}{{\"a\":1,\"new\":2}}\n"), 1500, &["line 1501", "'new'", "declare `new`"]),
        (format!("{json}{{\"a\":1"), 1500, &["line 1501"]),
        (format!("{csv}1.5\n7\n"), 1500, &["line 1502", "`1.5` is not a bigint", "a = \"double\""]),
        (format!("{csv}1,2\n"), 1500, &["line 1502", "2 fields, but there are 1 columns"]),
        // Among the rows that tell the types.
        ("{\"a\":1}\n{\"a\":}\n{\"a\":3}\n".to_owned(), 1, &["line 2", "not JSON"]),
        ("a,b\n1,2\n3\n".to_owned(), 1, &["line 3", "1 fields"]),
        ("a,b\n1,2\n3,\"4\n".to_owned(), 1, &["line 3", "not closed"]),
    ]
    .into_iter()
    .enumerate()
    {
        let to = dir.path().join(format!("{number}.parquet"));
        let made = run(input, &to, &options()).unwrap();
        let error = made.failure.unwrap().to_string();
        parts.iter().for_each(|part| assert!(error.contains(part), "`{part}`: {error}"));
        let kept = dir.path().join(format!("{number}.partial.parquet"));
        assert_eq!((made.rows, &made.path), (rows, &kept));
        assert_eq!(all(&kept).num_rows() as u64, rows);
        Sidecar::of(&kept).unwrap().unwrap().verify(dir.path()).unwrap();
        assert!(!to.exists());
    }
}

#[test]
fn refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("a.arrow");
    let csv = b"a,Arrival,batch_id\n1,2,3\n";
    refused(run(csv, &to, &options()), &["`Arrival`", "--arrival"]);
    let cut = BatchCut { column: "batch_id".to_owned(), rows: Some(2), every_us: None };
    let cut = RecordOptions { arrival: "came".to_owned(), cut: Some(cut), ..options() };
    refused(run(csv, &to, &cut), &["`batch_id`", "--batch-column"]);
    let timed = RecordOptions { event_time: Some("b".to_owned()), ..options() };
    refused(run(b"a\n1\n", &to, &timed), &["no column `b`"]);
    refused(run(b"", &to, &options()), &["standard input", "0 bytes", "producer"]);
    refused(run(b"\n\n", &to, &options()), &["standard input"]);
    refused(run(b"[{\"a\":1}]", &to, &options()), &["JSON array", "jq -c"]);
    refused(run(b"PAR1....", &to, &options()), &["looks like parquet"]);
    refused(run(b"ARROW1..", &to, &options()), &["looks like arrow"]);
    refused(run(b"\xff\xfea\0", &to, &options()), &["UTF-16"]);
    refused(run(b"{\"a\":}\n", &to, &options()), &["line 1", "not JSON"]);
    refused(run(b"a\n1\n", &dir.path().join("a.txt"), &options()), &["cannot tell the format"]);
    refused(run(b"a\n1\n", &dir.path().join("a.parquet.gz"), &options()), &["leave the extension"]);
    let nested = b"{\"a\":{\"b\":1}}\n";
    refused(run(nested, &dir.path().join("a.csv"), &options()), &["csv cannot hold"]);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

    fs::write(&to, "theirs").unwrap();
    refused(run(b"a\n1\n", &to, &options()), &["already exists"]);
    assert_eq!(fs::read(&to).unwrap(), b"theirs");
    let forced = RecordOptions { force: true, ..options() };
    assert_eq!(run(b"a\n1\n", &to, &forced).unwrap().rows, 1);
}

#[test]
fn declared_columns_without_a_row_are_a_recording() {
    let dir = tempfile::tempdir().unwrap();
    let read = ReadOptions { schema: schema(&[("a", "bigint")]), ..ReadOptions::default() };
    let declared = RecordOptions { read, input_format: Some(LiveFormat::JsonLines), ..options() };
    let to = dir.path().join("a.arrow");
    assert_eq!(run(b"", &to, &declared).unwrap().rows, 0);
    assert_eq!(names(&all(&to)), ["a", "arrival"]);
    let to = dir.path().join("b.arrow");
    assert_eq!(run(b"a,b\n", &to, &options()).unwrap().rows, 0);
    assert_eq!(names(&all(&to)), ["a", "b", "arrival"]);
}

#[test]
fn an_arrow_stream_that_its_producer_left() {
    let dir = tempfile::tempdir().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let stream = arrow_stream(&[RecordBatch::try_from_iter([("a", numbers)]).unwrap()]);
    // Between two messages: the marker of the end is missing.
    let to = dir.path().join("a.arrow");
    let made = run(&stream[..stream.len() - 8], &to, &options()).unwrap();
    assert!(made.failure.is_none() && made.rows == 2);
    // In the middle of one.
    let to = dir.path().join("b.arrow");
    refused(run(&stream[..stream.len() - 20], &to, &options()), &["record batch 0", "cut off"]);
    // A claim of more than ever comes is not believed.
    let mut claims = stream.clone();
    claims[4..8].copy_from_slice(&i32::MAX.to_le_bytes());
    refused(run(claims, &to, &options()), &["standard input", "cut off"]);
}

#[test]
fn the_clock_of_a_row_never_goes_back() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("a.arrow");
    let mut input = Vec::new();
    writeln!(input, "a").unwrap();
    (0..200_000).for_each(|i| writeln!(input, "{i}").unwrap());
    run(input, &to, &options()).unwrap();
    let times = arrivals(&to);
    assert_eq!(times.len(), 200_000);
    assert!(times.is_sorted());
}
