//! Any bytes as a file of any format: rows or a typed error, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use streamjoin_datasets::{FileFormat, ReadOptions, Source};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, content)) = data.split_first() else { return };
    let formats: Vec<FileFormat> = FileFormat::all().into_iter().collect();
    let format = formats[usize::from(choice) % formats.len()];
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Ok(source) = Source::open(file.path(), &options) else { return };
    // The last column alone too: what lies before it is not read.
    for projection in [None, Some(vec![source.schema().fields().len() - 1])] {
        if let Ok(batches) = source.read(projection.as_deref()) {
            for batch in batches {
                if batch.is_err() {
                    break;
                }
            }
        }
    }
});
