//! `streamjoin run` on real files: results, output, reports.

use std::fs;
use std::process::Stdio;

use crate::support::{Folder, WRITABLE};
use serde_json::Value;

/// The summary's fields, in the contract's order.
const SUMMARY: &[&str] = &[
    "rowsIn",
    "rowsOut",
    "rowsUnmatched",
    "dimensions",
    "passes",
    "spread",
    "batches",
    "rowsPerSecond",
    "joinRowsPerSecond",
    "latencyMs",
    "buildMs",
    "tableBytes",
    "stateRows",
    "stateBytes",
    "bytesPerLiveRow",
    "peakRssBytes",
    "peakAnonBytes",
    "checksum",
    "dropped",
    "outerDelay",
];

/// A progress record's fields.
const PROGRESS: &[&str] = &[
    "batchId",
    "numInputRows",
    "inputRowsPerSecond",
    "processedRowsPerSecond",
    "durationMs",
    "stateOperators",
    "dimension",
];

fn has_fields(object: &Value, fields: &[&str]) {
    for field in fields {
        assert!(object.get(field).is_some(), "no {field} in {object}");
    }
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_prints_counts_and_strategies() {
    let folder = Folder::small();
    let text = folder.streamjoin(&["run", "s.toml"]).ok();
    for part in
        ["orders with customers", "6 rows in, 6 rows out, 2 of them unmatched", "customers", "auto"]
    {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert_eq!(folder.names(), ["customers.csv", "orders.csv", "s.toml"]);
}

#[test]
fn json_is_one_object_with_every_field() {
    let folder = Folder::small();
    folder.scenario_and("[replay]\ntrigger = { rows = 4 }\n[strategies.a]\n[strategies.b]\nindex = \"row-at-a-time\"\n");
    let args = ["run", "s.toml", "--format", "json", "--report", "report.json"];
    let report: Value = serde_json::from_str(&folder.streamjoin(&args).ok()).unwrap();
    has_fields(&report, &["schemaVersion", "scenario", "environment", "runs"]);
    has_fields(&report["environment"], &["version", "isa", "allocator", "machine"]);
    assert_eq!(report["environment"]["allocator"], "mimalloc");
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for (run, strategy) in runs.iter().zip(["a", "b"]) {
        assert_eq!(run["strategy"], strategy);
        let summary = &run["summary"];
        has_fields(summary, SUMMARY);
        assert_eq!(summary["rowsIn"], 6);
        assert_eq!(summary["rowsOut"], 6);
        assert_eq!(summary["rowsUnmatched"], 2);
        assert_eq!(summary["batches"], 2);
        assert_eq!(summary["stateRows"], Value::Null);
        assert_eq!(summary["dimensions"][0]["rowsMatched"], 4);
        assert_eq!(summary["dimensions"][0]["rowsUnmatched"], 2);
        assert!(summary["passes"].as_u64().unwrap() > 1, "a short recording is repeated");
        assert!(summary["spread"].is_number());
        assert!(summary["rowsPerSecond"].as_f64().unwrap() > 0.0);
        assert!(summary["joinRowsPerSecond"].as_f64() > summary["rowsPerSecond"].as_f64());
        assert_eq!(summary["checksum"].as_str().unwrap().len(), 16);
        assert_eq!(summary["checksum"], runs[0]["summary"]["checksum"]);
        let progress = run["progress"].as_array().unwrap();
        assert_eq!(progress.len(), 2);
        for (batch, rows) in progress.iter().zip([4, 2]) {
            has_fields(batch, PROGRESS);
            assert_eq!(batch["numInputRows"], rows);
            has_fields(
                &batch["durationMs"],
                &[
                    "read",
                    "keys",
                    "build",
                    "probe",
                    "materialise",
                    "evict",
                    "sink",
                    "triggerExecution",
                ],
            );
            assert!(batch.get("eventTime").is_none(), "absent without a watermark");
            let table = &batch["dimension"][0];
            has_fields(table, &["name", "version", "ageMs", "rows", "bytes", "rebuiltMs", "index"]);
        }
        assert!(progress[0]["dimension"][0]["rebuiltMs"].is_number());
        assert!(progress[1]["dimension"][0]["rebuiltMs"].is_null(), "built once");
    }
    let written: Value =
        serde_json::from_slice(&fs::read(folder.path("report.json")).unwrap()).unwrap();
    assert_eq!(written, report);
}

#[test]
fn jsonl_is_a_line_a_batch_and_one_a_run() {
    let folder = Folder::small();
    folder.scenario_and("[replay]\ntrigger = { rows = 4 }\n");
    let lines = json_lines(&folder.streamjoin(&["run", "s.toml", "--format", "jsonl"]).ok());
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["progress", "progress", "summary"]);
    has_fields(&lines[0], PROGRESS);
    has_fields(&lines[2], SUMMARY);
    assert!(lines.iter().all(|line| line["strategy"] == "auto"));
}

#[test]
fn a_watermark_is_reported_as_spark_does() {
    let folder = Folder::small();
    folder.scenario_with("event_time = \"at\"", "event_time = \"at\"\nwatermark = \"5 s\"");
    let scenario = fs::read_to_string(folder.path("s.toml")).unwrap();
    folder.write("s.toml", scenario + "[replay]\ntrigger = { event_time = \"10 s\" }\n");
    let lines = json_lines(&folder.streamjoin(&["run", "s.toml", "--format", "jsonl"]).ok());
    let times: Vec<&Value> = lines[..3].iter().map(|line| &line["eventTime"]).collect();
    assert_eq!(times[0]["watermark"], "1970-01-01T00:00:00.000Z");
    assert_eq!(times[0]["max"], "2024-01-01T00:00:04.000Z");
    assert_eq!(times[0]["avg"], "2024-01-01T00:00:02.000Z");
    assert_eq!(times[1]["watermark"], "2023-12-31T23:59:59.000Z");
    assert_eq!(times[1]["lateWatermark"], "1970-01-01T00:00:00.000Z");
    assert_eq!(times[2]["watermark"], "2024-01-01T00:00:07.000Z");
    assert_eq!(times[2]["min"], "2024-01-01T00:00:35.000Z");
    assert_eq!(lines.len(), 4, "the empty tick runs nothing");
}

#[test]
fn rows_are_written_whole_or_not_at_all() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    folder.streamjoin(&["run", "s.toml", "-o", "out.csv"]).ok();
    let written = fs::read_to_string(folder.path("out.csv")).unwrap();
    assert_eq!(written.lines().count(), 7);
    assert_eq!(folder.names(), ["customers.csv", "orders.csv", "out.csv", "s.toml"]);
    let again = folder.streamjoin(&["run", "s.toml", "-o", "out.csv"]);
    again.fails(2, &["out.csv", "--force"]);
    folder.streamjoin(&["run", "s.toml", "-o", "out.csv", "--force", "--limit", "2"]).ok();
    let written = fs::read_to_string(folder.path("out.csv")).unwrap();
    assert_eq!(written.lines().count(), 3);
    folder.streamjoin(&["run", "s.toml", "-o", "out.xyz"]).fails(2, &["out.xyz", ".parquet"]);
}

