//! SAFETY.md names every file that has `unsafe` in it, and no file that is not there.

use std::fs;
use std::path::{Path, PathBuf};

/// Sources, tests left out, by their path without the ending.
fn sources(folder: &Path, all: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if !path.ends_with("tests.rs") {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
            let name = path.strip_prefix(root).unwrap().with_extension("");
            let name = name.to_str().unwrap().replace('\\', "/");
            all.push((name, path));
        }
    }
}

/// The names in the first column of the table: `a/{b,c}` are two, `a/*/b` any `a/x/b`.
fn listed() -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("SAFETY.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let columns = rows.map(|row| row.split(" | ").next().unwrap());
    let names = columns.flat_map(|column| column.split('`').skip(1).step_by(2));
    names.flat_map(braced).collect()
}

fn braced(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else { return vec![name.to_owned()] };
    let (choices, after) = rest.split_once('}').unwrap();
    let one = |choice: &str| braced(&format!("{before}{choice}{after}"));
    choices.split(',').flat_map(one).collect()
}

/// `a` stands for `a/mod`, too.
fn matches(pattern: &str, name: &str) -> bool {
    name.strip_suffix("/mod").is_some_and(|name| matches(pattern, name)) || is_one(pattern, name)
}

fn is_one(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.split('/'), name.split('/'));
    loop {
        match (pattern.next(), name.next()) {
            (None, None) => return true,
            (Some(pattern), Some(name)) if pattern == "*" || pattern == name => {}
            _ => return false,
        }
    }
}

#[test]
fn the_list_of_unsafe_files_is_complete() {
    let (mut all, listed) = (Vec::new(), listed());
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    assert!(all.len() > 100 && listed.len() > 30, "{} {}", all.len(), listed.len());
    for (name, path) in &all {
        let text = fs::read_to_string(path).unwrap();
        let code = text.lines().map(|line| line.split("//").next().unwrap());
        let is_unsafe =
            code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        if is_unsafe.clone().any(|word| word == "unsafe") {
            assert!(listed.iter().any(|pattern| matches(pattern, name)), "{name} is not listed");
        }
    }
    for pattern in &listed {
        assert!(all.iter().any(|(name, _)| matches(pattern, name)), "there is no {pattern}");
    }
}
