//! Bad input: one clear error with file and place, and the right exit code.

use std::fs;

use crate::support::{CUSTOMERS, Folder, ORDERS, Ran, WRITABLE};

fn run(folder: &Folder) -> Ran {
    folder.streamjoin(&["run", "s.toml"])
}

#[test]
fn what_a_scenario_says_wrongly_is_usage() {
    let folder = Folder::small();
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "on = \"orders.customer",
            "on = \"orders.custmer",
            &["s.toml:10:6", "`on`", "custmer", "customer"],
        ),
        (
            "recording",
            "recordin",
            &["s.toml:4:1", "unknown key `recordin`", "did you mean `recording`?"],
        ),
        (
            "type = \"left outer\"",
            "type = \"right outer\"",
            &["s.toml:7:8", "right-outer join refused", "left-outer"],
        ),
        ("type = \"left outer\"", "type = \"full\"", &["full-outer join refused", "left-outer"]),
        ("event_time = \"at\"", "event_time = \"att\"", &["s.toml:5:14", "att", "`at`"]),
        ("event_time = \"at\"", "event_time = \"amount\"", &["amount", "unit"]),
        (
            "type = \"left outer\"",
            "using = [\"name\"]",
            &["s.toml:9:9", "`on` or `using`, not both"],
        ),
        ("name = \"customers\"", "name = \"Orders\"", &["s.toml:7:8", "used twice"]),
        ("table = \"customers.csv\"", "", &["needs one of `table`"]),
    ];
    for (from, to, words) in cases {
        folder.scenario_with(from, to);
        run(&folder).fails(2, words);
        folder.streamjoin(&["check", "s.toml"]).fails(2, &words[..1]);
    }
    for (more, words) in [
        ("[join]\nleft = \"a\"\n", &["missing field `right`"][..]),
        ("[stream.more]\nrecording = \"orders.csv\"\n", &["s.toml:11:9", "a second stream `more`"]),
        ("[replay]\ntrigger = { column = \"batch\" }\n", &["s.toml:12:11", "batch"]),
        ("[[dimension]]\nname = \"d\"\ntable = \"customers.csv\"\n", &["`d` has no condition"]),
    ] {
        folder.scenario_and(more);
        run(&folder).fails(2, words);
    }
}

