//! Join types, windows, and tables after the join.

use super::support::{Folder, HEAD, csv};

fn streams() -> Folder {
    let left = csv(&[(1, Some(1), Some(10)), (2, Some(2), Some(11)), (3, None, Some(12))]);
    let right = csv(&[(11, Some(1), Some(15)), (12, Some(3), Some(16)), (13, Some(1), Some(31))]);
    Folder::new(&[
        ("l.csv", &left),
        ("r.csv", &right),
        ("names.csv", "id,name\n1,one\n11,eleven\n2,two\n"),
        ("more.csv", "name,n\none,1\none,100\n"),
    ])
}

fn join(more: &str) -> String {
    format!(
        "{HEAD}[join]\nleft = \"l\"\nright = \"r\"\non = \"l.k = r.k AND r.at BETWEEN l.at - INTERVAL 10 SECOND AND l.at + INTERVAL 10 SECOND\"\n{more}\n"
    )
}

#[test]
fn every_join_type() {
    let folder = streams();
    let of = |join_type: &str| {
        let ran = folder.run(&join(&format!(
            "type = \"{join_type}\"\n[output]\nselect = [\"*\"]\n[replay]\ntrigger = {{ rows = 2 }}"
        )));
        (ran.rows(), ran.outcome.rows_unmatched)
    };
    let pair = "1 1 00:10 11 1 00:15";
    let left = ["2 2 00:11 - - -", "3 - 00:12 - - -"];
    let right = ["- - - 12 3 00:16", "- - - 13 1 00:31"];
    assert_eq!(of("inner"), (vec![pair.to_owned()], 0));
    let rows = |parts: &[&str]| {
        let mut rows: Vec<String> = parts.iter().map(|row| (*row).to_owned()).collect();
        rows.sort();
        rows
    };
    assert_eq!(of("left"), (rows(&[&[pair], &left[..]].concat()), 2));
    assert_eq!(of("right"), (rows(&[&[pair], &right[..]].concat()), 2));
    assert_eq!(of("full"), (rows(&[&[pair], &left[..], &right[..]].concat()), 4));
    assert_eq!(of("semi"), (rows(&["1 1 00:10"]), 0));
    assert_eq!(of("anti"), (rows(&["2 2 00:11", "3 - 00:12"]), 2));
}

#[test]
fn tables_are_joined_with_what_the_streams_joined() {
    let text = join(
        r#"
type = "full"
[[dimension]]
name = "names"
table = "names.csv"
type = "left outer"
on = "l.id = names.id"
[[dimension]]
name = "more"
table = "more.csv"
on = "names.name = more.name"
type = "left outer"
[output]
select = ["l.id", "r.at", "names.name", "n"]
"#,
    );
    let ran = streams().run(&text);
    assert_eq!(
        ran.rows(),
        ["- 00:16 - -", "- 00:31 - -", "1 00:15 one 1", "1 00:15 one 100", "2 - two -", "3 - - -"]
    );
    assert_eq!(ran.outcome.rows_unmatched, 4, "unmatched in at least one join");
    assert_eq!(ran.outcome.joins, [(2, 3), (1, 4)]);
    // A proof that is not emitted travels to be counted, and no further.
    let text = join(
        r#"
type = "left"
[[dimension]]
name = "names"
table = "names.csv"
on = "l.id = names.id"
[output]
select = ["l.id", "name"]
where = "l.id < 3"
"#,
    );
    let ran = streams().run(&text);
    assert_eq!((ran.rows(), ran.outcome.rows_unmatched), (vec!["1 one".into(), "2 two".into()], 1));
    let plan = streams().plan(&text).unwrap();
    assert_eq!(plan.output_schema().fields().len(), 2);
}

#[test]
fn null_safe_keys_alone_prove_no_match() {
    let text = HEAD.to_owned()
        + r#"
[join]
left = "l"
right = "r"
type = "left"
on = "l.k <=> r.k AND l.at <=> r.at"
[output]
select = ["l.id"]
where = "true"
"#;
    let folder = Folder::new(&[
        ("l.csv", &csv(&[(1, None, None), (2, None, Some(5)), (3, Some(1), Some(6))])),
        ("r.csv", &csv(&[(11, None, None), (12, None, Some(5)), (13, Some(1), Some(7))])),
    ]);
    let ran = folder.run(&text);
    assert_eq!(ran.rows(), ["1", "2", "3"]);
    assert_eq!(ran.outcome.rows_unmatched, 1);
}

