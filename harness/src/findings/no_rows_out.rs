//! No rows were emitted, and which step removed the last of them.

use streamjoin_kernels::{JoinType, Side};

use super::few_keys_matched::name_of;
use super::finished_run::FinishedRun;
use crate::plan::{Plan, StreamStreamPlan, TableJoinPlan};
use crate::record::{Finding, Severity};
use crate::text::number::grouped;

const ID: &str = "no-rows-out";

/// Where the rows went, step by step.
struct Trail {
    steps: Vec<String>,
    /// The step after which none remained, and what to do about it.
    end: Option<(String, String)>,
}

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let outcome = run.outcome;
    if outcome.rows_out > 0 || outcome.cut_short.is_some() {
        return Vec::new();
    }
    if outcome.rows_in == 0 {
        let limit = match run.plan {
            Plan::StreamStatic(plan) => plan.stream.limit,
            Plan::StreamStream(plan) => plan.limit,
        };
        if limit == Some(0) {
            return Vec::new();
        }
        let title = "No rows were emitted: none was read".to_owned();
        return vec![
            Finding::new(ID, Severity::Problem, title)
                .with("step", "read")
                .saw("the recording has no rows")
                .remedy("point `recording` to files with rows"),
        ];
    }
    let mut trail = Trail { steps: Vec::new(), end: None };
    match run.plan {
        Plan::StreamStatic(plan) => {
            let read = outcome.rows_in;
            trail.step("read", read, "", "");
            if let Some(filtered) = outcome.dropped.filtered {
                let filter = plan.stream.prepare.filter_text().unwrap_or_default();
                let remedy =
                    format!("correct or remove `where` under [stream.{}]", plan.stream.name);
                let name = format!("left by `where` of `{}` ({filter})", plan.stream.name);
                trail.step(&name, read - filtered, "stream-where", &remedy);
            }
        }
        Plan::StreamStream(plan) => trail.pair(run, plan),
    }
    trail.joins(run);
    let joined = run.evidence().rows_joined;
    if let Some(filter) = &run.plan.output().filter
        && joined > 0
    {
        let name = format!("left by `where` of [output] ({filter})");
        trail.step(&name, 0, "output-where", "correct or remove `where` under [output]");
    }
    let Some((step, remedy)) = trail.end else { return Vec::new() };
    let title = format!(
        "No rows were emitted: {}",
        trail.steps.last().map_or("none remained", String::as_str)
    );
    let steps = trail.steps.len();
    let mut finding = Finding::new(ID, Severity::Problem, title).with("step", step);
    for step in trail.steps.into_iter().take(steps.saturating_sub(1)) {
        finding = finding.saw(step);
    }
    vec![finding.remedy(remedy)]
}

impl Trail {
    /// The rows after a step; the first step that leaves none is the last reported.
    fn step(&mut self, name: &str, rows: u64, id: &str, remedy: &str) {
        if self.end.is_some() {
            return;
        }
        self.steps.push(format!("{} rows {name}", grouped(rows)));
        if rows == 0 {
            self.end = Some((id.to_owned(), remedy.to_owned()));
        }
    }

    fn pair(&mut self, run: &FinishedRun<'_>, plan: &StreamStreamPlan) {
        let Some(pair) = &run.evidence().stream_stream else { return };
        for (side, found) in [Side::Left, Side::Right].into_iter().zip(&pair.sides) {
            if self.end.is_some() || found.rows == 0 {
                continue;
            }
            let name = name_of(plan, side);
            let join_type = plan.spec.join_type;
            let mut left = found.rows;
            let mut steps = vec![format!("{} read", grouped(left))];
            let mut taker = None;
            for (id, what, rows) in [
                ("stream-where", "removed by its `where`", found.left_out),
                ("on-condition", "failed the condition on this side alone", found.filtered),
                ("null-time", "without an event time", found.null_time),
                ("null-key", "with a null key", found.null_key),
                ("late", "late", found.late),
            ] {
                if rows > 0 {
                    steps.push(format!("{} {what}", grouped(rows)));
                    left = left.saturating_sub(rows);
                    if left == 0 && taker.is_none() {
                        taker = Some(id);
                    }
                }
            }
            self.steps.push(format!("rows of `{name}`: {}", steps.join(", ")));
            let matters = !join_type.extends_with_nulls(side) && join_type != JoinType::LeftAnti
                || side == Side::Left;
            if let Some(id) = taker.filter(|_| matters) {
                let remedy = match id {
                    "stream-where" => format!("correct or remove `where` under [stream.{name}]"),
                    "late" => format!(
                        "raise `watermark` under [stream.{name}]: see the finding on late rows"
                    ),
                    "null-time" => {
                        format!("look at `event_time` of [stream.{name}]: no row has one")
                    }
                    "null-key" => format!(
                        "look at the key of [stream.{name}] in `on`: it is null in every row"
                    ),
                    _ => format!("look at the part of `on` over `{name}` alone"),
                };
                self.steps.push(format!("no row of `{name}` was left for the join"));
                self.end = Some((id.to_owned(), remedy));
            }
        }
        if pair.joined == 0 {
            let place = &plan.place;
            self.step(
                &format!("from the {place}"),
                0,
                "join",
                "look at `on` of [join]: its keys, and its comparison of event times",
            );
        }
    }

    fn joins(&mut self, run: &FinishedRun<'_>) {
        let evidence = run.evidence();
        let joins = run.plan.joins().iter().zip(&evidence.joins).zip(&run.outcome.joins);
        let reached: Vec<u64> = run.outcome.joins.iter().map(|(m, u)| m + u).collect();
        for (at, ((join, found), &(matched, unmatched))) in joins.enumerate() {
            let after = reached.get(at + 1).copied().unwrap_or(evidence.rows_joined);
            if self.end.is_some() || matched + unmatched == 0 {
                continue;
            }
            if after > 0 {
                self.steps.push(format!("{} rows after the {}", grouped(after), join.place));
                continue;
            }
            self.steps.push(format!(
                "{} rows reached the {}: {} matched, {} did not ({} with a null key)",
                grouped(matched + unmatched),
                join.place,
                grouped(matched),
                grouped(unmatched),
                grouped(found.null_keys)
            ));
            let remedy = remedy(join, found.table.most_rows, found.null_keys, matched + unmatched);
            self.steps.push(format!(
                "the {} join with `{}` let none of {} rows through",
                join.kernel.spec.join_type,
                join.name,
                grouped(matched + unmatched)
            ));
            self.end = Some((format!("join:{}", join.name), remedy));
        }
    }
}

fn remedy(join: &TableJoinPlan, table_rows: u64, null_keys: u64, reached: u64) -> String {
    let name = &join.name;
    if join.kernel.spec.join_type == JoinType::LeftAnti {
        return format!(
            "every row has a match in `{name}`: that is what an anti join removes; type = \"semi\" keeps them"
        );
    }
    if table_rows == 0 {
        return format!("fill the table of `{name}`: see the finding on it");
    }
    if null_keys == reached {
        let keys = join.on.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ");
        return format!("look at the stream's key ({keys}): it is null in every row");
    }
    format!(
        "see the finding on the keys of `{name}`; type = \"left outer\" under [[dimension]] keeps rows without a match"
    )
}
