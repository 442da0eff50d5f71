//! Ctrl-C: what was whole stays readable, nothing else stays.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::Folder;

/// A stream that takes longer than any test.
const ENDLESS: &str = r#"
[stream.s]
generator = { kind = "rate", rows_per_second = 100, limit = 1_000_000_000_000 }
[[dimension]]
name = "c"
table = "customers.csv"
type = "left outer"
on = "s.value % 7 = c.customer"
[replay]
trigger = { rows = 1_000 }
"#;

fn wait(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Runs `s.toml`, interrupts it once it has written something, and answers
/// what it said.
fn interrupted(folder: &Folder) -> String {
    let mut run = Command::new(assert_cmd::cargo::cargo_bin!("streamjoin"));
    run.args(["run", "s.toml", "-o", "out.csv"]).current_dir(folder.path(""));
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let is_written = |path: &Path| fs::metadata(path).is_ok_and(|file| file.len() > 10_000);
    wait("rows", || {
        let names = folder.names();
        names.iter().any(|name| name.ends_with(".tmp") && is_written(&folder.path(name)))
    });
    // As a terminal does it, but to this one process only.
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    said
}

#[test]
fn whole_batches_are_kept() {
    for strategies in ["", "[strategies.a]\nindex = \"chained\"\n[strategies.b]\n"] {
        let folder = Folder::small();
        folder.write("s.toml", format!("{ENDLESS}{strategies}"));
        let said = interrupted(&folder);
        assert!(said.contains("interrupted") && said.contains("out.partial.csv"), "{said}");
        // A process that measures for another one ends a little later.
        wait("end", || !folder.names().iter().any(|name| name.ends_with(".tmp")));
        let kept = fs::read_to_string(folder.path("out.partial.csv")).unwrap();
        assert_eq!((kept.lines().count() - 1) % 1000, 0, "whole batches");
        assert!(!folder.path("out.csv").exists());
    }
}
