//! A case taken through scenario, plan and replay in every form, and what is
//! wrong with what came out of it.

use super::case::{Content, Expected, ExpectedError, Phase, Query};
use super::compare::Multiset;
use super::form::{Form, Rows};
use super::input::Input;
use super::refusal::{judge_refusal, judge_schema, same_meaning};
use super::run::{Answer, Executed, run};
use super::state;
use super::{fields, to_scenario, value};
use crate::error::{Failure, FailureKind};
use crate::plan::{Plan, Strategy, bind, plan_bound};

/// Runs a case in `forms`; the answer is what is wrong with it, each with the
/// form that shows it.
pub(super) fn check(case: &Content, forms: &[Form]) -> Vec<String> {
    check_forms(case, forms).unwrap_or_else(|failure| vec![failure])
}

fn check_forms(case: &Content, forms: &[Form]) -> Result<Vec<String>, String> {
    let Content { query, expected } = case;
    let Some(Form { strategy, .. }) = forms.first() else { return Ok(Vec::new()) };
    let input = Input::recorded(query)?;
    let planned = match Planned::new(query, input, strategy)? {
        Ok(planned) => planned,
        Err(refused) => {
            let difference = judge_refusal(&refused.message, expected.error.as_ref()).err();
            return Ok(difference.into_iter().collect());
        }
    };
    if let Some(error) = expected.error.as_ref().filter(|error| error.phase != Phase::Run) {
        return Err(format!("was started, but should be refused: {}", error.message));
    }
    let asked_for = |rows| forms.iter().any(|form| form.rows == rows);
    let again = |input| {
        Planned::new(query, input, strategy)?
            .map_err(|refused| format!("refused: {}", refused.message))
    };
    let encoded = match asked_for(Rows::Encoded) {
        true => Some(again(planned.input.encoded()?)?),
        false => None,
    };
    let enlarged = match asked_for(Rows::Enlarged) {
        true => planned.input.enlarged(query)?.map(again).transpose()?,
        false => None,
    };
    let mut failures = Vec::new();
    for form in forms {
        let planned = match form.rows {
            Rows::Recorded => Some(&planned),
            Rows::Enlarged => enlarged.as_ref(),
            Rows::Encoded => encoded.as_ref(),
        };
        let Some(planned) = planned else { continue };
        let answer = run(&planned.plan, form);
        if let Err(difference) = answer.and_then(|answer| planned.judge(&answer, case)) {
            failures.push(format!("[{form}]\n{difference}"));
        }
    }
    Ok(failures)
}

/// A case's plan over some input.
struct Planned {
    input: Input,
    plan: Plan,
}

impl Planned {
    /// Plans the case, which may be refused.
    ///
    /// # Errors
    /// A case that contradicts itself or whose fields differ from its condition.
    fn new(
        query: &Query,
        input: Input,
        strategy: &Strategy,
    ) -> Result<Result<Self, Failure>, String> {
        let plan = || -> Result<Result<Plan, Failure>, String> {
            let scenario = match to_scenario::scenario(query, &input) {
                Ok(scenario) => scenario,
                Err(failure) => return Ok(Err(failure)),
            };
            let bound = bind(&scenario);
            if bound.failure.is_none() {
                fields::check(query, &bound, &input)?;
            }
            let plan = plan_bound(bound, None);
            Ok(plan.and_then(|plan| plan.check(strategy).map(|()| plan)))
        };
        match plan()? {
            Ok(plan) => Ok(Ok(Self { input, plan })),
            Err(failure) if failure.kind == FailureKind::Usage => Ok(Err(failure)),
            Err(failure) => Err(failure.message),
        }
    }

    fn judge(&self, answer: &Answer, case: &Content) -> Result<(), String> {
        let Content { query, expected } = case;
        let wanted = expected.right_batches();
        match (&answer.error, &expected.error) {
            (None, None) => {}
            (Some(error), None) => {
                let batch = answer.batches.len();
                return Err(format!("    failed in executed batch {batch}: {error}"));
            }
            (None, Some(error)) => {
                return Err(format!("    ran to its end, but should fail: {}", error.message));
            }
            (Some(error), Some(wanted)) => judge_error(answer, error, wanted, expected)?,
        }
        // Where the recording of a failed query holds no batches, the earlier
        // ones are counted above and cannot be compared.
        if expected.error.is_some() && wanted.is_empty() {
            return Ok(());
        }
        let ran = self.batches_that_ran(answer)?;
        // Of a join with tables the mark says that a batch gave no rows.
        let streams = matches!(query, Query::StreamStream(_));
        let should: Vec<(usize, bool)> =
            wanted.iter().map(|batch| (batch.input_batch, streams && batch.no_data)).collect();
        if ran != should {
            return Err(format!(
                "    batches ran for input {ran:?}, but should for {should:?} (true: without input)"
            ));
        }
        let schema = judge_schema(self.plan.output_schema(), expected, query, self.input.encoded)?;
        let mut text = String::new();
        for (i, (found, wanted)) in answer.batches.iter().zip(wanted).enumerate() {
            let mut differences = match query {
                Query::StreamStatic(_) => Vec::new(),
                Query::StreamStream(query) => state::differences(query, found, wanted)?,
            };
            let mut rows = Multiset::new(&schema)?;
            for batch in &found.rows {
                rows.add(batch, 1)?;
            }
            rows.add(&value::batch(&schema, &wanted.rows)?, -(self.input.repeats as i64))?;
            differences.extend(rows.difference()?);
            if !differences.is_empty() {
                let place = format!("executed batch {i}, input batch {}", wanted.input_batch);
                text += &format!("    {place}:\n{}", differences.concat());
            }
        }
        if text.is_empty() { Ok(()) } else { Err(text.trim_end().to_owned()) }
    }

    /// The input batch of each executed batch, and whether it ran without input.
    fn batches_that_ran(&self, answer: &Answer) -> Result<Vec<(usize, bool)>, String> {
        let mut inputs = self.input.executed().into_iter();
        let mut last = 0;
        let ran = answer.batches.iter().map(|Executed { progress, .. }| {
            if progress.no_data {
                return Ok((last, true));
            }
            let read = progress.num_input_rows;
            last = inputs.next().ok_or_else(|| {
                format!("    a batch of {read} rows ran after the last input batch")
            })?;
            match self.input.rows(last) {
                rows if rows as u64 == read => Ok((last, false)),
                rows => {
                    Err(format!("    input batch {last} has {rows} rows, but {read} were read"))
                }
            }
        });
        ran.collect()
    }
}

/// Compares the error of a batch.
fn judge_error(
    answer: &Answer,
    error: &Failure,
    wanted: &ExpectedError,
    expected: &Expected,
) -> Result<(), String> {
    let ran = answer.batches.len();
    match expected.batches_before() {
        Some(before) if before != ran => {
            Err(format!("    {ran} batches ran before the error, but {before} should: {error}"))
        }
        _ => same_meaning(&error.message, wanted).map_err(|error| format!("    {error}")),
    }
}
