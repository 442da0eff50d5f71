//! Replays by the clock. Nothing here depends on how fast the machine is: the
//! times themselves are tested with a clock of the tests' own.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::Folder;

/// Events of a made-up crowd; customer 1 is there more often than the others.
const CROWD: &str = r#"
[stream.s]
generator = { kind = "rate", rows_per_second = 100 }
select = ["*", "pmod(xxhash64(value), 100) AS dice", "pmod(xxhash64(value, 1), 4) + 1 AS user_id"]
where = "value >= 0"
event_time = "timestamp"
[[dimension]]
name = "c"
table = "customers.csv"
type = "left outer"
on = "CASE WHEN s.dice < 50 THEN 1 ELSE s.user_id END = c.customer"
[output]
select = ["value", "timestamp", "dice", "user_id", "name"]
"#;

fn crowd(replay: &str) -> Folder {
    let folder = Folder::small();
    folder.write("s.toml", format!("{CROWD}[replay]\n{replay}\n"));
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn expressions_make_columns_of_the_rate_source() {
    let folder = crowd("limit = 1_000");
    let rows = folder.streamjoin(&["run", "s.toml", "-o", "-", "--output-format", "csv", "-q"]);
    let again = folder.streamjoin(&["run", "s.toml", "-o", "-", "--output-format", "csv", "-q"]);
    assert_eq!((rows.code, &rows.stdout), (0, &again.stdout), "the same on every run");
    let mut users = [0; 4];
    let mut dice = vec![0; 100];
    for (value, line) in rows.stdout.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[0].parse(), Ok(value), "{line}");
        dice[fields[2].parse::<usize>().unwrap()] += 1;
        users[fields[3].parse::<usize>().unwrap() - 1] += 1;
        assert!(["Ann", "Bob", "Cem", "Dora"].contains(&fields[4]), "{line}");
    }
    assert!(users.iter().all(|rows| (200..300).contains(rows)), "{users:?}");
    assert!(dice.iter().all(|rows| (1..30).contains(rows)), "{dice:?}");
    let ann = rows.stdout.lines().filter(|line| line.ends_with("Ann")).count();
    assert!((560..690).contains(&ann), "{ann} of 1,000");
}

#[test]
fn a_paced_run_says_how_it_kept_its_pace() {
    let folder = crowd(
        "trigger = { every = \"20 ms\" }\npace = { rows_per_second = 5_000 }\nlimit = 1_000\n\
         [strategies.a]\n[strategies.b]\nindex = \"chained\"",
    );
    let report = json(&folder.streamjoin(&["run", "s.toml", "--format", "json"]).ok());
    for run in report["runs"].as_array().unwrap() {
        let summary = &run["summary"];
        assert_eq!((&summary["rowsIn"], &summary["passes"]), (&1000.into(), &1.into()));
        assert_eq!((&summary["ended"], &summary["spread"]), (&"complete".into(), &Value::Null));
        let pace = &summary["pace"];
        assert_eq!(pace["rowsPerSecond"], 5000.0);
        let busy = pace["busyShare"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&busy), "{busy}");
        // No faster than rows come: the last is due after 0.2 s.
        assert!(summary["rowsPerSecond"].as_f64().unwrap() <= 5000.0, "{summary}");
        assert_eq!(summary["batchBorders"], Value::Null, "the answer hangs on no border");
    }
    let human = folder.streamjoin(&["run", "s.toml"]).ok();
    assert!(human.contains("late batches") && human.contains("verified: a, b"), "{human}");
}

