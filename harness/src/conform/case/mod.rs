//! One recorded case: the query, its input batch by batch, and the answer.

mod expected;
mod stream_static;
mod stream_stream;

use serde::Deserialize;
use serde_json::Value;

pub(super) use expected::{Expected, ExpectedBatch, ExpectedError, Phase};
pub(super) use stream_static::{Dimension, Join, Refresh, StreamStaticQuery};
pub(super) use stream_stream::{StreamStreamQuery, TimeBounds, TimedStream};

/// One line of a case file.
#[derive(Clone, Debug)]
pub struct Case {
    pub(super) name: String,
    kind: String,
    pub(super) content: Option<Content>,
}

/// What a case of a known kind holds.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) query: Query,
    pub(super) expected: Expected,
}

/// The query and its input.
#[derive(Clone, Debug)]
pub(super) enum Query {
    /// A stream joined with tables.
    StreamStatic(StreamStaticQuery),
    /// A stream joined with a stream.
    StreamStream(Box<StreamStreamQuery>),
}

impl Query {
    /// The name of an output column with what a scenario calls the start of a
    /// window.
    pub(super) fn in_words_of_scenario(&self, name: &str) -> String {
        match self {
            Self::StreamStatic(_) => name.to_owned(),
            Self::StreamStream(query) => query.in_words_of_scenario(name),
        }
    }
}

impl Case {
    /// The case's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `stream-static`, `stream-stream`, or a kind that this version does not
    /// know.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Reads one line.
    ///
    /// # Errors
    /// What is wrong with the JSON.
    pub fn parse(line: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Record<Q> {
            case: Q,
            expected: Expected,
        }
        fn read<Q: for<'de> Deserialize<'de>>(
            record: Value,
            query: impl Fn(Q) -> Query,
        ) -> serde_json::Result<Option<Content>> {
            let Record { case, expected } = serde_json::from_value(record)?;
            Ok(Some(Content { query: query(case), expected }))
        }
        let record: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |name: &str| record["case"][name].as_str().map(str::to_owned);
        let name = text("name").ok_or("no case.name: not a conformance case")?;
        let kind = text("kind").unwrap_or_else(|| "(none)".to_owned());
        let content = match kind.as_str() {
            "stream-static" => read(record, Query::StreamStatic),
            "stream-stream" => read(record, |query| Query::StreamStream(Box::new(query))),
            _ => Ok(None),
        };
        let content = content.map_err(|error| format!("case {name}: {error}"))?;
        Ok(Self { name, kind, content })
    }
}

/// Values of one row, in schema order.
pub(super) type Row = Vec<Value>;

/// Name and Spark type of each column.
pub(super) type Columns = Vec<(String, String)>;

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CaseSide {
    /// Before JOIN.
    Left,
    /// After JOIN.
    Right,
}

/// What a join's condition says, and the condition itself.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Condition {
    /// Equality conjuncts.
    #[serde(default)]
    pub(super) keys: Vec<Key>,
    /// Columns of USING.
    #[serde(default)]
    pub(super) using: Option<Vec<String>>,
    /// Further conjuncts.
    #[serde(default)]
    pub(super) filters: Vec<Filter>,
    /// The condition as Spark got it; null is no condition.
    #[serde(default, rename = "condition_sql")]
    pub(super) sql: Option<String>,
}

/// A pair of key columns.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Key {
    /// Column of what has been joined so far, or of the table where it is on
    /// the left.
    pub(super) left: String,
    /// Column of the other side.
    pub(super) right: String,
    /// Whether null equals null.
    #[serde(default)]
    pub(super) null_safe: bool,
}

/// A comparison in addition to the keys.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Filter {
    /// First operand.
    pub(super) a: Operand,
    /// `>`, `>=`, `<`, `<=`, `=`, `<>` or `!=`.
    pub(super) op: String,
    /// Second operand.
    pub(super) b: Operand,
}

/// A column or a literal.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Operand {
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
