use super::*;
use crate::error::FailureKind;
use crate::scenario::{Trigger, parse};
use crate::text::duration::Micros;

const TEXT: &str = r#"
[stream.s]
recording = "s.csv" # theirs
[[dimension]]
name = "d"
table = "d.csv"
on = "s.k = d.k"
[replay]
trigger = { event_time = "10 s" }
"#;

fn scenario() -> Scenario {
    parse(SourceText::new("dir/x.toml", TEXT), "x").unwrap()
}

fn refusal(key: &str, value: &str) -> String {
    let failure = set(&scenario(), key, value).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage, "{failure}");
    assert!(failure.message.starts_with(&format!("--set {key}={value}: ")), "{failure}");
    failure.message
}

#[test]
fn values_are_put_where_the_key_leads() {
    let changed = set(&scenario(), "replay.trigger.rows", "1_000").unwrap();
    assert_eq!(*changed.replay.trigger, Trigger::Rows(1000.try_into().unwrap()));
    assert!(changed.text.text().contains("# theirs"));
    assert_eq!(changed.text.path(), scenario().text.path(), "paths start where they did");

    let changed = set(&changed, "strategies.a.threads", "2").unwrap();
    assert_eq!(changed.strategies[0].threads.get(), 2);
    let changed = set(&changed, "dimension.d.type", "left outer").unwrap();
    let changed = set(&changed, "dimension.0.where", "d.v > 1").unwrap();
    let filter = changed.tables[0].clauses.filter.as_ref().unwrap();
    assert_eq!(filter.value, "d.v > 1");
    let changed = set(&changed, "stream.s.watermark", "10 s").unwrap();
    let stream = changed.stream("s").unwrap();
    assert_eq!(**stream.watermark.as_ref().unwrap(), Micros(10_000_000));
    let odd = TEXT.replace("[stream.s]", "[stream.\"s é\"]");
    let odd = parse(SourceText::new("dir/x.toml", odd), "x").unwrap();
    let odd = set(&odd, "stream.s é.csv.delimiter", ";").unwrap();
    assert_eq!(odd.stream("s é").unwrap().reading.options.delimiter, b';');
    let changed = set(&changed, "replay.trigger", "once").unwrap();
    assert_eq!(*changed.replay.trigger, Trigger::Once);
    let changed = set(&changed, "output.select", "[\"s.k\", \"d.v AS v\"]").unwrap();
    assert_eq!(changed.output.clauses.select.as_ref().unwrap().len(), 2);
}

#[test]
fn what_leads_nowhere_is_told_with_the_setting() {
    assert!(refusal("replay.triger", "once").contains("did you mean `trigger`?"));
    assert!(refusal("replay.limit", "many").contains("a whole number"));
    assert!(refusal("dimension.e.type", "left").contains("did you mean `d`?"));
    assert!(refusal("replay.limit.x", "1").contains("a whole number"));
    assert!(refusal("stream.s.recording.x", "1").contains("is a value"));
    assert!(refusal("a..b", "1").contains("is not a key"));
    assert!(refusal("replay.limit", "many").contains("x.toml (with --set)"));
}
