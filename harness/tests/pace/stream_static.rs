//! One stream and a table.

use std::time::Duration;

use streamjoin::error::FailureKind;

use crate::support::{Folder, Ran, millis, pass};

/// 35 numbers from 0 on, a second of event time apart, and a table of ten.
const HEAD: &str = r#"
[stream.s]
generator = { kind = "rate", limit = 35 }
event_time = "timestamp"
[[dimension]]
name = "d"
table = "d.csv"
on = "s.value % 10 = d.k"
"#;

fn folder() -> Folder {
    let rows: String = (0..9).map(|k| format!("{k},{}\n", k * k)).collect();
    Folder::new(&[("d.csv", &format!("k,v\n{rows}"))])
}

fn scenario(replay: &str) -> String {
    format!("{HEAD}[replay]\n{replay}\n")
}

/// Ten rows per second.
fn paced(trigger: &str) -> String {
    scenario(&format!("trigger = {trigger}\npace = {{ rows_per_second = 10 }}"))
}

#[track_caller]
fn same_answer(paced: &Ran, unthrottled: &Ran) {
    assert_eq!(paced.sizes(), unthrottled.sizes());
    assert_eq!(paced.rows, unthrottled.rows);
    assert_eq!(paced.checksum(), unthrottled.checksum());
    assert_eq!(paced.outcome.rows_in, unthrottled.outcome.rows_in);
    assert_eq!(paced.outcome.joins, unthrottled.outcome.joins);
}

#[test]
fn a_batch_waits_for_its_last_row() {
    for trigger in ["{ rows = 10 }", "{ event_time = \"10 s\" }"] {
        let ran = folder().run(&paced(trigger));
        assert_eq!(ran.sizes(), [10, 10, 10, 5]);
        assert_eq!(ran.done, [1000, 2000, 3000, 3500].map(millis));
        let kept = ran.outcome.pace.unwrap();
        assert_eq!(kept.waited, millis(3500));
        assert_eq!(ran.outcome.elapsed, millis(3500));
        assert_eq!((kept.late_batches, kept.most_behind), (0, Duration::ZERO));
        assert!(ran.latest() < f64::EPSILON, "no batch took any time");
        assert!(!ran.outcome.out_of_time);
        same_answer(&ran, &folder().run(&scenario(&format!("trigger = {trigger}"))));
        let arriving: Vec<Option<f64>> =
            ran.progress.iter().map(|batch| batch.input_rows_per_second).collect();
        assert_eq!(arriving, [None, Some(10.0), Some(10.0), Some(10.0)]);
    }
}

#[test]
fn latency_counts_from_the_due_time_so_that_falling_behind_shows() {
    let ran = folder().run_slowly(&paced("{ rows = 10 }"), &mut |_| millis(1500));
    // Due at 1, 2, 3 and 3.5 s.
    assert_eq!(ran.done, [2500, 4000, 5500, 7000].map(millis));
    let latency = ran.outcome.latencies.quantiles().unwrap();
    assert!((latency.max - 3500.0).abs() < 1.0, "{latency:?}");
    assert!((latency.p50 - 2000.0).abs() < 3.0, "{latency:?}");
    let kept = ran.outcome.pace.unwrap();
    assert_eq!((kept.late_batches, kept.behind, kept.waited), (3, millis(2000), millis(1000)));
    assert!(kept.falling_behind > 0.5, "{kept:?}");
    // Unthrottled, it is the service time: what the sink's clock said is not in it.
    let ran = folder().run_slowly(&scenario("trigger = { rows = 10 }"), &mut |_| millis(1500));
    assert!(ran.latest() < 1000.0);
    assert_eq!(ran.outcome.pace, None);
}

#[test]
fn a_tick_takes_what_has_come() {
    let ran = folder().run(&paced("{ every = \"1 s\" }"));
    assert_eq!(ran.sizes(), [10, 10, 10, 5]);
    assert_eq!(ran.done, [1000, 2000, 3000, 4000].map(millis));
    assert!(ran.idle.is_empty());
    same_answer(&ran, &folder().run(&scenario("trigger = { rows = 10 }")));
}

#[test]
fn a_late_batch_starts_at_once_and_takes_more() {
    // Batch 0 runs from 1 to 3.5 s; batch 1 was due at 2 s, starts at 3.5 s with
    // what came until then, and the beat goes on at 4 s.
    let mut text = paced("{ every = \"1 s\" }");
    text = text.replace("limit = 35", "limit = 50");
    let ran = folder().run_slowly(&text, &mut |batch| millis(if batch == 0 { 2500 } else { 100 }));
    assert_eq!(ran.sizes(), [10, 25, 5, 10]);
    assert_eq!(ran.done, [3500, 3600, 4100, 5100].map(millis));
    let kept = ran.outcome.pace.unwrap();
    assert_eq!((kept.late_batches, kept.most_behind), (1, millis(1500)));
    assert!((ran.latest() - 2500.0).abs() < 1.0);
    assert_ne!(ran.outcome.borders, folder().run(&text).outcome.borders);
    assert_eq!(ran.checksum(), folder().run(&text).checksum());
}

#[test]
fn a_tick_without_rows_is_idle() {
    let text =
        scenario("trigger = { every = \"400 ms\" }\npace = { rows_per_second = 1 }\nlimit = 2");
    let ran = folder().run(&text);
    // Rows are due at 1 and 2 s.
    assert_eq!(ran.sizes(), [1, 1]);
    assert_eq!(ran.done, [1200, 2000].map(millis));
    assert_eq!(ran.idle, [(400, 0), (800, 0), (1600, 1)]);
    assert_eq!(ran.outcome.pace.unwrap().idle_ticks, 3);
    assert_eq!(ran.outcome.batches, 2);
}

