//! A join of two streams as text: the interval, what each side's state waits
//! for, how large it will be.

use std::fmt::Write;

use streamjoin_kernels::time::{DeclaredWatermarks, Expiry, TimeKey, Unbounded};
use streamjoin_kernels::{NullEquality, Side, spark};

use crate::error::Result;
use crate::plan::bind::BoundStream;
use crate::plan::bind::stream_stream::{BoundStreamStream, BoundStreams};
use crate::plan::explain::{describe_read, row_bytes};
use crate::plan::{SidePlan, Strategy, StreamStreamPlan};
use crate::scenario::{End, Finished, JoinSpec, Merge, Scenario};
use crate::text::duration::exact;

/// What the join asks for.
pub(in crate::plan) fn describe(
    text: &mut String,
    scenario: &Scenario,
    spec: &JoinSpec,
    pair: &BoundStreams,
) {
    describe_replay(text, scenario);
    let join = &pair.join;
    let (left, right) = (&pair.left.relation.name, &pair.right.relation.name);
    let _ = writeln!(text, "join of streams: {left} {} {right}", join.join_type);
    describe_condition(text, join);
    let declared = [Side::Left, Side::Right].map(|side| delay(scenario, pair.side(side)));
    for (side, delay) in [Side::Left, Side::Right].into_iter().zip(declared) {
        let name = &pair.side(side).relation.name;
        let _ = match delay {
            Some(delay) => {
                writeln!(text, "  watermark of {name}: greatest event time - {}", exact(delay))
            }
            None => writeln!(text, "  watermark of {name}: none, so none of its rows is ever late"),
        };
    }
    let policy = spec.watermark_policy.as_ref().map(|p| *p.get_ref()).unwrap_or_default();
    let [l, r] = declared.map(|delay| delay.is_some());
    if l && r {
        let _ = writeln!(text, "  watermark W in force: the {policy} of both, from batch to batch");
    }
    let declared = DeclaredWatermarks { left: l, right: r };
    for side in [Side::Left, Side::Right] {
        let name = &pair.side(side).relation.name;
        let column = time_name(pair.side(side));
        let line = line(join, side, declared, &column, pair);
        let _ = writeln!(text, "  state of {name}: {line}");
    }
    for warning in &join.warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
}

fn describe_replay(text: &mut String, scenario: &Scenario) {
    let replay = &scenario.spec.replay;
    let merge = replay.merge.as_ref().map_or(Merge::default(), |merge| *merge.get_ref());
    let order = match merge {
        Merge::EventTime => "by event time, left first on ties",
        Merge::Arrival => "by arrival time, left first on ties",
        Merge::FileOrder => "in proportion to their rows",
    };
    let _ = writeln!(text, "merged: {order}");
    if let Some(disorder) = &replay.disorder {
        let disorder = disorder.get_ref();
        let _ = writeln!(
            text,
            "disorder: {} % of the rows are held back by up to {} (seed {})",
            disorder.share * 100.0,
            exact(disorder.max.0),
            disorder.seed
        );
    }
    for (name, stream) in &scenario.spec.stream.0 {
        if let Some(timeout) = &stream.idle_timeout {
            let _ = writeln!(
                text,
                "{}: leaves the watermark after a silence of {} of arrival time",
                name.get_ref(),
                exact(timeout.get_ref().0)
            );
        }
        if stream.finished.as_ref().is_some_and(|f| *f.get_ref() == Finished::Leaves) {
            let _ = writeln!(text, "{}: leaves the watermark when it ends", name.get_ref());
        }
    }
    let end = match replay.end.unwrap_or_default() {
        End::Flush => "flush: unmatched rows of a preserved side come out in one last batch",
        End::Hold => "hold: state is left as it is",
    };
    let _ = writeln!(text, "at the end: {end}");
}

