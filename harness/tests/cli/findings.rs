//! Findings in what `run` prints, and the rows that found nothing.

use serde_json::Value;

use crate::support::Folder;

const ORDERS: &str = "order_id,customer,amount\n1,C1 ,10\n2,C2 ,11\n3,C3 ,12\n4,,13\n5,C9 ,14\n";
const CUSTOMERS: &str = "id,name\nC1,Ann\nC2,Bob\nC3,Cy\n";

const SCENARIO: &str = r#"
[stream.orders]
recording = "o.csv"
schema = { order_id = "bigint", customer = "string", amount = "bigint" }
[[dimension]]
name = "customers"
table = "c.csv"
type = "left outer"
on = "orders.customer = customers.id"
[output]
select = ["order_id", "customers.name AS name"]
"#;

fn folder(scenario: &str) -> Folder {
    let folder = Folder::small();
    folder.write("o.csv", ORDERS);
    folder.write("c.csv", CUSTOMERS);
    folder.write("f.toml", scenario);
    folder
}

const TWO: [&str; 4] = ["--strategy", "broadcast/chained", "--strategy", "broadcast/linear"];

#[test]
fn findings_follow_the_tables_and_quiet_hides_none() {
    let folder = folder(SCENARIO);
    let printed = folder.streamjoin(&["run", "f.toml", "--quiet"]).ok();
    let (_, findings) = printed.split_once("\nfindings\n").unwrap();
    for part in [
        "  problem few-keys-matched: None of the 4 rows with a key matched a row of `customers`",
        "    - 3 of 4 missing keys would match after trim, such as 'C1 ' with 'C1'",
        "    remedy: compare them this way in `on`",
        "trim(orders.customer) = customers.id",
    ] {
        assert!(findings.contains(part), "no `{part}` in {findings}");
    }
    folder.write("o.csv", ORDERS.replace(' ', "").replace("C9", "C3").replace("4,,", "4,C1,"));
    let printed = folder.streamjoin(&["run", "f.toml"]).ok();
    assert!(!printed.contains("findings"), "{printed}");
}

