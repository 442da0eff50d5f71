//! From any source or generator to one file with a sidecar.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::{SortColumn, SortOptions, concat, interleave, lexsort_to_indices};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;

use crate::columns::{
    DictionaryUnifier, convert, convert_columns, decoded, retype_schema, specimen, unified,
    with_width,
};
use crate::digest::sha256_file;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::{format_of, writer_for};
use crate::generate::Generator;
use crate::guard::guarded;
use crate::sidecar::{FileDigest, Sidecar, default_name};
use crate::source::Source;
use crate::write::AtomicFile;

/// Rows of a batch of the imported file.
const BATCH_ROWS: usize = 65_536;

/// What is imported.
#[derive(Debug, Clone, Copy)]
pub enum ImportFrom<'a> {
    /// Files.
    Source(&'a Source),
    /// A generator; one without end needs a `limit`.
    Generator(&'a Generator),
}

/// How it is imported, and what its sidecar says.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Format; `None` = by extension.
    pub format: Option<FileFormat>,
    /// Replace an existing file.
    pub force: bool,
    /// Sort by these columns, ascending, nulls first. All rows are then held in
    /// memory; rows that compare equal keep their order.
    pub sort_by: Vec<String>,
    /// Stop after this many rows (taken before sorting).
    pub limit: Option<u64>,
    /// Name in the catalogue (default: the file's name without extension).
    pub name: Option<String>,
    /// One sentence on what a row is.
    pub description: String,
    /// Event-time column.
    pub event_time: Option<String>,
    /// Arrival column.
    pub arrival: Option<String>,
    /// Licence of the data.
    pub licence: Option<String>,
    /// Where the data is from.
    pub source: Option<String>,
}

/// The result of an import.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The file.
    pub path: PathBuf,
    /// Its sidecar.
    pub sidecar: PathBuf,
    /// Rows written.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file in lower-case hexadecimal.
    pub sha256: String,
}

/// Writes a source or a generator to one file (of any format, Arrow or Parquet
/// by preference) and a sidecar. The file is written under a temporary name and
/// renamed when it is whole.
///
/// # Errors
/// The file exists, a column does not or has no order, a format that cannot hold
/// the columns, an unreadable source, a generator without end.
pub fn import(from: ImportFrom<'_>, to: &Path, options: &ImportOptions) -> Result<Imported> {
    let format = options.format.map_or_else(|| format_of(to), Ok)?;
    let (schema, origin) = match from {
        ImportFrom::Source(source) => {
            (source.schema().clone(), source.origin().display().to_string())
        }
        ImportFrom::Generator(generator) => (generator.schema(), "the generator".to_owned()),
    };
    let named = options.sort_by.iter().chain(&options.event_time).chain(&options.arrival);
    for name in named {
        column(&schema, &origin, name)?;
    }
    if let ImportFrom::Generator(generator) = from {
        generator.check()?;
        if generator.rows().is_none() && options.limit.is_none() {
            let message = "is needed to import a stream without end";
            return Err(DatasetError::generator("rate", "limit", message));
        }
    }
    // Sorted rows of several batches share a dictionary.
    let schema = match options.sort_by.is_empty() {
        true => schema,
        false => unified(&schema),
    };
    for name in &options.sort_by {
        sortable(&schema, column(&schema, &origin, name)?)?;
    }
    let file = AtomicFile::create(to, options.force)?;
    let mut out = writer_for(to, format, Box::new(file.handle()?), &schema)?;
    let mut write = |batch: &RecordBatch| out.write(batch).map_err(|e| e.written_to(to));
    let rows = copy(rows_of(from)?, &schema, &origin, options, &mut write)?;
    out.finish().map_err(|e| e.written_to(to))?;
    let sum = sha256_file(file.temporary())?;
    file.commit()?;
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let sidecar = Sidecar {
        name: options.name.clone().unwrap_or_else(|| default_name(to)),
        description: options.description.clone(),
        schema: Sidecar::columns(&unified(&schema)),
        event_time: options.event_time.clone(),
        arrival: options.arrival.clone(),
        batch_borders: None,
        sorted_by: options.sort_by.clone(),
        rows,
        files: vec![FileDigest { path: name, bytes: sum.bytes, sha256: sum.sha256.clone() }],
        licence: options.licence.clone(),
        source: options.source.clone(),
    };
    let sidecar = sidecar.write(to)?;
    Ok(Imported { path: to.to_owned(), sidecar, rows, bytes: sum.bytes, sha256: sum.sha256 })
}

fn column(schema: &SchemaRef, origin: &str, name: &str) -> Result<usize> {
    let names = || schema.fields().iter().map(|f| f.name().as_str());
    names()
        .position(|known| known == name)
        .ok_or_else(|| DatasetError::unknown_column(origin, name, names()))
}

type RowsIterator = Box<dyn Iterator<Item = Result<RecordBatch>>>;

fn rows_of(from: ImportFrom<'_>) -> Result<RowsIterator> {
    Ok(match from {
        ImportFrom::Source(source) => Box::new(source.read(None)?.map(|b| b.map(|b| b.batch))),
        ImportFrom::Generator(generator) => Box::new(generator.read(BATCH_ROWS)),
    })
}

