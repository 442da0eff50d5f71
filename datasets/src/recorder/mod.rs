//! From a live input to a recording: rows as they arrive, each with the time of
//! its arrival.

mod cut;
mod overflow;
mod rescue;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

pub use cut::BatchCut;

use crate::compression::Compression;
use crate::digest::{RunningSum, sha256_file};
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::{LiveFormat, ReadOptions, format_of, live, writer_for};
use crate::input::{Input, Live, LiveReader};
use crate::sidecar::{FileDigest, Sidecar, default_name, sidecar_path};
use crate::type_text::timestamp_utc;
use crate::write::{AtomicFile, BatchWriter};
use cut::Cutter;
use overflow::Overflow;
use rescue::rescue;

/// How a live input is recorded, and what the sidecar says.
#[derive(Debug, Clone)]
pub struct RecordOptions {
    /// Name of the input in messages and in the sidecar.
    pub input: String,
    /// Format of the input; `None` = by its first bytes.
    pub input_format: Option<LiveFormat>,
    /// The prefix of the columns of kcat's own (topic, offset, ...).
    pub kcat_prefix: String,
    /// How the input is read: declared columns, header and delimiter of CSV.
    pub read: ReadOptions,
    /// Format of the file; `None` = by extension.
    pub format: Option<FileFormat>,
    /// Replace an existing file.
    pub force: bool,
    /// The column that gets the time of arrival (microseconds, UTC).
    pub arrival: String,
    /// Batches to cut it into.
    pub cut: Option<BatchCut>,
    /// Name in the catalogue (default: the file's name without extension).
    pub name: Option<String>,
    /// One sentence on what a row is.
    pub description: String,
    /// Event-time column.
    pub event_time: Option<String>,
}

/// The result of recording.
#[derive(Debug)]
pub struct Recorded {
    /// The file: `NAME.partial.EXTENSION` after a failure.
    pub path: PathBuf,
    /// Its sidecar, or why it has none.
    pub sidecar: Result<PathBuf>,
    /// Format of the input.
    pub input_format: LiveFormat,
    /// Rows in the file.
    pub rows: u64,
    /// Rows that had arrived and are not in the file, as it could not be written.
    pub lost: Lost,
    /// Batches, if it was cut.
    pub batches: Option<u64>,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file in lower-case hexadecimal.
    pub sha256: String,
    /// What ended it before the input ended.
    pub failure: Option<DatasetError>,
}

/// The rows of a recording that are not in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// This many rows, the last ones.
    Rows(u64),
    /// The file is cut off within its compression or its last rows, which were
    /// not counted.
    Unknown,
}

