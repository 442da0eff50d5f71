//! Two streams.

use super::*;

const JOIN: &str = r#"
[stream.views]
recording = "views.csv"
schema = { id = "bigint", at = "timestamp", page = "string" }
event_time = "at"
watermark = "10 minutes"
[stream.clicks]
recording = "clicks.csv"
schema = { view = "bigint", at = "timestamp", x = "bigint" }
event_time = "at"
watermark = "10 minutes"
[join]
left = "views"
right = "clicks"
type = "left outer"
on = "id = view AND clicks.at BETWEEN views.at AND views.at + INTERVAL 5 MINUTE"
[replay]
trigger = { event_time = "5 minutes" }
"#;

/// Minute and second of 2024-01-01 as text.
fn at(seconds: u64) -> String {
    let (day, rest) = (1 + seconds / 86_400, seconds % 86_400);
    format!("2024-01-{day:02} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// A view each 10 seconds, over two hours and more.
fn views() -> (&'static str, String) {
    ("views.csv", csv("id,at,page", 0..1000, |i| format!("{i},{},p", at(i * 10))))
}

/// A click on every second of them, 5 seconds later.
fn clicks(until: u64) -> (&'static str, String) {
    ("clicks.csv", csv("view,at,x", 0..until, |i| format!("{},{},{i}", i * 2, at(i * 20 + 5))))
}

#[test]
fn healthy_streams_say_nothing() {
    let data = Data::new(&[views(), clicks(500)]);
    data.finds_nothing(JOIN);
    data.finds_nothing(&JOIN.replace("left outer", "inner"));
    data.finds_nothing(&JOIN.replace("left outer", "full outer"));
    data.finds_nothing(&JOIN.replace("{ event_time = \"5 minutes\" }", "\"once\""));
}

#[test]
fn outer_rows_that_wait_for_a_silent_stream_are_told_with_their_number_and_age() {
    let data = Data::new(&[views(), clicks(100)]);
    let finding = data.finds(JOIN, "outer-rows-held");
    says(
        &finding,
        &[
            "held back by `clicks`",
            "because it has ended",
            "finished = \"leaves\" under [stream.clicks]",
        ],
    );
    assert_eq!(finding.about.as_deref(), Some("clicks"));
    // The clicks' watermark stays at 33:05 - 10 min; views have left up to 5 min
    // before it, 18:05. By the views' own, 2:46:30 - 10 min, those before 2:31:30
    // would have: 800 of them, of which 45 have their click.
    assert_eq!(finding.data["since"], "2024-01-01T00:18:10.000Z");
    assert_eq!(finding.data["rows"], 755);
    let found = data.found(JOIN);
    assert!(found.iter().all(|finding| finding.id != "watermark-stuck"), "told once: {found:#?}");
    let leaves = JOIN.replacen("[join]", "finished = \"leaves\"\n[join]", 1);
    let found = data.found(&leaves);
    assert!(found.iter().all(|finding| finding.id != "outer-rows-held"), "{found:#?}");
}

#[test]
fn a_watermark_that_stands_still_names_the_stream_that_holds_it() {
    let data = Data::new(&[views(), clicks(100)]);
    let inner = JOIN.replace("left outer", "inner");
    let finding = data.finds(&inner, "watermark-stuck");
    says(&finding, &["held by `clicks`", "has not moved in the last", "ahead of it"]);
    assert!(finding.data["batchesSinceMove"].as_u64().unwrap() >= 20);
    // No event times at all.
    let without = ("clicks.csv", csv("view,at,x", 0..500, |i| format!("{i},,{i}")));
    let data = Data::new(&[views(), without]);
    let outer = JOIN.replace("left outer", "full outer");
    let found = data.found(&outer);
    let text = found.iter().map(words).collect::<String>();
    assert!(text.contains("none of the 500 rows of `clicks` has an event time"), "{text}");
}

#[test]
fn one_row_far_ahead_is_named_as_what_holds_the_watermark() {
    let row = |i: u64| {
        let time = if i == 200 { "2031-05-05 00:00:00".to_owned() } else { at(i * 20 + 5) };
        format!("{},{time},{i}", i * 2)
    };
    let poisoned = ("clicks.csv", csv("view,at,x", 0..500, row));
    let views_ahead = |i: u64| {
        let time = if i == 300 { "2031-05-05 00:00:00".to_owned() } else { at(i * 10) };
        format!("{i},{time},p")
    };
    let data = Data::new(&[("views.csv", csv("id,at,page", 0..1000, views_ahead)), poisoned]);
    let text = JOIN.replace("[replay]", "[replay]\nmerge = \"file-order\"");
    let text = text.replace("{ event_time = \"5 minutes\" }", "{ rows = 50 }");
    let finding = data.finds(&text, "watermark-stuck");
    says(
        &finding,
        &[
            "far ahead in event time",
            "has the event time 2031-05-05",
            "rows are late",
            "`where` under [stream.",
        ],
    );
    assert!(finding.warned, "the pass warned of it");
    let late = data.found(&text).into_iter().find(|finding| finding.id == "late-rows").unwrap();
    says(&late, &["no delay makes up for it"]);
}

#[test]
fn late_rows_are_told_with_the_delay_that_keeps_them() {
    // Every tenth click is half an hour late.
    let row = |i: u64| {
        let time = i * 20 + 5;
        let time = if i % 10 == 9 && time > 1800 { time - 1800 } else { time };
        format!("{},{},{i}", i * 2, at(time))
    };
    let data = Data::new(&[views(), ("clicks.csv", csv("view,at,x", 0..500, row))]);
    let text = JOIN.replace("[replay]", "[replay]\nmerge = \"file-order\"");
    let text = text.replace("{ event_time = \"5 minutes\" }", "{ rows = 15 }");
    let finding = data.finds(&text, "late-rows");
    says(
        &finding,
        &[
            "of the rows of `clicks` arrived too late",
            "with a delay of 10 minutes",
            "streamjoin watermark",
        ],
    );
    let enough = finding.data["delayToKeepAllMs"].as_u64().unwrap();
    let raised =
        text.replace("watermark = \"10 minutes\"", &format!("watermark = \"{enough} ms\""));
    let found = data.found(&raised);
    assert!(found.iter().all(|finding| finding.id != "late-rows"), "{found:#?}");
    // A millisecond less would lose the latest of them.
    let less =
        text.replace("watermark = \"10 minutes\"", &format!("watermark = \"{} ms\"", enough - 1));
    let (_, _, outcome) = data.outcome(&less);
    assert!(outcome.dropped.late.unwrap() > 0);
    let (_, _, outcome) = data.outcome(&raised);
    assert_eq!(outcome.dropped.late, Some(0));
}

#[test]
fn state_that_never_leaves_is_told_with_its_slope() {
    let data = Data::new(&[views(), clicks(500)]);
    let open = JOIN.replace(
        "clicks.at BETWEEN views.at AND views.at + INTERVAL 5 MINUTE",
        "clicks.at >= views.at",
    );
    let open =
        open.replace("left outer", "inner") + "[strategies.a]\nstate_limit = { rows = 100_000 }\n";
    let finding = data.finds(&open, "state-growing");
    says(
        &finding,
        &["rows per batch", "per hour of event time", "under [strategies.a]", "`views`"],
    );
    // 30 views in 5 minutes stay; as many per hour.
    let slope = finding.data["rowsPerBatch"].as_f64().unwrap();
    assert!((29.0..=31.5).contains(&slope), "{slope}");
    let slope = finding.data["rowsPerHour"].as_f64().unwrap();
    assert!((348.0..=378.0).contains(&slope), "{slope}");
}

#[test]
fn streams_that_never_meet_are_told_with_the_keys_or_the_times() {
    let data = Data::new(&[
        ("views.csv", csv("id,at,page", 0..1000, |i| format!("v{i},{},p", at(i * 10)))),
        ("clicks.csv", csv("view,at,x", 0..500, |i| format!("V{},{},{i}", i * 2, at(i * 20 + 5)))),
    ]);
    let text = JOIN.replace("id = \"bigint\"", "id = \"string\"");
    let text =
        text.replace("view = \"bigint\"", "view = \"string\"").replace("left outer", "inner");
    let finding = data.finds(&text, "few-keys-matched");
    says(&finding, &["No row of `views` matched a row of `clicks`", "in lower case", "lower("]);
    let found = data.finds(&text, "no-rows-out");
    says(&found, &["rows of `views`: 1,000 read"]);
    assert_eq!(found.data["step"], "join");

    let late = (
        "clicks.csv",
        csv("view,at,x", 0..500, |i| format!("{},{},{i}", i * 2, at(i * 20 + 3600))),
    );
    let data = Data::new(&[views(), late]);
    let finding = data.finds(&JOIN.replace("left outer", "inner"), "few-keys-matched");
    says(
        &finding,
        &["the keys meet, and the rest of the condition", "event times in `on` of [join]"],
    );
}

#[test]
fn state_columns_for_the_output_filter_alone_are_told() {
    let data = Data::new(&[views(), clicks(500)]);
    let text = JOIN.replace("left outer", "inner")
        + "[output]\nselect = [\"id\", \"page\"]\nwhere = \"x > 10\"\n";
    let finding = data.finds(&text, "unused-columns");
    says(&finding, &["The state holds columns", "clicks.x", "8 bytes per row"]);
    data.finds_nothing(&text.replace("where = \"x > 10\"\n", ""));
    // Of the side that may be missing it could not be moved.
    data.finds_nothing(&text.replace("inner", "left outer"));
}
