//! One recorded case: the query, its input batch by batch, and the answer.

use serde::Deserialize;
use serde_json::Value;

use super::streams_case::StreamStreamCase;

/// One line of a case file.
#[derive(Clone, Debug)]
pub enum Case {
    /// A stream joined with tables.
    StreamStatic(Box<StreamStaticCase>),
    /// A stream joined with a stream.
    StreamStream(Box<StreamStreamCase>),
    /// A kind that this version does not know: a failure, never skipped.
    Unknown {
        /// The case's name.
        name: String,
        /// Its kind.
        kind: String,
    },
}

impl Case {
    /// The case's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::StreamStatic(case) => &case.query.name,
            Self::StreamStream(case) => &case.query.name,
            Self::Unknown { name, .. } => name,
        }
    }

    /// Reads one line.
    ///
    /// # Errors
    /// What is wrong with the JSON.
    pub fn parse(line: &str) -> Result<Self, String> {
        let record: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |name: &str| {
            record.pointer(&format!("/case/{name}")).and_then(Value::as_str).map(str::to_owned)
        };
        let name = text("name").ok_or("no case.name: not a conformance case")?;
        match text("kind").as_deref() {
            Some("stream-static") => {
                let case: StreamStaticCase = serde_json::from_value(record)
                    .map_err(|error| format!("case {name}: {error}"))?;
                Ok(Self::StreamStatic(Box::new(case)))
            }
            Some("stream-stream") => {
                let case: StreamStreamCase = serde_json::from_value(record)
                    .map_err(|error| format!("case {name}: {error}"))?;
                Ok(Self::StreamStream(Box::new(case)))
            }
            kind => Ok(Self::Unknown { name, kind: kind.unwrap_or("(none)").to_owned() }),
        }
    }
}

/// A stream-static case. Fields that are information only are not read.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamStaticCase {
    /// The query and its input.
    #[serde(rename = "case")]
    pub query: StreamStaticQuery,
    /// What is right.
    pub expected: Expected,
}

/// Query and input.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamStaticQuery {
    /// The case's name.
    pub name: String,
    /// On which side of the first join the stream stands: `left` or `right`.
    pub stream_side: CaseSide,
    /// The stream's columns.
    pub stream: StreamInput,
    /// The tables.
    pub dims: Vec<Dimension>,
    /// The joins, in order.
    pub joins: Vec<Join>,
    /// Rows of each input batch.
    pub micro_batches: Vec<Vec<Row>>,
    /// Whether a malformed cast fails the batch.
    #[serde(default = "yes")]
    pub ansi: bool,
}

fn yes() -> bool {
    true
}

/// Values of one row, in schema order.
pub type Row = Vec<Value>;

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseSide {
    /// Before JOIN.
    Left,
    /// After JOIN.
    Right,
}

/// The stream's columns.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamInput {
    /// Name and Spark type of each column.
    pub schema: Vec<(String, String)>,
}

/// A table and its versions.
#[derive(Clone, Debug, Deserialize)]
pub struct Dimension {
    /// Name that the joins use.
    pub name: String,
    /// Name and Spark type of each column.
    pub schema: Vec<(String, String)>,
    /// Rows of each version.
    pub versions: Vec<Vec<Row>>,
    /// The version that exists while an input batch runs; null is always 0.
    #[serde(default)]
    pub version_for_batch: Option<Vec<usize>>,
    /// When the table is read.
    pub refresh: Refresh,
    /// Batches between two reads under `every_n`.
    #[serde(default)]
    pub refresh_n: Option<usize>,
    /// The consequence of the fields above, spelt out.
    #[serde(default)]
    pub version_seen_by_batch: Option<Vec<usize>>,
}

/// When a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refresh {
    /// Once, before the first batch.
    Fixed,
    /// Once, and kept.
    Cached,
    /// For each batch.
    PerBatch,
    /// For input batches 0, n, 2n, ...
    EveryN,
}

impl Dimension {
    /// The version that input batch `batch` is joined with.
    ///
    /// # Errors
    /// A description of a case that contradicts itself.
    pub fn version_seen(&self, batch: usize) -> Result<usize, String> {
        let exists = |batch: usize| match &self.version_for_batch {
            None => Ok(0),
            Some(versions) => versions.get(batch).copied().ok_or_else(|| {
                format!("dimension {}: no version for input batch {batch}", self.name)
            }),
        };
        let version = match self.refresh {
            Refresh::Fixed | Refresh::Cached => exists(0)?,
            Refresh::PerBatch => exists(batch)?,
            Refresh::EveryN => exists(batch - batch % self.refresh_n.unwrap_or(1).max(1))?,
        };
        let seen = self.version_seen_by_batch.as_ref().and_then(|seen| seen.get(batch));
        if seen.is_some_and(|seen| *seen != version) {
            return Err(format!(
                "dimension {}: refresh {:?} gives version {version} in input batch {batch}, but version_seen_by_batch says {seen:?}",
                self.name, self.refresh
            ));
        }
        if version >= self.versions.len() {
            return Err(format!("dimension {}: there is no version {version}", self.name));
        }
        Ok(version)
    }
}

