//! Runs a stream-stream case and compares every batch with the recorded one.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::stream_stream::{self, BatchKind, BatchReport};
use streamjoin_kernels::{JoinError, JoinType, Side};

use super::compare::Multiset;
use super::encoding::{self, Owner, pieces};
use super::form::StreamsForm;
use super::plan::Refusal;
use super::refusal::{judge_refusal, judge_schema};
use super::streams_case::{StreamStreamCase, StreamsExpected, StreamsExpectedBatch};
use super::streams_plan::StreamsPlan;
use super::{fields, value};

/// Runs a case in `forms`; the answer is what is wrong with it, each with the
/// form that shows it.
pub(super) fn check(case: &StreamStreamCase, forms: &[StreamsForm]) -> Vec<String> {
    match check_forms(case, forms) {
        Ok(failures) => failures,
        Err(failure) => vec![failure],
    }
}

/// The micro-batches of both sides.
type Input = Vec<[RecordBatch; 2]>;

fn check_forms(case: &StreamStreamCase, forms: &[StreamsForm]) -> Result<Vec<String>, String> {
    let StreamStreamCase { query, expected } = case;
    let schemas = [value::schema(&query.left.schema)?, value::schema(&query.right.schema)?];
    let plan = match StreamsPlan::bind(query, [&schemas[0], &schemas[1]]) {
        Ok(plan) => plan,
        Err(Refusal::Case(difference)) => return Err(difference),
        Err(Refusal::Query(message)) => {
            let verdict = judge_refusal(&message, expected.error.as_ref());
            return Ok(verdict.err().into_iter().collect());
        }
    };
    if let Some(error) = &expected.error {
        return Err(format!("was started, but should be refused: {}", error.message));
    }
    let input = recorded(case, &schemas)?;
    check_filters(case, &plan, &input)?;
    let encoded = match forms.iter().any(|form| form.encoded) {
        true => {
            let schemas = [
                encoding::schema(&schemas[0], Owner::Stream),
                encoding::schema(&schemas[1], Owner::Table),
            ];
            let plan = StreamsPlan::bind(query, [&schemas[0], &schemas[1]]).map_err(|refusal| {
                let (Refusal::Case(message) | Refusal::Query(message)) = refusal;
                format!("[encoded] {message}")
            })?;
            let batches = input.iter().map(|[left, right]| {
                Ok([encoding::batch(left, Owner::Stream)?, encoding::batch(right, Owner::Table)?])
            });
            Some((plan, batches.collect::<Result<Input, String>>()?))
        }
        false => None,
    };
    let mut failures = Vec::new();
    for form in forms {
        let (plan, input) = match &encoded {
            Some((plan, input)) if form.encoded => (plan, input),
            _ => (&plan, &input),
        };
        let outcome = answer(plan, input, form);
        if let Err(difference) = outcome.and_then(|answer| answer.judge(case, form.encoded)) {
            failures.push(format!("[{form}]\n{difference}"));
        }
    }
    Ok(failures)
}

fn recorded(case: &StreamStreamCase, schemas: &[SchemaRef; 2]) -> Result<Input, String> {
    let batches = case.query.micro_batches.iter();
    batches
        .map(|rows| {
            Ok([value::batch(&schemas[0], &rows.left)?, value::batch(&schemas[1], &rows.right)?])
        })
        .collect()
}

/// The filters, on the rows of each micro-batch.
fn check_filters(case: &StreamStreamCase, plan: &StreamsPlan, input: &Input) -> Result<(), String> {
    let join = case.query.as_join();
    for [left, right] in input {
        let left = plan.windowed(Side::Left, left)?;
        let right = plan.windowed(Side::Right, right)?;
        fields::check_filters(&join, &plan.condition, &left, &right, CastMode::Ansi)?;
    }
    Ok(())
}

/// What came of a run.
struct Answer {
    schema: SchemaRef,
    batches: Vec<Executed>,
}

struct Executed {
    input_batch: usize,
    rows: Vec<RecordBatch>,
    report: BatchReport,
}

fn answer(plan: &StreamsPlan, input: &Input, form: &StreamsForm) -> Result<Answer, String> {
    let mut join = plan.operator(form.options()).map_err(|error| error.to_string())?;
    let mut answer = Answer { schema: join.output_schema().clone(), batches: Vec::new() };
    for (input_batch, sides) in input.iter().enumerate() {
        let mut prepared = Vec::with_capacity(2);
        for (side, batch) in [Side::Left, Side::Right].into_iter().zip(sides) {
            let batch = plan.windowed(side, batch)?;
            let batch = plan.prepare(side, &batch).map_err(|error| error.to_string())?;
            prepared.push(if form.encoded { pieces(&batch) } else { vec![batch] });
        }
        run_batch(&mut join, &prepared, input_batch, form, &mut answer)
            .map_err(|error| format!("    input batch {input_batch}: {error}"))?;
    }
    Ok(answer)
}

