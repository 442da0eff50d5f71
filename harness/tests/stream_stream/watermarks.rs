//! Watermarks, late rows, state and outer rows, batch by batch.

use super::support::{Folder, HEAD, csv};

const JOIN: &str = r#"
[join]
left = "l"
right = "r"
type = "left outer"
on = "l.k = r.k AND r.at BETWEEN l.at AND l.at + INTERVAL 10 SECOND"
"#;

fn streams() -> Folder {
    let left = csv(&[
        (1, Some(1), Some(60)),
        (2, Some(2), Some(61)),
        (3, None, Some(62)),
        (4, Some(4), None),
        (5, Some(1), Some(120)),
        (6, Some(1), Some(30)),
        (7, Some(1), Some(121)),
    ]);
    let right = csv(&[
        (11, Some(1), Some(65)),
        (12, Some(9), Some(66)),
        (13, None, Some(67)),
        (14, Some(1), Some(122)),
        (15, Some(1), Some(132)),
    ]);
    Folder::new(&[("l.csv", &left), ("r.csv", &right)])
}

#[test]
fn progress_tells_what_each_batch_did() {
    let text = format!("{HEAD}{JOIN}[replay]\ntrigger = {{ rows = 7 }}\n");
    let ran = streams().run(&text);
    // 7 rows of the first minute, then what the watermark evicts, then 5 rows
    // of the second, then again, then the end.
    assert_eq!(ran.sizes(), [7, 0, 5, 0, 0]);
    let flags: Vec<(bool, bool)> = ran.progress.iter().map(|p| (p.no_data, p.end)).collect();
    assert_eq!(
        flags,
        [(false, false), (true, false), (false, false), (true, false), (false, true)]
    );
    let time = |batch: usize| ran.progress[batch].event_time.clone().unwrap();
    assert_eq!(time(0).watermark.unwrap(), "1970-01-01T00:00:00.000Z");
    assert_eq!(time(0).min.unwrap(), "2024-01-01T00:01:00.000Z");
    assert_eq!(time(0).max.unwrap(), "2024-01-01T00:01:06.000Z");
    // Rows 1, 2, 3 and 11, 12: 60 + 61 + 62 + 65 + 66; 13 has no key and was
    // dropped before its event time counted.
    assert_eq!(time(0).avg.unwrap(), "2024-01-01T00:01:02.800Z");
    assert_eq!(time(1).watermark.unwrap(), "2024-01-01T00:01:02.000Z");
    assert_eq!(time(1).late_watermark.unwrap(), "1970-01-01T00:00:00.000Z");
    assert_eq!(time(1).min, None);
    let state = |batch: usize| ran.progress[batch].state_operators[0].clone();
    assert_eq!(state(0).num_rows_total, 4 + 2);
    assert_eq!((state(0).custom_metrics.rows_left, state(0).custom_metrics.rows_right), (4, 2));
    assert_eq!(state(0).num_rows_updated, 6);
    // 62 - 10 reaches no left row yet.
    assert_eq!(state(1).num_rows_removed, 0);
    assert_eq!(state(2).num_rows_dropped_by_watermark, 1, "row 6 is late");
    assert!(state(0).memory_used_bytes > 0);
    let dropped = ran.outcome.dropped;
    assert_eq!((dropped.late, dropped.null_key), (Some(1), Some(1)));
    assert_eq!((dropped.filtered, dropped.null_time), (Some(0), Some(0)));
    assert_eq!(
        ran.rows(),
        [
            "1 1 01:00 11 1 01:05",
            "2 2 01:01 - - -",
            "3 - 01:02 - - -",
            "4 4 - - - -",
            "5 1 02:00 14 1 02:02",
            "7 1 02:01 14 1 02:02",
        ]
    );
    assert_eq!(ran.outcome.rows_unmatched, 3);
    // 2 and 3 come out when the watermark is at 121; the time is at 132 then.
    let delay = ran.outcome.outer_delay.quantiles().unwrap();
    assert!((delay.max - 71_000.0).abs() < 1.0, "{delay:?}");
    let state = ran.outcome.state.unwrap();
    assert_eq!(
        (state.rows.left, state.rows.right),
        (3, 2),
        "4, 5 and 7; 14 and 15: before the end"
    );
}

