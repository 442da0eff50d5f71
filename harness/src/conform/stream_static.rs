//! Runs a stream-static case and compares every batch with the recorded one.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_kernels::{JoinError, TableSnapshot, stream_static};

use super::case::{Expected, ExpectedError, Phase, Row, StreamStaticCase, StreamStaticQuery};
use super::compare::Multiset;
use super::encoding::{self, Owner, pieces};
use super::form::{Form, Size};
use super::input::Input;
use super::plan::{self, Refusal, Step};
use super::refusal::{judge_refusal, judge_schema, same_meaning};
use super::{fields, value};

/// Runs a case in `forms`; the answer is what is wrong with it, each with the
/// form that shows it.
pub(super) fn check(case: &StreamStaticCase, forms: &[Form]) -> Vec<String> {
    match check_forms(case, forms) {
        Ok(failures) => failures,
        Err(failure) => vec![failure],
    }
}

fn check_forms(case: &StreamStaticCase, forms: &[Form]) -> Result<Vec<String>, String> {
    let StreamStaticCase { query, expected } = case;
    let input = Input::recorded(query)?;
    let (stream, dimensions) = plan::schemas(query)?;
    let steps = match plan::bind(query, &stream, &dimensions) {
        Ok(steps) => steps,
        Err(Refusal::Case(difference)) => return Err(difference),
        Err(Refusal::Query(message)) => {
            return Ok(judge_refusal(&message, expected.error.as_ref())
                .err()
                .into_iter()
                .collect());
        }
    };
    if let Some(error) = expected.error.as_ref().filter(|error| error.phase != Phase::Run) {
        return Err(format!("was started, but should be refused: {}", error.message));
    }
    let encoded = match forms.iter().any(|form| form.encoded) {
        true => {
            let stream = encoding::schema(&stream, Owner::Stream);
            let dimensions: Vec<SchemaRef> =
                dimensions.iter().map(|schema| encoding::schema(schema, Owner::Table)).collect();
            let steps =
                plan::bind(query, &stream, &dimensions).map_err(|refusal| match refusal {
                    Refusal::Case(message) | Refusal::Query(message) => {
                        format!("[encoded] {message}")
                    }
                })?;
            Some((steps, input.encoded()?))
        }
        false => None,
    };
    let enlarged = match forms.iter().any(|form| form.size == Size::Enlarged) {
        true => input.enlarged(query)?,
        false => None,
    };
    let mut failures = Vec::new();
    for (i, form) in forms.iter().enumerate() {
        let (steps, input) = match (form.size, &enlarged, &encoded) {
            (Size::Recorded, _, Some((steps, input))) if form.encoded => (steps, input),
            (Size::Recorded, ..) => (&steps, &input),
            (Size::Enlarged, Some(enlarged), _) => (&steps, enlarged),
            (Size::Enlarged, None, _) => continue,
        };
        let run = Run { query, steps, input, form, check_fields: i == 0 };
        if let Err(difference) = run.answer().and_then(|answer| answer.judge(expected)) {
            failures.push(format!("[{form}]\n{difference}"));
        }
    }
    Ok(failures)
}

/// What came of a run.
struct Answer {
    schema: SchemaRef,
    /// Input batch and output rows of each executed batch that ended well.
    batches: Vec<(usize, Vec<RecordBatch>)>,
    /// The error that ended the run in the batch after these.
    error: Option<JoinError>,
    repeats: usize,
    encoded: bool,
}

struct Run<'a> {
    query: &'a StreamStaticQuery,
    steps: &'a [Step],
    input: &'a Input,
    form: &'a Form,
    check_fields: bool,
}