#[test]
fn rows_on_standard_output_send_results_to_standard_error() {
    let folder = Folder::small();
    folder.scenario_and(&format!(
        "{WRITABLE}[strategies.a]\n[strategies.b]\nindex = \"row-at-a-time\"\n"
    ));
    let ran = folder.streamjoin(&["run", "s.toml", "-o", "-", "--output-format", "jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = json_lines(&ran.stdout);
    assert_eq!(rows.len(), 6, "the first strategy's first pass only");
    assert_eq!(rows[0]["name"], "Ann");
    assert!(ran.stderr.contains("6 rows in, 6 rows out"), "{}", ran.stderr);
}

#[test]
fn the_console_prints_a_table_a_batch() {
    let folder = Folder::small();
    folder.scenario_and("[replay]\ntrigger = { rows = 4 }\n[output]\nformat = \"console\"\n");
    let ran = folder.streamjoin(&["run", "s.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("Batch: 0") && ran.stdout.contains("Batch: 1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Ann"), "{}", ran.stdout);
    assert!(ran.stderr.contains("6 rows in"), "{}", ran.stderr);
}

#[test]
fn a_reader_that_goes_is_no_failure() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    for args in [
        &["run", "s.toml", "-o", "-", "--output-format", "csv"][..],
        &["run", "s.toml", "--format", "jsonl"],
        &["explain", "s.toml"],
        &["--help"],
    ] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_streamjoin"))
            .args(args)
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    }
}

#[test]
fn strategies_are_chosen_by_name_or_by_form() {
    let folder = Folder::small();
    folder.scenario_and("[strategies.mine]\nindex = \"row-at-a-time\"\n");
    let lines = |args: &[&str]| {
        let mut all = vec!["run", "s.toml", "--format", "jsonl"];
        all.extend(args);
        let lines = json_lines(&folder.streamjoin(&all).ok());
        let names = lines.iter().filter(|line| line["event"] == "summary");
        names.map(|line| line["strategy"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]), ["mine"]);
    assert_eq!(
        lines(&["--strategy", "partitioned/chained", "--strategy", "mine"]),
        ["partitioned/chained", "mine"]
    );
    let run = |name| folder.streamjoin(&["run", "s.toml", "--strategy", name]);
    run("mien").fails(2, &["unknown strategy `mien`", "did you mean `mine`?"]);
    run("broadcast/hash").fails(2, &["unknown index `hash`", "chained"]);
    run("shared/chained").fails(2, &["unknown layout `shared`", "broadcast"]);
}

#[test]
fn two_threads_give_the_same_rows() {
    let folder = Folder::small();
    folder.scenario_and(
        "[strategies.one]\n[strategies.two]\nthreads = 2\nlayout = \"partitioned\"\n",
    );
    let text = folder.streamjoin(&["run", "s.toml"]).ok();
    assert!(text.contains("verified: one, two gave the same rows"), "{text}");
}

#[test]
fn triggers_and_limits_cut_as_told() {
    let folder = Folder::small();
    for (replay, batches) in [
        ("trigger = { rows = 4 }", [4, 2].as_slice()),
        ("trigger = { event_time = \"10 s\" }", &[2, 2, 2]),
        ("trigger = { column = \"customer\" }", &[1, 1, 1, 1, 1, 1]),
        ("trigger = \"file\"", &[6]),
        ("trigger = \"once\"", &[6]),
        ("trigger = { rows = 4 }\nlimit = 5", &[4, 1]),
        ("trigger = \"once\"\nlimit = 0", &[]),
    ] {
        folder.scenario_and(&format!("[replay]\n{replay}\n"));
        let lines = json_lines(&folder.streamjoin(&["run", "s.toml", "--format", "jsonl"]).ok());
        let (summary, progress) = lines.split_last().unwrap();
        let rows: Vec<u64> =
            progress.iter().map(|line| line["numInputRows"].as_u64().unwrap()).collect();
        assert_eq!(rows, batches, "{replay}");
        assert_eq!(summary["batches"], batches.len(), "{replay}");
        assert_eq!(summary["rowsIn"], batches.iter().sum::<u64>(), "{replay}");
    }
}

#[test]
fn a_join_may_be_written_in_flags() {
    let folder = Folder::small();
    let args = [
        "run",
        "--stream",
        "o=orders.csv",
        "--table",
        "customers.csv",
        "--on",
        "o.customer = customers.customer",
        "--type",
        "left outer",
        "--strategy=auto",
        "--strategy=broadcast/row-at-a-time",
    ];
    let text = folder.streamjoin(&args).ok();
    assert!(text.contains("6 rows in, 6 rows out, 2 of them unmatched"), "{text}");
    assert!(text.contains("verified: auto, broadcast/row-at-a-time"), "{text}");
    folder.streamjoin(&args[..5]).fails(2, &["neither --using nor --on"]);
    let mut wrong = args;
    wrong[6] = "o.custmer = customers.customer";
    folder.streamjoin(&wrong).fails(2, &["`on`", "custmer", "did you mean"]);
}

#[test]
fn shipped_scenarios_give_their_facts() {
    let folder = Folder::small();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets");
    let summary = |scenario: &[&str]| -> Value {
        let args = [&["run", "--data-dir", data, "--format", "jsonl"], scenario].concat();
        let ran = folder.streamjoin(&args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        // The console takes standard output.
        let results = if ran.stdout.starts_with('{') { ran.stdout } else { ran.stderr };
        json_lines(&results).pop().unwrap()
    };
    let matched = |summary: &Value| -> Vec<u64> {
        let dimensions = summary["dimensions"].as_array().unwrap();
        dimensions.iter().map(|table| table["rowsMatched"].as_u64().unwrap()).collect()
    };
    let flights = summary(&["--strategy", "broadcast/chained"]);
    assert_eq!((&flights["rowsIn"], &flights["rowsOut"]), (&336_776.into(), &336_776.into()));
    assert_eq!(matched(&flights), [284_170, 329_174, 336_776, 335_220]);
    let users = summary(&["rate-users"]);
    assert_eq!((&users["rowsIn"], &users["batches"]), (&1_000.into(), &20.into()));
    let orders = summary(&["device-readings"]);
    assert_eq!((&orders["rowsIn"], &orders["batches"]), (&10.into(), &4.into()));
}
