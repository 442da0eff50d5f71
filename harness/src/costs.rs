//! The file of index costs on this machine, which `sweep --write-costs` writes and
//! which `auto` chooses by.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use streamjoin_kernels::JoinError;
use streamjoin_kernels::key::KeyShape;
use streamjoin_kernels::table::auto::{Candidate, CostModel, CostPoint};

use crate::error::{Failure, Result};

/// The variable that names the file; without it the shipped costs are used.
pub const VARIABLE: &str = "STREAMJOIN_COSTS";
/// Follows the name of an index that has a Bloom filter in front of it.
const BLOOM: &str = "+bloom";
/// Version of the file's form.
const SCHEMA_VERSION: u32 = 1;

/// A cost file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CostFile {
    schema_version: u32,
    costs: Vec<Cost>,
}

/// A [`CostPoint`] with the names of the file; times are nanoseconds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Cost {
    index: String,
    shape: Shape,
    rows: f64,
    rows_a_key: f64,
    build_ns: f64,
    hit_ns: f64,
    miss_ns: f64,
    exists_ns: f64,
    gather_ns: f64,
    bytes: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shape {
    Word,
    Wide,
    Bytes,
}

/// The model that `auto` chooses by: of the file that [`VARIABLE`] names, or the
/// shipped one. Read once.
///
/// # Errors
/// A run failure for a file that cannot be read or is not a cost file.
pub fn model() -> Result<Arc<CostModel>> {
    static MODEL: OnceLock<Arc<CostModel>> = OnceLock::new();
    if let Some(model) = MODEL.get() {
        return Ok(Arc::clone(model));
    }
    let model = match std::env::var_os(VARIABLE) {
        None => CostModel::shipped(),
        Some(path) => {
            let path = Path::new(&path);
            read(path).map_err(|failure| failure.at(format!("{VARIABLE}={}", path.display())))?
        }
    };
    Ok(Arc::clone(MODEL.get_or_init(|| model)))
}

/// Reads a cost file.
///
/// # Errors
/// A run failure that says what is wrong with it, and where.
pub fn read(path: &Path) -> Result<Arc<CostModel>> {
    let remedy = "write one with `streamjoin sweep --write-costs FILE`";
    let text =
        fs::read_to_string(path).map_err(|error| Failure::run(format!("{error}; {remedy}")))?;
    let file: CostFile =
        serde_json::from_str(&text).map_err(|error| Failure::run(format!("{error}; {remedy}")))?;
    if file.schema_version != SCHEMA_VERSION {
        return Err(Failure::run(format!(
            "schemaVersion is {}, {SCHEMA_VERSION} is read; {remedy}",
            file.schema_version
        )));
    }
    let points = file.costs.iter().map(Cost::point).collect::<Result<Vec<_>>>()?;
    CostModel::new(points).map(Arc::new).map_err(|error| Failure::run(format!("{error}; {remedy}")))
}

/// Writes a cost file, whole or not at all.
///
/// # Errors
/// A run failure if it cannot be written.
pub fn write(path: &Path, points: &[CostPoint]) -> Result<()> {
    let costs = points.iter().map(Cost::of).collect();
    let file = CostFile { schema_version: SCHEMA_VERSION, costs };
    let text = serde_json::to_string_pretty(&file).map_err(Failure::run)?;
    let failed = |error: std::io::Error| Failure::run(format!("{}: {error}", path.display()));
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".tmp");
    fs::write(&unfinished, text + "\n").map_err(failed)?;
    fs::rename(&unfinished, path).map_err(failed)
}

/// The name of an index, such as `chained`, or `chained+bloom` behind a Bloom filter.
pub fn index_text(Candidate { index, filtered }: Candidate) -> String {
    format!("{index}{}", if filtered { BLOOM } else { "" })
}

/// Reads what [`index_text`] writes.
///
/// # Errors
/// The index is unknown.
pub fn parse_index(text: &str) -> Result<Candidate, JoinError> {
    let (name, filtered) = match text.strip_suffix(BLOOM) {
        Some(name) => (name, true),
        None => (text, false),
    };
    Ok(Candidate { index: name.parse()?, filtered })
}

impl Cost {
    fn of(point: &CostPoint) -> Self {
        Self {
            index: index_text(point.candidate),
            shape: match point.shape {
                KeyShape::Word => Shape::Word,
                KeyShape::Wide => Shape::Wide,
                KeyShape::Bytes => Shape::Bytes,
            },
            rows: point.rows,
            rows_a_key: point.rows_per_key,
            build_ns: point.build_ns,
            hit_ns: point.hit_ns,
            miss_ns: point.miss_ns,
            exists_ns: point.exists_ns,
            gather_ns: point.gather_ns,
            bytes: point.bytes,
        }
    }

    fn point(&self) -> Result<CostPoint> {
        Ok(CostPoint {
            candidate: parse_index(&self.index).map_err(Failure::run)?,
            shape: match self.shape {
                Shape::Word => KeyShape::Word,
                Shape::Wide => KeyShape::Wide,
                Shape::Bytes => KeyShape::Bytes,
            },
            rows: self.rows,
            rows_per_key: self.rows_a_key,
            build_ns: self.build_ns,
            hit_ns: self.hit_ns,
            miss_ns: self.miss_ns,
            exists_ns: self.exists_ns,
            gather_ns: self.gather_ns,
            bytes: self.bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_what_is_wrong_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs.json");
        let shipped = CostModel::shipped();
        write(&path, shipped.points()).unwrap();
        assert_eq!(read(&path).unwrap(), shipped);
        let text = fs::read_to_string(&path).unwrap();
        for (from, to, complaint) in [
            ("\"chained\"", "\"chaind\"", "chaind"),
            ("\"hitNs\"", "\"hitsNs\"", "line"),
            ("\"schemaVersion\": 1", "\"schemaVersion\": 9", "schemaVersion is 9"),
            ("\"word\"", "\"words\"", "words"),
            ("\"rows\": 1000.0", "\"rows\": -1.0", "positive"),
        ] {
            assert!(text.contains(from), "{from}");
            fs::write(&path, text.replace(from, to)).unwrap();
            let failure = read(&path).unwrap_err();
            assert!(failure.message.contains(complaint), "{failure}");
            assert!(
                failure.message.contains("--write-costs") || to.contains("chaind"),
                "{failure}"
            );
        }
        assert!(read(&folder.path().join("none")).unwrap_err().message.contains("--write-costs"));
    }
}
