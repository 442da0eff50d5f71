//! Damaged files: cut anywhere, any byte changed. Never a panic, always a typed
//! error that names the file, or rows.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use arrow::array::*;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::*;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use streamjoin_datasets::{DatasetError, FileFormat, ReadOptions, Source, writer};

fn table() -> RecordBatch {
    let texts: StringArray =
        (0..40).map(|i| (i % 7 != 0).then(|| format!("text number {i}"))).collect();
    let texts: ArrayRef = Arc::new(texts);
    let kinds: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..40).map(|i| ["a", "b", "c"][i % 3])));
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let numbers = Int64Array::from_iter((0..40).map(|i| (i % 5 != 0).then_some(i * 1_000_003)));
    let decimals =
        Decimal128Array::from_iter_values(0..40).with_precision_and_scale(12, 2).unwrap();
    let times = TimestampMicrosecondArray::from_iter_values((0..40).map(|i| i * 60_000_000));
    RecordBatch::try_from_iter_with_nullable([
        ("number", Arc::new(numbers) as ArrayRef, true),
        ("text", texts.clone(), true),
        ("view", cast(&texts, &DataType::Utf8View).unwrap(), true),
        ("kind", cast(&kinds, &dictionary).unwrap(), true),
        ("flag", Arc::new(BooleanArray::from_iter((0..40).map(|i| Some(i % 2 == 0)))), true),
        ("decimal", Arc::new(decimals), true),
        ("time", Arc::new(times.with_timezone("UTC")), true),
    ])
    .unwrap()
}

/// A file of each format, and compressed Arrow files too.
fn files(dir: &Path) -> Vec<(FileFormat, Vec<u8>)> {
    let table = table();
    let batches = [table.slice(0, 25), table.slice(25, 15)];
    let mut files = Vec::new();
    for format in FileFormat::all() {
        let path = dir.join("good");
        let mut out =
            writer(format, Box::new(File::create(&path).unwrap()), &table.schema()).unwrap();
        batches.iter().for_each(|batch| out.write(batch).unwrap());
        out.finish().unwrap();
        files.push((format, fs::read(&path).unwrap()));
    }
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = || IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let mut file =
            FileWriter::try_new_with_options(Vec::new(), &table.schema(), options()).unwrap();
        let mut stream =
            StreamWriter::try_new_with_options(Vec::new(), &table.schema(), options()).unwrap();
        // One batch: a plain writer cannot replace a file's dictionary.
        file.write(&table).unwrap();
        stream.write(&table).unwrap();
        files.push((FileFormat::ArrowFile, file.into_inner().unwrap()));
        files.push((FileFormat::ArrowStream, stream.into_inner().unwrap()));
    }
    files
}

fn read(path: &Path, options: &ReadOptions) -> Result<RecordBatch, DatasetError> {
    let source = Source::open(path, options)?;
    let batches: Vec<RecordBatch> =
        source.read(None)?.map(|batch| batch.map(|b| b.batch)).collect::<Result<_, _>>()?;
    Ok(concat_batches(source.schema(), &batches).unwrap())
}

fn check(result: &Result<RecordBatch, DatasetError>, path: &Path) {
    if let Err(error) = result {
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()), "the file is not named: {text}");
    }
}

fn plain(column: &ArrayRef) -> ArrayRef {
    cast(column, &DataType::Utf8).unwrap()
}

#[test]
fn cut_at_every_length() {
    let dir = tempfile::tempdir().unwrap();
    let table = table();
    for (number, (format, bytes)) in files(dir.path()).into_iter().enumerate() {
        let path = dir.path().join(format!("cut{number}.{}", format.extensions()[0]));
        let schema = (!format.stores_types()).then(|| table.schema());
        let options = ReadOptions { schema, ..Default::default() };
        fs::write(&path, &bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for len in (0..=bytes.len()).rev() {
            file.set_len(len as u64).unwrap();
            let result = read(&path, &options);
            check(&result, &path);
            let whole = len == bytes.len();
            if format.stores_types() {
                assert_eq!(result.is_ok(), whole, "{format} {len} of {}: {result:?}", bytes.len());
            }
            if whole {
                let found = result.unwrap();
                for (a, b) in found.columns().iter().zip(table.columns()) {
                    assert_eq!(&plain(a), &plain(b));
                }
            }
        }
    }
}

#[test]
fn any_byte_changed() {
    let dir = tempfile::tempdir().unwrap();
    let table = table();
    for (number, (format, bytes)) in files(dir.path()).into_iter().enumerate() {
        let path = dir.path().join(format!("changed{number}.{}", format.extensions()[0]));
        let schema = (!format.stores_types()).then(|| table.schema());
        let options = ReadOptions { schema, ..Default::default() };
        fs::write(&path, &bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for at in 0..bytes.len() {
            let flip = [0x01, 0x80, 0xff][at % 3];
            file.write_all_at(&[bytes[at] ^ flip], at as u64).unwrap();
            check(&read(&path, &options), &path);
            file.write_all_at(&bytes[at..=at], at as u64).unwrap();
        }
    }
}

#[test]
fn runs_of_bytes_changed() {
    let dir = tempfile::tempdir().unwrap();
    for (number, (format, bytes)) in files(dir.path()).into_iter().enumerate() {
        let path = dir.path().join(format!("runs{number}.{}", format.extensions()[0]));
        // Without a declared schema: inference reads the damage too.
        let options = ReadOptions::default();
        fs::write(&path, &bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for at in (0..bytes.len()).step_by(5) {
            let run = &bytes[at..(at + 8).min(bytes.len())];
            let with = [0x00, 0x7f, 0xff][at % 3];
            file.write_all_at(&vec![with; run.len()], at as u64).unwrap();
            check(&read(&path, &options), &path);
            file.write_all_at(run, at as u64).unwrap();
        }
    }
}

/// Reads all columns, and the last one alone: the others are not even read then.
fn read_both(path: &Path) {
    let options = ReadOptions::default();
    check(&read(path, &options), path);
    let Ok(source) = Source::open(path, &options) else { return };
    let last = [source.schema().fields().len() - 1];
    let read = source.read(Some(&last)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    if let Err(error) = read {
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
}

#[test]
fn extreme_numbers_anywhere_in_an_arrow_file() {
    let dir = tempfile::tempdir().unwrap();
    let files =
        files(dir.path()).into_iter().filter(|(format, _)| *format == FileFormat::ArrowFile);
    for (number, (_, bytes)) in files.enumerate() {
        let path = dir.path().join(format!("extreme{number}.arrow"));
        fs::write(&path, &bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        // Numbers of the metadata and the footer are aligned to four bytes.
        for at in (0..bytes.len() - 8).step_by(4) {
            let value = [i64::MAX, -1, 1 << 40][at / 4 % 3];
            file.write_all_at(&value.to_le_bytes(), at as u64).unwrap();
            read_both(&path);
            file.write_all_at(&bytes[at..at + 8], at as u64).unwrap();
        }
    }
}

#[test]
fn an_arrow_file_without_some_of_its_middle() {
    let dir = tempfile::tempdir().unwrap();
    let files =
        files(dir.path()).into_iter().filter(|(format, _)| *format == FileFormat::ArrowFile);
    for (number, (_, bytes)) in files.enumerate() {
        let path = dir.path().join(format!("gap{number}.arrow"));
        for from in (8..bytes.len()).step_by(120) {
            for len in [1, 8, 64, 1000] {
                let rest = &bytes[bytes.len().min(from + len)..];
                fs::write(&path, [&bytes[..from], rest].concat()).unwrap();
                read_both(&path);
            }
        }
    }
}
