use std::fs;
use std::io::Write;
use std::sync::{Arc, Mutex};

use arrow::array::{
    ArrayRef, BinaryArray, Float64Array, Int32Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use streamjoin_datasets::{FileFormat, ReadOptions, Source};
use tempfile::TempDir;

use super::*;
use crate::error::FailureKind;

const FORMATS: [(&str, FileFormat); 5] = [
    ("parquet", FileFormat::Parquet),
    ("arrow", FileFormat::ArrowFile),
    ("arrows", FileFormat::ArrowStream),
    ("csv", FileFormat::Csv),
    ("jsonl", FileFormat::JsonLines),
];

fn rows(values: &[i32]) -> RecordBatch {
    let texts: StringArray = values.iter().map(|v| Some(format!("row {v}"))).collect();
    let columns: Vec<(&str, ArrayRef)> =
        vec![("k", Arc::new(Int32Array::from(values.to_vec()))), ("name", Arc::new(texts))];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn spec(path: &Path, force: bool) -> SinkSpec {
    SinkSpec::resolve(Some(path), None, force).unwrap()
}

fn read_rows(path: &Path) -> usize {
    let source = Source::open(path, &ReadOptions::default()).unwrap();
    source.read(None).unwrap().map(|batch| batch.unwrap().batch.num_rows()).sum()
}

fn files_in(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_file_format_makes_the_round_trip() {
    for (extension, format) in FORMATS {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(format!("rows.{extension}"));
        let first = rows(&[1, 2, 3]);
        let spec = spec(&path, false);
        assert_eq!(spec, SinkSpec::File { path: path.clone(), format, force: false });
        let mut sink = open(&spec, &first.schema()).unwrap();
        sink.batch(0, &first).unwrap();
        sink.end_batch(0).unwrap();
        assert!(!path.exists(), "no name before the end");
        sink.batch(1, &rows(&[4])).unwrap();
        sink.batch(1, &rows(&[5, 6])).unwrap();
        sink.end_batch(1).unwrap();
        sink.finish().unwrap();
        assert_eq!(read_rows(&path), 6, "{extension}");
        assert_eq!(files_in(&folder), [format!("rows.{extension}")]);
    }
}

#[test]
fn a_result_without_rows_is_a_file_all_the_same() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.parquet");
    let sink = open(&spec(&path, false), &rows(&[]).schema()).unwrap();
    sink.finish().unwrap();
    assert_eq!(read_rows(&path), 0);
}

#[test]
fn a_used_path_is_refused_without_force() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "mine\n").unwrap();
    let schema = rows(&[]).schema();
    let error = open(&spec(&path, false), &schema).err().unwrap();
    assert_eq!(error.kind, FailureKind::Usage);
    assert!(error.message.contains("--force") && error.message.contains("rows.csv"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");

    let mut sink = open(&spec(&path, true), &schema).unwrap();
    sink.batch(0, &rows(&[7])).unwrap();
    sink.end_batch(0).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n", "kept until the new file is whole");
    sink.finish().unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("row 7"));
}

#[test]
fn a_file_that_appears_during_the_run_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.csv");
    let sink = open(&spec(&path, false), &rows(&[]).schema()).unwrap();
    fs::write(&path, "mine\n").unwrap();
    let failure = sink.finish().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Run, "it was free before the first row");
    assert!(failure.message.contains("rows.partial.csv"), "{failure}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
    assert_eq!(files_in(&folder), ["rows.csv", "rows.partial.csv"]);
}

#[test]
fn a_dropped_sink_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let mut sink =
        open(&spec(&folder.path().join("rows.parquet"), false), &rows(&[]).schema()).unwrap();
    sink.batch(0, &rows(&[1])).unwrap();
    sink.end_batch(0).unwrap();
    assert_eq!(files_in(&folder).len(), 1);
    drop(sink);
    assert!(files_in(&folder).is_empty());
}

#[test]
fn a_failed_run_keeps_its_whole_batches_readable() {
    for (extension, _) in FORMATS {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(format!("rows.{extension}"));
        let mut sink = open(&spec(&path, false), &rows(&[]).schema()).unwrap();
        sink.batch(0, &rows(&[1, 2])).unwrap();
        sink.end_batch(0).unwrap();
        sink.batch(1, &rows(&[3])).unwrap();
        let kept = sink.abandon().unwrap().unwrap();
        let partial = format!("rows.partial.{extension}");
        assert!(kept.contains(&partial) && kept.contains("(2 rows)"), "{kept}");
        assert_eq!(files_in(&folder), std::slice::from_ref(&partial));
        assert_eq!(read_rows(&folder.path().join(partial)), 2);
    }
}

#[test]
fn a_failure_before_the_first_row_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.parquet");
    let sink = open(&spec(&path, false), &rows(&[]).schema()).unwrap();
    assert_eq!(sink.abandon().unwrap(), None);
    assert!(files_in(&folder).is_empty());
}

