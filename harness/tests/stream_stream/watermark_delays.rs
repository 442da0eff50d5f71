//! The curve of watermark delays against a run with each delay.

use std::path::Path;

use streamjoin::error::Result;
use streamjoin::plan::{Plan, Strategy, plan};
use streamjoin::record::{Progress, Quantiles};
use streamjoin::replay::{Counted, Pass, ProgressListener};
use streamjoin::scenario::{self, SourceText};
use streamjoin::sink::{self, SinkSpec};
use streamjoin::text::duration::{Micros, exact_millis};
use streamjoin::watermark::{self, PointReport, Question, Vary, WatermarkReport};

/// Rows of each side, batch by batch, as progress records have them.
#[derive(Default)]
struct Sides {
    peak: [u64; 2],
    late: u64,
    removed: u64,
}

impl ProgressListener for Sides {
    fn progress(&mut self, progress: &Progress) -> Result<()> {
        let state = &progress.state_operators[0];
        if !progress.end {
            let metrics = &state.custom_metrics;
            self.peak[0] = self.peak[0].max(metrics.rows_left);
            self.peak[1] = self.peak[1].max(metrics.rows_right);
            self.removed += state.num_rows_removed;
        }
        self.late += state.num_rows_dropped_by_watermark;
        Ok(())
    }
}

fn shipped(name: &str, change: impl Fn(&str) -> String) -> (scenario::Scenario, Plan) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets");
    let path = data.join(format!("scenarios/{name}.toml"));
    let text = change(&std::fs::read_to_string(&path).unwrap());
    let scenario = scenario::parse(SourceText::new(&path, text), name).unwrap();
    let plan = plan(&scenario, None).unwrap();
    (scenario, plan)
}

fn ask(
    name: &str,
    vary: Vary,
    delays: &[&str],
    change: impl Fn(&str) -> String,
) -> WatermarkReport {
    let (scenario, plan) = shipped(name, change);
    let streams = watermark::streams(&plan, &scenario).unwrap();
    let delays: Vec<Micros> = delays.iter().map(|delay| delay.parse().unwrap()).collect();
    let mut rows = 0;
    let mut read = |_: &'static str, more: u64| rows += more;
    let report = watermark::ask(&scenario, streams, &Question { vary, delays }, &mut read).unwrap();
    assert_eq!(rows % u64::from(report.passes), 0, "each pass reads all");
    report
}

/// Compares a point of the curve with a run.
#[track_caller]
fn as_a_run(point: &PointReport, name: &str, change: impl Fn(&str) -> String) {
    let (_, plan) = shipped(name, change);
    let mut sides = Sides::default();
    let mut sink = sink::open(&SinkSpec::None, plan.output_schema()).unwrap();
    let strategy = Strategy::auto().unwrap();
    let outcome =
        Pass::new(&plan, &strategy, None).run(&mut *sink, &mut sides, Counted::All).unwrap();
    let delay = &point.delay;
    assert_eq!(Some(point.late), outcome.dropped.late, "late at {delay}");
    assert_eq!(point.late, sides.late, "late at {delay}");
    assert_eq!(point.state_rows, outcome.state.unwrap().rows, "state at {delay}");
    assert_eq!([point.left.peak, point.right.peak], sides.peak, "peaks at {delay}");
    assert_eq!(point.left.removed + point.right.removed, sides.removed, "removed at {delay}");
    let waited: Option<Quantiles> = outcome.outer_delay.quantiles();
    assert_eq!(point.outer_delay, waited, "outer delay at {delay}");
    // The batch at the end is not part of the curve.
    assert_eq!(point.batches + 1, outcome.batches, "batches at {delay}");
}

/// The first months.
fn start_of(text: &str) -> String {
    text.replace("[replay]", "[replay]\nlimit = 150_000")
}

fn patience(text: &str, delay: &str) -> String {
    start_of(text).replace("watermark = \"60 minutes\"", &format!("watermark = \"{delay}\""))
}

#[test]
fn five_delays_of_an_outer_join_are_five_runs() {
    let name = "nyc-cancelled-disordered";
    let delays = ["0 s", "20 min", "1 h", "3 h", "20 h 59 min 1 ms"];
    let report = ask(name, Vary::Both, &delays, start_of);
    assert_eq!(report.points.len(), delays.len());
    for (point, delay) in report.points.iter().zip(delays) {
        assert_eq!(point.delay, delay);
        as_a_run(point, name, |text| patience(text, delay));
    }
    assert!(report.points[2].late > 1_000 && report.points[4].late == 0);
}

