//! Bad input: one clear error with file and place, and the right exit code.

use std::fs;

use crate::support::{CUSTOMERS, Folder, Ran, WRITABLE};

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