impl Run<'_> {
    fn answer(&self) -> Result<Answer, String> {
        let mut operators = self
            .steps
            .iter()
            .map(|step| step.operator(self.form.options()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        let schema = match operators.last() {
            Some(operator) => operator.output_schema().clone(),
            None => return Err("the case has no join".to_owned()),
        };
        let mut answer = Answer {
            schema,
            batches: Vec::new(),
            error: None,
            repeats: self.input.repeats,
            encoded: self.form.encoded,
        };
        let mut snapshots = HashMap::new();
        for (input_batch, rows) in self.input.batches.iter().enumerate() {
            let Some(rows) = rows else { continue };
            match self.batch(input_batch, rows, &mut operators, &mut snapshots) {
                Ok(output) => answer.batches.push((input_batch, output)),
                Err(BatchError::Case(difference)) => return Err(difference),
                Err(BatchError::Join(error)) => {
                    answer.error = Some(error);
                    break;
                }
            }
        }
        Ok(answer)
    }

    fn batch(
        &self,
        input_batch: usize,
        rows: &RecordBatch,
        operators: &mut [stream_static::Join],
        snapshots: &mut HashMap<(usize, usize), Arc<TableSnapshot>>,
    ) -> Result<Vec<RecordBatch>, BatchError> {
        let mut rows = vec![rows.clone()];
        for (at, (step, operator)) in self.steps.iter().zip(operators).enumerate() {
            let dimension = &self.query.dims[step.dimension];
            let version = dimension.version_seen(input_batch).map_err(BatchError::Case)?;
            let table = &self.input.dimensions[step.dimension][version];
            let snapshot = match snapshots.get(&(at, version)) {
                Some(snapshot) => Arc::clone(snapshot),
                None => {
                    let table = step.prepare_dimension(table)?;
                    let pieces = if self.form.encoded { pieces(&table) } else { vec![table] };
                    let snapshot = operator.build(&pieces, version as u64)?;
                    snapshots.insert((at, version), Arc::clone(&snapshot));
                    snapshot
                }
            };
            operator.swap(snapshot);
            let mut output = Vec::new();
            for batch in &rows {
                if self.check_fields {
                    self.check_filters(at, step, batch, table).map_err(BatchError::Case)?;
                }
                let mut cursor = operator.push(&step.prepare_stream(batch)?)?;
                while let Some(joined) = cursor.next_batch()? {
                    if joined.num_rows() > self.form.max_output_rows {
                        return Err(BatchError::Case(format!(
                            "an output batch of {} rows is larger than the bound of {}",
                            joined.num_rows(),
                            self.form.max_output_rows
                        )));
                    }
                    output.push(joined);
                }
            }
            rows = output;
        }
        Ok(rows)
    }

    fn check_filters(
        &self,
        at: usize,
        step: &Step,
        stream: &RecordBatch,
        table: &RecordBatch,
    ) -> Result<(), String> {
        let (left, right) = match step.stream_side {
            streamjoin_kernels::Side::Left => (stream, table),
            streamjoin_kernels::Side::Right => (table, stream),
        };
        let join = &self.query.joins[at];
        fields::check_filters(join, &step.condition, left, right, plan::mode(self.query))
            .map_err(|error| format!("join {at}: {error}"))
    }
}

enum BatchError {
    /// The query fails here.
    Join(JoinError),
    /// The case fails whatever it expects.
    Case(String),
}

impl From<JoinError> for BatchError {
    fn from(error: JoinError) -> Self {
        Self::Join(error)
    }
}

impl Answer {
    fn judge(&self, expected: &Expected) -> Result<(), String> {
        let wanted = expected.right_batches();
        match (&self.error, &expected.error) {
            (None, None) => {}
            (Some(error), None) => {
                let batch = self.batches.len();
                return Err(format!("    failed in executed batch {batch}: {error}"));
            }
            (None, Some(error)) => {
                return Err(format!("    ran to its end, but should fail: {}", error.message));
            }
            (Some(error), Some(wanted)) => self.judge_error(error, wanted, expected)?,
        }
        let ran: Vec<usize> = self.batches.iter().map(|(input_batch, _)| *input_batch).collect();
        let should: Vec<usize> = wanted.iter().map(|batch| batch.input_batch).collect();
        // Where the recording of a failed query holds no batches, the earlier
        // ones are counted above and cannot be compared.
        if expected.error.is_some() && wanted.is_empty() {
            return Ok(());
        }
        if ran != should {
            return Err(format!("    batches ran for input {ran:?}, but should for {should:?}"));
        }
        let Expected { output_columns, output_types, .. } = expected;
        let schema = judge_schema(&self.schema, output_columns, output_types, self.encoded)?;
        let mut text = String::new();
        for ((input_batch, rows), wanted) in self.batches.iter().zip(wanted) {
            if let Some(difference) = self.compare(&schema, rows, &wanted.rows)? {
                text += &format!("    input batch {input_batch}:\n{difference}");
            }
        }
        if text.is_empty() { Ok(()) } else { Err(text.trim_end().to_owned()) }
    }

    fn judge_error(
        &self,
        error: &JoinError,
        wanted: &ExpectedError,
        expected: &Expected,
    ) -> Result<(), String> {
        if let Some(before) = expected.batches_before()
            && before != self.batches.len()
        {
            return Err(format!(
                "    {} batches ran before the error, but {before} should: {error}",
                self.batches.len()
            ));
        }
        same_meaning(&error.to_string(), wanted).map_err(|error| format!("    {error}"))
    }

    fn compare(
        &self,
        schema: &SchemaRef,
        rows: &[RecordBatch],
        wanted: &[Row],
    ) -> Result<Option<String>, String> {
        let mut counts = Multiset::new(schema)?;
        for batch in rows {
            counts.add(batch, 1)?;
        }
        counts.add(&value::batch(schema, wanted)?, -(self.repeats as i64))?;
        counts.difference()
    }
}
