//! One schema for all files of a recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::{ReadOptions, Shape, widen};
use crate::type_text::type_text;

/// The files' common schema and, when every file stores its number of rows,
/// their rows.
///
/// Names, order and types must be equal; a column is nullable if it is in any
/// file. Types that were inferred (CSV, JSON lines) are widened instead, and a
/// JSON lines file may lack columns.
pub(super) fn agree(
    format: FileFormat,
    files: &[PathBuf],
    options: &ReadOptions,
) -> Result<(SchemaRef, Option<u64>)> {
    let mut agreed: Option<SchemaRef> = None;
    let mut rows = Some(0);
    for path in files {
        let Shape { schema, rows: own, inferred } = format.shape(path, options)?;
        rows = rows.zip(own).and_then(|(a, b): (u64, u64)| a.checked_add(b));
        agreed = Some(match agreed {
            None => schema,
            Some(before) if before == schema => before,
            Some(before) if inferred && format == FileFormat::JsonLines => {
                Arc::new(union(path, &files[0], &before, &schema)?)
            }
            Some(before) => Arc::new(merge(path, &files[0], &before, &schema, inferred)?),
        });
    }
    let schema = agreed.unwrap_or_else(|| Arc::new(Schema::empty()));
    if let Some(declared) = options.schema.as_ref().filter(|declared| **declared != schema) {
        // Self-describing files: the declaration must say what they hold.
        merge(&files[0], Path::new("the declaration"), declared, &schema, false)?;
    }
    Ok((schema, rows))
}

fn merge(
    path: &Path,
    first: &Path,
    before: &Schema,
    schema: &Schema,
    inferred: bool,
) -> Result<Schema> {
    let differs = |column: &str, message: String| DatasetError::SchemaMismatch {
        path: path.to_owned(),
        first: first.to_owned(),
        column: column.to_owned(),
        message,
    };
    for field in before.fields() {
        if schema.column_with_name(field.name()).is_none() {
            return Err(differs(field.name(), "is missing".to_owned()));
        }
    }
    for field in schema.fields() {
        if before.column_with_name(field.name()).is_none() {
            return Err(differs(field.name(), "is not expected".to_owned()));
        }
    }
    if schema.fields().len() != before.fields().len() {
        let repeated = schema.fields().iter().chain(before.fields()).last();
        let name = repeated.map_or("", |f| f.name().as_str());
        return Err(differs(name, "appears another number of times".to_owned()));
    }
    let mut fields: Vec<FieldRef> = Vec::new();
    for (position, (old, new)) in before.fields().iter().zip(schema.fields()).enumerate() {
        if old.name() != new.name() {
            let message =
                format!("stands where `{}` is expected (column {})", old.name(), position + 1);
            return Err(differs(new.name(), message));
        }
        let data_type = if old.data_type() == new.data_type() {
            old.data_type().clone()
        } else if inferred {
            widen(old.data_type(), new.data_type())
        } else {
            let message = format!(
                "is {}, but {} is expected",
                type_text(new.data_type()),
                type_text(old.data_type())
            );
            return Err(differs(new.name(), message));
        };
        let nullable = old.is_nullable() || new.is_nullable();
        fields.push(Arc::new(Field::new(old.name(), data_type, nullable)));
    }
    Ok(Schema::new_with_metadata(fields, before.metadata().clone()))
}

/// All columns of both, in order of first appearance.
fn union(path: &Path, first: &Path, before: &Schema, schema: &Schema) -> Result<Schema> {
    let mut fields: Vec<FieldRef> = before.fields().to_vec();
    for new in schema.fields() {
        match fields.iter_mut().find(|old| old.name() == new.name()) {
            None => fields.push(new.clone()),
            Some(old) if old.data_type() == new.data_type() => {}
            Some(old) if scalar(old.data_type()) && scalar(new.data_type()) => {
                let data_type = widen(old.data_type(), new.data_type());
                *old = Arc::new(Field::new(old.name(), data_type, true));
            }
            Some(old) => {
                return Err(DatasetError::SchemaMismatch {
                    path: path.to_owned(),
                    first: first.to_owned(),
                    column: new.name().clone(),
                    message: format!("is {}, but {} is expected", new.data_type(), old.data_type()),
                });
            }
        }
    }
    Ok(Schema::new(fields))
}

fn scalar(data_type: &DataType) -> bool {
    !data_type.is_nested()
}
