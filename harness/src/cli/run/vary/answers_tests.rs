//! Tests of `answers`.

use super::*;
use crate::cli::run::axis::axis;
use crate::error::FailureKind;
use crate::record::Summary;
use crate::scenario::{SourceText, parse};

fn scenario(more: &str) -> Scenario {
    let text = format!("[stream.s]\nrecording = \"s.csv\"\n{more}");
    parse(SourceText::new("x.toml", text), "x").unwrap()
}

#[test]
fn some_keys_cannot_change_the_rows() {
    let table = "[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\non = \"s.k = d.k\"\n";
    let may = |key: &str, scenario: &Scenario| {
        may_change(&[axis(&format!("{key}=1,2")).unwrap()], scenario)[0]
    };
    let plain = scenario(table);
    for key in ["strategies.a.threads", "dimension.d.index", "replay.trigger.rows"] {
        assert!(!may(key, &plain), "{key}");
    }
    for key in ["replay.limit", "dimension.d.type", "stream.s.recording", "ansi"] {
        assert!(may(key, &plain), "{key}");
    }
    let changing = scenario(&format!("{table}refresh = \"every-batch\"\n"));
    assert!(may("replay.trigger.rows", &changing));
    let two = scenario(
        "[stream.t]\nrecording = \"t.csv\"\n[join]\nleft = \"s\"\nright = \"t\"\non = \"s.k = t.k\"\n",
    );
    assert!(may("replay.trigger.rows", &two));
    assert!(!may("strategies.a.state", &two));
}

#[test]
fn rows_must_agree_where_nothing_decisive_differs() {
    let run = |rows: &str, limit: &str, rows_out| Run {
        settings: [("replay.trigger.rows", rows), ("replay.limit", limit)]
            .map(|(key, value)| Setting { key: key.to_owned(), value: value.to_owned() })
            .to_vec(),
        elsewhere: vec![false, false],
        record: RunRecord {
            strategy: "a".to_owned(),
            summary: Summary { rows_out, ..Summary::default() },
            progress: Vec::new(),
            warnings: Vec::new(),
            findings: Vec::new(),
        },
    };
    let may = [false, true];
    assert!(verify(&[run("1", "5", 5), run("2", "5", 5), run("1", "6", 6)], &may).is_ok());
    let failure = verify(&[run("1", "5", 5), run("2", "5", 4)], &may).unwrap_err();
    assert_eq!(failure.kind, FailureKind::WrongResult);
    assert!(
        failure.message.contains("a with replay.trigger.rows=2, replay.limit=5: 4 rows"),
        "{failure}"
    );
}
