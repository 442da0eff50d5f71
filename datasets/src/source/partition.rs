//! Partition folders: `dt=2024-01-01/hour=7/part.parquet` has the columns `dt`
//! and `hour`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray, new_null_array};
use arrow::compute::kernels::cast_utils::Parser;
use arrow::compute::take;
use arrow::datatypes::{DataType, Date32Type, Field, FieldRef, Schema, SchemaRef};

use crate::error::{DatasetError, Result};
use crate::format::{Bare, parse_column};

/// Hive's spelling of a null value.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The partition columns and their values, one per file.
#[derive(Debug)]
pub(super) struct Partitions {
    fields: Vec<FieldRef>,
    /// For each column, one value per file.
    values: Vec<ArrayRef>,
}

impl Partitions {
    /// Reads the folders below `base`. A declared column has its declared type,
    /// others are int, bigint, date or string: the narrowest that fits all values.
    pub(super) fn find(
        base: &Path,
        files: &[PathBuf],
        declared: Option<&Schema>,
    ) -> Result<Partitions> {
        let mut names: Vec<String> = Vec::new();
        let mut texts: Vec<Vec<Option<String>>> = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let found = pairs(base, file)?;
            if number == 0 {
                names = found.iter().map(|(name, _)| name.clone()).collect();
                texts = vec![Vec::with_capacity(files.len()); names.len()];
            }
            let these: Vec<&String> = found.iter().map(|(name, _)| name).collect();
            if these != names.iter().collect::<Vec<_>>() {
                let show = |names: &[&String]| match names {
                    [] => "no partition folders".to_owned(),
                    names => names.iter().map(|n| format!("{n}=")).collect::<Vec<_>>().join("/"),
                };
                let message = format!(
                    "has {}, but {} has {}; all files must lie in the same kind of folders",
                    show(&these),
                    files[0].display(),
                    show(&names.iter().collect::<Vec<_>>()),
                );
                return Err(DatasetError::Partition { path: file.clone(), message });
            }
            for (column, (_, value)) in texts.iter_mut().zip(found) {
                column.push(value);
            }
        }
        let mut fields = Vec::new();
        let mut values = Vec::new();
        for (name, texts) in names.into_iter().zip(texts) {
            let declared = declared.and_then(|s| s.field_with_name(&name).ok());
            let data_type = declared.map_or_else(|| infer(&texts), |f| f.data_type().clone());
            let text = StringArray::from(texts);
            let parsed = parse_column(&text, &data_type, Bare::Text).map_err(|source| {
                DatasetError::arrow(format!("partition column `{name}`"), source)
            })?;
            let parsed = parsed.map_err(|row| DatasetError::Partition {
                path: files[row].clone(),
                message: format!("partition `{name}={}` is not a {data_type}", text.value(row)),
            })?;
            fields.push(Arc::new(Field::new(name, data_type, true)));
            values.push(parsed);
        }
        Ok(Partitions { fields, values })
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = FieldRef> {
        self.fields.iter().cloned()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name().as_str())
    }

    /// A declared schema without the partition columns.
    pub(super) fn without(&self, declared: &SchemaRef) -> SchemaRef {
        let fields = declared.fields().iter();
        let own = fields.filter(|f| !self.names().any(|name| name == f.name())).cloned();
        Arc::new(Schema::new_with_metadata(own.collect::<Vec<_>>(), declared.metadata().clone()))
    }

    /// A partition column of `rows` rows for a file.
    pub(super) fn column(&self, column: usize, file: usize, rows: usize) -> Result<ArrayRef> {
        let values = &self.values[column];
        if values.is_null(file) {
            return Ok(new_null_array(values.data_type(), rows));
        }
        let picks = arrow::array::UInt32Array::from_value(file as u32, rows);
        take(values, &picks, None).map_err(|source| {
            let name = self.fields[column].name();
            DatasetError::arrow(format!("partition column `{name}`"), source)
        })
    }
}

/// The `name=value` folders between `base` and the file.
fn pairs(base: &Path, file: &Path) -> Result<Vec<(String, Option<String>)>> {
    let below = file.strip_prefix(base).unwrap_or(file);
    let mut pairs: Vec<(String, Option<String>)> = Vec::new();
    for folder in below.parent().into_iter().flat_map(Path::components) {
        let text = folder.as_os_str().to_string_lossy();
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            continue;
        };
        let name = unescape(name);
        if pairs.iter().any(|(known, _)| *known == name) {
            let message = format!("partition `{name}` appears twice in the path; rename a folder");
            return Err(DatasetError::Partition { path: file.to_owned(), message });
        }
        let value = (value != NULL).then(|| unescape(value));
        pairs.push((name, value));
    }
    Ok(pairs)
}

/// `%3A` and the like, as Hive and Spark write special characters.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.filter(|_| bytes[at] == b'%').and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

fn infer(texts: &[Option<String>]) -> DataType {
    let all = |fits: &dyn Fn(&str) -> bool| texts.iter().flatten().all(|text| fits(text));
    if texts.iter().all(Option::is_none) {
        DataType::Utf8
    } else if all(&|t| t.parse::<i32>().is_ok()) {
        DataType::Int32
    } else if all(&|t| t.parse::<i64>().is_ok()) {
        DataType::Int64
    } else if all(&|t| t.len() == 10 && Date32Type::parse(t).is_some()) {
        DataType::Date32
    } else {
        DataType::Utf8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_the_narrowest_that_fit() {
        let infer = |texts: &[&str]| {
            infer(&texts.iter().map(|t| Some((*t).to_owned())).collect::<Vec<_>>())
        };
        assert_eq!(infer(&["1", "-7"]), DataType::Int32);
        assert_eq!(infer(&["1", "3000000000"]), DataType::Int64);
        assert_eq!(infer(&["2024-01-01"]), DataType::Date32);
        assert_eq!(infer(&["2024-01-01", "x"]), DataType::Utf8);
    }

    #[test]
    fn escapes_and_nulls() {
        let file = Path::new("d/t=12%3A30/k=__HIVE_DEFAULT_PARTITION__/p.csv");
        let expected = vec![("t".to_owned(), Some("12:30".to_owned())), ("k".to_owned(), None)];
        assert_eq!(pairs(Path::new("d"), file).unwrap(), expected);
        assert_eq!(unescape("100%"), "100%");
    }
}
