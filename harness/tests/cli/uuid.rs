//! UUID columns of Parquet and Arrow files, and text.

use crate::support::Folder;

/// With the files of `tests/data/uuid`, which hold the ids below with `n` from 0, and
/// the same ids as text.
fn folder() -> Folder {
    let folder = Folder::small();
    folder.write("duckdb.parquet", include_bytes!("../data/uuid/duckdb.parquet"));
    folder.write("pyarrow.parquet", include_bytes!("../data/uuid/pyarrow.parquet"));
    folder.write("pyarrow.arrow", include_bytes!("../data/uuid/pyarrow.arrow"));
    folder.write("plain.parquet", include_bytes!("../data/uuid/plain.parquet"));
    folder.write("text.csv", TEXT);
    folder
}

const TEXT: &str = "\
key,name
00112233-4455-6677-8899-aabbccddeeff,one
f47ac10b-58cc-4372-a567-0e02b2c3d479,two
F47AC10B-58CC-4372-A567-0E02B2C3D479,upper
00000000-0000-0000-0000-000000000000,zero
ffffffff-ffff-ffff-ffff-ffffffffffff,other
";

const FILES: [&str; 3] = ["duckdb.parquet", "pyarrow.parquet", "pyarrow.arrow"];

fn with_table(folder: &Folder, stream: &str, table: &str, on: &str, select: &str) {
    folder.write(
        "u.toml",
        format!(
            "description = \"ids\"\n[stream.s]\nrecording = \"{stream}\"\n[[dimension]]\nname = \"t\"\ntable = \"{table}\"\ntype = \"left outer\"\non = \"{on}\"\n[output]\nselect = [{select}]\n"
        ),
    );
}

/// The lines that the scenario writes, sorted.
#[track_caller]
fn lines(folder: &Folder) -> Vec<String> {
    let _ = std::fs::remove_file(folder.path("out.jsonl"));
    for args in
        [&["check", "u.toml"][..], &["explain", "u.toml"], &["run", "u.toml", "-o", "out.jsonl"]]
    {
        let ran = folder.streamjoin(args);
        // That the state of two streams without times only grows is no failure.
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    }
    let text = std::fs::read_to_string(folder.path("out.jsonl")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const JOINED: [&str; 4] = [
    r#"{"n":0,"id":"00112233-4455-6677-8899-aabbccddeeff","name":"one"}"#,
    r#"{"n":1,"id":"f47ac10b-58cc-4372-a567-0e02b2c3d479","name":"two"}"#,
    r#"{"n":2,"id":null,"name":null}"#,
    r#"{"n":3,"id":"00000000-0000-0000-0000-000000000000","name":"zero"}"#,
];

#[test]
fn a_stream_of_uuids_meets_text() {
    let folder = folder();
    for file in FILES {
        let select = "\"n\", \"CAST(id AS STRING) AS id\", \"name\"";
        with_table(&folder, file, "text.csv", "CAST(s.id AS STRING) = t.key", select);
        assert_eq!(lines(&folder), JOINED, "{file}");
        let select = "\"n\", \"concat('', id) AS id\", \"name\"";
        with_table(&folder, file, "text.csv", "t.key = upper(s.id) || ''", select);
        assert!(lines(&folder).contains(
            &r#"{"n":1,"id":"f47ac10b-58cc-4372-a567-0e02b2c3d479","name":"upper"}"#.to_owned()
        ));
    }
}

#[test]
fn a_table_of_uuids_meets_text() {
    let folder = folder();
    for file in FILES {
        let select = "\"name\", \"n\"";
        with_table(&folder, "text.csv", file, "CAST(t.id AS STRING) = s.key", select);
        assert_eq!(
            lines(&folder),
            [
                r#"{"name":"one","n":0}"#,
                r#"{"name":"other","n":null}"#,
                r#"{"name":"two","n":1}"#,
                r#"{"name":"upper","n":null}"#,
                r#"{"name":"zero","n":3}"#,
            ],
            "{file}"
        );
    }
}

#[test]
fn two_streams_meet_by_uuid_and_text() {
    let folder = folder();
    for file in FILES {
        folder.write(
            "u.toml",
            format!(
                "description = \"ids\"\n[stream.s]\nrecording = \"{file}\"\nwhere = \"CAST(id AS STRING) LIKE '%-%'\"\n[stream.t]\nrecording = \"text.csv\"\n[join]\nleft = \"s\"\nright = \"t\"\ntype = \"inner\"\non = \"t.key = CAST(s.id AS STRING)\"\n[output]\nselect = [\"n\", \"CAST(id AS STRING) AS id\", \"name\"]\n[replay]\nmerge = \"file-order\"\n"
            ),
        );
        assert_eq!(lines(&folder), [JOINED[0], JOINED[1], JOINED[3]], "{file}");
    }
}

#[test]
fn uuids_that_pass_through_stay_uuids() {
    let folder = folder();
    with_table(&folder, "duckdb.parquet", "pyarrow.arrow", "s.id = t.id", "\"s.id AS id\"");
    for out in ["out.parquet", "out.arrow"] {
        folder.streamjoin(&["run", "u.toml", "-o", out]).ok();
        folder.write("again.toml", format!(
            "description = \"ids\"\n[stream.s]\nrecording = \"{out}\"\n[[dimension]]\nname = \"t\"\ntable = \"text.csv\"\non = \"CAST(s.id AS STRING) = t.key\"\n"
        ));
        let text = folder.streamjoin(&["run", "again.toml", "--format", "jsonl"]).ok();
        assert!(text.lines().last().unwrap().contains("\"rowsOut\":3"), "{out}: {text}");
    }
}

#[test]
fn without_the_cast_it_is_refused() {
    let folder = folder();
    let words = ["`s.id` is a UUID", "`t.key` is STRING", "CAST(s.id AS STRING)"];
    for file in FILES {
        for on in ["s.id = t.key", "t.key <=> s.id", "s.id IN (t.key, 'x')"] {
            with_table(&folder, file, "text.csv", on, "\"n\"");
            for command in ["check", "explain", "run"] {
                folder.streamjoin(&[command, "u.toml"]).fails(2, &words);
            }
        }
    }
    // Bytes without a mark are binary, as they are.
    with_table(
        &folder,
        "plain.parquet",
        "text.csv",
        "hex(s.id) = replace(upper(t.key), '-', '')",
        "\"n\", \"name\"",
    );
    assert!(lines(&folder).contains(&r#"{"n":0,"name":"one"}"#.to_owned()));
}