fn describe_condition(text: &mut String, join: &BoundStreamStream) {
    if let Some(names) = &join.using {
        let _ = writeln!(text, "  using: {}", names.join(", "));
    }
    for bound in &join.keys {
        let sign = match bound.null_equality {
            NullEquality::NullMatchesNothing => "=",
            NullEquality::NullSafe => "<=>",
        };
        let (left, right) = (bound.left.data_type(), bound.right.data_type());
        let compared = match spark::comparison_type(left, right) {
            Ok(compared) => format!("compared as {compared}"),
            Err(error) => format!("refused: {error}"),
        };
        let _ = writeln!(
            text,
            "  key: {} {sign} {} ({left} with {right}, {compared})",
            bound.left, bound.right
        );
    }
    match join.time.key {
        Some(TimeKey::EventTime) => {
            let _ = writeln!(text, "  event time: equal");
        }
        Some(TimeKey::Window { width }) => {
            let _ = writeln!(text, "  event time: in the same window of {}", exact(width));
        }
        None if join.time.interval.is_unbounded() => {
            let _ = writeln!(text, "  event time: no condition");
        }
        None => {
            let _ = writeln!(text, "  event time: {}", join.time.interval);
        }
    }
    for (name, filter) in [("left", &join.left_filter), ("right", &join.right_filter)] {
        if let Some(filter) = filter {
            let _ = writeln!(text, "  {name} rows that can match: {filter}");
        }
    }
    if let Some(residual) = &join.residual {
        let _ = writeln!(text, "  checked for each pair: {residual}");
    }
}

/// The streams whose rows never leave the state, each with the reason.
pub(in crate::plan) fn unbounded(scenario: &Scenario, pair: &BoundStreams) -> Vec<String> {
    let declared = |side| delay(scenario, pair.side(side)).is_some();
    let declared = DeclaredWatermarks { left: declared(Side::Left), right: declared(Side::Right) };
    let sides = [Side::Left, Side::Right].into_iter();
    let sides = sides.filter_map(|side| {
        let Expiry::Never(why) = pair.join.time.expiry(side, declared) else { return None };
        let name = &pair.side(side).relation.name;
        Some(format!("the state of stream `{name}` only grows: {}", reason(why, pair)))
    });
    sides.collect()
}

/// Why a side's rows never leave.
fn reason(why: Unbounded, pair: &BoundStreams) -> String {
    let name = |side: Side| &pair.side(side).relation.name;
    match why {
        Unbounded::NoTimeCondition => {
            "no condition relates the event times of the two streams".to_owned()
        }
        Unbounded::OpenInterval { side } => format!(
            "the condition does not limit how much later than a row of {} its matches may be",
            name(side)
        ),
        Unbounded::NoWatermark { side } => {
            format!("stream {} declares no watermark: add `watermark = \"...\"` to it", name(side))
        }
        Unbounded::NoWatermarkAtAll => {
            "neither stream declares a watermark: add `watermark = \"...\"` to one".to_owned()
        }
    }
}

/// When a side's rows leave its state, as a formula, or why they never do.
fn line(
    join: &BoundStreamStream,
    side: Side,
    declared: DeclaredWatermarks,
    column: &str,
    pair: &BoundStreams,
) -> String {
    match join.time.expiry(side, declared) {
        Expiry::AtWatermark => match join.time.key {
            Some(TimeKey::Window { .. }) => {
                "a row leaves when the end of its window <= W".to_owned()
            }
            _ => format!("a row leaves when {column} <= W"),
        },
        Expiry::After { delay, inclusive } => {
            let sign = if delay < 0 { '+' } else { '-' };
            let distance = match delay {
                0 => String::new(),
                delay => format!(" {sign} {}", exact(delay.abs())),
            };
            // Lines are whole milliseconds, an inclusive bound's one below.
            let exact = if inclusive { " - 1 ms" } else { "" };
            format!("a row leaves when {column} <= W{distance}{exact}")
        }
        Expiry::Never(why) => format!("unbounded, rows never leave: {}", reason(why, pair)),
    }
}

fn time_name(stream: &BoundStream) -> String {
    let column = stream.time_column.map(|at| stream.relation.scope.columns[at].qualified_name());
    column.unwrap_or_else(|| format!("event time of {}", stream.relation.name))
}

fn delay(scenario: &Scenario, stream: &BoundStream) -> Option<i64> {
    let spec = scenario.spec.stream.get(&stream.relation.name)?;
    spec.watermark.as_ref().map(|watermark| watermark.get_ref().0)
}

