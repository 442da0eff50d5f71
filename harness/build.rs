//! Tells the program from which revision it was built, for its records.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=STREAMJOIN_REVISION");
    let given = env::var("STREAMJOIN_REVISION").ok().filter(|revision| !revision.is_empty());
    // Without git, or outside of a clone, records say that they do not know.
    if let Some(revision) = given.or_else(|| git(&["rev-parse", "HEAD"])) {
        println!("cargo::rustc-env=STREAMJOIN_REVISION={revision}");
    }
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
