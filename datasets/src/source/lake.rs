//! Tables of a lake format, whose files hold rows that the table no longer has.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;

/// A lake format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lake {
    Delta,
    Iceberg,
    Hudi,
}

impl fmt::Display for Lake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lake::Delta => "Delta Lake",
            Lake::Iceberg => "Apache Iceberg",
            Lake::Hudi => "Apache Hudi",
        })
    }
}

impl Lake {
    /// The format of the table whose root is `folder`, if it is one.
    fn of(folder: &Path) -> Option<Lake> {
        if folder.join("_delta_log").is_dir() {
            Some(Lake::Delta)
        } else if folder.join(".hoodie").is_dir() {
            Some(Lake::Hudi)
        } else if has_iceberg_metadata(&folder.join("metadata")) {
            Some(Lake::Iceberg)
        } else {
            None
        }
    }

    /// How the current rows of the table at `root` become plain Parquet.
    fn export(self, root: &Path) -> String {
        let root = root.display();
        match self {
            Lake::Delta => format!(
                "python3 -c 'from deltalake import DeltaTable; DeltaTable(\"{root}\").to_pandas().to_parquet(\"rows.parquet\")', or with Spark, spark.read.format(\"delta\").load(\"{root}\").write.parquet(\"rows\")"
            ),
            Lake::Iceberg => format!(
                "with Spark, spark.read.format(\"iceberg\").load(\"{root}\").write.parquet(\"rows\")"
            ),
            Lake::Hudi => format!(
                "with Spark, spark.read.format(\"hudi\").load(\"{root}\").write.parquet(\"rows\")"
            ),
        }
    }
}

/// Whether a folder holds the metadata of an Iceberg table: files such as
/// `v3.metadata.json`, which name the version of its format. Others use such names too.
fn has_iceberg_metadata(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".metadata.json.gz") || name.ends_with(".gz.metadata.json") {
            return true;
        }
        name.ends_with(".metadata.json")
            && fs::read_to_string(entry.path())
                .is_ok_and(|text| text.contains("\"format-version\""))
    })
}

/// Refuses a table of a lake format, or a part of one: its files also hold rows that
/// were removed or replaced, and only its log says which.
pub(super) fn refuse(path: &Path, files: &[PathBuf]) -> Result<()> {
    if let Some(lake) = Lake::of(path) {
        return Err(refusal(path, path, lake));
    }
    let mut seen = BTreeSet::new();
    for file in files.iter().filter(|file| may_be_of_a_lake(file)) {
        // Where a link leads to counts too.
        let real = fs::canonicalize(file).ok();
        let given = std::path::absolute(file).ok();
        for folder in [given, real].iter().flatten().flat_map(|file| file.ancestors().skip(1)) {
            if !seen.insert(folder.to_owned()) {
                // Those above were looked at then.
                break;
            }
            if let Some(lake) = Lake::of(folder) {
                return Err(refusal(path, folder, lake));
            }
        }
    }
    Ok(())
}

/// Lake formats keep rows in Parquet; a text file that lies among them is not theirs.
fn may_be_of_a_lake(file: &Path) -> bool {
    matches!(FileFormat::from_path(file), None | Some(FileFormat::Parquet))
}

fn refusal(path: &Path, root: &Path, lake: Lake) -> DatasetError {
    let what = match path == root {
        true => format!("is a table of {lake}"),
        false => format!("is a part of the {lake} table {}", root.display()),
    };
    DatasetError::LakeTable { path: path.to_owned(), what, export: lake.export(root) }
}