/// What is read and kept of both streams.
pub(in crate::plan) fn describe_columns(text: &mut String, plan: &StreamStreamPlan) -> Result<()> {
    let join = plan.operator(&Strategy::auto()?, None)?;
    for side in [Side::Left, Side::Right] {
        describe_read(text, &plan.side(side).stream);
        let schema = plan.side(side).input.schema();
        let kept: Vec<&str> = join
            .kept_columns(side)
            .into_iter()
            .map(|column| schema.field(column).name().as_str())
            .collect();
        let _ = writeln!(
            text,
            "kept in state of {}: keys, event time and {} column{} ({})",
            plan.side(side).stream.name,
            kept.len(),
            if kept.len() == 1 { "" } else { "s" },
            kept.join(", ")
        );
        let _ = writeln!(text, "  {}", expected(plan, side));
    }
    Ok(())
}

/// How a strategy stores the state.
pub(in crate::plan) fn describe_store(
    text: &mut String,
    plan: &StreamStreamPlan,
    strategy: &Strategy,
) -> Result<()> {
    plan.operator(strategy, None)?;
    let limit = match (strategy.state_limit.rows, strategy.state_limit.bytes) {
        (Some(rows), _) => format!(", at most {rows} rows"),
        (_, Some(bytes)) => format!(", at most {bytes} bytes"),
        _ => String::new(),
    };
    let parts = match strategy.threads.get() {
        1 => String::new(),
        threads => format!(", {threads} parts by the keys' hash, each joined by one thread"),
    };
    let _ = writeln!(text, "  state: {}{parts}{limit}", strategy.state);
    Ok(())
}

/// Rows that a side's state is expected to hold: its rate times how long a row
/// stays.
fn expected(plan: &StreamStreamPlan, side: Side) -> String {
    let stream = plan.side(side);
    let declared = DeclaredWatermarks {
        left: plan.left.stream.watermark.is_some(),
        right: plan.right.stream.watermark.is_some(),
    };
    let row = row_bytes(stream.input.schema());
    let rows = stream.stream.feed.rows();
    let retention = match plan.spec.time.expiry(side, declared) {
        Expiry::Never(_) => {
            return match rows {
                Some(rows) => format!("expected state: all rows, {rows} at the end"),
                None => "expected state: all rows".to_owned(),
            };
        }
        // Until the watermark has passed the window's end: half a window on average.
        Expiry::AtWatermark => match plan.spec.time.key {
            Some(TimeKey::Window { width }) => i128::from(width) / 2,
            _ => 0,
        },
        Expiry::After { delay, .. } => delay.max(0),
    };
    // The watermark stays behind by the delay of the side that decides it.
    let delays = [&plan.left, &plan.right].map(|side: &SidePlan| side.stream.watermark);
    let behind = delays.into_iter().flatten().map(|delay| i128::from(delay.0));
    let behind = match plan.spec.policy {
        streamjoin_kernels::time::WatermarkPolicy::Min => behind.max(),
        streamjoin_kernels::time::WatermarkPolicy::Max => behind.min(),
    };
    let retention = retention + behind.unwrap_or(0);
    let stays = exact(retention);
    match rate(stream) {
        Some(rate) => {
            let rows = rate * retention as f64 / 1e6;
            format!(
                "expected state: about {rows:.0} rows of some {row} bytes = {rate:.3} rows/s x {stays} (upper bound + delay), and one batch"
            )
        }
        None => format!(
            "expected state: the rows of {stays} (upper bound + delay), and one batch; the rate is not known before the stream is read"
        ),
    }
}

/// Rows in a second of event time, where the recording tells without being
/// read whole: from its first batch.
fn rate(side: &SidePlan) -> Option<f64> {
    let stream = &side.stream;
    let time = stream.event_time.as_ref()?;
    let first = stream.feed.read(stream.prepare.read.as_slice()).ok()?.next()?.ok()?;
    let times = time.micros(&first.batch).ok()?;
    let (min, max) = (arrow::compute::min(&times)?, arrow::compute::max(&times)?);
    let seconds = (i128::from(max) - i128::from(min)) as f64 / 1e6;
    let kept = stream.prepare.apply(first.batch).ok()?;
    (seconds > 0.0).then(|| kept.num_rows() as f64 / seconds)
}
