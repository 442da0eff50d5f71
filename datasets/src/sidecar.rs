//! What is known about a recording in addition to its rows: a JSON file next to it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::compression::uncompressed_name;
use crate::digest::sha256_file;
use crate::error::{DatasetError, Result};
use crate::type_text::{parse_type, type_text};
use crate::write::AtomicFile;

/// `flights.parquet` has `flights.parquet.sidecar.json`.
const SUFFIX: &str = ".sidecar.json";
/// A folder has this file in it.
const IN_FOLDER: &str = "_recording.sidecar.json";

/// What is known about a recording or a table. Keys are camelCase in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sidecar {
    /// Name under which it is listed, such as `nyc/flights`.
    pub name: String,
    /// One sentence on what a row is.
    pub description: String,
    /// The columns, partition columns included.
    pub schema: Vec<Column>,
    /// The column that says when the event happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_time: Option<String>,
    /// The column that says when the row arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<String>,
    /// How the recording was cut into batches, if it was: the number of the
    /// first row of each batch, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_borders: Option<Vec<u64>>,
    /// Columns by which the rows are ordered, if they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sorted_by: Vec<String>,
    /// Rows of all files.
    pub rows: u64,
    /// The files, relative to the sidecar's folder.
    pub files: Vec<FileDigest>,
    /// The data's licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Where the data is from, and how it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A column of a [`Sidecar`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Type, as [`parse_type`] reads it.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Whether it may hold nulls.
    #[serde(default = "yes")]
    pub nullable: bool,
}

/// A file of a [`Sidecar`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// Path relative to the sidecar's folder, with `/`.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
}

fn yes() -> bool {
    true
}

/// Where the sidecar of a file or folder lies.
#[must_use]
pub fn sidecar_path(recording: &Path) -> PathBuf {
    if recording.is_dir() {
        return recording.join(IN_FOLDER);
    }
    let mut name = recording.file_name().unwrap_or_default().to_owned();
    name.push(SUFFIX);
    recording.with_file_name(name)
}

pub(crate) fn is_sidecar(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(SUFFIX))
}

/// The name of a recording without one of its own: `x` for `x.csv.gz`.
pub(crate) fn default_name(recording: &Path) -> String {
    let path = uncompressed_name(recording);
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

impl Sidecar {
    /// Reads a sidecar file.
    ///
    /// # Errors
    /// It cannot be read, or is not a sidecar.
    pub fn read(path: &Path) -> Result<Sidecar> {
        let text = fs::read_to_string(path).map_err(|e| DatasetError::io(path, "read", e))?;
        serde_json::from_str(&text)
            .map_err(|e| DatasetError::Sidecar { path: path.to_owned(), message: e.to_string() })
    }

    /// The sidecar of a recording, if it has one.
    ///
    /// # Errors
    /// There is one, but it cannot be read.
    pub fn of(recording: &Path) -> Result<Option<Sidecar>> {
        let path = sidecar_path(recording);
        if path.is_file() { Sidecar::read(&path).map(Some) } else { Ok(None) }
    }

    /// Writes the sidecar next to `recording`, replacing an older one.
    ///
    /// # Errors
    /// The system refused.
    pub fn write(&self, recording: &Path) -> Result<PathBuf> {
        let path = sidecar_path(recording);
        let mut file = AtomicFile::create(&path, true)?;
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| DatasetError::Sidecar { path: path.clone(), message: e.to_string() })?;
        writeln!(file, "{text}").map_err(|e| DatasetError::io(&path, "write", e))?;
        file.commit()?;
        Ok(path)
    }

    /// The columns as an Arrow schema.
    ///
    /// # Errors
    /// A type that is not known.
    pub fn arrow_schema(&self) -> Result<SchemaRef> {
        let field = |c: &Column| Ok(Field::new(&c.name, parse_type(&c.data_type)?, c.nullable));
        let fields = self.schema.iter().map(field).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(Schema::new(fields)))
    }

    /// The columns of an Arrow schema.
    #[must_use]
    pub fn columns(schema: &Schema) -> Vec<Column> {
        let column = |field: &Arc<Field>| Column {
            name: field.name().clone(),
            data_type: type_text(field.data_type()),
            nullable: field.is_nullable(),
        };
        schema.fields().iter().map(column).collect()
    }

    /// Compares each file's size and SHA-256 with the sidecar's. `folder` is the
    /// sidecar's folder.
    ///
    /// # Errors
    /// The first file that is missing or differs.
    pub fn verify(&self, folder: &Path) -> Result<()> {
        for file in &self.files {
            let path = folder.join(&file.path);
            let digest = sha256_file(&path)?;
            let message = if digest.bytes != file.bytes {
                format!("{} bytes, but {} are expected", digest.bytes, file.bytes)
            } else if digest.sha256 != file.sha256 {
                format!("SHA-256 {}, but {} is expected", digest.sha256, file.sha256)
            } else {
                continue;
            };
            return Err(DatasetError::Verify { path, message });
        }
        Ok(())
    }
}
