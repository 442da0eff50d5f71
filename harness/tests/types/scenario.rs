//! A scenario over batches in memory, or files, and what becomes of it.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use streamjoin::error::{FailureKind, Result};
use streamjoin::plan::{bind, explain, plan, plan_bound, strategies};
use streamjoin::record::Progress;
use streamjoin::replay::{Counted, Pass, ProgressListener, ready};
use streamjoin::scenario::{InMemory, MemoryRows, SourceText, parse_with};
use streamjoin::sink::{self, Sink, SinkSpec};

use crate::value::{Value, make, make_slice, of_row, read};

/// Columns of a stream or a table: `id` (unique), `k`, `at`, then the others.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Number and key of each row.
    pub(crate) rows: Vec<(i64, i32)>,
    /// Names and types of the other columns.
    pub(crate) columns: Vec<(String, DataType)>,
    /// Where batches end.
    pub(crate) batches: usize,
}

impl Rows {
    /// The value of a row in a column: null in each seventh row.
    pub(crate) fn value(&self, row: usize, column: usize) -> Value {
        of_row(&self.columns[column].1, self.rows[row].0)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        let utc = DataType::Timestamp(arrow::datatypes::TimeUnit::Microsecond, Some("UTC".into()));
        let mut fields = vec![
            Field::new("id", DataType::Int32, false),
            Field::new("k", DataType::Int32, true),
            Field::new("at", utc, true),
        ];
        fields.extend(self.columns.iter().map(|(name, of)| Field::new(name, of.clone(), true)));
        Arc::new(Schema::new(fields))
    }

    /// Batches whose dictionaries differ, every other one sliced.
    pub(crate) fn batches(&self) -> Vec<RecordBatch> {
        let each = self.rows.len().div_ceil(self.batches);
        let parts = self.rows.chunks(each.max(1)).enumerate();
        let batch = |(number, part): (usize, &[(i64, i32)])| {
            let ids = Int32Array::from_iter_values(part.iter().map(|(id, _)| *id as i32));
            let keys = Int32Array::from_iter(part.iter().map(|(_, k)| (*k >= 0).then_some(*k)));
            let times = part.iter().map(|(id, _)| 1_700_000_000_000_000 + id * 1_000_000);
            let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
            let mut columns: Vec<ArrayRef> = vec![Arc::new(ids), Arc::new(keys), Arc::new(times)];
            for (_, of) in &self.columns {
                let values: Vec<Value> = part.iter().map(|(id, _)| of_row(of, *id)).collect();
                columns.push(match number % 2 {
                    0 => make(of, &values, number),
                    _ => make_slice(of, &values, number),
                });
            }
            RecordBatch::try_new(self.schema(), columns).expect("columns of one schema")
        };
        parts.map(batch).collect()
    }

    fn in_memory(&self) -> MemoryRows {
        MemoryRows::new(self.schema(), self.batches()).expect("batches of the schema")
    }
}

/// What became of a scenario.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The rows that were put out.
    Rows(Vec<RecordBatch>),
    /// What `check` said.
    Refused(String),
}

impl Outcome {
    /// The values of the columns of these names, in each row, sorted.
    pub(crate) fn values(&self, names: &[&str]) -> Vec<Vec<Value>> {
        let Self::Rows(batches) = self else { panic!("{self:?}") };
        let mut all = Vec::new();
        for batch in batches {
            let columns: Vec<&ArrayRef> = names
                .iter()
                .map(|name| batch.column_by_name(name).unwrap_or_else(|| panic!("no {name}")))
                .collect();
            for row in 0..batch.num_rows() {
                all.push(columns.iter().map(|column| read(column.as_ref(), row)).collect());
            }
        }
        all.sort();
        all
    }
}

/// A scenario's text, rows in memory by name, and where rows go.
pub(crate) struct Job<'a> {
    pub(crate) text: String,
    pub(crate) rows: &'a [(&'a str, &'a Rows)],
    /// Where files are.
    pub(crate) folder: &'a Path,
    pub(crate) sink: SinkSpec,
}

impl Job<'_> {
    /// Checks the job as `check` and `explain` do, and runs it with each
    /// strategy: what they let through must run, what they refuse must not.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut memory = InMemory::default();
        for (name, rows) in self.rows {
            memory = memory.with(*name, rows.in_memory());
        }
        let text = SourceText::new(self.folder.join("s.toml"), self.text.clone());
        let scenario = parse_with(text, "s", memory);
        let scenario = scenario.unwrap_or_else(|failure| panic!("{failure}\n{}", self.text));
        let strategies = strategies(&scenario, &[], None).expect("strategies");
        let checked = plan(&scenario, None).and_then(|plan| {
            ready(&plan, &strategies, &self.sink)?;
            Ok(plan)
        });
        let explained = plan_bound(bind(&scenario), None).and_then(|plan| {
            explain::physical(&plan, &strategies)?;
            ready(&plan, &strategies, &self.sink)
        });
        let plan = match (checked, explained) {
            (Ok(plan), Ok(())) => plan,
            (Err(check), Err(explain)) => {
                assert_eq!(check.message, explain.message, "{}", self.text);
                assert_eq!(check.kind, FailureKind::Usage, "{check}\n{}", self.text);
                return Outcome::Refused(check.to_string());
            }
            (check, explain) => {
                let check = check.map(|_| ());
                panic!("check says {check:?}, explain {explain:?}\n{}", self.text)
            }
        };
        let mut found: Option<Vec<RecordBatch>> = None;
        for strategy in &strategies {
            let mut rows = Collected { also: None, rows: Vec::new() };
            if found.is_none() {
                let also = sink::open(&self.sink, plan.output_schema());
                rows.also = Some(also.unwrap_or_else(|failure| panic!("{failure}\n{}", self.text)));
            }
            let pass = Pass::new(&plan, strategy, None);
            let ran = pass.run(&mut rows, &mut Nobody, Counted::All).map(|_| ());
            let ran = ran.and_then(|()| rows.also.take().map_or(Ok(()), Sink::finish));
            if let Err(failure) = ran {
                panic!("check let through what fails: {failure}\n{}", self.text);
            }
            for batch in &rows.rows {
                assert_eq!(batch.schema_ref().fields(), plan.output_schema().fields());
            }
            found.get_or_insert(rows.rows);
        }
        Outcome::Rows(found.unwrap_or_default())
    }
}

struct Collected {
    also: Option<Box<dyn Sink>>,
    rows: Vec<RecordBatch>,
}

impl Sink for Collected {
    fn batch(&mut self, batch_id: u64, rows: &RecordBatch) -> Result<()> {
        self.rows.push(rows.clone());
        self.also.as_mut().map_or(Ok(()), |also| also.batch(batch_id, rows))
    }

    fn end_batch(&mut self, batch_id: u64) -> Result<()> {
        self.also.as_mut().map_or(Ok(()), |also| also.end_batch(batch_id))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}

struct Nobody;

impl ProgressListener for Nobody {
    fn progress(&mut self, _: &Progress) -> Result<()> {
        Ok(())
    }
}
