//! From a live input to a recording: rows as they come, each with the time at
//! which it came.

mod cut;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

pub use cut::BatchCut;

use crate::digest::RunningSum;
use crate::error::{DatasetError, Result, nearest};
use crate::format::{FileFormat, LiveFormat, live};
use crate::import::name_of;
use crate::input::{Input, Live, LiveReader};
use crate::options::ReadOptions;
use crate::sidecar::{FileDigest, Sidecar, sidecar_path};
use crate::type_text::timestamp_utc;
use crate::write::{AtomicFile, BatchWriter, writer_for};
use cut::Cutter;

/// How a live input is recorded, and what the sidecar says.
#[derive(Debug, Clone)]
pub struct RecordOptions {
    /// Name of the input in messages and in the sidecar.
    pub input: String,
    /// Format of the input; `None` = by its first bytes.
    pub input_format: Option<LiveFormat>,
    /// What stands before the names of the columns that tell where a message
    /// of kcat is from.
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

/// What a recording became.
#[derive(Debug)]
pub struct Recorded {
    /// The file: `NAME.partial.EXTENSION` after a failure.
    pub path: PathBuf,
    /// Its sidecar.
    pub sidecar: PathBuf,
    /// What the input was of.
    pub input_format: LiveFormat,
    /// Rows written.
    pub rows: u64,
    /// Batches, if it was cut.
    pub batches: Option<u64>,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file in lower-case hexadecimal.
    pub sha256: String,
    /// What ended it before the input did; the rows before that are in the file.
    pub failure: Option<DatasetError>,
}

/// Records `input` until it ends, `live` says so, or something is wrong with
/// it. Memory does not grow with the rows. The file appears when it is whole,
/// and then its sidecar; a second thread reads the input, and may outlive the
/// call until the input gives something or ends.
///
/// # Errors
/// The file exists, a format that cannot hold the columns, a column whose name
/// is taken, an input without a row and without columns, a file that cannot be
/// written. What goes wrong after the first row is [`Recorded::failure`].
pub fn record(
    input: impl Read + Send + 'static,
    to: &Path,
    options: &RecordOptions,
    live_state: &Arc<Live>,
) -> Result<Recorded> {
    let format = options.format.or_else(|| FileFormat::from_path(to));
    let format = format.ok_or_else(|| DatasetError::UnknownFormat {
        path: to.to_owned(),
        known: FileFormat::known_extensions(),
    })?;
    let file = AtomicFile::create(to, options.force)?;
    let origin = Path::new(&options.input);
    let input = Input::live(origin, LiveReader::start(input, live_state.clone()))?;
    let mut rows = live(origin, input, options.input_format, &options.kcat_prefix, &options.read)?;
    let schema = recorded_schema(&rows.schema, options)?;
    let sum = RunningSum::default();
    let sink = Box::new(sum.writer(file.handle()?));
    let mut writer = writer_for(to, format, sink, &schema)?;
    let mut recording = Recording {
        schema: schema.clone(),
        cutter: options.cut.as_ref().map(Cutter::new),
        rows: 0,
    };
    let input_format = rows.format;
    let failure = loop {
        let place = rows.batches.place();
        let next = input_format.file_format().guard(origin, place, || rows.batches.next_batch());
        match next {
            Ok(Some(batch)) => {
                recording.add(&batch, &rows.batches.arrivals(), writer.as_mut())?;
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
    writer.finish()?;
    let sum = sum.get();
    let (path, failure) = keep(file, to, options.force, failure)?;
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let batches = recording.cutter.as_ref().map(Cutter::batches);
    let sidecar = Sidecar {
        name: options.name.clone().unwrap_or_else(|| name_of(to)),
        description: options.description.clone(),
        schema: Sidecar::columns(&schema),
        event_time: options.event_time.clone(),
        arrival: Some(options.arrival.clone()),
        batch_borders: recording.cutter.and_then(Cutter::into_borders),
        sorted_by: Vec::new(),
        rows: recording.rows,
        files: vec![FileDigest { path: file_name, bytes: sum.bytes, sha256: sum.sha256.clone() }],
        licence: None,
        source: Some(format!("{}, {input_format}", options.input)),
    };
    let sidecar = sidecar.write(&path)?;
    let (bytes, sha256) = (sum.bytes, sum.sha256);
    Ok(Recorded {
        path,
        sidecar,
        input_format,
        rows: recording.rows,
        batches,
        bytes,
        sha256,
        failure,
    })
}

/// Gives the file its name, or that of a part of one.
fn keep(
    file: AtomicFile,
    to: &Path,
    force: bool,
    failure: Option<DatasetError>,
) -> Result<(PathBuf, Option<DatasetError>)> {
    // Somebody may have made one meanwhile: neither is lost.
    let failure = failure
        .or_else(|| (!force && to.exists()).then(|| DatasetError::Exists { path: to.to_owned() }));
    if failure.is_some() {
        return Ok((file.keep_partial()?, failure));
    }
    // The old sidecar must not speak of the new file.
    let old = sidecar_path(to);
    if old.is_file() {
        fs::remove_file(&old).map_err(|e| DatasetError::io(&old, "replace", e))?;
    }
    file.commit()?;
    Ok((to.to_owned(), None))
}

/// The input's columns and those that are added.
fn recorded_schema(input: &SchemaRef, options: &RecordOptions) -> Result<SchemaRef> {
    let names = || input.fields().iter().map(|field| field.name().as_str());
    if let Some(name) = &options.event_time
        && !names().chain([options.arrival.as_str()]).any(|known| known == name)
    {
        return Err(DatasetError::UnknownColumn {
            origin: options.input.clone(),
            name: name.clone(),
            hint: nearest(name, names()),
            known: names().collect::<Vec<_>>().join(", "),
        });
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
            .map_err(|source| DatasetError::Arrow { doing: "record".to_owned(), source })?;
        writer.write(&batch)?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }
}
