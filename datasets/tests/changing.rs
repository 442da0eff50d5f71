//! Files that change while they are read.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use arrow::array::*;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::*;
use streamjoin_datasets::{Batches, FileFormat, ReadOptions, Source, writer};

const BATCHES: usize = 5;
const ROWS: usize = 2000;

/// Texts, dictionary codes and numbers: what Arrow checks once, and what it does not.
fn batch(number: usize) -> RecordBatch {
    let rows = || (0..ROWS).map(move |row| format!("text {number} of row {row}"));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(rows()));
    let kinds = StringArray::from_iter_values((0..ROWS).map(|row| ["a", "b", "c"][row % 3]));
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    RecordBatch::try_from_iter([
        ("view", cast(&texts, &DataType::Utf8View).unwrap()),
        ("text", texts),
        ("kind", cast(&kinds, &dictionary).unwrap()),
        ("number", Arc::new(Int64Array::from_iter_values(0..2000)) as ArrayRef),
    ])
    .unwrap()
}

fn write(path: &Path, format: FileFormat) {
    let file = Box::new(File::create(path).unwrap());
    let mut out = writer(format, file, &batch(0).schema()).unwrap();
    (0..BATCHES).for_each(|number| out.write(&batch(number)).unwrap());
    out.finish().unwrap();
    // So that whoever writes to it changes its time, however coarse the clock.
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
}

fn open(path: &Path) -> Batches {
    Source::open(path, &ReadOptions::default()).unwrap().read(None).unwrap()
}

#[test]
fn bytes_that_were_checked_do_not_change() {
    let dir = tempfile::tempdir().unwrap();
    for format in FileFormat::all().filter(|format| format.stores_types()) {
        let path = dir.path().join(format!("t.{}", format.extensions()[0]));
        write(&path, format);
        let mut batches = open(&path);
        let held = batches.next().unwrap().unwrap().batch.slice(0, ROWS);
        // Neither UTF-8 nor a code of the dictionary nor an offset.
        let file = File::options().write(true).open(&path).unwrap();
        let len = fs::metadata(&path).unwrap().len();
        file.write_all_at(&vec![0xff; len as usize], 0).unwrap();
        assert_eq!(plain(&held), plain(&batch(0)), "{format}");
        // What comes after is rows or an error that names the file.
        let read: Result<Vec<_>, _> = batches.collect();
        let error = read.unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        assert_eq!(plain(&held), plain(&batch(0)), "{format}");
    }
}

fn plain(batch: &RecordBatch) -> Vec<ArrayRef> {
    let kind = cast(batch.column(2), &DataType::Utf8).unwrap();
    let view = cast(batch.column(0), &DataType::Utf8).unwrap();
    vec![view, batch.column(1).clone(), kind, batch.column(3).clone()]
}

#[test]
fn batches_that_are_held_are_not_read_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.arrow");
    write(&path, FileFormat::ArrowFile);
    for projection in [vec![0, 1, 2, 3], vec![1], vec![3], vec![0, 2]] {
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        let read = source.read(Some(&projection)).unwrap();
        let held: Vec<RecordBatch> = read.map(|batch| batch.unwrap().batch).collect();
        let expected: Vec<RecordBatch> =
            (0..BATCHES).map(|number| batch(number).project(&projection).unwrap()).collect();
        let schema = expected[0].schema();
        let (held, expected) =
            (concat_batches(&schema, &held).unwrap(), concat_batches(&schema, &expected).unwrap());
        for (a, b) in held.columns().iter().zip(expected.columns()) {
            let plain = |array| cast(array, &DataType::Utf8).unwrap();
            assert_eq!(&plain(a), &plain(b), "{projection:?}");
        }
    }
}

/// Between any two steps, to any length.
#[test]
fn a_file_that_is_cut_while_it_is_read_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.arrow");
    write(&path, FileFormat::ArrowFile);
    let bytes = fs::read(&path).unwrap();
    for read in 0..=BATCHES {
        for len in (0..bytes.len()).step_by(bytes.len() / 12).chain([6, 8, 64, bytes.len() - 1]) {
            fs::write(&path, &bytes).unwrap();
            let mut batches = open(&path);
            for _ in 0..read {
                batches.next().unwrap().unwrap();
            }
            let file = File::options().write(true).open(&path).unwrap();
            file.set_len(len as u64).unwrap();
            let error = batches.find_map(Result::err).expect("an error").to_string();
            assert!(
                error.contains("t.arrow was cut from") && error.contains("while it was read"),
                "{read} batches, {len} bytes: {error}"
            );
            assert!(batches.next().is_none());
        }
    }
}

#[test]
fn a_file_that_is_cut_before_it_is_read_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.arrow");
    write(&path, FileFormat::ArrowFile);
    let bytes = fs::read(&path).unwrap();
    for len in [0, 6, 8, 17, 18, 64, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes).unwrap();
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(len as u64).unwrap();
        let error = source.read(None).unwrap_err().to_string();
        assert!(error.contains("t.arrow was cut from"), "{len}: {error}");
    }
}