/// Records `input` until it ends, `live` says so, or something is wrong with
/// it. Memory does not grow with the rows. The file appears when it is whole,
/// and then its sidecar; a second thread reads the input, and may outlive the
/// call until something arrives or the input ends.
///
/// # Errors
/// The file exists, a format that cannot hold the columns, a column whose name
/// is taken, an input without a row and without columns, a file that cannot be
/// written. What goes wrong after the first row is [`Recorded::failure`], unless
/// nothing can be kept ([`DatasetError::NothingKept`]).
pub fn record(
    input: impl Read + Send + 'static,
    to: &Path,
    options: &RecordOptions,
    live_state: &Arc<Live>,
) -> Result<Recorded> {
    let format = options.format.map_or_else(|| format_of(to), Ok)?;
    let file = AtomicFile::create(to, options.force)?;
    let origin = Path::new(&options.input);
    let input = Input::live(origin, LiveReader::start(input, live_state.clone()))?;
    let mut rows = live(origin, input, options.input_format, &options.kcat_prefix, &options.read)?;
    let schema = recorded_schema(&rows.schema, options)?;
    let sum = RunningSum::default();
    let sink = Overflow::new(file.handle()?);
    let mut writer = writer_for(to, format, Box::new(sum.writer(sink.clone())), &schema)?;
    let mut recording = Recording {
        schema: schema.clone(),
        cutter: options.cut.as_ref().map(Cutter::new),
        rows: 0,
    };
    let input_format = rows.format;
    let mut unwritten = None;
    let failure = loop {
        let place = rows.batches.place();
        let next = input_format.file_format().guard(origin, place, || rows.batches.next_batch());
        match next {
            Ok(Some(batch)) => {
                let added = recording.add(&batch, &rows.batches.arrivals(), writer.as_mut());
                unwritten = added.err();
                if unwritten.is_some() || sink.has_failed() {
                    break None;
                }
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    if recording.rows == 0
        && let Some(error) = failure
    {
        return Err(error);
    }
    let finished = writer.finish();
    let unwritten = match sink.take_failure() {
        Some(error) => Some(DatasetError::io(to, "write", error)),
        None => unwritten.or(finished.err()).map(|error| error.written_to(to)),
    };
    let mut lost = Lost::Rows(0);
    let mut sum = sum.get();
    let failure = match unwritten {
        Some(error) => {
            let error = cut_to_whole(error, to, format, &sink, &mut recording, &mut lost)?;
            sum = sha256_file(file.temporary())?;
            Some(error)
        }
        None => failure,
    };
    let (path, failure) = keep(file, to, options.force, failure)?;
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let batches = recording.cutter.as_ref().map(|cutter| cutter.batches_of(recording.rows));
    let sidecar = Sidecar {
        name: options.name.clone().unwrap_or_else(|| default_name(to)),
        description: options.description.clone(),
        schema: Sidecar::columns(&schema),
        event_time: options.event_time.clone(),
        arrival: Some(options.arrival.clone()),
        batch_borders: recording.cutter.and_then(|cutter| cutter.into_borders(recording.rows)),
        sorted_by: Vec::new(),
        rows: recording.rows,
        files: vec![FileDigest { path: file_name, bytes: sum.bytes, sha256: sum.sha256.clone() }],
        licence: None,
        source: Some(format!("{}, {input_format}", options.input)),
    };
    let sidecar = match lost {
        Lost::Rows(_) => sidecar.write(&path),
        Lost::Unknown => Err(DatasetError::Sidecar {
            path: sidecar_path(&path),
            message: "the rows of the file are not known".to_owned(),
        }),
    };
    let (bytes, sha256) = (sum.bytes, sum.sha256);
    Ok(Recorded {
        path,
        sidecar,
        input_format,
        rows: recording.rows,
        lost,
        batches,
        bytes,
        sha256,
        failure,
    })
}

/// Makes a readable file of what was written before `error`, if it can.
fn cut_to_whole(
    error: DatasetError,
    to: &Path,
    format: FileFormat,
    sink: &Overflow,
    recording: &mut Recording,
    lost: &mut Lost,
) -> Result<DatasetError> {
    let nothing = |failure: DatasetError, why: String| {
        let failure = Box::new(failure);
        DatasetError::NothingKept { failure, rows: recording.rows, format, kept: why }
    };
    if let Some(compression) = Compression::from_path(to) {
        if sink.write_tail().is_err() {
            *lost = Lost::Unknown;
        }
        if sink.written() == 0 {
            return Err(nothing(error, format!("{compression} had written no byte")));
        }
        return Ok(error);
    }
    match rescue(format, sink) {
        Ok(0) => Err(nothing(error, "the disk took no whole part".to_owned())),
        Ok(rows) => {
            *lost = Lost::Rows(recording.rows.saturating_sub(rows));
            recording.rows = rows;
            Ok(error)
        }
        Err(why) if matches!(format, FileFormat::ArrowFile | FileFormat::Parquet) => {
            Err(nothing(error, why.to_string()))
        }
        Err(_) => {
            *lost = Lost::Unknown;
            Ok(error)
        }
    }
}

/// Gives the file its name, or that of a partial file.
fn keep(
    file: AtomicFile,
    to: &Path,
    force: bool,
    failure: Option<DatasetError>,
) -> Result<(PathBuf, Option<DatasetError>)> {
    // Somebody may have created that file meanwhile: neither is lost.
    let failure = failure
        .or_else(|| (!force && to.exists()).then(|| DatasetError::Exists { path: to.to_owned() }));
    if failure.is_some() {
        let path = file.keep_partial()?;
        remove_sidecar(&path)?;
        return Ok((path, failure));
    }
    remove_sidecar(to)?;
    file.commit()?;
    Ok((to.to_owned(), None))
}

/// An old sidecar must not describe a new file.
fn remove_sidecar(path: &Path) -> Result<()> {
    let old = sidecar_path(path);
    match old.is_file() {
        true => fs::remove_file(&old).map_err(|e| DatasetError::io(&old, "replace", e)),
        false => Ok(()),
    }
}

/// The input's columns, then those that are added.
fn recorded_schema(input: &SchemaRef, options: &RecordOptions) -> Result<SchemaRef> {
    let names = || input.fields().iter().map(|field| field.name().as_str());
    if let Some(name) = &options.event_time
        && !names().chain([options.arrival.as_str()]).any(|known| known == name)
    {
        return Err(DatasetError::unknown_column(&options.input, name, names()));
    }
    let mut fields: Vec<FieldRef> = input.fields().to_vec();
    let cut = options.cut.as_ref().map(|cut| (&cut.column, DataType::Int64, "--batch-column"));
    for (name, data_type, option) in
        [(&options.arrival, timestamp_utc(), "--arrival")].into_iter().chain(cut)
    {
        // Names are compared without regard to case where they are used.
        if let Some(taken) = fields.iter().find(|field| field.name().eq_ignore_ascii_case(name)) {
            return Err(DatasetError::Collision {
                origin: options.input.clone(),
                name: taken.name().clone(),
                option,
            });
        }
        fields.push(Arc::new(Field::new(name, data_type, false)));
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, input.metadata().clone())))
}

/// What is written so far.
struct Recording {
    schema: SchemaRef,
    cutter: Option<Cutter>,
    rows: u64,
}

impl Recording {
    fn add(
        &mut self,
        batch: &RecordBatch,
        arrivals: &[i64],
        writer: &mut dyn BatchWriter,
    ) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let mut columns = batch.columns().to_vec();
        let times = TimestampMicrosecondArray::from_iter_values(arrivals.iter().copied());
        columns.push(Arc::new(times.with_timezone("UTC")));
        if let Some(cutter) = &mut self.cutter {
            let batches = arrivals.iter().map(|arrived| cutter.batch_of(*arrived));
            let batches: ArrayRef = Arc::new(Int64Array::from_iter_values(batches));
            columns.push(batches);
        }
        let batch = RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|source| DatasetError::arrow("record", source))?;
        writer.write(&batch)?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }
}