#[test]
fn equal_names_are_refused_where_the_format_cannot_hold_them() {
    let field = || Field::new("k", DataType::Int32, true);
    let schema: SchemaRef =
        Arc::new(Schema::new(vec![field(), Field::new("v", DataType::Int32, true), field()]));
    for (extension, format) in FORMATS {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(format!("rows.{extension}"));
        let result = open(&spec(&path, false), &schema);
        if !matches!(format, FileFormat::ArrowFile | FileFormat::ArrowStream) {
            let error = result.err().unwrap();
            assert_eq!(error.kind, FailureKind::Usage);
            assert!(error.message.contains("`k` is output column 1 and 3"), "{error}");
            assert!(error.message.contains("select"), "{error}");
            assert!(files_in(&folder).is_empty());
        } else {
            let column: ArrayRef = Arc::new(Int32Array::from(vec![1]));
            let rows =
                RecordBatch::try_new(schema.clone(), vec![column.clone(), column.clone(), column])
                    .unwrap();
            let mut sink = result.unwrap();
            sink.batch(0, &rows).unwrap();
            sink.finish().unwrap();
        }
    }
}

#[test]
fn a_folder_is_no_file_and_a_missing_folder_is_made() {
    let folder = TempDir::new().unwrap();
    let schema = rows(&[]).schema();
    let spec = |path: &Path| SinkSpec::resolve(Some(path), Some("csv"), false).unwrap();
    let error = open(&spec(folder.path()), &schema).err().unwrap();
    assert_eq!(error.kind, FailureKind::Usage);
    open(&spec(&folder.path().join("new/rows.csv")), &schema).unwrap().finish().unwrap();
    assert!(folder.path().join("new/rows.csv").exists(), "the folder is made");
}

#[cfg(unix)]
#[test]
fn a_device_is_written_in_place() {
    use std::os::unix::fs::FileTypeExt;

    let path = Path::new("/dev/null");
    let spec = SinkSpec::resolve(Some(path), Some("jsonl"), true).unwrap();
    let mut sink = open(&spec, &rows(&[]).schema()).unwrap();
    sink.batch(0, &rows(&[1])).unwrap();
    sink.end_batch(0).unwrap();
    sink.finish().unwrap();
    assert!(fs::metadata(path).unwrap().file_type().is_char_device());
}

#[test]
fn path_and_format_find_the_sink() {
    let resolve =
        |path: Option<&str>, format| SinkSpec::resolve(path.map(Path::new), format, false);
    assert_eq!(resolve(None, None).unwrap(), SinkSpec::None);
    assert_eq!(resolve(None, Some("none")).unwrap(), SinkSpec::None);
    assert_eq!(resolve(None, Some("console")).unwrap(), SinkSpec::Console);
    assert!(resolve(None, Some("console")).unwrap().uses_stdout());
    let stdout = resolve(Some("-"), Some("csv")).unwrap();
    assert!(stdout.uses_stdout());
    assert_eq!(
        resolve(Some("-"), None).unwrap(),
        SinkSpec::File { path: "-".into(), format: FileFormat::JsonLines, force: false }
    );
    for (path, format, words) in [
        (None, Some("parquet"), "-o PATH"),
        (Some("x.parquet"), Some("console"), "writes no file"),
        (Some("x.dat"), None, "extension"),
        (None, Some("consol"), "did you mean `console`"),
    ] {
        let error = resolve(path, format).unwrap_err();
        assert_eq!(error.kind, FailureKind::Usage);
        assert!(error.message.contains(words), "{error}");
    }
    for format in SinkFormat::ALL {
        assert_eq!(format.to_string().parse::<SinkFormat>().unwrap(), format);
    }
}

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(buffer)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Page {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[test]
fn the_console_prints_as_spark_does() {
    let page = Page::default();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("k", Arc::new(Int32Array::from(vec![Some(1), None]))),
        ("amount", Arc::new(Float64Array::from(vec![Some(2.5), Some(1e10)]))),
        ("name", Arc::new(StringArray::from(vec![Some("twenty-one characters"), Some("日本\n")]))),
        ("at", Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None]))),
        ("raw", Arc::new(BinaryArray::from(vec![Some(&b"a\xff"[..]), None]))),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let mut console = Console::new(&rows.schema(), Box::new(page.clone()));
    console.batch(0, &rows.slice(0, 1)).unwrap();
    console.batch(0, &rows.slice(1, 1)).unwrap();
    console.end_batch(0).unwrap();
    console.end_batch(1).unwrap();
    let expected = "\
-------------------------------------------
Batch: 0
-------------------------------------------
+----+------+--------------------+-------------------+-------+
|   k|amount|                name|                 at|    raw|
+----+------+--------------------+-------------------+-------+
|   1|   2.5|twenty-one charac...|1970-01-01 00:00:00|[61 FF]|
|NULL|1.0E10|              日本\\n|               NULL|   NULL|
+----+------+--------------------+-------------------+-------+

-------------------------------------------
Batch: 1
-------------------------------------------
+---+------+----+---+---+
|  k|amount|name| at|raw|
+---+------+----+---+---+
+---+------+----+---+---+

";
    assert_eq!(page.text(), expected);
}

#[test]
fn the_console_shows_twenty_rows() {
    let page = Page::default();
    let schema = rows(&[]).schema();
    let mut console = Console::new(&schema, Box::new(page.clone()));
    console.batch(0, &rows(&(0..20).collect::<Vec<_>>())).unwrap();
    console.end_batch(0).unwrap();
    assert!(!page.text().contains("only showing"));
    console.batch(1, &rows(&(0..15).collect::<Vec<_>>())).unwrap();
    console.batch(1, &rows(&(15..30).collect::<Vec<_>>())).unwrap();
    console.end_batch(1).unwrap();
    let text = page.text();
    assert!(text.ends_with("only showing top 20 rows\n\n"), "{text}");
    assert!(text.contains("|row 19|") && !text.contains("|row 20|"), "{text}");
}