#[test]
fn time_ends_a_run_and_the_summary_says_so() {
    let folder = crowd("trigger = { rows = 100 }");
    let args = ["run", "s.toml", "--duration", "200ms", "--format", "json", "-o", "out.csv"];
    let report = json(&folder.streamjoin(&args).ok());
    let summary = &report["runs"][0]["summary"];
    assert_eq!((&summary["ended"], &summary["passes"]), (&"duration".into(), &1.into()));
    let rows = summary["rowsIn"].as_u64().unwrap();
    assert!(rows > 0 && rows.is_multiple_of(100), "{rows}");
    let written = std::fs::read_to_string(folder.path("out.csv")).unwrap();
    assert_eq!(written.lines().count() as u64, rows + 1, "the file is whole");
    // In processes of their own, and to other ends: nothing to compare, no failure.
    let folder = crowd("trigger = { rows = 100 }\n[strategies.a]\n[strategies.b]");
    let human = folder.streamjoin(&["run", "s.toml", "--duration", "100ms"]).ok();
    assert!(human.contains("a: the replay ended after its duration, with"), "{human}");
    assert!(human.contains("verified") || human.contains("not compared with a: b"), "{human}");
}

#[test]
fn a_rate_is_found_in_every_format() {
    let folder = crowd("trigger = { rows = 50 }\n[strategies.a]\n[strategies.b]");
    // No bound but that the backlog may not grow; whether the machine is quiet
    // enough to say so is its own affair.
    let find = |format: &str| {
        let find = ["run", "s.toml", "--find-rate", "--p99", "1 minute", "--probe", "50ms"];
        let ran =
            folder.streamjoin(&[&find[..], &["--format", format, "--report", "r.json"]].concat());
        assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
        assert_eq!(ran.code == 5, ran.stderr.contains("inconclusive: strategy"), "{}", ran.stderr);
        ran.stdout
    };
    let report = json(&find("json"));
    let written = json(&std::fs::read_to_string(folder.path("r.json")).unwrap());
    assert_eq!(report, written);
    assert_eq!(report["p99Ms"], 60_000.0);
    assert_eq!(report["probeSeconds"], 0.05);
    let names: Vec<&Value> =
        report["rates"].as_array().unwrap().iter().map(|rate| &rate["strategy"]).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(report["rates"][0]["probes"].as_array().unwrap().len() > 1);
    let lines: Vec<Value> = find("jsonl").lines().map(json).collect();
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!((of("rate"), of("probe") + 2), (2, lines.len()));
    let csv = find("csv");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.starts_with("strategy,rowsPerSecond,failsAt"), "{csv}");
    let human = find("human");
    assert!(human.contains("sustainable rows/s") && human.contains("probes of 0.05"), "{human}");
}

#[test]
fn what_does_not_go_together_is_usage() {
    let folder = crowd("trigger = { rows = 50 }");
    for (args, words) in [
        (&["--find-rate"][..], "--p99"),
        (&["--p99", "1s"], "--find-rate"),
        (&["--find-rate", "--p99", "0s"], "longer than zero"),
        (&["--find-rate", "--p99", "fast"], "is not a duration"),
        (&["--find-rate", "--p99", "1s", "-o", "x.csv"], "--output"),
        (&["--duration", "0s"], "longer than zero"),
        (&["--find-rate", "--p99", "1s", "--vary", "replay.trigger.rows=1,2"], "--vary"),
        (&["--set", "replay.trigger.every=5 s"], "pace = { rows_per_second = N }"),
        (&["--set", "replay.trigger=once", "--duration", "1s"], "no batch would end"),
        (&[], "--duration"),
    ] {
        let ran = folder.streamjoin(&[&["run", "s.toml"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(words), "no `{words}` in: {}", ran.stderr);
    }
    // A stream without end is looked at, not read to its end.
    let text = folder.streamjoin(&["check", "s.toml", "--set", "replay.duration=1 s"]).ok();
    assert!(text.contains("65,536") || text.contains("65536"), "{text}");
}

#[test]
fn ctrl_c_is_noticed_while_nothing_is_due() {
    let folder = crowd("pace = { rows_per_second = 0.001 }\ntrigger = { rows = 1 }\nlimit = 9");
    let mut run = Command::new(assert_cmd::cargo::cargo_bin!("streamjoin"));
    run.args(["run", "s.toml", "-o", "out.csv"]).current_dir(folder.path(""));
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !folder.names().iter().any(|name| name.ends_with(".tmp")) {
        assert!(start.elapsed() < Duration::from_secs(60), "no output");
        sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // The first row is due after a quarter of an hour.
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(!folder.path("out.csv").exists());
}
