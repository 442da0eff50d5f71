//! SCENARIOS.md has every key of a scenario, RESULTS.md every field of the results.

use serde_json::Value;
use streamjoin::record::{DimensionProgress, DimensionSummary, Environment, Progress, Summary};
use streamjoin::scenario::{self, SourceText};

const SCENARIOS: &str = include_str!("../SCENARIOS.md");
const RESULTS: &str = include_str!("../RESULTS.md");

/// The content of every block that is fenced as TOML, with its line.
fn blocks() -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in SCENARIOS.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some((_, text)) => *text += &format!("{line}\n"),
            None if line == "```toml" => open = Some((number + 1, String::new())),
            None => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

#[test]
fn every_block_is_a_scenario() {
    let blocks = blocks();
    assert!(blocks.len() >= 7, "{}", blocks.len());
    for (line, text) in blocks {
        let read = scenario::parse(SourceText::new("SCENARIOS.md", text.clone()), "page");
        assert!(read.is_ok(), "block at line {line}: {}\n{text}", read.unwrap_err());
    }
}

#[test]
fn every_function_is_on_the_page() {
    for name in streamjoin_sql::function_names() {
        let plain = SCENARIOS.contains(&format!("`{name}`"));
        assert!(plain || SCENARIOS.contains(&format!("`{name}(")), "`{name}` is not on the page");
    }
}

#[test]
fn every_key_is_on_the_page() {
    let stream = "[stream.s]\n";
    let dimension = "[[dimension]]\nname = \"d\"\n";
    for text in [
        "xyzzyxyzzy = 1\n".to_owned(),
        format!("{stream}xyzzyxyzzy = 1\n"),
        format!("{stream}csv = {{ xyzzyxyzzy = 1 }}\n"),
        format!("{stream}event_time = {{ xyzzyxyzzy = 1 }}\n"),
        format!("{stream}generator = {{ kind = \"rate\", xyzzyxyzzy = 1 }}\n"),
        format!("{stream}generator = {{ kind = \"keys\", xyzzyxyzzy = 1 }}\n"),
        format!("{stream}generator = {{ kind = \"dimension\", xyzzyxyzzy = 1 }}\n"),
        format!("{stream}generator = {{ kind = \"xyzzyxyzzy\" }}\n"),
        format!("{dimension}xyzzyxyzzy = 1\n"),
        format!("{dimension}versions = [{{ xyzzyxyzzy = 1 }}]\n"),
        format!("{dimension}refresh = \"xyzzyxyzzy\"\n"),
        format!("{stream}generator = {{ kind = \"ad-events\", xyzzyxyzzy = 1 }}\n"),
        format!("{stream}generator = {{ kind = \"nexmark\", xyzzyxyzzy = 1 }}\n"),
        "[join]\nxyzzyxyzzy = 1\n".to_owned(),
        "[replay]\nxyzzyxyzzy = 1\n".to_owned(),
        "[replay]\ntrigger = { xyzzyxyzzy = 1 }\n".to_owned(),
        "[replay]\ntrigger = \"xyzzyxyzzy\"\n".to_owned(),
        "[replay]\nend = \"xyzzyxyzzy\"\n".to_owned(),
        "[strategies.s]\nxyzzyxyzzy = 1\n".to_owned(),
        "[output]\nxyzzyxyzzy = 1\n".to_owned(),
    ] {
        let refused = scenario::parse(SourceText::new("x.toml", text.clone()), "x").unwrap_err();
        let (_, known) = refused.message.split_once("nown: ").expect(&refused.message);
        // Another spelling of `dimension_rows`.
        for key in known.split(", ").filter(|key| *key != "key_space") {
            assert!(is_documented(SCENARIOS, key), "`{key}` is not on the page ({text})");
        }
    }
}

#[test]
fn every_field_is_on_the_page() {
    let mut progress = Progress::default();
    progress.dimension.push(DimensionProgress::default());
    progress.event_time = Some(streamjoin::record::EventTime::default());
    let mut summary = Summary::default();
    summary.dimensions.push(DimensionSummary::default());
    summary.latency_ms = Some(streamjoin::record::Quantiles::default());
    let environment = Environment::detect("portable", "system", None);
    for record in [
        serde_json::to_value(progress).unwrap(),
        serde_json::to_value(summary).unwrap(),
        serde_json::to_value(environment).unwrap(),
    ] {
        for field in fields(&record) {
            assert!(is_documented(RESULTS, &field), "`{field}` is not on the page");
        }
    }
}

/// Whether a name is on the page as code.
fn is_documented(page: &str, name: &str) -> bool {
    let words = |text: &str| -> bool {
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).any(|w| w == name)
    };
    page.lines().any(|line| line.split('`').skip(1).step_by(2).any(words))
        || blocks().iter().any(|(_, text)| words(text))
}

/// Every key of every object.
fn fields(value: &Value) -> Vec<String> {
    match value {
        Value::Object(object) => object
            .iter()
            .flat_map(|(key, value)| [vec![key.clone()], fields(value)].concat())
            .collect(),
        Value::Array(values) => values.iter().flat_map(fields).collect(),
        _ => Vec::new(),
    }
}
