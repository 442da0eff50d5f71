//! One schema for all files of a recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};

use super::columns::{Columns, Conflicts, Group, Layout};
use super::nulls::without_types_of_nulls;
use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::format::ReadOptions;
use crate::place::Place;

/// What the files of a recording have in common.
pub(super) struct Agreed {
    /// Their columns.
    pub(super) schema: SchemaRef,
    /// For each file, where it has them.
    pub(super) layouts: Vec<Arc<Layout>>,
    /// Columns that cannot be read of all files.
    pub(super) conflicts: Conflicts,
    /// Rows of all files, where each of them stores their number.
    pub(super) rows: Option<u64>,
}

/// Joins up the columns of all files.
///
/// # Errors
/// A file that cannot be read; a declared column that no file has, or has in a type that
/// cannot become the declared one.
pub(super) fn agree(
    format: FileFormat,
    files: &[PathBuf],
    options: &ReadOptions,
    origin: &Path,
) -> Result<Agreed> {
    let is_text = !format.stores_types();
    let mut groups: Vec<Group> = Vec::new();
    let declared = options.schema.as_ref();
    if let Some(declared) = declared.filter(|_| is_text) {
        // Text has the columns that are declared, in their order.
        groups.push(Group { schema: declared.clone(), path: origin.to_owned() });
    }
    let mut group_of = Vec::with_capacity(files.len());
    let mut rows = Some(0);
    let mut inferred = false;
    for path in files {
        let shape = format.shape(path, options)?;
        if shape.schema.fields().is_empty() && !is_text && shape.rows != Some(0) {
            let message = "the file has no columns";
            return Err(DatasetError::corrupt(path, format, Place::Header, message));
        }
        inferred |= shape.inferred;
        rows = rows.zip(shape.rows).and_then(|(a, b): (u64, u64)| a.checked_add(b));
        // Files of one writer follow each other.
        let known = groups.iter().rposition(|group| group.schema == shape.schema);
        group_of.push(known.unwrap_or(groups.len()));
        if known.is_none() {
            groups.push(Group { schema: shape.schema, path: path.clone() });
        }
    }
    let mut columns = Columns::join(&groups, is_text);
    let files_of = |group: usize| {
        let of_group = files.iter().zip(&group_of).filter(|(_, of)| **of == group);
        of_group.map(|(path, _)| path.clone()).collect()
    };
    let counted = match is_text {
        true => None,
        false => without_types_of_nulls(&columns, &groups, files_of, format, options)?,
    };
    if let Some(counted) = &counted {
        columns = Columns::join(counted, false);
    }
    match declared {
        Some(declared) if is_text => {
            let is_there = |column| group_of.iter().any(|&g| columns.place(g, column).is_some());
            if let Some(missing) = (0..declared.fields().len()).find(|column| !is_there(*column)) {
                return Err(missing_everywhere(format, files, options, declared, missing)?);
            }
        }
        Some(declared) => {
            columns.declare(declared, counted.as_ref().unwrap_or(&groups), origin)?;
        }
        None if inferred => columns.settle(),
        None => {}
    }
    let lists_all = format == FileFormat::JsonLines;
    let layouts = columns.layouts(&groups, is_text, lists_all);
    let metadata = groups.first().map(|group| group.schema.metadata().clone()).unwrap_or_default();
    let schema = Schema::new_with_metadata(columns.fields.clone(), metadata);
    Ok(Agreed {
        schema: Arc::new(schema),
        layouts: group_of.into_iter().map(|group| layouts[group].clone()).collect(),
        conflicts: columns.conflicts(),
        rows,
    })
}

/// The error for a declared column that no file has.
fn missing_everywhere(
    format: FileFormat,
    files: &[PathBuf],
    options: &ReadOptions,
    declared: &Schema,
    missing: usize,
) -> Result<DatasetError> {
    let own = format.shape(&files[0], &ReadOptions { schema: None, ..options.clone() })?.schema;
    let names = own.fields().iter().map(|field| field.name().as_str());
    let wanted = declared.field(missing).name();
    Ok(DatasetError::unknown_column(files[0].display(), wanted, names))
}
