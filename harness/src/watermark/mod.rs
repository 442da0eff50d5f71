//! Which watermark delay to set: for each of many, the rows that would be lost
//! as late, the state that would be held, and how long unmatched rows would
//! wait.
//!
//! All delays are followed in one pass over the recording ([`crate::replay`]),
//! and the figures are those that a run with each delay reports. Where no delays
//! are given, a pass before that finds out how late rows are, and the delays are
//! chosen by it ([`grid()`]).

mod csv;
mod grid;
mod knee;
mod report;
mod simulation;

pub use grid::grid;
pub use knee::knee;
pub use report::{
    Knee, LatenessReport, Mark, PointReport, SideReport, StreamReport, WatermarkReport,
};
pub use simulation::{Delays, Vary};

use streamjoin_kernels::Side;

use crate::error::{Failure, Result};
use crate::plan::{Plan, StreamStreamPlan};
use crate::scenario::Scenario;
use crate::text::duration::Micros;
use simulation::{lateness, simulate};

/// Microseconds of a millisecond, in which delays are counted.
const MICROS: i64 = 1_000;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which delays vary.
    pub vary: Vary,
    /// The delays; empty: to be chosen.
    pub delays: Vec<Micros>,
}

/// The plan of a scenario that has a watermark to choose.
///
/// # Errors
/// A usage failure for one that has none.
pub fn streams<'p>(plan: &'p Plan, scenario: &Scenario) -> Result<&'p StreamStreamPlan> {
    let why = match plan {
        Plan::StreamStream(plan) => {
            let declared = Delays::declared(&plan.spec);
            if declared.left.is_some() || declared.right.is_some() {
                return Ok(plan);
            }
            "neither stream declares one; give one of them `event_time` and `watermark`"
        }
        Plan::StreamStatic(_) => {
            "a join with tables drops no row as late and holds no state; watermarks matter to the join of two streams, [join]"
        }
    };
    Err(Failure::usage(format!("no watermark to choose: {why}")).at(&scenario.text))
}

/// Which delay varies when `side` is asked for: the name of a stream, `left`
/// or `right`.
///
/// # Errors
/// A usage failure for an unknown name and for a stream without a watermark.
pub fn vary(plan: &StreamStreamPlan, side: Option<&str>) -> Result<Vary> {
    let Some(asked) = side else { return Ok(Vary::Both) };
    let name = |side: Side| plan.side(side).stream.name.as_str();
    let by_name = Side::BOTH.into_iter().find(|side| name(*side).eq_ignore_ascii_case(asked));
    let found = by_name.or_else(|| Side::BOTH.into_iter().find(|side| side.to_string() == asked));
    let Some(side) = found else {
        return Err(Failure::usage(format!(
            "--side {asked}: give left, right or the name of a stream: {}, {}",
            name(Side::Left),
            name(Side::Right)
        )));
    };
    if Delays::declared(&plan.spec).on(side).is_none() {
        return Err(Failure::usage(format!(
            "no watermark to choose: stream `{}` declares none",
            name(side)
        )));
    }
    Ok(Vary::One(side))
}

/// Answers a question about a plan; `watcher` gets the name of each pass and the
/// rows that it has read.
///
/// # Errors
/// A usage failure for too many delays, a run failure with the file and rows.
pub fn ask(
    scenario: &Scenario,
    plan: &StreamStreamPlan,
    question: &Question,
    watcher: &mut dyn FnMut(&'static str, u64),
) -> Result<WatermarkReport> {
    let declared = whole_millis(Delays::declared(&plan.spec));
    let own: Vec<i64> = match question.vary {
        Vary::Both => [declared.left, declared.right].into_iter().flatten().collect(),
        Vary::One(side) => declared.on(side).into_iter().collect(),
    };
    let (delays, lateness) = if question.delays.is_empty() {
        let lateness =
            lateness(plan, question.vary, &mut |rows| watcher("how late rows are", rows))?;
        let own: Vec<i64> = own.iter().map(|delay| delay / MICROS).collect();
        let delays = grid(lateness.delay_for(LEAST_SHARE), lateness.greatest, &own);
        let delays = delays.into_iter().map(|millis| millis.saturating_mul(MICROS));
        (delays.collect(), Some(lateness))
    } else {
        let asked = question.delays.iter().map(|delay| delay.0);
        (asked.chain(own).collect::<Vec<i64>>(), None)
    };
    let mut settings: Vec<Delays> = delays
        .into_iter()
        .map(|delay| whole_millis(question.vary.delays(declared, delay)))
        .collect();
    settings.sort_unstable();
    settings.dedup();
    if settings.len() > MOST {
        return Err(Failure::usage(format!(
            "{} delays: at most {MOST} are followed at once",
            settings.len()
        )));
    }
    let on_the_curve = settings.clone();
    if !settings.contains(&declared) {
        settings.push(declared);
        settings.sort_unstable();
    }
    let (points, rows_in) = simulate(plan, &settings, &mut |rows| watcher("the curve", rows))?;
    Ok(report::report(&report::Found {
        scenario,
        plan,
        vary: question.vary,
        declared,
        on_the_curve: &on_the_curve,
        points: &points,
        rows_in,
        lateness: lateness.as_ref(),
    }))
}

/// The chosen delays start with one that saves this share of the late rows.
const LEAST_SHARE: f64 = 0.1;

/// The most delays that are followed at once.
const MOST: usize = 10_000;

fn whole_millis(delays: Delays) -> Delays {
    let whole = |delay: i64| delay.div_euclid(MICROS) * MICROS;
    Delays { left: delays.left.map(whole), right: delays.right.map(whole) }
}