#[test]
fn time_ends_a_paced_stream_with_the_row_that_is_due_last() {
    let replay = "trigger = { rows = 10 }\npace = { rows_per_second = 10 }\n";
    let ran = folder().run(&scenario(&format!("{replay}duration = \"2350 ms\"")));
    assert_eq!(ran.sizes(), [10, 10, 3]);
    assert_eq!(ran.done.last(), Some(&millis(2300)));
    assert!(ran.outcome.out_of_time);
    same_answer(&ran, &folder().run(&scenario("trigger = { rows = 10 }\nlimit = 23")));
    let ran = folder().run(&scenario(&format!("{replay}duration = \"1 minute\"")));
    assert_eq!((ran.outcome.rows_in, ran.outcome.out_of_time), (35, false));
    // A tick comes early at the end.
    let text = paced("{ every = \"1 s\" }") + "duration = \"2500 ms\"\n";
    let ran = folder().run(&text);
    assert_eq!((ran.sizes(), ran.done[2]), (vec![10, 10, 5], millis(2500)));
    let ran = folder().run(&scenario(&format!("{replay}duration = \"50 ms\"")));
    assert_eq!((ran.outcome.rows_in, ran.outcome.batches), (0, 0));
}

#[test]
fn a_stream_that_is_behind_when_its_time_is_over_ends_there() {
    let text = paced("{ rows = 10 }") + "duration = \"3 s\"\n";
    // Batch 0 runs from 1 to 6 s: two are left, and there is time for none.
    let ran = folder().run_slowly(&text, &mut |_| millis(5000));
    assert_eq!((ran.sizes(), ran.outcome.out_of_time), (vec![10], true));
    // One that is the last is not left out.
    let text = paced("{ rows = 10 }") + "duration = \"2 s\"\n";
    let ran = folder().run_slowly(&text, &mut |_| millis(5000));
    assert_eq!(ran.sizes(), [10, 10]);
}

#[test]
fn time_ends_an_unthrottled_stream_at_the_next_border() {
    let text = scenario("trigger = { rows = 10 }\nduration = \"1500 ms\"");
    let ran = folder().run_slowly(&text, &mut |_| millis(1000));
    assert_eq!((ran.sizes(), ran.outcome.out_of_time), (vec![10, 10], true));
    // Without end, time is what ends it.
    let text = text.replace(", limit = 35", "");
    let ran = folder().run_slowly(&text, &mut |_| millis(500));
    assert_eq!((ran.sizes(), ran.outcome.out_of_time), (vec![10, 10, 10], true));
}

#[test]
fn a_recording_is_read_again() {
    let text = paced("{ rows = 10 }") + "duration = \"10 s\"\n";
    let folder = folder();
    let again = |text: &str| {
        let mut plan = folder.plan(text).unwrap();
        if let streamjoin::plan::Plan::StreamStatic(plan) = &mut plan {
            plan.repeat = true;
        }
        pass(&plan, &mut |_| Duration::ZERO)
    };
    let ran = again(&text);
    assert_eq!(ran.sizes(), [10; 10]);
    assert_eq!(ran.rows[ran.rows.len() - 1].split(' ').nth(1), Some("28"), "{:?}", ran.rows.last());
    // Times start again: the last batch of a reading ends with it.
    let ran = again(&text.replace("rows = 10 ", "event_time = \"10 s\" "));
    assert_eq!(ran.sizes(), [10, 10, 10, 5, 10, 10, 10, 5, 10, 10, 10]);
    assert_eq!(ran.done[4], millis(4500));
    // As much of it as is asked for.
    let ran = again(&(text.clone() + "limit = 4\n"));
    assert_eq!((ran.outcome.rows_in, ran.outcome.joins[0]), (100, (100, 0)));
    // Nothing is read again without rows.
    let empty = Folder::new(&[("d.csv", "k,v\n1,2\n"), ("s.csv", "value,timestamp\n")]);
    let text = text.replace(
        "generator = { kind = \"rate\", limit = 35 }",
        "recording = \"s.csv\"\nschema = { value = \"bigint\", timestamp = \"timestamp\" }",
    );
    assert_eq!(empty.run(&text).outcome.rows_in, 0);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    for (replay, place, words) in [
        (
            "trigger = { every = \"5 s\" }",
            "s.toml:10:11",
            &["`every`", "pace = { rows_per_second"][..],
        ),
        ("trigger = { every = \"5 s\" }\npace = \"unthrottled\"", "s.toml:10:11", &["pace"]),
        (
            "pace = { rows_per_second = 5 }\ntrigger = { every = \"0 s\" }",
            "s.toml:11:11",
            &["longer than zero"],
        ),
        ("pace = { rows_per_second = 0 }", "s.toml:10:8", &["above 0"]),
        ("pace = { rows_per_second = -1.5 }", "s.toml:10:8", &["above 0"]),
        ("pace = { rows_per_second = nan }", "s.toml:10:8", &["above 0"]),
        ("duration = \"0 s\"", "s.toml:10:12", &["longer than zero"]),
        ("disorder = { share = 0.1, max = \"0 s\" }", "s.toml:10:12", &["`max`"]),
    ] {
        let failure = folder().plan(&scenario(replay)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Usage, "{failure}");
        for word in words.iter().chain([&place]) {
            assert!(failure.message.contains(word), "no `{word}` in: {failure}");
        }
    }
    let endless = HEAD.replace(", limit = 35", "");
    let failure = folder().plan(&endless).unwrap_err();
    assert!(failure.message.contains("duration"), "{failure}");
    assert!(folder().plan(&format!("{endless}[replay]\nduration = \"1 s\"\n")).is_ok());
}
