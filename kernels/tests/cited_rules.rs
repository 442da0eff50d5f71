//! Comments cite the rules of the joins by number: `RULES.md` has each of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The names of the rules in a text: those that follow `rule` or `rules`, as in "rules 2, 5
/// and 10 to 14", and names such as `D2` wherever they stand.
fn cited(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| !matches!(*word, "//" | "///" | "//!"));
    let mut in_list = false;
    let mut names = Vec::new();
    for word in words {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let starts = matches!(word, "rule" | "rules" | "Rule" | "Rules");
        in_list = starts || in_list && (number || matches!(word, "to" | "and"));
        let divergence = matches!(word.as_bytes(), [b'D', digit] if digit.is_ascii_digit());
        if divergence || in_list && number {
            names.push(word.to_owned());
        }
    }
    names
}

/// The anchor of each rule on the page, by the name that is printed after it.
fn on_the_page() -> BTreeMap<String, String> {
    let page = fs::read_to_string(root().join("RULES.md")).unwrap();
    let rules = page.lines().filter_map(|line| line.strip_prefix("<a id=\""));
    let rules = rules.map(|line| {
        let (anchor, rest) = line.split_once("\"></a>**").expect("a name after the anchor");
        let (name, _) = rest.split_once('.').expect("a full stop after the name");
        (name.to_owned(), anchor.to_owned())
    });
    rules.collect()
}

#[test]
fn each_cited_rule_is_on_the_page() {
    let rules = on_the_page();
    let mut files = Vec::new();
    for folder in ["src", "tests", "examples"] {
        sources(&root().join(folder), &mut files);
    }
    let mut citations = 0;
    for file in files {
        for name in cited(&fs::read_to_string(&file).unwrap()) {
            assert!(rules.contains_key(&name), "{}: rule {name}", file.display());
            citations += 1;
        }
    }
    assert!(citations > 30, "{citations} citations found: are they looked for rightly?");
}

#[test]
fn rules_are_numbered_without_gaps_and_anchored_by_number() {
    let rules = on_the_page();
    let numbers = rules.keys().filter(|name| !name.starts_with('D')).count();
    for (name, anchor) in &rules {
        let expected = match name.strip_prefix('D') {
            Some(number) => format!("d{number}"),
            None => format!("rule-{name}"),
        };
        assert_eq!(*anchor, expected);
    }
    assert!((1..=numbers).all(|number| rules.contains_key(&number.to_string())));
}

#[test]
fn citations_are_found_in_prose() {
    assert_eq!(cited("/// Rules 2, 5, 10\n/// to 14 (and rule 42)."), ["2", "5", "10", "14", "42"]);
    assert_eq!(cited("rule 7, with D2 put right: 3 rows"), ["7", "D2"]);
    assert!(cited("a rule of thumb: 99 rows").is_empty());
}
