//! Few or no keys that matched.

use arrow::datatypes::DataType;
use streamjoin_datasets::type_text;
use streamjoin_kernels::spark::comparison_type;
use streamjoin_kernels::{JoinType, Side};

use super::finished_run::FinishedRun;
use super::key_search::{KeySearch, Search};
use crate::plan::{Plan, SidePlan, StreamStreamPlan, TableJoinPlan, scan_table};
use crate::record::{Finding, Severity};
use crate::replay::TableJoinEvidence;
use crate::text::number::grouped;
use crate::text::percent;

const ID: &str = "few-keys-matched";

/// Rows of each of two streams that are compared.
const PAIR_ROWS: usize = 100_000;

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let joins = run.plan.joins().iter().zip(&run.evidence().joins).zip(&run.outcome.joins);
    let mut findings: Vec<Finding> = joins
        .filter_map(|((join, evidence), counts)| of_table(run, join, evidence, *counts))
        .collect();
    if let Plan::StreamStream(plan) = run.plan {
        findings.extend(of_pair(run, plan));
    }
    findings
}

fn of_table(
    run: &FinishedRun<'_>,
    join: &TableJoinPlan,
    evidence: &TableJoinEvidence,
    (matched, unmatched): (u64, u64),
) -> Option<Finding> {
    let keys = &join.kernel.spec.keys;
    let table_rows = evidence.table.most_rows;
    if keys.is_empty() || table_rows == 0 {
        return None;
    }
    let with_key = (matched + unmatched).saturating_sub(evidence.null_keys);
    let missed = unmatched.saturating_sub(evidence.null_keys);
    let few = matched.saturating_mul(20) < with_key;
    if missed == 0 || !few && missed.saturating_mul(5) < with_key {
        return None;
    }
    let schema = &join.kernel.spec.table_schema;
    let positions: Vec<usize> = keys.iter().map(|key| key.second).collect();
    let types: Vec<DataType> =
        positions.iter().map(|&at| schema.field(at).data_type().clone()).collect();
    let search = Search::new(&evidence.missing, &types, &join.on);
    // Keys that no way of writing changes are looked for only if it matters.
    let mut search = search.filter(|search| few || search.can_help());
    if run.outcome.cut_short.is_some() {
        search = None;
    }
    let found = search.map(|mut search| {
        let feed = join.table.reopen(evidence.table.last_version).ok();
        let rows = feed.and_then(|feed| scan_all(join, &feed, &positions, &mut search));
        (rows, search.finish())
    });
    let found = found.and_then(|(scanned, found)| scanned.map(|()| found));
    let helps = found.as_ref().and_then(|found| {
        let fix = found.fix.as_ref()?;
        (fix.found * 4 >= found.keys.max(1)).then_some(fix)
    });
    // An anti join is there for rows that are not found.
    if helps.is_none() && (!few || join.kernel.spec.join_type == JoinType::LeftAnti) {
        return None;
    }
    let title = format!(
        "{} of the {} rows with a key matched a row of `{}`",
        match matched {
            0 => "None".to_owned(),
            _ => percent::part(matched, with_key),
        },
        grouped(with_key),
        join.name
    );
    let stream_schema = &join.kernel.spec.stream_schema;
    let stream_types: Vec<DataType> =
        keys.iter().map(|key| stream_schema.field(key.first).data_type().clone()).collect();
    let finding = Finding::new(ID, Severity::Problem, title)
        .about(&join.name)
        .with("rowsMatched", matched)
        .with("rowsUnmatched", unmatched)
        .with("nullKeys", evidence.null_keys)
        .with("tableRows", table_rows)
        .with("findableRows", evidence.table.findable_rows);
    let finding = with_types(finding, &join.on, &stream_types, &types).saw(format!(
        "the table has {} rows, {} of them with a key",
        grouped(table_rows),
        grouped(evidence.table.findable_rows)
    ));
    Some(told(finding, found.as_ref(), helps.is_some(), &join.name, "table"))
}

fn scan_all(
    join: &TableJoinPlan,
    feed: &crate::plan::Feed,
    positions: &[usize],
    search: &mut Search,
) -> Option<()> {
    for rows in scan_table(feed, &join.table.schema(), &join.kernel.table).ok()? {
        let keys = rows.ok()?.project(positions).ok()?;
        if !search.look(&keys) {
            break;
        }
    }
    Some(())
}