#[test]
fn a_window_stands_in_for_the_event_time() {
    let text = HEAD.to_owned()
        + r#"
[join]
left = "l"
right = "r"
type = "left"
using = ["k"]
window = "10 s"
"#;
    let folder = Folder::new(&[
        ("l.csv", &csv(&[(1, Some(1), Some(9)), (2, Some(1), Some(10)), (3, Some(1), None)])),
        (
            "r.csv",
            &csv(&[(11, Some(1), Some(0)), (12, Some(1), Some(19)), (13, Some(1), Some(20))]),
        ),
    ]);
    let ran = folder.run(&text);
    assert_eq!(ran.rows(), ["1 1 00:00 11 00:00", "1 2 00:10 12 00:10"]);
    assert_eq!(ran.outcome.dropped.null_time, Some(1), "in no window");
    let names = folder.plan(&text).unwrap();
    let names: Vec<&str> =
        names.output_schema().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["k", "id", "window_start", "id", "window_start"]);
}

#[test]
fn one_recording_under_two_names() {
    let rows = csv(&[(1, Some(1), Some(10)), (2, Some(1), Some(12)), (3, Some(1), Some(30))]);
    let folder = Folder::new(&[("x.csv", &rows)]);
    let text = HEAD.replace("l.csv", "x.csv").replace("r.csv", "x.csv")
        + "[join]\nleft = \"l\"\nright = \"r\"\non = \"l.k = r.k AND r.at > l.at AND r.at <= l.at + INTERVAL 10 SECOND\"\n";
    assert_eq!(folder.run(&text).rows(), ["1 1 00:10 2 1 00:12"]);
}

#[test]
fn a_table_version_by_time_follows_both_streams() {
    let left = csv(&[(1, Some(1), Some(10)), (2, Some(1), Some(40))]);
    let right = csv(&[(11, Some(1), Some(10)), (12, Some(1), Some(41))]);
    let folder = Folder::new(&[
        ("l.csv", &left),
        ("r.csv", &right),
        ("v0.csv", "k,v\n1,0\n"),
        ("v1.csv", "k,v\n1,1\n"),
    ]);
    let text = join(
        r#"
[[dimension]]
name = "d"
on = "l.k = d.k"
versions = [{ from_batch = 0, table = "v0.csv" }, { from = "2024-01-01 00:00:30", table = "v1.csv" }]
[output]
select = ["l.id", "v"]
[replay]
trigger = { event_time = "10 s" }
"#,
    );
    assert_eq!(folder.run(&text).rows(), ["1 0", "2 1"]);
}

#[test]
fn event_times_of_every_kind() {
    let left = "id,k,at\n1,1,1000\n2,2,2000\n";
    let folder = Folder::new(&[
        ("l.csv", left),
        ("r.csv", &csv(&[(11, Some(1), Some(1)), (12, Some(2), Some(59))])),
    ]);
    // Milliseconds since 1970 made a timestamp by `select`.
    let text = HEAD
        .replacen("at = \"timestamp\"", "at = \"bigint\"", 1)
        .replacen(
            "event_time = \"at\"",
            "select = [\"id\", \"k\", \"timestamp_millis(at) + INTERVAL 19723 DAY AS at\"]\nevent_time = \"at\"",
            1,
        )
        + "[join]\nleft = \"l\"\nright = \"r\"\ntype = \"left\"\non = \"l.k = r.k AND r.at >= l.at AND r.at - l.at <= INTERVAL 10 SECOND\"\n[output]\nselect = [\"l.id\", \"r.id\"]\n";
    assert_eq!(folder.run(&text).rows(), ["1 11", "2 -"]);
    // A number with a unit orders and has a watermark, but the condition must
    // compare times.
    let text = HEAD.replacen("at = \"timestamp\"", "at = \"bigint\"", 1).replacen(
        "event_time = \"at\"",
        "event_time = { column = \"at\", unit = \"ms\" }",
        1,
    );
    let inner = format!(
        "{text}[join]\nleft = \"l\"\nright = \"r\"\nusing = [\"k\"]\n[output]\nselect = [\"l.id\", \"r.id\"]\n"
    );
    assert_eq!(folder.run(&inner).rows(), ["1 11", "2 12"]);
}
