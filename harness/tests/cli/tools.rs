//! `conform`, `machine` and `data` as a shell sees them.

use crate::support::Folder;
use serde_json::Value;

/// The shipped cases, one per line.
fn cases() -> String {
    let packed = include_bytes!("../data/stream-static.jsonl.zst");
    String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap()
}

fn case(name: &str) -> Value {
    let text = cases();
    let mut records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.find(|record| record["case"]["name"] == name).unwrap()
}

#[test]
fn conform_without_a_file_runs_the_shipped_cases() {
    let ran = Folder::small().streamjoin(&["conform"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().last(), Some("710 passed, 0 failed"));
}

#[test]
fn conform_fails_on_a_wrong_row_and_on_an_unknown_kind() {
    let folder = Folder::small();
    let good = case("st_fanout_inner");
    let mut wrong = case("st_basic_stream_left_inner");
    wrong["expected"]["batches"][0]["rows"][0][1] = 77.into();
    let unknown = r#"{"case":{"name":"later","kind":"as-of"},"expected":{}}"#;
    folder.write("cases.jsonl", format!("{good}\n{wrong}\n{unknown}\n"));
    let ran = folder.streamjoin(&["conform", "cases.jsonl"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().last(), Some("1 passed, 2 failed"));
    for words in ["FAILED st_basic_stream_left_inner", "missing", "unexpected", "`as-of`"] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
    let ran = folder.streamjoin(&["conform", "cases.jsonl", "--filter", "fanout", "--all"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1 passed, 0 failed\n"));
}

#[test]
fn conform_names_what_it_cannot_read() {
    let folder = Folder::small();
    folder.write("cases.jsonl", format!("{}\n{{", case("st_fanout_inner")));
    folder.streamjoin(&["conform", "cases.jsonl"]).fails(1, &["cases.jsonl, line 2"]);
    folder.streamjoin(&["conform", "none.jsonl"]).fails(1, &["none.jsonl"]);
    folder
        .streamjoin(&["conform", "--filter", "st_fanout_iner"])
        .fails(2, &["st_fanout_iner", "st_fanout_inner"]);
}

#[test]
fn machine_reports_json_and_a_table() {
    let folder = Folder::small();
    let quick = ["machine", "--max-bytes", "1MB", "--repetitions", "1", "--slice", "1"];
    let ran = folder.streamjoin(&[&quick[..], &["--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(json["sizes"][0]["touchesPerSecond"]["huge"]["median"].as_f64().unwrap() > 0.0);
    let ran = folder.streamjoin(&quick);
    assert!(ran.stdout.contains("sequential read"), "{}", ran.stdout);
    let ran = folder.streamjoin(&["machine", "--max-bytes", "big"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`big`") && ran.stderr.contains("64MB"), "{}", ran.stderr);
}

#[test]
fn data_inspect_shows_ranges_and_rows() {
    let folder = Folder::small();
    let ran = folder.streamjoin(&["data", "inspect", "orders.csv", "--rows", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in ["6 rows, 4 columns", "customer", "2024-01-01 00:00:36", "|amount|"] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
    let ran = folder.streamjoin(&["data", "inspect", "orders.csv", "--format", "json"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["rows"], 6);
    let customer = &json["columns"][1];
    assert_eq!((&customer["nulls"], &customer["distinct"]), (&1.into(), &4.into()));
    assert_eq!((&customer["min"], &customer["max"]), (&"1".into(), &"9".into()));
    let ran = folder.streamjoin(&["data", "inspect", "orders.csv", "--limit", "2"]);
    assert!(ran.stdout.contains("2 rows read (more follow)"), "{}", ran.stdout);

    folder.streamjoin(&["data", "inspect", "order.csv"]).fails(1, &["order.csv"]);
    folder.write("bad.parquet", "not parquet");
    folder.streamjoin(&["data", "inspect", "bad.parquet"]).fails(1, &["bad.parquet"]);
    folder
        .streamjoin(&["data", "inspect", "orders.csv", "--input-format", "cvs"])
        .fails(2, &["cvs", "csv"]);
}

#[test]
fn data_import_sorts_generates_and_never_overwrites() {
    let folder = Folder::small();
    let import = ["data", "import", "orders.csv", "-o", "orders.arrow", "--sort-by", "amount"];
    let ran = folder.streamjoin(&import);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("orders.arrow: 6 rows"), "{}", ran.stdout);
    folder.streamjoin(&import).fails(2, &["orders.arrow", "exists"]);
    assert_eq!(folder.streamjoin(&[&import[..], &["--force"]].concat()).code, 0);

    let generator = "{ kind = \"rate\", rows_per_second = 5, limit = 20 }";
    let ran =
        folder.streamjoin(&["data", "import", "--generator", generator, "-o", "rate.parquet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = folder.streamjoin(&["data", "inspect", "rate.parquet", "--format", "json"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["rows"], 20);

    for (arguments, words) in [
        (&["--sort-by", "amuont"][..], &["amuont", "amount"][..]),
        (&["--output-format", "xls"], &["xls"]),
    ] {
        let base = ["data", "import", "orders.csv", "-o", "new.arrow"];
        folder.streamjoin(&[&base[..], arguments].concat()).fails(2, words);
    }
    folder
        .streamjoin(&["data", "import", "--generator", "{ kind = \"rat\" }", "-o", "x.arrow"])
        .fails(2, &["--generator", "rate"]);
    folder.streamjoin(&["data", "import", "-o", "x.arrow"]).fails(2, &["SOURCE", "--generator"]);
}

#[test]
fn data_list_verifies_checksums() {
    let folder = Folder::small();
    for (source, output) in [("orders.csv", "shop/orders.arrow"), ("customers.csv", "shop/c.csv")] {
        let ran = folder.streamjoin(&["data", "import", source, "-o", output, "--licence", "CC0"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let list = ["data", "list", "--data-dir", "shop"];
    let ran = folder.streamjoin(&list);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in ["orders", "CC0", "not checked"] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
    assert_eq!(folder.streamjoin(&[&list[..], &["--verify"]].concat()).code, 0);
    folder.write("shop/c.csv", "customer,name,vip\n");
    let ran = folder.streamjoin(&[&list[..], &["--verify"]].concat());
    assert!(ran.stdout.contains("DIFFERS") && ran.stdout.contains("ok"), "{}", ran.stdout);
    ran.fails(1, &["c.csv"]);
    let ran = folder.streamjoin(&[&list[..], &["--verify", "--format", "json"]].concat());
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["recordings"].as_array().unwrap().len(), 2);
    folder.streamjoin(&["data", "list", "--data-dir", "none"]).fails(1, &["none"]);
}