/// Two streams whose rows never met.
fn of_pair(run: &FinishedRun<'_>, plan: &StreamStreamPlan) -> Option<Finding> {
    let pair = run.evidence().stream_stream.as_ref()?;
    let came = pair
        .sides
        .each_ref()
        .map(|side| side.came - side.late - side.null_key - side.filtered - side.null_time);
    let semi = matches!(plan.spec.join_type, JoinType::LeftSemi | JoinType::LeftAnti);
    let matched = pair.joined - pair.unmatched;
    let none = matched == 0 && came.iter().all(|rows| *rows > 0);
    // Of an anti join no pair ever comes out.
    if !none || plan.spec.keys.is_empty() || semi && plan.spec.join_type == JoinType::LeftAnti {
        return None;
    }
    if run.outcome.cut_short.is_some() {
        return None;
    }
    let keys = &plan.spec.keys;
    let left: Vec<usize> = keys.iter().map(|key| key.first).collect();
    let right: Vec<usize> = keys.iter().map(|key| key.second).collect();
    let types = |side: &SidePlan, at: &[usize]| -> Vec<DataType> {
        at.iter().map(|&at| side.input.schema().field(at).data_type().clone()).collect()
    };
    let (left_types, right_types) = (types(&plan.left, &left), types(&plan.right, &right));
    let sample = first_keys(&plan.left, &left, 1000)?;
    let mut search = Search::new(&sample, &right_types, &plan.on)?;
    for keys in first_keys(&plan.right, &right, PAIR_ROWS)? {
        if !search.look(&keys) {
            break;
        }
    }
    let found = search.finish();
    let (l, r) = (&plan.left.stream.name, &plan.right.stream.name);
    let title = format!("No row of `{l}` matched a row of `{r}`");
    let finding = Finding::new(ID, Severity::Problem, title)
        .about(l)
        .with("leftRows", came[0])
        .with("rightRows", came[1]);
    let finding = with_types(finding, &plan.on, &left_types, &right_types);
    let helps = found.fix.is_some();
    if found.found > 0 && !helps {
        return Some(
            finding
                .saw(format!(
                    "{} of {} keys of the first rows of `{l}` are among the first {} rows of `{r}`: the keys meet, and the rest of the condition keeps the rows apart",
                    grouped(found.found as u64),
                    grouped(found.keys as u64),
                    grouped(found.rows)
                ))
                .with("keysLookedFor", found.keys)
                .with("keysFound", found.found)
                .remedy("look at the comparison of the event times in `on` of [join]: its signs, its length, and the time zones of both columns"),
        );
    }
    Some(told(finding, Some(&found), helps, r, "stream"))
}

/// The keys of a stream's first rows.
fn first_keys(
    side: &SidePlan,
    positions: &[usize],
    most: usize,
) -> Option<Vec<arrow::array::RecordBatch>> {
    let mut keys = Vec::new();
    let mut left = most;
    for batch in side
        .stream
        .feed
        .read_parts(side.stream.prepare.read.as_slice(), &side.stream.prepare.parts)
        .ok()?
    {
        let batch = batch.ok()?.batch;
        let batch = batch.slice(0, batch.num_rows().min(left));
        left -= batch.num_rows();
        let rows = side.input.apply(&side.stream.prepare.apply(batch).ok()?).ok()?;
        keys.push(rows.project(positions).ok()?);
        if left == 0 {
            break;
        }
    }
    Some(keys)
}

fn with_types(
    finding: Finding,
    on: &[(String, String)],
    stream: &[DataType],
    other: &[DataType],
) -> Finding {
    let mut types = Vec::new();
    let mut finding = finding;
    for ((key, with), (left, right)) in on.iter().zip(stream.iter().zip(other)) {
        let compared = comparison_type(left, right)
            .map_or_else(|error| error.to_string(), |compared| type_text(&compared));
        let (left, right) = (type_text(left), type_text(right));
        finding = finding.saw(format!("{key} ({left}) = {with} ({right}), compared as {compared}"));
        types.push(serde_json::json!({
            "stream": key, "streamType": left,
            "other": with, "otherType": right, "comparedAs": compared,
        }));
    }
    finding.with("keys", types)
}

/// Adds what the second look found.
fn told(
    mut finding: Finding,
    found: Option<&KeySearch>,
    helps: bool,
    name: &str,
    what: &str,
) -> Finding {
    let unmatched = "`run --unmatched FILE` writes the rows without a match";
    let Some(found) = found else {
        return finding.remedy(format!("compare the keys of both sides; {unmatched}"));
    };
    let looked = format!(
        "{} {} rows of `{name}`",
        if found.all_rows { "all" } else { "the first" },
        grouped(found.rows)
    );
    if !found.missing.is_empty() {
        finding =
            finding.saw(format!("not in the {what}, for example: {}", found.missing.join(", ")));
    }
    finding = finding
        .with("missingKeys", found.missing.clone())
        .with("keysLookedFor", found.keys)
        .with("keysFound", found.found);
    if found.found > 0 {
        finding = finding.saw(format!(
            "{} of {} keys of rows without a match do exist there: another part of the condition keeps their rows apart",
            grouped(found.found as u64),
            grouped(found.keys as u64)
        ));
    }
    match &found.fix {
        Some(fix) if helps => {
            let of = found.keys - found.found;
            let (key, met) = &fix.example;
            let change = fix.on.iter().map(|(stream, other)| format!("{stream} = {other}"));
            let change = change.collect::<Vec<_>>().join(" AND ");
            finding
                .saw(format!(
                    "{} of {} missing keys would match {}, such as {key} with {met} (compared with {looked})",
                    grouped(fix.found as u64),
                    grouped(of as u64),
                    fix.name
                ))
                .with("wouldMatch", serde_json::json!({
                    "how": fix.name, "keys": fix.found, "of": of, "on": change,
                }))
                .remedy(format!(
                    "compare them this way in `on` (instead of `using`, if there is one): {change}; or clean the data"
                ))
        }
        _ => finding
            .saw(format!("trimming, case, leading zeros and casts were tried where they apply, and do not help (compared with {looked})"))
            .remedy(format!(
                "check that both sides are of the same key and time: another column, another version of the {what}, a prefix; {unmatched}"
            )),
    }
}

/// Left and right, for messages about two streams.
pub(super) fn name_of(plan: &StreamStreamPlan, side: Side) -> &str {
    &plan.side(side).stream.name
}