/// Writes all rows, sorted if asked, and counts them.
fn copy(
    batches: RowsIterator,
    schema: &SchemaRef,
    origin: &str,
    options: &ImportOptions,
    write: &mut dyn FnMut(&RecordBatch) -> Result<()>,
) -> Result<u64> {
    let mut left = options.limit.unwrap_or(u64::MAX);
    let mut rows = 0;
    let mut held = Vec::new();
    for batch in batches {
        let batch = batch?;
        let take = left.min(batch.num_rows() as u64) as usize;
        let batch = batch.slice(0, take);
        left -= take as u64;
        rows += take as u64;
        if options.sort_by.is_empty() {
            write(&batch)?;
        } else {
            held.push(batch);
        }
        if left == 0 {
            break;
        }
    }
    if !held.is_empty() {
        let keys: Vec<usize> = options
            .sort_by
            .iter()
            .map(|name| column(schema, origin, name))
            .collect::<Result<_>>()?;
        sorted(&held, &keys, write)?;
    }
    Ok(rows)
}

/// Refuses a column to sort by that has no order.
fn sortable(schema: &SchemaRef, column: usize) -> Result<()> {
    let field = schema.field(column);
    let tried = guarded(|| {
        let values = specimen(field.data_type(), 2)?;
        let key = SortColumn { values: sort_key(&[values])?, options: None };
        lexsort_to_indices(&[key.clone(), key], None)
    });
    match tried {
        Ok(Ok(_)) => Ok(()),
        _ => Err(DatasetError::NoOrder {
            column: field.name().clone(),
            data_type: field.data_type().to_string(),
        }),
    }
}

fn sorted(
    held: &[RecordBatch],
    keys: &[usize],
    write: &mut dyn FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let failed = |source| DatasetError::arrow("sort", source);
    let held = one_dictionary(held)?;
    let schema = held[0].schema();
    let picked = retype_schema(&schema, &mut |_: &_, part: &DataType| {
        Ok::<_, DatasetError>(Some(with_width(part)))
    })?;
    let misfit = |(column, message)| {
        let doing = format!("sort: column `{column}`");
        DatasetError::arrow(doing, ArrowError::ComputeError(message))
    };
    let held = held.iter().map(|batch| convert_columns(batch, &picked).map_err(misfit));
    let held = held.collect::<Result<Vec<_>>>()?;
    let places: Vec<(usize, usize)> = held
        .iter()
        .enumerate()
        .flat_map(|(batch, rows)| (0..rows.num_rows()).map(move |row| (batch, row)))
        .collect();
    let order = order(&held, keys, places.len()).map_err(failed)?;
    for chunk in order.chunks(BATCH_ROWS) {
        let picks: Vec<(usize, usize)> = chunk.iter().map(|i| places[*i as usize]).collect();
        let arrays = picked.fields().iter().enumerate().map(|(column, field)| {
            let parts: Vec<&dyn Array> = held.iter().map(|b| b.column(column).as_ref()).collect();
            guarded(|| interleave(&parts, &picks))
                .unwrap_or_else(|message| Err(ArrowError::ComputeError(message)))
                .map_err(|source| {
                    DatasetError::arrow(format!("sort: column `{}`", field.name()), source)
                })
        });
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let rows = RecordBatch::try_new(picked.clone(), arrays).map_err(failed)?;
        write(&convert_columns(&rows, &schema).map_err(misfit)?)?;
    }
    Ok(())
}

/// Batches whose dictionaries are the same ones.
fn one_dictionary(held: &[RecordBatch]) -> Result<Vec<RecordBatch>> {
    let mut dictionaries = DictionaryUnifier::new(&held[0].schema());
    let mut unify = |batch: &RecordBatch| {
        dictionaries.unify(batch).map_err(|(column, message)| {
            let doing = format!("sort: column `{column}`");
            DatasetError::arrow(doing, ArrowError::ComputeError(message))
        })
    };
    // After the first round the dictionaries are whole.
    for batch in held {
        unify(batch)?;
    }
    held.iter().map(unify).collect()
}

/// What rows are sorted by: the values, whatever encodes them.
fn sort_key(parts: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let values = parts.iter().map(|part| convert(part, &decoded(part.data_type())));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let values: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
    concat(&values)
}

/// Row numbers in sorted order; the number itself is the last key, so that
/// equal rows keep their order.
fn order(held: &[RecordBatch], keys: &[usize], rows: usize) -> Result<Vec<u32>, ArrowError> {
    let last = u32::try_from(rows).map_err(|_| {
        ArrowError::InvalidArgumentError("more than 4,294,967,295 rows cannot be sorted".to_owned())
    })?;
    let options = Some(SortOptions { descending: false, nulls_first: true });
    let mut columns = Vec::with_capacity(keys.len() + 1);
    for &key in keys {
        let parts: Vec<ArrayRef> = held.iter().map(|b| b.column(key).clone()).collect();
        columns.push(SortColumn { values: sort_key(&parts)?, options });
    }
    let numbers = Arc::new(UInt32Array::from_iter_values(0..last));
    columns.push(SortColumn { values: numbers, options });
    Ok(lexsort_to_indices(&columns, None)?.values().to_vec())
}
