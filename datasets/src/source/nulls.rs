//! Columns that hold nothing but nulls, whose type is whatever their writer chose.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::Array;
use arrow::datatypes::{DataType, Schema};

use super::columns::{Columns, Group};
use crate::error::Result;
use crate::file_format::FileFormat;
use crate::format::{ReadOptions, ReadRequest};

/// The groups as they count where columns differ: a column that is null in all files of a
/// group is of the type of nulls, unless it is so in all groups. Only such columns are
/// read, each up to its first value. Nothing where this makes no difference.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn without_types_of_nulls(
    columns: &Columns,
    groups: &[Group],
    files_of: impl Fn(usize) -> Vec<PathBuf>,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Option<Vec<Group>>> {
    let mut counted: Vec<Group> = groups.to_vec();
    let mut changed = false;
    for column in columns.differing() {
        let mut of_nulls = Vec::new();
        let mut has_values = false;
        for (number, group) in groups.iter().enumerate() {
            let Some(place) = columns.place(number, column) else { continue };
            let all_null = |path: &PathBuf| is_all_null(path, group, place, format, options);
            let mut all = true;
            for path in files_of(number) {
                all = all && all_null(&path)?;
            }
            match all {
                true => of_nulls.push((number, place)),
                false => has_values = true,
            }
        }
        for (number, place) in of_nulls.into_iter().skip(usize::from(!has_values)) {
            let group = &mut counted[number];
            let mut fields = group.schema.fields().to_vec();
            fields[place] = Arc::new(fields[place].as_ref().clone().with_data_type(DataType::Null));
            let metadata = group.schema.metadata().clone();
            group.schema = Arc::new(Schema::new_with_metadata(fields, metadata));
            changed = true;
        }
    }
    Ok(changed.then_some(counted))
}

fn is_all_null(
    path: &PathBuf,
    group: &Group,
    place: usize,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<bool> {
    let request =
        ReadRequest { path, schema: &group.schema, projection: &[place], narrow: &[], options };
    let mut batches = format.read(request)?;
    loop {
        let at = batches.place();
        let Some(batch) = format.guard(path, at, || batches.next_batch())? else {
            return Ok(true);
        };
        let column = batch.column(0);
        if column.logical_null_count() < column.len() {
            return Ok(false);
        }
    }
}
