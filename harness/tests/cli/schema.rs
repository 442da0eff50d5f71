//! The JSON Schemas say what the results look like.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Folder;

/// Two streams, a table and a batch without input: every part of a record.
const PAIR: &str = r#"
[stream.a]
recording = "a.csv"
event_time = "at"
watermark = "1 s"
[stream.b]
recording = "b.csv"
event_time = "at"
watermark = "1 s"
[join]
left = "a"
right = "b"
type = "left outer"
on = "a.k = b.k AND b.at BETWEEN a.at AND a.at + INTERVAL 5 SECONDS"
[[dimension]]
name = "customers"
table = "customers.csv"
type = "left outer"
on = "a.k = customers.customer"
[replay]
trigger = { rows = 2 }
"#;

const EVENTS: &str = "k,at\n1,2024-01-01 00:00:00\n2,2024-01-01 00:00:09\n3,2024-01-01 00:01:00\n";

fn committed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn check(schema: &str, document: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.validate(document).map_err(|error| format!("{error} at {}", error.instance_path()))
}

#[test]
fn the_committed_schemas_are_those_of_the_program() {
    let folder = Folder::small();
    for (of, name) in [("report", "report.json"), ("line", "line.json"), ("gate", "gate.json")] {
        let printed = folder.streamjoin(&["schema", of]).ok();
        // After a change: `streamjoin schema report > harness/schema/report.json`.
        assert_eq!(printed, committed(name), "harness/schema/{name} is out of date");
    }
}

#[test]
fn results_are_as_their_schemas_say() {
    let folder = Folder::small();
    folder.write("a.csv", EVENTS);
    folder.write("b.csv", EVENTS);
    folder.write("pair.toml", PAIR);
    for scenario in ["s.toml", "pair.toml"] {
        let report = folder.streamjoin(&["run", scenario, "--format", "json"]).ok();
        let mut report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(check(&committed("report.json"), &report), Ok(()), "{scenario}");
        report["runs"][0]["summary"]["rowsOut"] = "many".into();
        check(&committed("report.json"), &report).unwrap_err();

        let lines = folder.streamjoin(&["run", scenario, "--format", "jsonl"]).ok();
        assert!(lines.lines().count() > 1, "{lines}");
        for line in lines.lines() {
            let mut line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(check(&committed("line.json"), &line), Ok(()), "{scenario}");
            line["event"] = "surprise".into();
            check(&committed("line.json"), &line).unwrap_err();
        }
    }
}
