//! Nested columns and JSON, from the command line.

use crate::support::Folder;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets");

/// Of each change in `datasets/debezium`, read by eye.
const CHANGES: &str = r#"offset,op,order_id,was,status,amount,tags,customer
0,c,1001,,new,49.90,"[""gift""]",Ada
1,c,1002,,new,15.00,[],Konrad
2,u,1001,new,paid,49.90,"[""gift""]",Ada
3,c,1003,,new,8.25,"[""express"",""gift""]",
4,d,1002,new,,,,Konrad
5,tombstone,1002,,,,,
6,c,1004,,new,120.00,,
7,u,1003,new,paid,8.25,"[""express"",""gift""]",Grace
"#;

#[test]
fn changes_of_debezium_are_joined_with_a_table() {
    let folder = Folder::small();
    folder.streamjoin(&["run", "debezium", "--data-dir", DATA, "-o", "out.csv"]).ok();
    assert_eq!(read(&folder, "out.csv"), CHANGES);
    for command in ["check", "explain"] {
        folder.streamjoin(&[command, "debezium", "--data-dir", DATA]).ok();
    }
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

const ENVELOPES: &str = r#"{"n":1,"after":{"id":1,"Tags":["a","b"]},"labels":{"eu":10}}
{"n":2,"after":null,"labels":{"eu":20}}
{"n":3,"after":{"id":2,"Tags":[]},"labels":null}
"#;
const TABLE: &str = r#"{"row":{"key":1,"low":5},"name":"one"}
{"row":{"key":2,"low":5},"name":"two"}
"#;

fn with_envelopes(on: &str, select: &str) -> Folder {
    let folder = Folder::small();
    folder.write("e.jsonl", ENVELOPES);
    folder.write("t.jsonl", TABLE);
    folder.write(
        "n.toml",
        format!(
            r#"
[stream.e]
recording = "e.jsonl"
[[dimension]]
name = "t"
table = "t.jsonl"
type = "left outer"
on = "{on}"
[output]
select = [{select}]
"#
        ),
    );
    folder
}

#[test]
fn fields_keys_and_elements_join_filter_and_come_out() {
    let select =
        r#""n", "t.name", "e.after.tags AS tags", "after['ID'] AS id", "labels['eu'] AS eu""#;
    let folder =
        with_envelopes("e.after.id = t.row.key AND coalesce(labels.eu, 0) > t.row.low", select);
    folder.streamjoin(&["run", "n.toml", "-o", "out.jsonl"]).ok();
    assert_eq!(
        read(&folder, "out.jsonl"),
        r#"{"n":1,"name":"one","tags":["a","b"],"id":1,"eu":10}
{"n":2,"name":null,"tags":null,"id":null,"eu":20}
{"n":3,"name":null,"tags":[],"id":2,"eu":null}
"#
    );
}

#[test]
fn an_element_that_is_not_there_fails_or_is_null() {
    let folder = with_envelopes("e.after.id = t.row.key", r#""n", "e.after.Tags[0] AS tag""#);
    folder.streamjoin(&["run", "n.toml", "-o", "out.csv"]).fails(1, &["index 0", "0 elements"]);
    folder.streamjoin(&["run", "n.toml", "-o", "out.csv", "--set", "ansi=false"]).ok();
    assert_eq!(read(&folder, "out.csv"), "n,tag\n1,a\n2,\n3,\n");
}

#[test]
fn every_command_refuses_what_is_not_there() {
    for (on, select, message) in [
        ("e.after.idd = t.row.key", r#""n""#, "`e.after` has no field `idd`; did you mean `id`?"),
        ("e.after.id = t.row.kei", r#""n""#, "`t.row` has no field `kei`; did you mean `key`?"),
        ("e.afte.id = t.row.key", r#""n""#, "unknown column `e.afte`; did you mean `after`?"),
        ("aftr.id = t.row.key", r#""n""#, "nested column `aftr`; did you mean `after`?"),
        ("e.n = t.row", r#""n""#, "cannot be compared"),
        ("e.n = t.row.key", r#""e.n.x""#, "which has no fields or elements"),
        ("e.n = t.row.key", r#""e.after['nope']""#, "`e.after` has no field `nope`"),
        ("e.n = t.row.key", r#""after.Tags['x']""#, "numbers from 0"),
        ("e.n = t.row.key", r#""from_json(t.name, 'a FOO').a""#, "unknown type"),
        ("e.n = t.row.key", r#""from_json(t.name, 'a INT').b""#, "has no field `b`"),
        ("e.n = t.row.key", r#""from_json(n, 'a INT').a""#, "CAST(e.n AS STRING)"),
        ("e.n = t.row.key", r#""json_tuple(t.name, 'a', 'b')""#, "once for each"),
    ] {
        let folder = with_envelopes(on, select);
        for command in [&["check", "n.toml"][..], &["explain", "n.toml"], &["run", "n.toml"]] {
            folder.streamjoin(command).fails(2, &[message, "n.toml:"]);
        }
    }
}