#[test]
fn hold_leaves_the_state_as_it_is() {
    let text = format!("{HEAD}{JOIN}[replay]\ntrigger = {{ rows = 7 }}\nend = \"hold\"\n");
    let ran = streams().run(&text);
    assert_eq!(ran.sizes(), [7, 0, 5, 0]);
    assert_eq!(ran.rows().len(), 5, "row 4, without an event time, stays");
    assert!(ran.progress.iter().all(|batch| !batch.end));
}

#[test]
fn without_no_data_batches_rows_come_out_one_batch_later() {
    let join = format!("{JOIN}no_data_batches = false\n");
    let text = format!("{HEAD}{join}[replay]\ntrigger = {{ rows = 7 }}\nend = \"hold\"\n");
    let ran = streams().run(&text);
    assert_eq!(ran.sizes(), [7, 5]);
    assert_eq!(
        ran.rows().len(),
        4,
        "the watermark of the last batch has had no batch: 6 is not late"
    );
    assert_eq!(ran.outcome.dropped.late, Some(0));
}

/// Left rows until second 100, right rows until 10 only.
fn one_ends() -> Folder {
    let left: Vec<_> = (0..11).map(|i| (i, Some(i), Some(i * 10))).collect();
    let right = [(100, Some(0), Some(1)), (101, Some(1), Some(10))];
    let arrival = |text: String| {
        let mut lines = text.lines();
        let mut with = format!("{},got\n", lines.next().unwrap());
        for line in lines {
            let seconds = line.rsplit(' ').next().unwrap();
            with += &format!("{line},2024-01-01 {seconds}\n");
        }
        with
    };
    Folder::new(&[("l.csv", &arrival(csv(&left))), ("r.csv", &arrival(csv(&right)))])
}

#[test]
fn an_ended_stream_holds_the_watermark_unless_it_is_to_leave() {
    let folder = one_ends();
    let head = HEAD.replace("at = \"timestamp\" }", "at = \"timestamp\", got = \"timestamp\" }");
    let head = head.replace("event_time", "arrival = \"got\"\nevent_time");
    let replay = "[replay]\ntrigger = { event_time = \"10 s\" }\nend = \"hold\"\n";
    let stays = folder.run(&format!("{head}{JOIN}{replay}"));
    // The watermark stays at 10, and even row 0 may still find a match.
    assert_eq!(stays.outcome.state.unwrap().rows.left, 11);
    let leaves = head.replace("[stream.r]", "[stream.r]\nfinished = \"leaves\"");
    let leaves = folder.run(&format!("{leaves}{JOIN}{replay}"));
    // The left stream's own watermark, 100, is in force: rows up to 80 are gone.
    assert_eq!(leaves.outcome.state.unwrap().rows.left, 2);
    let last = leaves.progress.last().unwrap().event_time.clone().unwrap();
    assert_eq!(last.watermark.unwrap(), "2024-01-01T00:01:40.000Z");
    // Silent for 30 s of arrival time is as good, but 30 s later; nothing more
    // comes, so it is the same in the end.
    let idle = head.replace("[stream.r]", "[stream.r]\nidle_timeout = \"30 s\"");
    let idle = folder.run(&format!("{idle}{JOIN}{replay}"));
    let mark = |ran: &super::support::Ran, second: &str| {
        let at = format!("2024-01-01T00:00:{second}.000Z");
        let found = ran.progress.iter().position(|batch| {
            batch.event_time.as_ref().is_some_and(|time| time.max.as_ref() == Some(&at))
        });
        let after = &ran.progress[found.unwrap() + 1];
        after.event_time.clone().unwrap().watermark.unwrap()
    };
    assert_eq!(mark(&leaves, "20"), "2024-01-01T00:00:20.000Z");
    assert_eq!(mark(&idle, "30"), "2024-01-01T00:00:10.000Z");
    assert_eq!(mark(&idle, "40"), "2024-01-01T00:00:40.000Z");
    assert_eq!(idle.outcome.state.unwrap().rows.left, 2);
}