fn run_batch(
    join: &mut stream_stream::Join,
    sides: &[Vec<RecordBatch>],
    input_batch: usize,
    form: &StreamsForm,
    answer: &mut Answer,
) -> Result<(), JoinError> {
    let [left, right] = sides else { return Ok(()) };
    let mut take = |batch: Option<stream_stream::Batch<'_>>| -> Result<(), JoinError> {
        let Some(mut batch) = batch else { return Ok(()) };
        let mut rows = Vec::new();
        while let Some(output) = batch.next_batch()? {
            if output.num_rows() > form.max_output_rows {
                return Err(JoinError::InvalidPlan(format!(
                    "an output batch of {} rows is larger than the bound of {}",
                    output.num_rows(),
                    form.max_output_rows
                )));
            }
            rows.push(output);
        }
        answer.batches.push(Executed { input_batch, rows, report: batch.report().clone() });
        Ok(())
    };
    take(join.push(left, right)?)?;
    take(join.advance()?)
}

impl Answer {
    fn judge(&self, case: &StreamStreamCase, encoded: bool) -> Result<(), String> {
        let StreamStreamCase { query, expected } = case;
        let wanted = expected.right_batches();
        let ran: Vec<(usize, bool)> = self
            .batches
            .iter()
            .map(|batch| (batch.input_batch, batch.report.kind == BatchKind::NoData))
            .collect();
        let should: Vec<(usize, bool)> =
            wanted.iter().map(|batch| (batch.input_batch, batch.no_data)).collect();
        if ran != should {
            return Err(format!(
                "    batches ran for input {ran:?}, but should for {should:?} (true: without input)"
            ));
        }
        let StreamsExpected { output_columns, output_types, .. } = expected;
        let schema = judge_schema(&self.schema, output_columns, output_types, encoded)?;
        let semi = query.join_type.parse::<JoinType>().is_ok_and(|t| t == JoinType::LeftSemi);
        let mut text = String::new();
        for (i, (found, wanted)) in self.batches.iter().zip(wanted).enumerate() {
            let mut differences = counts(&found.report, wanted, semi);
            let mut rows = Multiset::new(&schema)?;
            for batch in &found.rows {
                rows.add(batch, 1)?;
            }
            rows.add(&value::batch(&schema, &wanted.rows)?, -1)?;
            differences.extend(rows.difference()?);
            if !differences.is_empty() {
                let place = format!("executed batch {i}, input batch {}", found.input_batch);
                text += &format!("    {place}:\n{}", differences.concat());
            }
        }
        if text.is_empty() { Ok(()) } else { Err(text.trim_end().to_owned()) }
    }
}

/// The numbers that differ.
fn counts(found: &BatchReport, wanted: &StreamsExpectedBatch, semi: bool) -> Vec<String> {
    let sum = |left: u64, right: u64| Some((left + right) as i64);
    let (left, right) = (&found.left, &found.right);
    let number = |number: u64| Some(number as i64);
    // Not told where Spark is wrong, and Spark counts a semi join its own way.
    let updated = wanted.state_rows_updated.filter(|_| !semi).map(|rows| rows as i64);
    let removed = wanted.state_rows_removed.filter(|_| !semi).map(|rows| rows as i64);
    [
        ("watermark", found.watermark, wanted.watermark_ms),
        // Recorded as 0 where there is no watermark at all.
        ("late watermark", found.late_watermark, wanted.watermark_ms.and(wanted.late_watermark_ms)),
        ("state rows", sum(left.state.rows, right.state.rows), number(wanted.state_rows_total)),
        ("state rows on the left", number(left.state.rows), number(wanted.state_rows_left)),
        ("state rows on the right", number(right.state.rows), number(wanted.state_rows_right)),
        ("rows dropped as late", sum(left.late, right.late), number(wanted.rows_dropped_late)),
        ("rows stored", updated.and(sum(left.added, right.added)), updated),
        ("rows removed", removed.and(sum(left.removed, right.removed)), removed),
    ]
    .into_iter()
    .filter(|(_, found, wanted)| found != wanted)
    .map(|(what, found, wanted)| {
        let show = |n: Option<i64>| n.map_or("none".to_owned(), |n| n.to_string());
        format!("      {what}: {}, but should be {}\n", show(found), show(wanted))
    })
    .collect()
}
