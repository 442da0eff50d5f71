//! Tells the program from which revision it was built and by which compiler,
//! for its records.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=STREAMJOIN_REVISION");
    let given = env::var("STREAMJOIN_REVISION").ok().filter(|revision| !revision.is_empty());
    // Without git, or outside of a clone, records say that they do not know.
    if let Some(revision) = given.or_else(|| answer("git", &["rev-parse", "HEAD"])) {
        println!("cargo::rustc-env=STREAMJOIN_REVISION={revision}");
    }
    if let Some(version) = env::var("RUSTC").ok().and_then(|rustc| answer(&rustc, &["--version"])) {
        println!("cargo::rustc-env=STREAMJOIN_RUSTC={version}");
    }
    if let Some(log) =
        answer("git", &["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])
    {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// The first line that a program says, if it runs and says one.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