#[test]
fn a_stream_that_was_idle_comes_back() {
    let row = |id, at| (id, Some(id), Some(at));
    let left: Vec<_> = (0..13).map(|i| row(i, i * 10)).collect();
    let right = [row(100, 0), row(101, 100), row(102, 101)];
    let folder = Folder::new(&[("l.csv", &csv(&left)), ("r.csv", &csv(&right))]);
    let head = HEAD.replace("event_time", "arrival = \"at\"\nevent_time");
    let head = head.replace("[stream.r]", "[stream.r]\nidle_timeout = \"30 s\"");
    let ran = folder.run(&format!(
        "{head}{JOIN}[replay]\ntrigger = {{ event_time = \"10 s\" }}\nend = \"hold\"\n"
    ));
    let marks: Vec<String> = ran
        .progress
        .iter()
        .map(|batch| batch.event_time.clone().unwrap().watermark.unwrap()[14..19].to_owned())
        .collect();
    // Idle from 30 on; back at 100, where its own 101 is the smaller one.
    assert!(marks.contains(&"01:30".to_owned()), "{marks:?}");
    assert_eq!(marks.last().unwrap(), "01:41", "{marks:?}");
    assert!(marks.is_sorted(), "a watermark never falls: {marks:?}");
}

#[test]
fn the_fastest_stream_decides_under_max() {
    let text = format!(
        "{HEAD}{JOIN}watermark_policy = \"max\"\n[replay]\ntrigger = {{ rows = 7 }}\nend = \"hold\"\n"
    );
    let ran = streams().run(&text);
    let watermark = ran.progress[1].event_time.clone().unwrap().watermark.unwrap();
    assert_eq!(watermark, "2024-01-01T00:01:06.000Z");
}

#[test]
fn a_state_limit_stops_the_run_with_a_clear_error() {
    for limit in ["{ rows = 5 }", "{ bytes = 100 }"] {
        let text = format!("{HEAD}{JOIN}[strategies.a]\nstate_limit = {limit}\n");
        let failure = streams().try_run(&text).map(|_| ()).unwrap_err();
        assert_eq!(failure.kind, streamjoin::error::FailureKind::Run);
        for part in ["batch 0", "state", "join of `l` with `r`"] {
            assert!(failure.message.contains(part), "no {part} in {failure}");
        }
    }
    let text = format!("{HEAD}{JOIN}[strategies.a]\nstate_limit = {{ rows = 1_000 }}\n");
    assert_eq!(streams().run(&text).outcome.rows_out, 7);
}

#[test]
fn any_trigger_gives_the_rows_of_the_batch_join() {
    // With a watermark that makes nothing late, however the streams are cut.
    let head = HEAD.replace("\"0 s\"", "\"1 hour\"");
    let folder = streams();
    let whole = folder.run(&format!("{head}{JOIN}[replay]\ntrigger = \"once\"\n"));
    assert_eq!(whole.rows().len(), 7);
    for trigger in
        ["{ rows = 1 }", "{ rows = 3 }", "{ event_time = \"7 s\" }", "{ column = \"k\" }"]
    {
        for merge in ["event-time", "file-order"] {
            let ran = folder
                .run(&format!("{head}{JOIN}[replay]\ntrigger = {trigger}\nmerge = \"{merge}\"\n"));
            assert_eq!(ran.rows(), whole.rows(), "{trigger} {merge}");
            assert_eq!(ran.checksum(), whole.checksum());
        }
    }
}
