//! Two streams on the command line.

use serde_json::Value;

use crate::support::Folder;

const IMPRESSIONS: &str = "\
id,at
1,2024-01-01 00:00:00
2,2024-01-01 00:00:05
3,2024-01-01 00:00:20
4,2024-01-01 00:05:00
";

const CLICKS: &str = "\
on,at
1,2024-01-01 00:00:03
3,2024-01-01 00:00:31
9,2024-01-01 00:05:01
";

const SCENARIO: &str = r#"
description = "impressions with clicks"
[stream.impressions]
recording = "impressions.csv"
event_time = "at"
watermark = "1 minute"
[stream.clicks]
recording = "clicks.csv"
event_time = "at"
watermark = "1 minute"
[join]
left = "impressions"
right = "clicks"
type = "left outer"
on = "id = on AND clicks.at BETWEEN impressions.at AND impressions.at + INTERVAL 10 SECOND"
[output]
select = ["id", "impressions.at AS shown", "clicks.at AS clicked"]
[replay]
trigger = { event_time = "1 minute" }
"#;

fn folder() -> Folder {
    let folder = Folder::small();
    folder.write("impressions.csv", IMPRESSIONS);
    folder.write("clicks.csv", CLICKS);
    folder.write("p.toml", SCENARIO);
    folder
}

fn with(folder: &Folder, from: &str, to: &str) {
    assert!(SCENARIO.contains(from), "{from}");
    folder.write("p.toml", SCENARIO.replacen(from, to, 1));
}

