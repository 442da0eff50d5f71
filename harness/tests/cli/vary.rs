//! `run --vary`: every combination, one table.

use serde_json::Value;

use crate::support::{Folder, WRITABLE};

const STRATEGIES: &str = r#"
[strategies.a]
index = "chained"
[strategies.b]
index = "row-at-a-time"
"#;

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_combination_is_run_once() {
    let folder = Folder::small();
    folder.scenario_and(STRATEGIES);
    let vary = [
        "run",
        "s.toml",
        "--vary",
        "replay.trigger.rows=2,6",
        "--vary",
        "strategies.a.threads=1,2",
    ];
    let lines = json_lines(&folder.streamjoin(&[&vary[..], &["--format", "jsonl"]].concat()).ok());
    let runs: Vec<(Option<u64>, Option<u64>, &str)> = lines
        .iter()
        .map(|line| {
            let setting = |key: &str| line["settings"][key].as_u64();
            let strategy = line["strategy"].as_str().unwrap();
            (setting("replay.trigger.rows"), setting("strategies.a.threads"), strategy)
        })
        .collect();
    // The threads of `a` mean nothing to `b`.
    let expected = [
        (Some(2), Some(1), "a"),
        (Some(2), None, "b"),
        (Some(2), Some(2), "a"),
        (Some(6), Some(1), "a"),
        (Some(6), None, "b"),
        (Some(6), Some(2), "a"),
    ];
    assert_eq!(runs, expected);
    let batches: Vec<u64> = lines.iter().map(|line| line["batches"].as_u64().unwrap()).collect();
    assert_eq!(batches, [3, 3, 3, 1, 1, 1]);
    let text = folder.streamjoin(&vary).ok();
    assert!(text.contains("6 rows in, 6 rows out, 2 of them unmatched"), "{text}");
    assert!(text.contains("verified: all 6 runs gave the same rows"), "{text}");
    assert!(!text.contains("rows out "), "{text}");
}

#[test]
fn keys_that_change_the_rows_show_them() {
    let folder = Folder::small();
    let vary = ["run", "s.toml", "--vary", "dimension.customers.type=inner,\"left outer\""];
    let text = folder.streamjoin(&vary).ok();
    assert!(text.contains("rows out") && text.contains("checksum"), "{text}");
    assert!(text.contains("same dimension.customers.type gave the same rows"), "{text}");
    let files = ["--format", "csv", "--csv", "v.csv", "--report", "v.json"];
    let printed = folder.streamjoin(&[&vary[..], &files].concat()).ok();
    let mut csv = csv::Reader::from_reader(printed.as_bytes());
    let header = csv.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|known| known == name).unwrap();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let column = |name: &str| rows.iter().map(|row| row[at(name)].to_owned()).collect::<Vec<_>>();
    assert_eq!(column("dimension.customers.type"), ["inner", "left outer"]);
    assert_eq!(column("rowsOut"), ["4", "6"]);
    assert_eq!(column("ended"), ["complete", "complete"]);
    let written = std::fs::read_to_string(folder.path("v.csv")).unwrap();
    assert_eq!(written.lines().next(), printed.lines().next());
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.path("v.json")).unwrap()).unwrap();
    assert_eq!(report["vary"][0], "dimension.customers.type");
    assert_eq!(report["runs"][1]["settings"]["dimension.customers.type"], "left outer");
    assert_eq!(report["runs"][1]["summary"]["rowsOut"], 6);
    folder
        .streamjoin(&[&vary[..], &["--csv", "v.csv"]].concat())
        .fails(2, &["--csv", "v.csv", "exists"]);
}

#[test]
fn values_are_toml_and_flags_may_be_varied() {
    let folder = Folder::small();
    let flags = [
        "run",
        "--stream=orders.csv",
        "--table=customers.csv",
        "--using=customer",
        "--format=jsonl",
    ];
    let vary = [
        "--vary",
        r#"output.select=["name"],["name", "amount"]"#,
        "--vary",
        "output.where=\"amount > 10, 1 = 1\",amount > 0",
    ];
    folder
        .streamjoin(&[&flags[..], &vary].concat())
        .fails(2, &["output.where=\"amount > 10, 1 = 1\""]);
    let vary = [
        "--vary",
        r#"output.select=["name"],["name", "amount"]"#,
        "--vary",
        "output.where=\"name IN ('Ann', 'Bob')\",amount > 0",
    ];
    let lines = json_lines(&folder.streamjoin(&[&flags[..], &vary].concat()).ok());
    let rows: Vec<u64> = lines.iter().map(|line| line["rowsOut"].as_u64().unwrap()).collect();
    assert_eq!(rows, [3, 4, 3, 4]);
    assert_eq!(lines[0]["settings"]["output.where"], "name IN ('Ann', 'Bob')");
}

#[test]
fn what_is_wrong_is_told_before_the_first_run() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    let run = |more: &[&str]| folder.streamjoin(&[&["run", "s.toml"], more].concat());
    run(&["--vary", "replay.triger.rows=1,2"])
        .fails(2, &["--vary replay.triger.rows=1: ", "did you mean `trigger`"]);
    run(&["--vary", "replay.trigger.rows=1,x"]).fails(2, &["--vary replay.trigger.rows=x: "]);
    run(&["--vary", "dimension.customer.type=left,inner"]).fails(2, &["did you mean `customers`"]);
    run(&["--vary", "dimension.customers.type=left,full"])
        .fails(2, &["dimension.customers.type=full: "]);
    run(&["--vary=ansi=true", "--vary=ansi=false"]).fails(2, &["--vary ansi is given twice"]);
    run(&["--vary=ansi=true,false", "-o", "x.csv"]).fails(2, &["--output with --vary", "--set"]);
    run(&["--vary=ansi=true,false", "--unmatched", "x.csv"]).fails(2, &["--unmatched with --vary"]);
    let many: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let (rows, limits) = (
        format!("--vary=replay.limit={}", many.join(",")),
        format!("--vary=strategies.a.batch_rows={}", many[1..].join(",")),
    );
    run(&[&rows, &limits]).fails(2, &["more than 1000 combinations"]);
    let ran = run(&["--vary", "replay.trigger"]);
    assert!(ran.code == 2 && ran.stderr.contains("KEY=VALUE,VALUE"), "{}", ran.stderr);
    assert!(!folder.names().iter().any(|name| name.starts_with("x.")), "{:?}", folder.names());
}

#[test]
fn one_run_has_csv_too() {
    let folder = Folder::small();
    let text = folder.streamjoin(&["run", "s.toml", "--format", "csv", "--csv", "one.csv"]).ok();
    assert!(
        text.starts_with("strategy,rowsIn,rowsOut,") && text.contains("\nauto,6,6,2,"),
        "{text}"
    );
    assert_eq!(text, std::fs::read_to_string(folder.path("one.csv")).unwrap());
    folder
        .streamjoin(&["run", "s.toml", "--csv", "orders.csv", "--force"])
        .fails(2, &["orders.csv", "is a file that is read"]);
}