#[test]
fn five_delays_of_an_inner_join_are_five_runs() {
    let name = "nyc-turnaround";
    let disordered = |text: &str| {
        start_of(text).replace(
            "[replay]",
            "[replay]\ndisorder = { share = 0.1, max = \"5 hours\", seed = 3 }",
        )
    };
    let delays = ["0 s", "10 min", "1 h", "2 h 30 min", "6 h"];
    let report = ask(name, Vary::Both, &delays, disordered);
    for (point, delay) in report.points.iter().zip(delays) {
        assert_eq!(point.delay, delay);
        as_a_run(point, name, |text| {
            disordered(text).replace("watermark = \"1 hour\"", &format!("watermark = \"{delay}\""))
        });
    }
    let late: Vec<u64> = report.points.iter().map(|point| point.late).collect();
    assert!(late.is_sorted_by(|a, b| a > b || (a, b) == (&0, &0)) && late[0] > 1_000, "{late:?}");
}

#[test]
fn one_side_varies_and_the_other_stays() {
    let name = "nyc-cancelled-disordered";
    let report = ask(name, Vary::One(streamjoin_kernels::Side::Left), &["5 min", "4 h"], start_of);
    let delays: Vec<&str> = report.points.iter().map(|point| point.delay.as_str()).collect();
    assert_eq!(delays, ["5 min", "1 h", "4 h"], "its own is there");
    as_a_run(&report.points[2], name, |text| {
        start_of(text).replacen("60 minutes\"\n\n", "4 h\"\n\n", 1)
    });
    assert_eq!(report.points[2].right.delay_ms, Some(3_600_000));
}

#[test]
fn chosen_delays_end_where_nothing_is_late() {
    let report = ask("nyc-cancelled-disordered", Vary::Both, &[], str::to_owned);
    // As computed by hand: see the shipped scenarios.
    for (delay, late) in [("1 h", 15_470), ("2 h", 5_738), ("4 h", 816)] {
        let point = report.points.iter().find(|point| point.delay == delay);
        assert_eq!(point.map(|point| point.late), Some(late), "{delay}");
    }
    let lateness = report.lateness.unwrap();
    assert_eq!((lateness.late_always, report.passes), (0, 2));
    assert_eq!(lateness.late_without_delay, report.points[0].late);
    assert_eq!(report.points[0].delay, "0 s");
    let last = report.points.last().unwrap();
    assert_eq!((last.late, last.left.delay_ms), (0, Some(lateness.least_delay_ms)));
    let before = ask(
        "nyc-cancelled-disordered",
        Vary::Both,
        &[&exact_millis(lateness.least_delay_ms - 1)],
        str::to_owned,
    );
    assert_eq!((before.points.len(), before.points[1].late > 0), (2, true));
    let marked = |mark| {
        let marked: Vec<&str> = report
            .points
            .iter()
            .filter(|point| point.marks.contains(&mark))
            .map(|point| point.delay.as_str())
            .collect();
        marked
    };
    assert_eq!(marked(watermark::Mark::Scenario), ["1 h"]);
    assert_eq!(marked(watermark::Mark::Knee), ["3 h"]);
    assert_eq!(marked(watermark::Mark::NothingLate), ["20 h 59 min 1 ms"]);
}

#[test]
fn own_delays_off_the_curve_are_a_line_of_their_own() {
    let small = |text: &str| text.replace("2_000_000", "30_000");
    let report = ask("ad-clicks", Vary::Both, &["0 s", "10 s", "150 min"], small);
    let delays: Vec<&str> = report.points.iter().map(|point| point.delay.as_str()).collect();
    assert_eq!(delays, ["0 s", "10 s", "2 h", "2 h / 3 h", "2 h 30 min", "3 h"]);
    as_a_run(&report.points[3], "ad-clicks", small);
    as_a_run(&report.points[4], "ad-clicks", |text| {
        small(text)
            .replace("watermark = \"2 hours\"", "watermark = \"150 min\"")
            .replace("watermark = \"3 hours\"", "watermark = \"150 min\"")
    });
}
