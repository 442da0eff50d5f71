//! The search for a sustainable rate, asking a strategy under a clock that
//! moves whenever it is looked at: a batch takes as many looks, whatever the
//! machine does.

use std::sync::Mutex;
use std::time::Duration;

use streamjoin::error::{FailureKind, Result};
use streamjoin::measure::{Sustainable, SustainableRate, TrialOutcome, sustainable_rate};
use streamjoin::plan::Strategy;
use streamjoin::replay::Clock;
use streamjoin::sink::SinkSpec;

use crate::support::{Folder, millis};

#[derive(Debug, Default)]
struct Looked(Mutex<Duration>);

impl Clock for Looked {
    fn now(&self) -> Duration {
        let mut now = self.0.lock().unwrap();
        *now += Duration::from_micros(500);
        *now
    }

    fn sleep(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }
}

const ASKED: Sustainable = Sustainable { p99: millis(100), trial: millis(2000) };

fn scenario(stream: &str, replay: &str) -> String {
    format!(
        "[stream.s]\n{stream}\n[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\non = \"s.value % 10 = d.k\"\n[replay]\n{replay}\n"
    )
}

const ENDLESS: &str = "generator = { kind = \"rate\" }";

fn find(folder: &Folder, text: &str, asked: Sustainable) -> Result<SustainableRate> {
    let mut plan = folder.plan(text)?;
    let mut told = 0;
    let found = sustainable_rate(
        &mut plan,
        &Strategy::auto()?,
        &SinkSpec::None,
        asked,
        &Looked::default(),
        &mut |_| {
            told += 1;
            Ok(())
        },
    )?;
    assert_eq!(told, found.trials.len());
    Ok(found)
}

fn folder(rows: usize) -> Folder {
    let recording: String = (0..rows).map(|value| format!("{value}\n")).collect();
    Folder::new(&[("d.csv", "k\n1\n2\n"), ("s.csv", &format!("value\n{recording}"))])
}

#[track_caller]
fn is_found(found: &SustainableRate) -> f64 {
    assert_eq!((&found.inconclusive, &found.note), (&None, &None), "{found:?}");
    let held = found.rows_per_second.unwrap();
    let failed = found.fails_at_rows_per_second.unwrap();
    assert!(held < failed && failed <= held * 1.05, "{held} {failed}");
    assert!(found.latency_ms.unwrap().p99 <= 100.0);
    for trial in &found.trials {
        let bad = trial.latency_ms.is_some_and(|l| l.p99 > 100.0) || trial.falling_behind > 0.02;
        assert_eq!(bad, trial.outcome != TrialOutcome::Sustained, "{trial:?}");
    }
    held
}

#[test]
fn a_rate_is_found_and_it_is_near_what_can_be_worked_off() {
    let text = scenario(ENDLESS, "trigger = { rows = 100 }\nlimit = 10_000");
    let found = find(&folder(0), &text, ASKED).unwrap();
    let held = is_found(&found);
    // A batch of 100 rows takes some looks of 0.5 ms each.
    assert!((1e3..1e5).contains(&held), "{held}");
    assert!((0.5..1.5).contains(&(held / found.unthrottled_rows_per_second)), "{found:?}");
    // Twice the rows per batch, twice the rate, as only batches cost.
    let text = text.replace("100 }", "200 }");
    let twice = is_found(&find(&folder(0), &text, ASKED).unwrap());
    assert!((1.8..2.2).contains(&(twice / held)), "{held} {twice}");
}

#[test]
fn ticks_are_paced_by_the_search() {
    let replay = "trigger = { every = \"100 ms\" }\npace = { rows_per_second = 1 }";
    let text = scenario(ENDLESS, &format!("{replay}\nlimit = 10_000"));
    let asked = Sustainable { p99: millis(1), trial: millis(800) };
    let found = find(&folder(0), &text, asked).unwrap();
    // A batch takes more than 1 ms here, however few its rows are.
    assert_eq!(found.rows_per_second, None, "{found:?}");
    assert!(found.trials.iter().all(|trial| trial.outcome != TrialOutcome::Sustained));
    let asked = Sustainable { trial: millis(500), ..ASKED };
    let failure = find(&folder(0), &text, asked).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("--probe 1s"), "{failure}");
}

#[test]
fn a_short_recording_is_read_again() {
    let text = scenario("recording = \"s.csv\"", "trigger = { rows = 100 }");
    let found = find(&folder(150), &text, ASKED).unwrap();
    is_found(&found);
    assert!(found.trials.iter().any(|trial| trial.rows_in > 1000), "{found:?}");
    let failure = find(&folder(0), &text, ASKED).unwrap_err();
    assert!(failure.message.contains("no rows"), "{failure}");
}

#[test]
fn a_batch_that_is_too_slow_by_itself_is_told() {
    let text = scenario(ENDLESS, "trigger = { rows = 100 }\nlimit = 10_000");
    let found = find(&folder(0), &text, Sustainable { p99: millis(1), ..ASKED }).unwrap();
    assert_eq!((found.rows_per_second, found.inconclusive.as_ref()), (None, None));
    assert!(found.note.unwrap().contains("smaller batches"));
}

#[test]
fn two_streams_are_not_read_again() {
    let rows = |from: u64, to: u64| -> String {
        let rows =
            (from..to).map(|at| format!("{at},2024-01-01 {:02}:{:02}:00\n", at / 60, at % 60));
        "k,at\n".to_owned() + &rows.collect::<String>()
    };
    let folder = Folder::new(&[("l.csv", &rows(0, 600)), ("r.csv", &rows(0, 600))]);
    let text = r#"
[stream.l]
recording = "l.csv"
event_time = "at"
watermark = "1 minute"
[stream.r]
recording = "r.csv"
event_time = "at"
watermark = "1 minute"
[join]
left = "l"
right = "r"
on = "l.k = r.k AND r.at BETWEEN l.at AND l.at + INTERVAL 1 MINUTE"
[replay]
trigger = { rows = 100 }
"#;
    let found = find(&folder, text, ASKED).unwrap();
    // 1,200 rows last a second at 1,200 rows/s, and more can be worked off.
    let held = found.rows_per_second.unwrap();
    assert!((1100.0..=1200.0).contains(&held), "{found:?}");
    assert!(found.inconclusive.unwrap().contains("over too soon"));
    assert!(found.trials.iter().all(|trial| trial.rows_in <= 1200));
}