#[test]
fn arguments_that_make_no_sense_are_usage() {
    let folder = Folder::small();
    for args in [
        &["run", "s.toml", "--format", "xml"][..],
        &["run", "s.toml", "--limit", "many"],
        &["run", "s.toml", "--threads", "0"],
        &["run", "s.toml", "--output-format", "csv"],
        &["rnu"],
        &[],
    ] {
        let ran = folder.streamjoin(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn files_that_are_missing_or_broken_are_named() {
    let folder = Folder::small();
    folder.streamjoin(&["run", "none.toml"]).fails(1, &["none.toml"]);
    folder.scenario_with("orders.csv", "order.csv");
    run(&folder).fails(1, &["s.toml:4:13", "order.csv", "orders.csv"]);
    folder.scenario_with("customers.csv", "customer.csv");
    run(&folder).fails(1, &["customer.csv"]);
    folder.write("empty.csv", "");
    folder.scenario_with("orders.csv", "empty.csv");
    run(&folder).fails(1, &["empty.csv"]);
    fs::create_dir(folder.path("hollow")).unwrap();
    folder.scenario_with("orders.csv", "hollow");
    run(&folder).fails(1, &["hollow"]);
    folder.write("latin.csv", b"id,customer,amount,at\n1,1,10,caf\xe9\n");
    folder.scenario_with("orders.csv", "latin.csv");
    run(&folder).fails(1, &["latin.csv"]);
    folder.write("s.toml", b"description = \"\xe9\"\n");
    run(&folder).fails(2, &["s.toml", "UTF-8"]);
}

#[test]
fn truncated_and_corrupt_files_are_named() {
    let folder = Folder::small();
    for (name, format) in [("o.parquet", "parquet"), ("o.arrow", "arrow")] {
        folder.scenario_and(WRITABLE);
        folder.streamjoin(&["run", "s.toml", "-o", name, "--output-format", format]).ok();
        let whole = fs::read(folder.path(name)).unwrap();
        let scenario = "[stream.o]\nrecording = \"NAME\"\n[[dimension]]\nname = \"c\"\n\
            table = \"customers.csv\"\non = \"o.id = c.customer\"\n";
        folder.write("s.toml", scenario.replace("NAME", name));
        run(&folder).ok();
        for length in [1, whole.len() / 2, whole.len() - 1] {
            folder.write(name, &whole[..length]);
            run(&folder).fails(1, &[name]);
        }
        let mut broken = whole.clone();
        let middle = whole.len() / 3;
        broken[middle..middle * 2].fill(0xff);
        folder.write(name, &broken);
        run(&folder).fails(1, &[name]);
        fs::remove_file(folder.path(name)).unwrap();
    }
}

#[test]
fn types_that_spark_does_not_compare_are_usage() {
    let folder = Folder::small();
    folder.scenario_with("= customers.customer", "= customers.vip");
    run(&folder).fails(2, &["s.toml:10:6"]);
}

#[test]
fn a_malformed_number_fails_the_batch_that_meets_it() {
    let folder = Folder::small();
    folder.write("customers.csv", CUSTOMERS);
    folder.write("text.csv", "id,customer\n1,1\n2,2\n3,x3\n4,1\n");
    folder.write(
        "s.toml",
        "[stream.o]\nrecording = \"text.csv\"\nschema = { id = \"int\", customer = \"string\" }\n\
         [[dimension]]\nname = \"c\"\ntable = \"customers.csv\"\non = \"o.customer = c.customer\"\n\
         [replay]\ntrigger = { rows = 2 }\n\
         [output]\nselect = [\"id\", \"name\"]\n",
    );
    folder
        .streamjoin(&["run", "s.toml", "-o", "out.csv"])
        .fails(1, &["batch 1", "text.csv", "o.customer = c.customer", "x3"]);
    assert!(!folder.path("out.csv").exists(), "part of a result never takes its name");
    let kept: Vec<String> =
        folder.names().into_iter().filter(|name| name.contains("partial")).collect();
    let kept = fs::read_to_string(folder.path(&kept[0])).unwrap();
    assert_eq!(kept.lines().count(), 3, "batch 0 is whole: {kept}");
    let scenario = fs::read_to_string(folder.path("s.toml")).unwrap();
    folder.write("s.toml", format!("ansi = false\n{scenario}"));
    let text = run(&folder).ok();
    assert!(text.contains("4 rows in, 3 rows out"), "{text}");
}

#[test]
fn a_sink_that_cannot_hold_equal_names_is_refused_before_the_first_row() {
    let folder = Folder::small();
    folder.streamjoin(&["run", "s.toml", "-o", "out.parquet"]).fails(2, &["customer"]);
    assert!(!folder.path("out.parquet").exists());
}

#[test]
fn what_is_read_is_never_written() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    folder.write("parts/a.csv", ORDERS);
    std::os::unix::fs::symlink(folder.path("orders.csv"), folder.path("link.csv")).unwrap();
    let before = folder.names();
    for (flag, path, words) in [
        ("-o", "orders.csv", &["orders.csv", "a file that is read"][..]),
        ("-o", "./customers.csv", &["customers.csv", "a file that is read"]),
        ("-o", "link.csv", &["link.csv", "a file that is read"]),
        ("--report", "orders.csv", &["report path orders.csv", "a file that is read"]),
        ("--report", "s.toml", &["is the scenario"]),
        ("--report", ".", &["is a folder"]),
    ] {
        folder.streamjoin(&["run", "s.toml", "--force", flag, path]).fails(2, words);
    }
    let both = ["run", "s.toml", "-o", "x.csv", "--report", "./x.csv"];
    folder.streamjoin(&both).fails(2, &["cannot hold both"]);
    let text = fs::read_to_string(folder.path("s.toml")).unwrap();
    folder.write("parts.toml", text.replace("orders.csv", "parts"));
    folder
        .streamjoin(&["run", "parts.toml", "-o", "parts/b.csv"])
        .fails(2, &["parts/b.csv", "read as one table"]);
    assert_eq!(fs::read_to_string(folder.path("orders.csv")).unwrap(), ORDERS);
    let mut after = folder.names();
    after.retain(|name| name != "parts.toml");
    assert_eq!(after, before);
}

#[test]
fn a_report_replaces_only_a_report() {
    let folder = Folder::small();
    folder.write("notes.json", "{}");
    let run = |more: &[&str]| folder.streamjoin(&[&["run", "s.toml", "--report"], more].concat());
    run(&["notes.json"]).fails(2, &["notes.json", "is not a report", "--force"]);
    run(&["notes.json", "--force"]).ok();
    run(&["notes.json"]).ok();
    run(&["customers.csv/report.json"]).fails(1, &["customers.csv"]);
}

#[test]
fn a_row_that_cannot_be_cast_is_counted_in_its_file() {
    let folder = Folder::small();
    let rows: String = (0..3000)
        .map(|id| if id == 2345 { "2345,bad\n".to_owned() } else { format!("{id},{id}\n") })
        .collect();
    folder.write("text.csv", format!("id,k\n{rows}"));
    let stream =
        "[stream.o]\nrecording = \"text.csv\"\nschema = { id = \"int\", k = \"string\" }\n";
    let table = "[[dimension]]\nname = \"c\"\ntable = \"customers.csv\"\n";
    let end = "[replay]\ntrigger = { rows = 1000 }\n";
    let place = &["batch 2: ", "text.csv, row 2345 (from 0): ", "'bad'"];
    for (more, on, output) in [
        ("", "o.k = c.customer", ""),
        ("where = \"id > 7\"\n", "o.k = c.customer", ""),
        ("select = [\"CAST(k AS INT) AS k\"]\n", "o.k = c.customer", ""),
        ("where = \"CAST(k AS INT) > 0\"\n", "o.id = c.customer", ""),
        ("", "o.id = c.customer AND CAST(o.k AS INT) > 0", ""),
        ("", "true", "[output]\nselect = [\"CAST(k AS INT) AS k\"]\n"),
        ("", "true", "[output]\nwhere = \"CAST(k AS INT) > 0\"\n"),
    ] {
        folder.write("s.toml", format!("{stream}{more}{table}on = \"{on}\"\n{end}{output}"));
        run(&folder).fails(1, place);
    }
    let time = "event_time = { column = \"k\", format = \"%Q\" }\n";
    folder.write("s.toml", format!("{stream}{time}{table}on = \"o.id = c.customer\"\n{end}"));
    run(&folder).fails(2, &["s.toml:4:14", "not a strftime pattern"]);
    // A table's rows too, whether its own columns fail or its keys.
    let orders = "[stream.o]\nrecording = \"orders.csv\"\n[[dimension]]\nname = \"t\"\ntable = \"text.csv\"\nschema = { id = \"int\", k = \"string\" }\n";
    for more in [
        "on = \"o.id = t.k\"\n",
        "on = \"o.id = t.id\"\nwhere = \"CAST(k AS INT) > 0\"\n",
        "on = \"o.id = t.id AND CAST(t.k AS INT) > 0\"\n",
    ] {
        folder.write("s.toml", format!("{orders}{more}"));
        let place = &["loading dimension `t`", "text.csv, row 2345 (from 0): ", "'bad'"];
        run(&folder).fails(1, place);
    }
}

#[test]
fn settings_that_do_nothing_are_refused() {
    let folder = Folder::small();
    for (from, to, words) in [
        ("event_time = \"at\"", "select = []", &["s.toml:5:10", "`select` is empty"][..]),
        (
            "type = \"left outer\"\non = \"orders.customer = customers.customer\"",
            "using = []",
            &["`using` is empty"],
        ),
        ("name = \"customers\"", "name = \"\"", &["s.toml:7:8", "a name is empty"]),
        (
            "table = \"customers.csv\"",
            "versions = [{ from_batch = 1, table = \"customers.csv\" }, { from_batch = 1, table = \"customers.csv\" }]",
            &["s.toml:8:58", "never be in force"],
        ),
        (
            "recording = \"orders.csv\"",
            "generator = { kind = \"rate\", limit = 9 }\nformat = \"csv\"",
            &["s.toml:5:10", "not for a generator"],
        ),
        ("event_time = \"at\"", "watermark = \"1 s\"", &["s.toml:5:13", "no `event_time`"]),
    ] {
        folder.scenario_with(from, to);
        run(&folder).fails(2, words);
    }
    folder.scenario_and(WRITABLE);
    folder.streamjoin(&["run", "s.toml", "-o", "o.parquet"]).ok();
    folder.scenario_with("recording = \"orders.csv\"", "recording = \"o.parquet\"\ncsv = {}");
    run(&folder).fails(2, &["s.toml:5:7", "is parquet"]);
    folder.write("s.toml", "");
    run(&folder).fails(2, &["s.toml: no [stream.NAME]"]);
}