/// One join of the chain.
#[derive(Clone, Debug, Deserialize)]
pub struct Join {
    /// Name of the table.
    pub dim: String,
    /// Join type in Spark's spelling.
    pub join_type: String,
    /// Equality conjuncts.
    #[serde(default)]
    pub keys: Vec<Key>,
    /// Columns of USING.
    #[serde(default)]
    pub using: Option<Vec<String>>,
    /// Further conjuncts.
    #[serde(default)]
    pub filters: Vec<Filter>,
    /// The condition as Spark got it; null is no condition.
    #[serde(default)]
    pub condition_sql: Option<String>,
}

/// A pair of key columns.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Key {
    /// Column of what has been joined so far, or of the table where it stands left.
    pub left: String,
    /// Column of the other side.
    pub right: String,
    /// Whether null equals null.
    #[serde(default)]
    pub null_safe: bool,
}

/// A comparison beside the keys.
#[derive(Clone, Debug, Deserialize)]
pub struct Filter {
    /// First operand.
    pub a: Operand,
    /// `>`, `>=`, `<`, `<=`, `=`, `<>` or `!=`.
    pub op: String,
    /// Second operand.
    pub b: Operand,
}

/// A column or a literal.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Operand {
    /// A column.
    Column {
        /// The side that it is on, as the case has it.
        side: CaseSide,
        /// Its name.
        col: String,
    },
    /// A literal.
    Literal {
        /// Its value.
        lit: Value,
    },
}

/// What is right.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// Output column names; null where the query is refused.
    #[serde(default)]
    pub output_columns: Option<Vec<String>>,
    /// Their Spark types.
    #[serde(default)]
    pub output_types: Option<Vec<String>>,
    /// Batches that ran whole.
    #[serde(default)]
    pub batches: Vec<ExpectedBatch>,
    /// How the query ends, if not well.
    #[serde(default)]
    pub error: Option<ExpectedError>,
    /// Batches that ran before the error: how many, or which.
    #[serde(default)]
    pub batches_before_error: Option<BatchesBefore<ExpectedBatch>>,
    /// The right batches where Spark's are wrong.
    #[serde(default)]
    pub right_answer: Option<RightAnswer>,
}

impl Expected {
    /// The batches to match.
    #[must_use]
    pub fn right_batches(&self) -> &[ExpectedBatch] {
        match (&self.right_answer, &self.batches_before_error) {
            (Some(right), _) => &right.batches,
            (None, Some(BatchesBefore::Batches(batches))) => batches,
            _ => &self.batches,
        }
    }

    /// How many batches must end well before the error, where that is recorded.
    #[must_use]
    pub fn batches_before(&self) -> Option<usize> {
        match &self.batches_before_error {
            Some(BatchesBefore::Count(count)) => Some(*count),
            Some(BatchesBefore::Batches(batches)) => Some(batches.len()),
            None => None,
        }
    }
}

/// Batches that ran before an error.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum BatchesBefore<B> {
    /// How many; they are among the batches.
    Count(usize),
    /// The batches themselves.
    Batches(Vec<B>),
}

/// One executed batch.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpectedBatch {
    /// Index of the input batch.
    pub input_batch: usize,
    /// Output rows, in no order.
    pub rows: Vec<Row>,
}

/// The right batches where Spark's are wrong.
#[derive(Clone, Debug, Deserialize)]
pub struct RightAnswer {
    /// The batches.
    pub batches: Vec<ExpectedBatch>,
}

/// How a query ends that does not end well.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpectedError {
    /// `build` and `start`: refused before any batch; `run`: in a batch.
    pub phase: Phase,
    /// Spark's class; null where it has none.
    #[serde(default)]
    pub error_class: Option<String>,
    /// Classes that the message names.
    #[serde(default)]
    pub error_classes_in_message: Vec<String>,
    /// The message, shortened.
    #[serde(default)]
    pub message: String,
}

/// When a query fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// While the query is resolved.
    Build,
    /// When it is started.
    Start,
    /// In a batch.
    Run,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_is_kept_as_one() {
        let case = Case::parse(r#"{"case":{"name":"x","kind":"as-of"},"expected":{}}"#).unwrap();
        assert!(matches!(case, Case::Unknown { name, kind } if name == "x" && kind == "as-of"));
        assert!(Case::parse("{}").unwrap_err().contains("case.name"));
        assert!(Case::parse("{").is_err());
    }

    #[test]
    fn versions_follow_the_refresh() {
        let dimension = |refresh, refresh_n| Dimension {
            name: "d".to_owned(),
            schema: vec![],
            versions: vec![vec![]; 4],
            version_for_batch: Some(vec![0, 1, 2, 3]),
            refresh,
            refresh_n,
            version_seen_by_batch: None,
        };
        let seen = |refresh, n| -> Vec<usize> {
            (0..4).map(|batch| dimension(refresh, n).version_seen(batch).unwrap()).collect()
        };
        assert_eq!(seen(Refresh::Fixed, None), [0, 0, 0, 0]);
        assert_eq!(seen(Refresh::PerBatch, None), [0, 1, 2, 3]);
        assert_eq!(seen(Refresh::EveryN, Some(2)), [0, 0, 2, 2]);
        let contradiction =
            Dimension { version_seen_by_batch: Some(vec![1]), ..dimension(Refresh::Fixed, None) };
        assert!(contradiction.version_seen(0).is_err());
    }
}
