//! Baselines and the gate on the command line.

use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::support::{CUSTOMERS, Folder, ORDERS, Ran, SCENARIO};

const PAIR: &str = r#"
[stream.shown]
recording = "shown.csv"
event_time = "shown_at"
watermark = "10 seconds"
[stream.clicked]
recording = "clicked.csv"
event_time = "clicked_at"
watermark = "10 seconds"
[join]
left = "shown"
right = "clicked"
type = "left outer"
on = "id = what AND clicked_at BETWEEN shown_at AND shown_at + INTERVAL 5 SECOND AND price > floor"
[replay]
trigger = { rows = 40 }
[strategies.time-blocks]
state = "time-blocks"
[strategies.two-threads]
threads = 2
[strategies.full-scan]
state = "full-scan"
"#;

const STRATEGIES: &str = r#"
[replay]
trigger = { rows = 4 }
[strategies.chained]
index = "chained"
[strategies.background]
swap = "background"
threads = 2
"#;

/// A stream with a table, two streams, and a baseline `b` of both.
fn saved() -> Folder {
    let folder = Folder::small();
    folder.scenario_and(STRATEGIES);
    let time = |second: usize| format!("2024-01-01 00:{:02}:{:02}", second / 60, second % 60);
    let rows = |row: &dyn Fn(usize) -> String| (0..300).map(row).collect::<String>();
    let shown = rows(&|i| format!("{},{},{}\n", i % 7, time(i), i % 3));
    let clicked = rows(&|i| format!("{},{},{}\n", i % 5, time(i + 1), i % 4));
    folder.write("shown.csv", format!("id,shown_at,floor\n{shown}"));
    folder.write("clicked.csv", format!("what,clicked_at,price\n{clicked}"));
    folder.write("p.toml", PAIR);
    let said = folder.streamjoin(&["baseline", "save", "b", "s.toml", "p.toml"]).ok();
    let lines = "../../s.toml: chained, background\n../../p.toml: time-blocks, two-threads, full-scan\nwrote benches/baselines/b.json\n";
    assert_eq!(said, lines);
    folder
}