const STORES: [&str; 6] =
    ["--strategy", "time-blocks", "--strategy", "ordered-map", "--strategy", "full-scan"];

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn all_stores_are_measured_and_verified() {
    let folder = folder();
    let text = folder.streamjoin(&[&["run", "p.toml"][..], &STORES].concat()).ok();
    for part in [
        "7 rows in, 4 rows out, 3 of them unmatched",
        "peak rows",
        "bytes/row",
        "outer delay p50",
        "verified: time-blocks, ordered-map, full-scan gave the same rows",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

#[test]
fn threads_give_the_rows_and_the_state_of_one() {
    let folder = folder();
    let strategies: String = (1..=4)
        .map(|threads| format!("[strategies.by-{threads}]\nthreads = {threads}\n"))
        .collect();
    folder.write("p.toml", format!("{SCENARIO}{strategies}"));
    let text = folder.streamjoin(&["run", "p.toml"]).ok();
    assert!(text.contains("verified: by-1, by-2, by-3, by-4 gave the same rows"), "{text}");
    let text = folder.streamjoin(&["explain", "p.toml"]).ok();
    assert!(text.contains("strategy by-3: 3 threads"), "{text}");
    assert!(text.contains(", 3 parts by the keys' hash, each joined by one thread"), "{text}");
    // What does not depend on how the rows lie.
    let counts = |threads: &str| -> Vec<Value> {
        let args =
            ["run", "p.toml", "--strategy", "auto", "--threads", threads, "--format", "json"];
        let report: Value = serde_json::from_str(&folder.streamjoin(&args).ok()).unwrap();
        let run = &report["runs"][0];
        let summary =
            ["rowsOut", "rowsUnmatched", "checksum", "dropped", "stateRows", "outerDelay"];
        let mut counts: Vec<Value> = summary.iter().map(|f| run["summary"][f].clone()).collect();
        for batch in run["progress"].as_array().unwrap() {
            let state = &batch["stateOperators"][0];
            let fields = ["numRowsTotal", "numRowsUpdated", "numRowsRemoved"];
            counts.extend(fields.iter().map(|field| state[field].clone()));
            let fields = ["rowsLeft", "rowsRight"];
            counts.extend(fields.iter().map(|field| state["customMetrics"][field].clone()));
        }
        counts
    };
    assert_eq!(counts("2"), counts("1"));
}

#[test]
fn json_has_the_state_of_every_batch_and_of_the_run() {
    let folder = folder();
    let args = ["run", "p.toml", "--format", "json", "--strategy", "full-scan"];
    let report: Value = serde_json::from_str(&folder.streamjoin(&args).ok()).unwrap();
    let run = &report["runs"][0];
    let summary = &run["summary"];
    assert_eq!(summary["batches"], 5);
    for (field, keys) in [
        ("stateRows", &["peak", "plateau", "plateaus", "left", "right"][..]),
        ("stateBytes", &["payload", "index", "bitmap", "slack", "peak"]),
        ("dropped", &["late", "nullKey", "filtered", "nullTime"]),
        ("outerDelay", &["p50", "p99", "max"]),
    ] {
        for key in keys {
            assert!(summary[field].get(key).is_some(), "no {field}.{key} in {summary}");
        }
    }
    // Impression 4 and click 9 are in state before the flush.
    assert_eq!(
        (number(&summary["stateRows"]["left"]), number(&summary["stateRows"]["right"])),
        (1, 1)
    );
    // Impressions 2 and 3 come out when the time is 5:01.
    assert!((summary["outerDelay"]["max"].as_f64().unwrap() - 296_000.0).abs() < 300.0);
    let progress = run["progress"].as_array().unwrap();
    let flags: Vec<(bool, bool)> =
        progress.iter().map(|batch| (batch["noData"] == true, batch["end"] == true)).collect();
    assert_eq!(
        flags,
        [(false, false), (true, false), (false, false), (true, false), (false, true)]
    );
    for batch in progress {
        let state = &batch["stateOperators"][0];
        for key in [
            "numRowsTotal",
            "numRowsUpdated",
            "numRowsRemoved",
            "numRowsDroppedByWatermark",
            "memoryUsedBytes",
        ] {
            assert!(state[key].is_u64(), "no {key} in {state}");
        }
        for key in [
            "rowsLeft",
            "rowsRight",
            "payloadBytes",
            "indexBytes",
            "bitmapBytes",
            "slackBytes",
            "blocksVisited",
            "rowsWalked",
            "evictNs",
        ] {
            assert!(state["customMetrics"][key].is_u64(), "no {key} in {state}");
        }
        assert!(batch["durationMs"]["evict"].is_number());
        assert!(batch["eventTime"]["watermark"].is_string());
    }
    assert_eq!(progress[3]["eventTime"]["watermark"], "2024-01-01T00:04:00.000Z");
    assert_eq!(progress[3]["stateOperators"][0]["numRowsRemoved"], 5);
}

#[test]
fn rows_are_written_as_of_one_stream() {
    let folder = folder();
    folder.streamjoin(&["run", "p.toml", "-o", "out.csv", "-q"]).ok();
    let text = std::fs::read_to_string(folder.path("out.csv")).unwrap();
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(text.starts_with("id,shown,clicked\n"), "{text}");
    folder.streamjoin(&["run", "p.toml", "-o", "out.csv"]).fails(2, &["out.csv", "--force"]);
}

#[test]
fn explain_shows_lines_and_expected_rows() {
    let folder = folder();
    let text = folder.streamjoin(&["explain", "p.toml"]).ok();
    for part in [
        "merged: by event time, left first on ties",
        "join of streams: impressions left-outer clicks",
        "event time: 0 s <= right - left <= 10 s",
        "watermark of impressions: greatest event time - 1 min",
        "state of impressions: a row leaves when impressions.at <= W - 10 s - 1 ms",
        "state of clicks: a row leaves when clicks.at <= W - 1 ms",
        "rows/s x 1 min 10 s",
        "kept in state of clicks: keys, event time and 1 column (at)",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    with(&folder, "type = \"left outer\"", "type = \"inner\"");
    let inner = folder.path("p.toml");
    let one_sided = std::fs::read_to_string(&inner).unwrap().replace(
        "BETWEEN impressions.at AND impressions.at + INTERVAL 10 SECOND",
        ">= impressions.at",
    );
    folder.write("p.toml", one_sided.replacen("watermark = \"1 minute\"\n", "", 1));
    let text = folder.streamjoin(&["explain", "p.toml"]).ok();
    for part in [
        "watermark of impressions: none, so none of its rows is ever late",
        "state of impressions: unbounded, rows never leave: the condition does not limit",
        "state of clicks: unbounded, rows never leave: stream impressions declares no watermark",
        "expected state: all rows",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    // A run of it says so, unless a limit was set.
    let ran = folder.streamjoin(&["run", "p.toml"]);
    assert_eq!((ran.code, ran.stderr.lines().count()), (0, 2), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warning: the state of stream `impressions` only grows"));
    assert!(ran.stderr.contains("state_limit"), "{}", ran.stderr);
    let text = std::fs::read_to_string(&inner).unwrap();
    folder.write("p.toml", text + "[strategies.a]\nstate_limit = { rows = 100 }\n");
    folder.streamjoin(&["run", "p.toml"]).ok();
}

#[test]
fn what_is_refused_is_explained() {
    let folder = folder();
    with(&folder, "watermark = \"1 minute\"\n[join]", "[join]");
    let ran = folder.streamjoin(&["explain", "p.toml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("stream clicks declares no watermark"), "{}", ran.stdout);
    assert!(ran.stderr.contains("declare a watermark on the right side"), "{}", ran.stderr);
    folder.streamjoin(&["run", "p.toml"]).fails(2, &["left-outer", "watermark on the right"]);
    with(&folder, "INTERVAL 10 SECOND", "INTERVAL 1 MONTH");
    folder.streamjoin(&["run", "p.toml"]).fails(2, &["p.toml:15:6", "month"]);
}

#[test]
fn a_condition_that_never_holds_is_warned_of_once() {
    let folder = folder();
    with(&folder, "+ INTERVAL 10 SECOND", "- INTERVAL 10 SECOND");
    let ran = folder.streamjoin(&[&["run", "p.toml"][..], &STORES].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warning: the condition on event time"), "{}", ran.stderr);
}

#[test]
fn a_far_future_row_is_warned_of_once_by_whichever_process() {
    let folder = folder();
    folder.write("impressions.csv", IMPRESSIONS.replace("1,2024", "1,9999"));
    folder.write("clicks.csv", CLICKS.replace("1,2024", "1,9999"));
    with(
        &folder,
        "trigger = { event_time = \"1 minute\" }",
        "trigger = { rows = 2 }\nmerge = \"file-order\"",
    );
    let ran = folder.streamjoin(&[&["run", "p.toml"][..], &STORES].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("row 0 of") && ran.stderr.contains("late"), "{}", ran.stderr);
}

#[test]
fn a_state_limit_ends_the_run() {
    let folder = folder();
    folder.write("p.toml", format!("{SCENARIO}[strategies.small]\nstate_limit = {{ rows = 3 }}\n"));
    folder.streamjoin(&["run", "p.toml"]).fails(1, &["batch 0", "state", "3"]);
}

#[test]
fn check_reads_both_streams() {
    let folder = folder();
    let text = folder.streamjoin(&["check", "p.toml"]).ok();
    for part in ["impressions: 4 rows", "clicks: 3 rows", "p: ok, with auto"] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    folder.write("clicks.csv", CLICKS.replace("9,", "9,extra,"));
    folder.streamjoin(&["check", "p.toml"]).fails(1, &["clicks.csv"]);
}

#[test]
fn an_unknown_store_names_the_known_ones() {
    let folder = folder();
    folder
        .streamjoin(&["run", "p.toml", "--strategy", "orderd-map"])
        .fails(2, &["did you mean `ordered-map`?"]);
}

#[test]
fn the_shipped_integers_run_by_name() {
    let folder = Folder::small();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets");
    let args = ["run", "kafka-integers", "--data-dir", data, "--output-format", "none"];
    let text = folder.streamjoin(&args).ok();
    assert!(text.contains("21 rows in, 6 rows out"), "{text}");
}

/// Runs a join of streams whose times are numbers and text, which is refused;
/// then as the refusal says.
#[test]
fn times_that_no_interval_applies_to_are_told_how_they_would() {
    let folder = folder();
    folder.write("i.csv", "id,ts\n1,1704067200\n2,1704067205\n");
    folder.write("c.csv", "on,ts\n1,1.1.2024 00:00:03\n9,1.1.2024 00:05:01\n");
    let scenario = |first: &str, second: &str, on: &str| {
        folder.write(
            "t.toml",
            format!(
                "[stream.i]\nrecording = \"i.csv\"\n{first}\nwatermark = \"1 minute\"\n[stream.c]\nrecording = \"c.csv\"\n{second}\nwatermark = \"1 minute\"\n[join]\nleft = \"i\"\nright = \"c\"\ntype = \"left outer\"\non = \"{on}\"\n[output]\nselect = [\"id\", \"on\"]\n"
            ),
        );
    };
    let number = "event_time = { column = \"ts\", unit = \"s\" }";
    let text = "event_time = { column = \"ts\", format = \"%d.%m.%Y %H:%M:%S\" }";
    let of_i =
        "select = [\"*\", \"timestamp_seconds(ts) AS ts_time\"] and event_time = \"ts_time\"";
    let of_c = "select = [\"*\", \"to_timestamp(ts, 'd.M.yyyy H:m:s') AS ts_time\"] and event_time = \"ts_time\"";
    let between = "id = on AND c.ts_time BETWEEN i.ts_time AND i.ts_time + INTERVAL 10 SECOND";
    for on in ["id = on", "id = on AND c.ts <= i.ts + INTERVAL 10 SECOND"] {
        scenario(number, text, on);
        folder.streamjoin(&["check", "t.toml"]).fails(
            2,
            &[
                "no interval applies to",
                "under [stream.i]",
                of_i,
                "under [stream.c]",
                of_c,
                "name i.ts_time in the condition",
            ],
        );
    }
    scenario(&of_i.replace(" and ", "\n"), &of_c.replace(" and ", "\n"), between);
    folder.streamjoin(&["run", "t.toml", "-q", "-o", "t.csv"]).ok();
    let rows = std::fs::read_to_string(folder.path("t.csv")).unwrap();
    assert_eq!(rows, "id,on\n1,1\n2,\n");
    // With flags, as they are pasted.
    let flags = |first: &[&str], second: &[&str], on: &str| {
        let args = [
            &["run", "--stream", "i=i.csv"],
            first,
            &["--watermark", "1min", "--stream", "c=c.csv"],
            second,
            &["--watermark", "1min", "--type", "left", "--on", on, "-q"],
        ];
        folder.streamjoin(&args.concat())
    };
    let format = "ts:%d.%m.%Y %H:%M:%S";
    let set_i = "stream.i.select=[\"*\", \"timestamp_seconds(ts) AS ts_time\"]";
    let set_c = "stream.c.select=[\"*\", \"to_timestamp(ts, 'd.M.yyyy H:m:s') AS ts_time\"]";
    flags(&["--event-time", "ts:s"], &["--event-time", format], "id = on").fails(
        2,
        &[
            &format!("give --set '{set_i}' and --event-time 'i=ts_time'"),
            &format!("give --set '{}' and --event-time 'c=ts_time'", set_c.replace('\'', r"'\''")),
        ],
    );
    flags(
        &["--set", set_i, "--event-time", "i=ts_time"],
        &["--set", set_c, "--event-time", "c=ts_time"],
        between,
    )
    .ok();
}

#[test]
fn nanoseconds_are_compared_exactly_with_a_stream_as_with_a_table() {
    let folder = Folder::small();
    // Inside (0, 1 microsecond] by hand: 1 ns, 999 ns and 1,000 ns after; not 0, not 1,001 ns,
    // though in whole microseconds all of them lie 0 or 1 apart.
    folder.write("l.csv", "k,lt\n1,2024-01-01 00:00:00.000001500\n");
    folder.write(
        "r.csv",
        "k,n,rt\n\
         1,a,2024-01-01 00:00:00.000001500\n1,b,2024-01-01 00:00:00.000001501\n\
         1,c,2024-01-01 00:00:00.000002499\n1,d,2024-01-01 00:00:00.000002500\n\
         1,e,2024-01-01 00:00:00.000002501\n",
    );
    let on = "l.k = r.k AND r.rt > l.lt AND r.rt <= l.lt + INTERVAL '0.000001' SECOND";
    let left = ["run", "--stream", "l=l.csv", "--event-time", "lt", "--watermark", "1 minute"];
    let streams = ["--stream", "r=r.csv", "--event-time", "rt"];
    let output = ["--on", on, "--select", "n, rt", "-o", "-", "--output-format", "csv"];
    let expected = "n,rt\nb,2024-01-01T00:00:00.000001501Z\nc,2024-01-01T00:00:00.000002499Z\n\
                    d,2024-01-01T00:00:00.000002500Z\n";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[1..].sort_unstable();
        lines
    };
    for store in ["time-blocks", "ordered-map", "full-scan"] {
        let store = ["--strategy", store];
        let found = folder.streamjoin(&[&left[..], &streams, &output, &store].concat());
        assert_eq!(sorted(&found.stdout), sorted(expected), "{}", found.stderr);
    }
    let with_table = [&["run", "--stream", "l=l.csv", "--table", "r=r.csv"], &output[..]].concat();
    assert_eq!(sorted(&folder.streamjoin(&with_table).stdout), sorted(expected));
}
