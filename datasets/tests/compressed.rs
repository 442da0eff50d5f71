//! Files that are compressed as a whole: whole, of several parts, cut, damaged.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use flate2::write::GzEncoder;
use streamjoin_datasets::{DatasetError, FileFormat, ReadOptions, Source, writer};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 0).unwrap()
}

fn put(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

fn rows(path: &Path) -> Result<usize, DatasetError> {
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
    let tells = FileFormat::from_path(path).is_none_or(FileFormat::stores_types);
    let schema = (!tells).then_some(schema);
    let source = Source::open(path, &ReadOptions { schema, ..ReadOptions::default() })?;
    source.read(None)?.map(|batch| batch.map(|b| b.batch.num_rows())).sum()
}

fn refused(path: &Path, parts: &[&str]) {
    let error = rows(path).unwrap_err().to_string();
    assert!(error.contains(path.to_str().unwrap()), "{error}");
    parts.iter().for_each(|part| assert!(error.contains(part), "`{part}` is not in: {error}"));
}

/// The same 1,000 rows in each format that may be compressed.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let numbers: Vec<i64> = (0..1000).map(|i| i * i * 7919 % 100_003).collect();
    let csv: String = numbers.iter().map(|n| format!("{n}\n")).collect();
    let json: String = numbers.iter().map(|n| format!("{{\"a\":{n}}}\n")).collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arrows");
    let column = Arc::new(Int64Array::from(numbers)) as arrow::array::ArrayRef;
    let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
    let sink = Box::new(File::create(&path).unwrap());
    let mut out = writer(FileFormat::ArrowStream, sink, &batch.schema()).unwrap();
    out.write(&batch).unwrap();
    out.finish().unwrap();
    vec![
        ("csv", format!("a\n{csv}").into_bytes()),
        ("jsonl", json.into_bytes()),
        ("arrows", fs::read(path).unwrap()),
    ]
}

#[test]
fn cut_anywhere_it_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for (extension, content) in contents() {
        for (packing, packed) in [("gz", gzip(&content)), ("zst", zstd(&content))] {
            let path = put(dir.path(), &format!("a.{extension}.{packing}"), &packed);
            assert_eq!(rows(&path).unwrap(), 1000);
            for len in (0..packed.len()).step_by(61).chain([1, 2, 3, packed.len() - 1]) {
                fs::write(&path, &packed[..len]).unwrap();
                refused(&path, &[]);
            }
            fs::write(&path, &packed[..packed.len() - 1]).unwrap();
            refused(&path, &["cut off"]);
        }
    }
}

#[test]
fn damaged_anywhere_it_is_never_other_rows() {
    let dir = tempfile::tempdir().unwrap();
    for (extension, content) in contents() {
        let packed = gzip(&content);
        let path = dir.path().join(format!("a.{extension}.gz"));
        // Behind the header, whose name and time say nothing.
        for at in (10..packed.len()).step_by(67) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            fs::write(&path, &damaged).unwrap();
            refused(&path, &[]);
        }
    }
}

#[test]
fn several_parts_folders_and_globs() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    for (name, pack) in [("gz", gzip as fn(&[u8]) -> Vec<u8>), ("zst", zstd)] {
        let two = [pack(b"{\"a\":1}\n{\"a\""), pack(b""), pack(b":2}\n")].concat();
        assert_eq!(rows(&put(at, &format!("two.jsonl.{name}"), two)).unwrap(), 2);
    }
    // Compressed and plain files of one format are one recording.
    put(at, "d/1.csv", "a\n1\n");
    put(at, "d/2.csv.gz", gzip(b"\xef\xbb\xbfa\r\n2\r\n"));
    put(at, "d/3.csv.zst", zstd(b"a\n3\n4\n"));
    for path in ["d", "d/*", "*/*.csv*"] {
        let source = Source::open(&at.join(path), &ReadOptions::default()).unwrap();
        let rows: usize =
            source.read(None).unwrap().map(|batch| batch.unwrap().batch.num_rows()).sum();
        assert_eq!((source.files().len(), rows), (3, 4), "{path}");
    }
    put(at, "t/a.tsv.gz", gzip(b"a\tb\n1\t2\n"));
    let source = Source::open(&at.join("t"), &ReadOptions::default()).unwrap();
    assert_eq!(source.schema().fields().len(), 2);
}

#[test]
fn names_and_contents_that_do_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    refused(&put(at, "plain.csv.gz", "a\n1\n"), &["it is not gzip", "rename it"]);
    // The first bytes say which compression it is, whatever the name says.
    assert_eq!(rows(&put(at, "other.csv.gz", zstd(b"a\n1\n"))).unwrap(), 1);
    assert_eq!(rows(&put(at, "a.csv", gzip(b"a\n1\n"))).unwrap(), 1);
    refused(&put(at, "twice.csv.gz", gzip(&gzip(b"a\n1\n"))), &["decompress it first"]);
    refused(&put(at, "empty.csv.gz", gzip(b"")), &["0 bytes"]);
    refused(&put(at, "zero.csv.gz", b""), &["0 bytes"]);
    let parquet = at.join("a.parquet.gz");
    fs::write(&parquet, gzip(b"PAR1")).unwrap();
    refused(&parquet, &["compressed as a whole", "decompress it first"]);
    refused(&put(at, "a.gz", gzip(b"a\n1\n")), &["cannot tell the format"]);
}
