//! Two streams.

use crate::support::{Folder, millis};

/// Rows `id,k,at` of every second, keys 0 to 4.
fn rows(from: u64, to: u64) -> String {
    let rows: String = (from..to)
        .map(|id| format!("{id},{},2024-01-01 00:{:02}:{:02}\n", id % 5, id / 60, id % 60))
        .collect();
    format!("id,k,at\n{rows}")
}

fn folder() -> Folder {
    Folder::new(&[("l.csv", &rows(0, 40)), ("r.csv", &rows(3, 43))])
}

fn scenario(replay: &str) -> String {
    let stream = |name: &str| {
        format!(
            "[stream.{name}]\nrecording = \"{name}.csv\"\nschema = {{ id = \"bigint\", k = \"bigint\", at = \"timestamp\" }}\nevent_time = \"at\"\nwatermark = \"2 s\"\n"
        )
    };
    format!(
        "{}{}[join]\nleft = \"l\"\nright = \"r\"\ntype = \"left outer\"\non = \"l.k = r.k AND r.at BETWEEN l.at AND l.at + INTERVAL 6 SECONDS\"\n[replay]\n{replay}\n",
        stream("l"),
        stream("r")
    )
}

fn no_data(ran: &crate::support::Ran) -> usize {
    ran.progress.iter().filter(|batch| batch.no_data).count()
}

#[test]
fn both_sides_count_and_the_answer_is_that_of_the_same_batches() {
    for (trigger, cut) in [
        ("{ rows = 20 }", "{ rows = 20 }"),
        ("{ every = \"2 s\" }", "{ rows = 20 }"),
        ("{ event_time = \"10 s\" }", "{ event_time = \"10 s\" }"),
    ] {
        let pace = "pace = { rows_per_second = 10 }";
        let paced = folder().run(&scenario(&format!("trigger = {trigger}\n{pace}")));
        let plain = folder().run(&scenario(&format!("trigger = {cut}")));
        assert!(no_data(&paced) > 2, "{:?}", paced.sizes());
        assert_eq!(paced.sizes(), plain.sizes());
        assert_eq!(paced.rows, plain.rows);
        assert_eq!(paced.checksum(), plain.checksum());
        assert_eq!(paced.outcome.dropped, plain.outcome.dropped);
        assert_eq!(paced.outcome.state.unwrap().rows, plain.outcome.state.unwrap().rows);
        let kept = paced.outcome.pace.unwrap();
        assert_eq!((kept.late_batches, kept.waited), (0, millis(8000)));
    }
}

#[test]
fn a_batch_without_data_is_due_with_the_one_before_it() {
    let replay = "trigger = { every = \"2 s\" }\npace = { rows_per_second = 10 }\nend = \"hold\"";
    let ran = folder().run_slowly(&scenario(replay), &mut |_| millis(300));
    assert!(no_data(&ran) > 2 && ran.idle.is_empty());
    assert!((ran.latest() - 600.0).abs() < 1.0, "{}", ran.latest());
    assert_eq!(ran.outcome.pace.unwrap().late_batches, 0);
    // The last batch empties the state; nobody waited for it.
    let ran = folder().run_slowly(&scenario(&replay.replace("hold", "flush")), &mut |batch| {
        millis(if batch > 7 { 5000 } else { 300 })
    });
    assert!(ran.progress.last().unwrap().end);
    assert_eq!(ran.progress.len(), 9, "{:?}", ran.sizes());
    assert!((ran.latest() - 600.0).abs() < 1.0, "{}", ran.latest());
}

#[test]
fn a_tick_without_rows_is_idle_and_time_ends_both() {
    let replay = "trigger = { every = \"100 ms\" }\npace = { rows_per_second = 5 }";
    let ran = folder().run(&scenario(&format!("{replay}\nduration = \"1 s\"")));
    assert_eq!(ran.outcome.rows_in, 5);
    assert_eq!(ran.idle.len(), 5);
    assert!(ran.outcome.out_of_time);
    assert!(ran.progress.last().unwrap().end, "the end is as that of a recording");
    let limited = folder().run(&scenario("trigger = { rows = 1 }\nlimit = 5"));
    assert_eq!(ran.rows, limited.rows);
    // Unthrottled.
    let text = scenario("trigger = { rows = 20 }\nduration = \"1 s\"\nend = \"hold\"");
    let ran = folder().run_slowly(&text, &mut |_| millis(400));
    assert!(ran.outcome.out_of_time && ran.outcome.rows_in < 80, "{:?}", ran.sizes());
    assert_eq!(ran.outcome.rows_in % 20, 0);
}

#[test]
fn a_pair_that_is_behind_when_its_time_is_over_ends_there() {
    let replay = "trigger = { rows = 10 }\npace = { rows_per_second = 10 }\nduration = \"4 s\"";
    let ran = folder().run_slowly(&scenario(replay), &mut |_| millis(3000));
    assert!(ran.outcome.out_of_time);
    assert!(ran.outcome.rows_in < 40, "{:?}", ran.sizes());
}