#[test]
fn findings_of_every_strategy_come_through_its_process_into_json() {
    let folder = folder(SCENARIO);
    let mut args = vec!["run", "f.toml", "--format", "json", "--report", "r.json"];
    args.extend(TWO);
    let printed: Value = serde_json::from_str(&folder.streamjoin(&args).ok()).unwrap();
    let report = std::fs::read_to_string(folder.path("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    for run in printed["runs"].as_array().unwrap().iter().chain(report["runs"].as_array().unwrap())
    {
        let findings = run["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 1, "{findings:?}");
        let finding = &findings[0];
        assert_eq!(finding["id"], "few-keys-matched");
        assert_eq!(finding["severity"], "problem");
        assert_eq!(finding["about"], "customers");
        assert_eq!(finding["warned"], false);
        assert_eq!(finding["data"]["wouldMatch"]["keys"], 3);
        assert_eq!(finding["data"]["missingKeys"][0], "'C1 '");
    }
    let mut args = vec!["run", "f.toml"];
    args.extend(TWO);
    let printed = folder.streamjoin(&args).ok();
    assert_eq!(printed.matches("few-keys-matched").count(), 1, "told once: {printed}");
}

#[test]
fn json_lines_have_a_line_a_finding_before_the_summary() {
    let folder = folder(SCENARIO);
    let printed = folder.streamjoin(&["run", "f.toml", "--format", "jsonl"]).ok();
    let lines: Vec<Value> = printed.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["progress", "finding", "summary"]);
    assert_eq!(lines[1]["strategy"], "auto");
    assert_eq!(lines[1]["id"], "few-keys-matched");
}

#[test]
fn a_warning_that_was_told_is_in_json_and_not_told_twice() {
    let scenario = SCENARIO.replace("on =", "layout = \"broadcast\"\non =")
        + "[strategies.a]\nbroadcast_threshold = 10\n";
    let folder = folder(&scenario);
    folder.write("o.csv", ORDERS.replace(' ', "").replace("C9", "C3").replace("4,,", "4,C1,"));
    let ran = folder.streamjoin(&["run", "f.toml"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("warning: dimension `customers`"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("large-broadcast"), "{}", ran.stdout);
    let ran = folder.streamjoin(&["run", "f.toml", "--format", "json"]);
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    let finding = &printed["runs"][0]["findings"][0];
    assert_eq!((&finding["id"], &finding["warned"]), (&"large-broadcast".into(), &true.into()));
}

#[test]
fn rows_that_found_nothing_are_written_whole_with_what_they_missed() {
    // The second table is asked for what the first one gave; `amount` is neither
    // selected nor a key, and there all the same.
    let scenario = SCENARIO.replace(
        "[output]",
        "[[dimension]]\nname = \"levels\"\ntable = \"l.csv\"\ntype = \"left outer\"\non = \"customers.name = levels.name\"\n[output]",
    );
    let folder = folder(&scenario.replace("orders.customer =", "trim(orders.customer) ="));
    folder.write("l.csv", "name,level\nAnn,1\nCy,3\n");
    let expected = "\
missed,order_id,customer,amount
levels,2,C2 ,11
customers,4,,13
customers,5,C9 ,14
levels,4,,13
levels,5,C9 ,14
";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[1..].sort();
        lines
    };
    for (name, strategies) in [("one.csv", &[][..]), ("two.csv", &TWO[..])] {
        let mut args = vec!["run", "f.toml", "--format", "json", "--unmatched", name];
        args.extend(strategies);
        let printed: Value = serde_json::from_str(&folder.streamjoin(&args).ok()).unwrap();
        let written = std::fs::read_to_string(folder.path(name)).unwrap();
        // Of one pass of the first strategy, however often the others run.
        assert_eq!(sorted(&written), sorted(expected));
        for dimension in printed["runs"][0]["summary"]["dimensions"].as_array().unwrap() {
            let missed = format!("{},", dimension["name"].as_str().unwrap());
            let rows = written.lines().filter(|line| line.starts_with(&missed)).count();
            assert_eq!(dimension["rowsUnmatched"], rows as u64);
        }
        for run in printed["runs"].as_array().unwrap() {
            assert!(run["summary"]["passes"].as_u64().unwrap() > 0);
        }
    }
}

#[test]
fn inner_semi_and_anti_joins_write_them_too() {
    for join_type in ["inner", "left semi", "left anti"] {
        let folder = folder(
            &SCENARIO.replace("left outer", join_type).replace(", \"customers.name AS name\"", ""),
        );
        folder.streamjoin(&["run", "f.toml", "--unmatched", "m.jsonl"]).ok();
        let written = std::fs::read_to_string(folder.path("m.jsonl")).unwrap();
        assert_eq!(written.lines().count(), 5, "{join_type}: {written}");
        assert!(
            written.contains(r#"{"missed":"customers","order_id":5,"customer":"C9 ","amount":14}"#)
        );
    }
}

#[test]
fn a_column_that_is_called_missed_keeps_its_name() {
    let scenario = SCENARIO.replace("customer = \"string\"", "missed = \"string\"");
    let folder = folder(&scenario.replace("orders.customer", "orders.missed"));
    folder.write("o.csv", ORDERS.replacen("customer", "missed", 1));
    folder.streamjoin(&["run", "f.toml", "--unmatched", "m.csv"]).ok();
    let written = std::fs::read_to_string(folder.path("m.csv")).unwrap();
    assert!(written.starts_with("missed_table,order_id,missed,amount\ncustomers,1,C1 ,10\n"));
}

#[test]
fn a_path_that_is_used_is_refused() {
    let folder = folder(SCENARIO);
    folder.write("there.csv", "mine");
    let run = |file: &str, more: &[&str], words: &[&str]| {
        let mut args = vec!["run", "f.toml", "--unmatched", file];
        args.extend(more);
        folder.streamjoin(&args).fails(2, words);
    };
    run("there.csv", &[], &["there.csv exists", "--force"]);
    run("o.csv", &["--force"], &["unmatched path o.csv is a file that is read"]);
    run("f.toml", &["--force"], &["--unmatched"]);
    run("x.jsonl", &["-o", "x.jsonl"], &["cannot hold both output and unmatched"]);
    run("x.jsonl", &["--report", "x.jsonl"], &["cannot hold both unmatched and report"]);
    run("x.txt", &[], &["x.txt", ".parquet"]);
    run("-", &[], &["a file, not standard output"]);
    assert_eq!(std::fs::read_to_string(folder.path("there.csv")).unwrap(), "mine");
    folder.streamjoin(&["run", "f.toml", "--unmatched", "there.csv", "--force"]).ok();
    assert!(std::fs::read_to_string(folder.path("there.csv")).unwrap().starts_with("missed,"));
    assert!(folder.names().iter().all(|name| !name.ends_with(".tmp")));
}

const PAIR: &str = r#"
[stream.views]
recording = "v.csv"
event_time = "at"
watermark = "1 minute"
[stream.clicks]
recording = "k.csv"
event_time = "at"
watermark = "1 minute"
[join]
left = "views"
right = "clicks"
type = "full outer"
on = "id = view AND clicks.at BETWEEN views.at AND views.at + INTERVAL 10 SECOND"
[output]
select = ["id"]
"#;

#[test]
fn two_streams_write_the_rows_of_the_sides_that_the_join_preserves() {
    let folder = folder(PAIR);
    folder.write("v.csv", "id,at\n1,2024-01-01 00:00:00\n2,2024-01-01 00:00:05\n");
    folder.write("k.csv", "view,at\n1,2024-01-01 00:00:03\n9,2024-01-01 00:00:31\n");
    let run = |join_type: &str, name: &str| {
        folder.write("f.toml", PAIR.replace("full outer", join_type));
        folder.streamjoin(&["run", "f.toml", "--unmatched", name])
    };
    run("full outer", "full.jsonl").ok();
    let written = std::fs::read_to_string(folder.path("full.jsonl")).unwrap();
    let lines: Vec<Value> = written.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{written}");
    let of = |missed: &str| lines.iter().find(|line| line["missed"] == missed).unwrap();
    assert_eq!(of("clicks")["id"], 2);
    assert_eq!(
        of("clicks")["views.at"].as_str().unwrap().get(..19).unwrap(),
        "2024-01-01T00:00:05"
    );
    assert_eq!(of("views")["view"], 9);
    assert_eq!(of("views")["id"], Value::Null);
    run("left outer", "left.csv").ok();
    let written = std::fs::read_to_string(folder.path("left.csv")).unwrap();
    assert_eq!(written.lines().count(), 2, "{written}");
    assert!(written.contains("clicks,2,"), "{written}");
    run("left anti", "anti.csv").ok();
    assert_eq!(std::fs::read_to_string(folder.path("anti.csv")).unwrap().lines().count(), 2);
    run("inner", "inner.csv").fails(2, &["inner join of two streams", "full outer"]);
    run("left semi", "semi.csv").fails(2, &["left anti"]);
}
