//! `watermark` as a shell sees it, against `run`.

use std::fmt::Write;

use serde_json::Value;

use crate::support::Folder;

const SCENARIO: &str = r#"
description = "Parcels announced and seen"
[stream.announced]
recording = "announced.csv"
schema = { id = "bigint", at = "timestamp", weight = "int" }
event_time = "at"
watermark = "40 s"
where = "id <> 13"
[stream.seen]
recording = "seen.csv"
schema = { id = "bigint", at = "timestamp", weight = "int" }
event_time = "at"
watermark = "40 s"
[join]
left = "announced"
right = "seen"
type = "full outer"
on = """
announced.id = seen.id AND seen.at BETWEEN announced.at - INTERVAL 5 SECOND
AND announced.at + INTERVAL 30 SECOND AND seen.weight > 2 AND announced.weight <= seen.weight
"""
[replay]
trigger = { rows = 25 }
merge = "file-order"
"#;

/// Rows a second or so apart, some of them much too late, some without a key or
/// a time.
fn rows(seed: u64) -> String {
    let mut text = "id,at,weight\n".to_owned();
    let mut state = seed;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for row in 0..400 {
        let behind = if random(4) == 0 { random(90) } else { random(4) };
        let at = (100 + row) - behind.min(100);
        let id = if random(15) == 0 { String::new() } else { random(20).to_string() };
        let at = match random(25) {
            0 => String::new(),
            _ => format!("2024-01-01 00:{:02}:{:02}", at / 60, at % 60),
        };
        let _ = writeln!(text, "{id},{at},{}", random(6));
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::small();
    folder.write("announced.csv", rows(1));
    folder.write("seen.csv", rows(2));
    folder.write("p.toml", SCENARIO);
    folder
}

fn curve(folder: &Folder, args: &[&str]) -> Value {
    let args = [&["watermark", "p.toml", "--format", "json"], args].concat();
    serde_json::from_str(&folder.streamjoin(&args).ok()).unwrap()
}

/// What the curve says of a delay, in the words of a run's report.
fn of_run(run: &Value) -> Value {
    let summary = &run["summary"];
    let before_end = run["progress"].as_array().unwrap().iter().filter(|b| b["end"] != true);
    let states: Vec<&Value> = before_end.map(|batch| &batch["stateOperators"][0]).collect();
    let sum = |key: &str| states.iter().map(|state| state[key].as_u64().unwrap()).sum::<u64>();
    let peak = |key: &str| {
        states.iter().map(|state| state["customMetrics"][key].as_u64().unwrap()).max().unwrap()
    };
    serde_json::json!({
        "late": summary["dropped"]["late"],
        "state": summary["stateRows"],
        "outer": summary["outerDelay"],
        "removed": sum("numRowsRemoved"),
        "peaks": [peak("rowsLeft"), peak("rowsRight")],
        "batches": states.len(),
    })
}

fn of_point(point: &Value) -> Value {
    let removed = |side: &str| point[side]["removed"].as_u64().unwrap();
    serde_json::json!({
        "late": point["late"],
        "state": point["stateRows"],
        "outer": point["outerDelay"],
        "removed": removed("left") + removed("right"),
        "peaks": [point["left"]["peak"], point["right"]["peak"]],
        "batches": point["batches"],
    })
}

#[test]
fn five_delays_are_five_runs() {
    let folder = folder();
    let delays = ["0 s", "5 s", "20 s", "40 s", "1 min 30 s"];
    for join in ["full outer", "left anti"] {
        let scenario = SCENARIO.replace("full outer", join);
        folder.write("p.toml", &scenario);
        let report = curve(&folder, &["--delay", "0s,5 s,20s,90 s"]);
        let points = report["curve"].as_array().unwrap();
        assert_eq!(points.len(), delays.len(), "the scenario's own is there");
        for (point, delay) in points.iter().zip(delays) {
            assert_eq!(point["delay"], delay);
            folder.write("run.toml", scenario.replace("\"40 s\"", &format!("\"{delay}\"")));
            let args = ["run", "run.toml", "--format", "json", "--strategy"];
            for store in ["time-blocks", "ordered-map"] {
                let ran = folder.streamjoin(&[&args[..], &[store]].concat());
                let run: Value = serde_json::from_str(&ran.ok()).unwrap();
                assert_eq!(of_point(point), of_run(&run["runs"][0]), "{store}, {join} at {delay}");
            }
        }
        let late = |point: usize| points[point]["late"].as_u64().unwrap();
        assert!(late(0) > late(1) && late(3) > late(4), "{points:?}");
    }
}

#[test]
fn json_says_what_was_asked_and_found() {
    let report = curve(&folder(), &[]);
    for (pointer, value) in [
        ("/schemaVersion", 1.into()),
        ("/scenario", "p".into()),
        ("/joinType", "full-outer".into()),
        ("/varies", "both".into()),
        ("/passes", 2.into()),
        ("/left/name", "announced".into()),
        ("/right/delayMs", 40_000.into()),
        ("/curve/0/delay", "0 s".into()),
        ("/curve/0/left/delayMs", 0.into()),
    ] {
        assert_eq!(report.pointer(pointer), Some::<&Value>(&value), "{pointer}");
    }
    let (left, right) = (&report["curve"][0]["left"], &report["curve"][0]["right"]);
    let late = |side: &Value| side["late"].as_u64().unwrap();
    assert_eq!(report["curve"][0]["late"], late(left) + late(right));
    let share = late(left) as f64 / report["left"]["rows"].as_f64().unwrap();
    assert_eq!(left["lateShare"].as_f64(), Some(share));
    let knee = &report["curve"][report["knee"]["point"].as_u64().unwrap() as usize];
    assert!(knee["marks"].as_array().unwrap().contains(&"knee".into()), "{knee}");
    let given = curve(&folder(), &["--delay", "10s", "--delay", "1min", "--side", "seen"]);
    assert_eq!((&given["passes"], &given["varies"]), (&1.into(), &"right".into()));
    assert_eq!(given["lateness"], Value::Null);
    let delays: Vec<&Value> =
        given["curve"].as_array().unwrap().iter().map(|p| &p["delay"]).collect();
    assert_eq!(delays, ["10 s", "40 s", "1 min"]);
    assert!(given["curve"].as_array().unwrap().iter().all(|p| p["left"]["delayMs"] == 40_000));
}

#[test]
fn text_marks_the_lines_that_matter() {
    let folder = folder();
    let text = folder.streamjoin(&["watermark", "p.toml"]).ok();
    for part in [
        "p: Parcels announced and seen",
        "full-outer of announced (",
        "both have the same delay",
        "late announced",
        "plateau seen",
        "outer delay p50",
        "│ scenario",
        "nothing late",
        "knee: ",
        "Kneedle",
        "and not with 1 ms less",
        "each line is what `run` reports with that delay",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    // A delay can be copied into a scenario.
    let line = text.lines().find(|line| line.contains("nothing late")).unwrap();
    let delay =
        line.split_once("nothing late").unwrap().1.split("  ").find(|part| !part.trim().is_empty());
    let again = curve(&folder, &["--delay", delay.unwrap().trim()]);
    assert_eq!(again["curve"].as_array().unwrap().last().unwrap()["late"], 0);
}

#[test]
fn csv_has_a_line_a_delay() {
    let folder = folder();
    let args = ["watermark", "p.toml", "--delay", "1 s,2 s", "--format", "csv", "-q"];
    let text = folder.streamjoin(&args).ok();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
    let column = |name: &str| lines[0].iter().position(|column| *column == name).unwrap();
    let json = curve(&folder, &["--delay", "1 s,2 s"]);
    for (line, point) in lines[1..].iter().zip(json["curve"].as_array().unwrap()) {
        assert_eq!(Value::from(line[column("delay")]), point["delay"]);
        assert_eq!(line[column("leftDelayMs")], point["left"]["delayMs"].to_string());
        assert_eq!(line[column("peak")], point["stateRows"]["peak"].to_string());
        assert_eq!(line[column("rightLate")], point["right"]["late"].to_string());
    }
}

#[test]
fn what_has_no_watermark_to_choose_is_refused() {
    let folder = folder();
    folder
        .streamjoin(&["watermark", "s.toml"])
        .fails(2, &["s.toml", "no watermark to choose", "join with tables"]);
    let inner = SCENARIO.replace("full outer", "inner");
    folder.write("p.toml", inner.replace("watermark = \"40 s\"\n", ""));
    folder.streamjoin(&["watermark", "p.toml"]).fails(2, &["no watermark to choose", "neither"]);
    folder.write("p.toml", inner.replacen("watermark = \"40 s\"\n", "", 1));
    folder
        .streamjoin(&["watermark", "p.toml", "--side", "announced"])
        .fails(2, &["no watermark to choose", "`announced`"]);
    folder
        .streamjoin(&["watermark", "p.toml", "--side", "middle"])
        .fails(2, &["--side middle", "left, right", "announced, seen"]);
    folder.streamjoin(&["watermark", "none.toml"]).fails(1, &["none.toml"]);
    let ran = folder.streamjoin(&["watermark", "p.toml", "--delay", "soon"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`soon` is not a duration"), "{}", ran.stderr);
}

#[test]
fn a_stream_without_a_watermark_stays_out_of_it() {
    let folder = folder();
    let one = SCENARIO.replace("full outer", "inner").replacen("watermark = \"40 s\"\n", "", 1);
    folder.write("p.toml", one);
    let ran = folder.streamjoin(&["watermark", "p.toml", "--delay", "0 s"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let warning = "warning: the state of stream `seen` only grows";
    assert!(ran.stderr.starts_with(warning), "{}", ran.stderr);
    let varies = "the delay of seen varies, announced declares no watermark";
    assert!(ran.stdout.contains(varies), "{}", ran.stdout);
}

#[test]
fn broken_rows_are_named() {
    let folder = folder();
    folder.write("seen.csv", rows(2).replacen("\n", "\nx,2024-01-01 00:00:00,1\n", 1));
    folder.streamjoin(&["watermark", "p.toml"]).fails(1, &["seen.csv"]);
}

#[test]
fn no_rows_are_no_trouble() {
    let folder = folder();
    let report = curve(&folder, &["--limit", "0"]);
    assert_eq!((&report["left"]["rows"], &report["limit"]), (&0.into(), &0.into()));
    assert!(report["curve"].as_array().unwrap().iter().all(|p| p["lateShare"].is_null()));
    folder.streamjoin(&["watermark", "p.toml", "--limit", "0"]).ok();
}