fn baseline(folder: &Folder) -> Value {
    let text = fs::read_to_string(folder.path("benches/baselines/b.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn write(folder: &Folder, baseline: &Value) {
    let text = serde_json::to_string_pretty(baseline).unwrap();
    folder.write("benches/baselines/b.json", text);
}

/// Gate with a figure of a strategy's `measured` set to something else.
fn tampered(
    folder: &Folder,
    (scenario, strategy): (usize, usize),
    path: &[&str],
    to: Value,
) -> Ran {
    let saved = baseline(folder);
    let mut changed = saved.clone();
    let mut at = &mut changed["scenarios"][scenario]["strategies"][strategy]["measured"];
    for name in path {
        at = &mut at[*name];
    }
    assert!(!at.is_null() && *at != to, "{path:?} is {at}");
    *at = to;
    write(folder, &changed);
    let ran = folder.streamjoin(&["gate", "b"]);
    write(folder, &saved);
    ran
}

fn figure(folder: &Folder, (scenario, strategy): (usize, usize), path: &[&str]) -> u64 {
    let mut at = &baseline(folder)["scenarios"][scenario]["strategies"][strategy]["measured"];
    for name in path {
        at = &at[*name];
    }
    at.as_u64().unwrap_or_else(|| panic!("{path:?} is {at}"))
}

#[test]
fn a_baseline_holds_for_the_same_program_wherever_it_is() {
    let folder = saved();
    let text = folder.streamjoin(&["gate", "b"]).ok();
    assert!(text.ends_with("b: 5 same\n"), "{text}");
    assert!(text.contains("../../p.toml full-scan: same\n"), "{text}");
    let file = fs::read_to_string(folder.path("benches/baselines/b.json")).unwrap();
    let absolute = folder.path("").display().to_string();
    assert!(!file.contains(absolute.trim_end_matches('/')), "{file}");
    assert!(!file.contains('\t') && file.ends_with("}\n"));
    // In another checkout, and from another folder.
    let other = Folder::small();
    for name in ["s.toml", "p.toml", "shown.csv", "clicked.csv", "benches/baselines/b.json"] {
        other.write(&format!("deep/{name}"), fs::read(folder.path(name)).unwrap());
    }
    other.write("deep/orders.csv", ORDERS);
    other.write("deep/customers.csv", CUSTOMERS);
    let text = other.streamjoin(&["gate", "b", "--baseline-dir", "deep/benches/baselines"]).ok();
    assert!(text.ends_with("b: 5 same\n"), "{text}");
}

#[test]
fn no_figure_depends_on_instruction_sets_or_fitted_costs() {
    let folder = saved();
    for isa in ["portable", "avx2", "avx512"] {
        let mut command = Command::cargo_bin("streamjoin").unwrap();
        command.current_dir(&folder).args(["gate", "b"]).env_remove("STREAMJOIN_DATA");
        command.env("STREAMJOIN_ISA", isa).env("STREAMJOIN_COSTS", "no such file");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let lacks_it = output.status.code() == Some(2) && said.contains("STREAMJOIN_ISA");
        assert!(output.status.success() || isa != "portable" && lacks_it, "{isa}: {said}");
    }
}

#[test]
fn each_kind_of_difference_has_its_exit_code() {
    let folder = saved();
    let (table, pair) = ((0, 0), (1, 0));
    let less = |case, path: &[&str]| json!(figure(&folder, case, path) - 1);
    let more = |case, path: &[&str]| json!(figure(&folder, case, path) + 1);
    for (case, path) in [
        (table, &["answer", "rowsOut"][..]),
        (table, &["answer", "batches"]),
        (table, &["answer", "rowsUnmatched"]),
        (table, &["answer", "matched.customers"]),
        (pair, &["answer", "rowsOut"]),
        (pair, &["answer", "rowsIn"]),
    ] {
        for to in [less(case, path), more(case, path)] {
            let ran = tampered(&folder, case, path, to);
            assert!(ran.stdout.contains("WRONG ANSWER") && ran.stdout.contains(path[1]));
            ran.fails(4, &["other answers than baseline `b` in 1 of 5 cases", "--accept"]);
        }
    }
    tampered(&folder, pair, &["answer", "checksum"], json!("0123456789abcdef")).fails(4, &[]);
    tampered(&folder, pair, &["answer", "dropped.late"], json!(7)).fails(4, &[]);
    for name in ["peak", "plateau", "left", "evicted"] {
        let path = ["state", name];
        // Rows that leave too early are as bad as rows that stay too long.
        for to in [less(pair, &path), more(pair, &path)] {
            let ran = tampered(&folder, pair, &path, to);
            assert!(ran.stdout.contains("REGRESSION") && ran.stdout.contains(name));
            ran.fails(3, &["worse than baseline `b` in 1 of 5 cases", "--accept"]);
        }
    }
    for (case, path) in [
        (table, ["work", "keysCompared"]),
        (table, ["work", "rowsProbed"]),
        (table, ["work", "rowsIndexed"]),
        (table, ["work", "valuesGathered"]),
        (pair, ["work", "rowsWalked"]),
        (pair, ["work", "rowsVisited"]),
        (pair, ["work", "residualPairs"]),
    ] {
        tampered(&folder, case, &path, less(case, &path)).fails(3, &["worse"]);
        let better = tampered(&folder, case, &path, more(case, &path)).ok();
        assert!(better.contains(": better\n") && better.contains("--accept"), "{better}");
        assert!(better.contains("1 better"), "{better}");
    }
}

#[test]
fn bytes_have_a_band_that_the_file_states() {
    let folder = saved();
    for (case, path) in [
        ((0, 0), ["bytes", "tables"]),
        ((1, 0), ["bytes", "state.payload"]),
        ((1, 1), ["bytes", "state.peak"]),
    ] {
        let bytes = figure(&folder, case, &path) as f64;
        let old = |factor: f64| json!((bytes * factor).round() as u64);
        tampered(&folder, case, &path, old(0.995)).ok();
        let worse = tampered(&folder, case, &path, old(0.95));
        assert!(worse.stdout.contains("1 %") && worse.stdout.contains("+5."), "{}", worse.stdout);
        worse.fails(3, &[]);
        assert!(tampered(&folder, case, &path, old(1.05)).ok().contains("better"));
    }
    let mut wider = baseline(&folder);
    wider["bands"]["bytes"] = json!(0.1);
    write(&folder, &wider);
    let path = ["bytes", "tables"];
    let old = figure(&folder, (0, 0), &path) as f64 * 0.95;
    tampered(&folder, (0, 0), &path, json!(old.round() as u64)).ok();
    // It outlives an acceptance.
    folder.write("orders.csv", format!("{ORDERS}7,1,70,2024-01-01 00:00:50\n"));
    assert_eq!(folder.streamjoin(&["gate", "b", "--accept", "one order more"]).code, 0);
    assert_eq!(baseline(&folder)["bands"]["bytes"], json!(0.1));
}

#[test]
fn another_question_is_no_verdict() {
    let folder = saved();
    let original = fs::read_to_string(folder.path("s.toml")).unwrap();
    let other = |words: &[&str]| {
        let ran = folder.streamjoin(&["gate", "b"]);
        for word in words {
            assert!(ran.stdout.contains(word), "no `{word}` in {}", ran.stdout);
        }
        ran.fails(5, &["not comparable with baseline `b`"]);
    };
    folder.write("customers.csv", CUSTOMERS.replace("Dora", "Dara"));
    other(&["the data of `customers` changed since the baseline", "2 inconclusive", "3 same"]);
    folder.write("customers.csv", CUSTOMERS);
    folder.write("s.toml", original.replace("left outer", "inner"));
    other(&["the scenario changed since the baseline"]);
    folder.write("s.toml", original.replace("\"chained\"", "\"linear\""));
    other(&["index was chained and is linear", "1 inconclusive"]);
    folder.write("s.toml", original.replace("[strategies.chained]", "[strategies.other]"));
    other(&["no longer declares it", "the baseline does not have it"]);
    folder.write("s.toml", format!("# a comment\n{}", original.replace("orders with", "with")));
    folder.streamjoin(&["gate", "b"]).ok();
    // A wrong answer weighs more.
    folder.write("customers.csv", CUSTOMERS.replace("Dora", "Dara"));
    tampered(&folder, (1, 2), &["answer", "rowsOut"], json!(1)).fails(4, &[]);
}

#[test]
fn an_accepted_baseline_tells_why_it_changed() {
    let folder = saved();
    folder.streamjoin(&["gate", "b", "--accept", "  "]).fails(2, &["--accept takes a reason"]);
    let ran = folder.streamjoin(&["gate", "b", "--accept", "nothing"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "nothing differs: the baseline stays as it is\n")
    );
    assert_eq!(baseline(&folder)["history"].as_array().unwrap().len(), 1);

    let mut old = baseline(&folder);
    let measured = &mut old["scenarios"][1]["strategies"][2]["measured"];
    measured["state"]["peak"] = json!(1);
    measured["work"]["rowsVisited"] = json!(2);
    write(&folder, &old);
    folder.streamjoin(&["gate", "b"]).fails(3, &[]);
    let ran = folder.streamjoin(&["gate", "b", "--accept", "rows stay for longer"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("REGRESSION") && ran.stderr.starts_with("accepted: "));
    folder.streamjoin(&["gate", "b"]).ok();
    let history = baseline(&folder)["history"].clone();
    assert_eq!(history.as_array().unwrap().len(), 2);
    assert_eq!(history[1]["reason"], "rows stay for longer");
    assert_eq!(history[1]["date"].as_str().unwrap().len(), "2024-01-01".len());
    let changed = history[1]["changed"][0].as_str().unwrap();
    for part in ["../../p.toml full-scan: ", "state.peak 1 -> ", "work.rowsVisited 2 -> "] {
        assert!(changed.contains(part), "{changed}");
    }
    // Other data, and another strategy.
    folder.write("orders.csv", format!("{ORDERS}7,1,70,2024-01-01 00:00:50\n"));
    folder.write("s.toml", format!("{SCENARIO}[strategies.linear]\nindex = \"linear\"\n"));
    assert_eq!(folder.streamjoin(&["gate", "b", "--accept", "another order"]).code, 0);
    folder.streamjoin(&["gate", "b"]).ok();
    let changed = baseline(&folder)["history"][2]["changed"].to_string();
    assert!(changed.contains("the baseline does not have it") && changed.contains("no longer"));
}

#[test]
fn what_is_wrong_with_a_baseline_is_told_with_its_place() {
    let folder = saved();
    folder
        .streamjoin(&["gate", "bb"])
        .fails(2, &["unknown baseline `bb`: did you mean `b`?", "benches/baselines: b"]);
    folder
        .streamjoin(&["gate", "b", "--baseline-dir", "none"])
        .fails(2, &["there is none in none", "streamjoin baseline save b"]);
    folder.streamjoin(&["gate", "../b"]).fails(2, &["not a name for a baseline"]);
    folder
        .streamjoin(&["baseline", "save", "b", "s.toml"])
        .fails(2, &["b.json exists", "--accept", "--force"]);
    let path = folder.path("benches/baselines/b.json");
    let good = fs::read_to_string(&path).unwrap();
    for (from, to, words) in [
        ("\"rowsOut\": ", "\"rowsOut\": ?", &["b.json:", "expected value", "restore the file"][..]),
        ("\"query\": ", "\"qeury\": ", &["b.json:", "unknown field `qeury`"]),
        ("\"schemaVersion\": 1", "\"schemaVersion\": 9", &["schemaVersion is 9, 1 is read"]),
        ("\"bytes\": 0.01", "\"bytes\": 1.5", &["bands.bytes is 1.5"]),
        ("\"hashSeed\": \"fixed\"", "\"hashSeed\": \"random\"", &["other forced settings"]),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        folder.streamjoin(&["gate", "b"]).fails(2, words);
    }
    fs::write(&path, &good[..good.len() / 2]).unwrap();
    folder.streamjoin(&["gate", "b"]).fails(2, &["b.json:", "EOF"]);
    fs::write(&path, good).unwrap();
    fs::remove_file(folder.path("clicked.csv")).unwrap();
    folder.streamjoin(&["gate", "b"]).fails(1, &["clicked.csv"]);
    fs::remove_file(folder.path("p.toml")).unwrap();
    folder.streamjoin(&["gate", "b"]).fails(1, &["p.toml"]);
}

#[test]
fn a_pass_that_fails_is_told_and_the_others_are_compared() {
    let folder = saved();
    let bad = PAIR
        .replace("[strategies.full-scan]", "[strategies.full-scan]\nstate_limit = { rows = 2 }");
    folder.write("p.toml", &bad);
    let mut old = baseline(&folder);
    old["scenarios"][1]["strategies"][2]["settings"]["stateLimitRows"] = json!("2");
    write(&folder, &old);
    let ran = folder.streamjoin(&["gate", "b", "--junit", "j.xml"]);
    assert!(
        ran.stdout.contains("FAILED") && ran.stdout.contains("4 same, 1 failed"),
        "{}",
        ran.stdout
    );
    ran.fails(
        1,
        &["a pass failed, so there is nothing to compare with baseline `b` in 1 of 5 cases"],
    );
    let junit = fs::read_to_string(folder.path("j.xml")).unwrap();
    assert!(junit.contains("<error") && junit.contains("errors=\"1\""), "{junit}");
    folder.streamjoin(&["gate", "b", "--accept", "why"]).fails(1, &["full-scan"]);
    folder.write("new.toml", bad);
    folder.streamjoin(&["baseline", "save", "c", "new.toml"]).fails(1, &["full-scan"]);
    assert!(!folder.path("benches/baselines/c.json").exists());
}

#[test]
fn results_come_as_json_json_lines_and_junit() {
    let folder = saved();
    let mut old = baseline(&folder);
    old["scenarios"][1]["strategies"][0]["measured"]["state"]["peak"] = json!(5);
    old["scenarios"][0]["strategies"][0]["measured"]["answer"]["rowsOut"] = json!(5);
    write(&folder, &old);
    let ran = folder.streamjoin(&["gate", "b", "--format", "json", "--junit", "out/j.xml"]);
    assert_eq!(ran.code, 4);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["schemaVersion"], json!(1));
    let schema = serde_json::from_str(include_str!("../../schema/gate.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&report).unwrap();
    assert_eq!((&report["baseline"], &report["verdict"]), (&json!("b"), &json!("wrong-answer")));
    let case = &report["cases"][0];
    assert_eq!(case["scenario"], json!("../../s.toml"));
    assert_eq!((&case["strategy"], &case["verdict"]), (&json!("chained"), &json!("wrong-answer")));
    let difference = json!({
        "figure": "answer.rowsOut", "old": 5, "new": 6, "change": 0.2, "band": 0.0,
        "verdict": "wrong-answer",
    });
    let mut found = case["differences"][0].clone();
    found["change"] = json!((found["change"].as_f64().unwrap() * 1e6).round() / 1e6);
    assert_eq!(found, difference);
    assert_eq!(report["cases"][2]["verdict"], json!("regression"));
    let ran = folder.streamjoin(&["gate", "b", "--format", "jsonl", "--junit", "out/j.xml"]);
    let lines: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!((&lines[0]["event"], &lines[0]["strategy"]), (&json!("case"), &json!("chained")));
    let last = &lines[5];
    assert_eq!((&last["event"], &last["same"]), (&json!("summary"), &json!(3)));
    assert_eq!((&last["regressions"], &last["wrongAnswers"]), (&json!(1), &json!(1)));
    let junit = fs::read_to_string(folder.path("out/j.xml")).unwrap();
    for part in [
        "<testsuites name=\"streamjoin gate b\" tests=\"5\" failures=\"2\" errors=\"0\"",
        "<testsuite name=\"../../s.toml\" tests=\"2\"",
        "<testcase name=\"chained\" classname=\"../../s.toml\"",
        "type=\"wrong answer\"",
        "type=\"regression\"",
        "answer.rowsOut was 5 and is 6 (+20.00 %, allowed 0 %)",
    ] {
        assert!(junit.contains(part), "no `{part}` in {junit}");
    }
    assert!(!junit.contains(" time=") && !junit.contains("timestamp="), "{junit}");
    folder.write("notes.xml", "mine");
    folder.streamjoin(&["gate", "b", "--junit", "notes.xml"]).fails(2, &["is not a report"]);
}

#[test]
fn a_replay_by_the_clock_is_refused() {
    let folder = saved();
    let timed = PAIR.replace("[replay]", "[replay]\nduration = \"300 ms\"");
    folder.write("timed.toml", timed);
    folder
        .streamjoin(&["baseline", "save", "c", "timed.toml"])
        .fails(2, &["timed.toml", "[replay] duration goes by the clock", "limit = N"]);
}

#[test]
fn a_baseline_that_lacks_figures_is_damaged() {
    let folder = saved();
    let saved = baseline(&folder);
    let strategy =
        |scenario: usize, of: usize| format!("/scenarios/{scenario}/strategies/{of}/measured");
    for (at, kind, name) in [
        (strategy(0, 0), "answer", "rowsOut"),
        (strategy(0, 1), "answer", "checksum"),
        (strategy(1, 1), "answer", "rowsIn"),
        (strategy(0, 0), "answer", "matched.customers"),
        (strategy(0, 0), "bytes", "tables"),
        (strategy(1, 0), "state", "peak"),
        (strategy(1, 0), "bytes", "state.payload"),
    ] {
        let mut less = saved.clone();
        let figures = less.pointer_mut(&format!("{at}/{kind}")).unwrap();
        assert!(figures.as_object_mut().unwrap().remove(name).is_some());
        write(&folder, &less);
        let lacks = format!("lacks {kind}.{name};");
        folder.streamjoin(&["gate", "b"]).fails(2, &["b.json: scenario", "strategy `", &lacks]);
    }
    for kind in ["state", "bytes", "work"] {
        let mut less = saved.clone();
        *less.pointer_mut(&format!("{}/{kind}", strategy(1, 2))).unwrap() = json!({});
        write(&folder, &less);
        folder.streamjoin(&["gate", "b"]).fails(2, &["strategy `full-scan`", "lacks", kind]);
    }
}

#[test]
fn a_gate_that_ends_early_leaves_no_report_of_an_earlier_run() {
    let folder = saved();
    let gate = ["gate", "b", "--junit", "j.xml", "--format", "json"];
    folder.streamjoin(&gate).ok();
    fs::remove_file(folder.path("clicked.csv")).unwrap();
    let ran = folder.streamjoin(&gate);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["verdict"], json!("failed"));
    assert_eq!(report["cases"][0]["scenario"], json!("../../p.toml"));
    ran.fails(1, &["clicked.csv"]);
    let junit = fs::read_to_string(folder.path("j.xml")).unwrap();
    assert!(junit.contains("errors=\"1\"") && junit.contains("clicked.csv"), "{junit}");
    folder.write("benches/baselines/b.json", "{");
    folder.streamjoin(&gate).fails(2, &["b.json"]);
    let junit = fs::read_to_string(folder.path("j.xml")).unwrap();
    assert!(junit.contains("errors=\"1\"") && junit.contains("b.json"), "{junit}");
}

#[test]
fn a_partition_folder_of_another_name_is_other_data() {
    let folder = saved();
    folder.write("p/day=1/a.csv", "k,v\n1,a\n2,b\n");
    folder.write("p/day=2/a.csv", "k,v\n3,c\n");
    folder.write("t.csv", "id,n\n1,x\n2,y\n");
    let table =
        "[[dimension]]\nname = \"t\"\ntable = \"t.csv\"\ntype = \"left\"\non = \"s.k = t.id\"\n";
    folder.write("d.toml", format!("[stream.s]\nrecording = \"p\"\n{table}"));
    folder.streamjoin(&["baseline", "save", "d", "d.toml"]).ok();
    folder.streamjoin(&["gate", "d"]).ok();
    fs::rename(folder.path("p/day=2"), folder.path("p/day=3")).unwrap();
    let ran = folder.streamjoin(&["gate", "d"]);
    assert!(ran.stdout.contains("the data of `s` changed"), "{}", ran.stdout);
    ran.fails(5, &[]);
    fs::rename(folder.path("p/day=3"), folder.path("p/day=2")).unwrap();
    // What a sidecar says of text decides its types.
    folder.streamjoin(&["data", "import", "t.csv", "-o", "u.csv"]);
    let sidecar = fs::read_to_string(folder.path("u.csv.sidecar.json")).unwrap();
    assert!(sidecar.contains("\"string\"") && sidecar.contains("\"bigint\""), "{sidecar}");
    let sidecar = sidecar.replace("u.csv", "t.csv").replace("\"bigint\"", "\"int\"");
    folder.write("t.csv.sidecar.json", sidecar);
    let ran = folder.streamjoin(&["gate", "d"]);
    assert!(ran.stdout.contains("the types of `t` changed"), "{}", ran.stdout);
    ran.fails(5, &[]);
}
